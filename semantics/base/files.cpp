#include "semantics/base/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace lockstep {

std::expected<std::string, std::string> read_file(const std::string& path, std::size_t limit) {
  return read_file(path, [limit](std::string_view) { return ByteLimit{limit, ""}; });
}

std::expected<std::string, std::string> read_file(const std::string& path, const std::function<ByteLimit(std::string_view)>& limit_of) {
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
  std::size_t count = std::fread(buffer, 1, sizeof buffer, file);
  const ByteLimit limit = limit_of({buffer, count});
  const auto size = std::filesystem::file_size(path, ignored);  // fails for what is no regular file
  bool fits = ignored || size <= limit.bytes;
  for (; fits && count > 0; count = std::fread(buffer, 1, sizeof buffer, file)) {
    text.append(buffer, count);
    fits = text.size() <= limit.bytes;
  }
  const bool failed = std::ferror(file) != 0;
  if (file != stdin) {
    std::fclose(file);
  }
  if (failed) {
    return std::unexpected(fmt::format("{}: cannot be read", path));
  }
  if (!fits) {
    return std::unexpected(fmt::format("{}: has more than {} bytes{}", path, limit.bytes, limit.why));
  }
  return text;
}

std::optional<std::string> write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);  // a failure is seen at the end of the command
    return std::nullopt;
  }
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return fmt::format("{}: {}", path, std::strerror(errno));
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written ? std::nullopt : std::optional(fmt::format("{}: cannot be written", path));
}

}  // namespace lockstep
