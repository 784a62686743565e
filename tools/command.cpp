#include "tools/command.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "semantics/musimd/parse.hpp"

namespace lockstep::tools {

void complain(const std::string& message) { fmt::print(stderr, "lockstep: error: {}\n", message); }

std::expected<std::string, std::string> read_file(const std::string& path, std::size_t limit) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    return std::unexpected(fmt::format("{}: is a directory", path));
  }
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return std::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  std::string text;
  char buffer[1 << 16];
  std::size_t count = 0;
  while (text.size() <= limit && (count = std::fread(buffer, 1, sizeof buffer, file)) > 0) {
    text.append(buffer, count);
  }
  const bool failed = std::ferror(file) != 0;
  if (file != stdin) {
    std::fclose(file);
  }
  if (failed) {
    return std::unexpected(fmt::format("{}: cannot be read", path));
  }
  if (text.size() > limit) {
    return std::unexpected(fmt::format("{}: has more than {} bytes", path, limit));
  }
  return text;
}

std::shared_ptr<const musimd::Program> read_program(const std::string& path, std::unique_ptr<SourceFile>& source) {
  auto text = read_file(path);
  if (!text) {
    complain(text.error());
    return nullptr;
  }
  source = std::make_unique<SourceFile>(path == "-" ? "<stdin>" : path, std::move(*text));
  auto program = musimd::parse(*source);
  if (!program) {
    fmt::print(stderr, "{}", render(*source, program.error()));
    return nullptr;
  }
  return std::make_shared<const musimd::Program>(std::move(*program));
}

}  // namespace lockstep::tools
