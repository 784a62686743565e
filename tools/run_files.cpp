// What can be said of a run's output files before it begins.

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "tools/run.hpp"

namespace lockstep::tools {

std::optional<std::string> check_overwriting(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  std::error_code error;
  for (const std::string& output : outputs) {
    for (const std::string& input : inputs) {
      if (std::filesystem::is_regular_file(output, error) && std::filesystem::equivalent(input, output, error)) {
        return fmt::format("{}: is read by this run and must not be written", output);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> check_writable(const std::vector<std::string>& outputs) {
  std::error_code error;
  for (const std::string& output : outputs) {
    if (std::filesystem::exists(output, error) && !std::filesystem::is_regular_file(output, error) &&
        !std::filesystem::is_directory(output, error)) {
      continue;  // a pipe: opening it twice would close it for its reader
    }
    std::FILE* file = std::fopen(output.c_str(), "ab");
    if (file == nullptr) {
      return fmt::format("{}: {}", output, std::strerror(errno));
    }
    std::fclose(file);
  }
  return std::nullopt;
}

}  // namespace lockstep::tools
