#include "tools/run_outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "interpreter/launch/arguments.hpp"
#include "interpreter/launch/structure_arguments.hpp"
#include "interpreter/store/npy.hpp"
#include "semantics/base/counted.hpp"
#include "tools/command.hpp"

namespace lockstep::tools {

namespace {

std::optional<std::string> write_npy(const launch::Buffer& buffer, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return fmt::format("{}: {}", path, std::strerror(errno));
  }
  const std::string header = npy_header(buffer.type, buffer.shape);
  bool good = std::fwrite(header.data(), 1, header.size(), file) == header.size();
  good = good && std::fwrite(buffer.bytes.data(), 1, buffer.bytes.size(), file) == buffer.bytes.size();
  good = std::fclose(file) == 0 && good;
  if (!good) {
    return fmt::format("{}: cannot be written", path);
  }
  if (!buffer.poison.empty()) {
    say(fmt::format("lockstep: warning: {}: {} poison, written as 0\n", path, counted(buffer.poison.size(), "element")));
  }
  if (!buffer.uninitialised.empty()) {
    say(fmt::format("lockstep: warning: {}: {} without a value, written as 0\n", path, counted(buffer.uninitialised.size(), "element")));
  }
  return std::nullopt;
}

constexpr std::uint64_t most_values = 32;

/// A structure counts as as many numbers as it has members, and is shown as a whole.
void print_structures(const std::string& name, const launch::Buffer& buffer, const launch::Structure& structure) {
  const std::uint64_t count = buffer.bytes.size() / structure.bytes;
  const std::uint64_t shown = std::min(count, std::max<std::uint64_t>(1, most_values / structure.members.size()));
  fmt::print("  {}: structure[{}]", name, count);
  for (std::uint64_t i = 0; i < shown; ++i) {
    fmt::print(" {}", launch::structure_text(structure, buffer, i));
  }
  fmt::print("{}\n", count > shown ? fmt::format(" … {} more", count - shown) : "");
}

}  // namespace

std::optional<std::string> check_files(const std::vector<Output>& outputs, const RunOptions& options) {
  std::vector<std::string> inputs = argument_files(options.launch.arguments);
  inputs.push_back(options.file);
  std::vector<std::string> paths;
  paths.reserve(outputs.size());
  for (const Output& output : outputs) {
    paths.push_back(output.path);
  }
  const auto overwriting = check_overwriting(inputs, paths);
  return overwriting ? overwriting : check_writable(paths);
}

bool write_output(const Output& output, const BufferNumber& points, const std::vector<launch::Buffer>& buffers) {
  const launch::Buffer& buffer = buffers[points.number];
  const auto problem =
      points.first == 0 ? write_npy(buffer, output.path) : write_npy(launch::elements_from(buffer, points.first), output.path);
  if (problem) {
    complain(*problem);
  }
  return !problem;
}

std::string json_element(const launch::Buffer& buffer, std::uint64_t index) {
  std::string text = launch::element_text(buffer, index);
  if (!is_float(buffer.type)) {
    return text;
  }
  if (text.find_first_of("in") != std::string::npos) {
    return '"' + text + '"';  // JSON has neither inf nor nan
  }
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

void print_buffer(const std::string& name, const launch::Buffer& buffer, const launch::Structure* structure) {
  if (structure != nullptr) {
    print_structures(name, buffer, *structure);
    return;
  }
  fmt::print("  {}: {}[{}]", name, info(buffer.type).name, fmt::join(buffer.shape, ", "));
  for (std::uint64_t i = 0; i < std::min(buffer.count, most_values); ++i) {
    fmt::print(" {}", launch::element_text(buffer, i));
  }
  fmt::print("{}\n", buffer.count > most_values ? fmt::format(" … {} more", buffer.count - most_values) : "");
}

}  // namespace lockstep::tools
