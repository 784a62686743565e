#include "tests/ptx/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace lockstep::test {

using ptx_cases::Case;

std::vector<std::string> ptx_files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_path(folder))) {
    if (entry.path().extension() == ".ptx") {
      files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

Case read_case(const std::string& file) {
  auto read = ptx_cases::parse_case(text_of_file(file));
  if (!read) {
    throw std::runtime_error(fmt::format("{}:{}: {}", file, read.error().line, read.error().sentence));
  }
  return std::move(*read);
}

ptx_machine::Arguments arguments_of(const Case& given) {
  ptx_machine::Arguments arguments;
  for (const ptx_cases::Argument& argument : given.arguments) {
    if (argument.is_buffer) {
      add_buffer(arguments, argument.values, argument.type.bytes);
      if (!argument.is_parameter) {
        arguments.values.pop_back();
      }
    } else if (!argument.into.empty()) {
      const auto buffer = std::ranges::find(given.arguments, argument.into, &ptx_cases::Argument::name);
      const auto number = std::count_if(given.arguments.begin(), buffer, [](const ptx_cases::Argument& each) { return each.is_buffer; });
      arguments.values.emplace_back(BufferNumber{static_cast<std::size_t>(number), argument.values.front() / buffer->type.bytes});
    } else {
      add_scalar(arguments, argument.values.front(), argument.type.bytes);
    }
  }
  return arguments;
}

namespace {

ptx_machine::Dim3 dim3(const std::array<unsigned, 3>& numbers) { return {numbers[0], numbers[1], numbers[2]}; }

}  // namespace

ptx_machine::LaunchOptions options_of(const Case& given, const NamedSchedule& schedule) {
  ptx_machine::LaunchOptions options;
  options.geometry = {dim3(given.grid), dim3(given.block)};
  options.shared_bytes = given.shared;
  options.schedule = schedule.schedule;
  options.seed = schedule.seed;
  return options;
}

}  // namespace lockstep::test
