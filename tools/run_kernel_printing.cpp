#include "tools/run_kernel_printing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_map>

#include "semantics/base/print_format.hpp"

namespace lockstep::tools {

namespace {

/// The formats by their numbers.
std::unordered_map<std::uint64_t, PrintFormat> formats_of(const typed::Program& program) {
  std::unordered_map<std::uint64_t, PrintFormat> formats;
  for (const typed::Object& object : program.objects) {
    if (!object.name.starts_with(print_format_prefix) || object.values.empty()) {
      continue;
    }
    std::string written;
    for (const std::uint64_t word : std::span(object.values).subspan(1)) {
      written += static_cast<char>(word);
    }
    if (auto format = read_print_format(written)) {
      formats.emplace(object.values.front(), std::move(*format));
    }
  }
  return formats;
}

/// A call that printed.
struct PrintedCall {
  std::uint64_t group = 0;
  const PrintFormat* format = nullptr;
  std::span<const std::uint64_t> numbers;
};

}  // namespace

std::optional<std::size_t> print_parameter(const typed::Program& program) {
  return launch::parameter_named(program, std::string(print_buffer_name));
}

std::vector<std::string> with_print_buffer(std::vector<std::string> arguments, const typed::Program& program) {
  if (print_parameter(program)) {
    arguments.push_back(fmt::format("{}={}:zeros", print_buffer_name, print_words));
  }
  return arguments;
}

std::string print_output(const typed::Program& program, const launch::Arguments& arguments) {
  const auto parameter = print_parameter(program);
  const auto* number = parameter ? std::get_if<BufferNumber>(&arguments.values[*parameter]) : nullptr;
  if (number == nullptr) {
    return "";
  }
  const launch::Buffer& buffer = arguments.buffers[number->number];
  std::vector<std::uint64_t> words(buffer.count);
  std::memcpy(words.data(), buffer.bytes.data(), std::min(buffer.bytes.size(), words.size() * sizeof(std::uint64_t)));
  const auto formats = formats_of(program);
  std::vector<PrintedCall> calls;
  const std::uint64_t wanted = words.front();
  std::uint64_t at = 1;
  while (at + print_head <= words.size() && at - 1 < wanted) {
    const auto format = formats.find(words[at]);
    if (format == formats.end() || at + print_head + format->second.numbers() > words.size()) {
      break;
    }
    const std::size_t count = format->second.numbers();
    calls.push_back({words[at + 1], &format->second, std::span(words).subspan(at + print_head, count)});
    at += print_head + count;
  }
  std::ranges::stable_sort(calls, {}, &PrintedCall::group);
  std::string text;
  for (const PrintedCall& call : calls) {
    text += printed(*call.format, call.numbers);
  }
  if (at - 1 < wanted) {
    text += fmt::format("{}… more was printed than the {} words that there are room for\n",
                        text.empty() || text.ends_with('\n') ? "" : "\n", print_words);
  }
  return text;
}

}  // namespace lockstep::tools
