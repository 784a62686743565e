#include "tools/command.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "semantics/musimd/parse.hpp"

namespace lockstep::tools {

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void complain(const std::string& message) { say(refusal(message).text); }

std::string counted(std::uint64_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

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

Refusal refusal(const std::string& sentence) { return {"lockstep: error: " + sentence + "\n", sentence}; }

Refusal refusal(const SourceFile& source, const Diagnostics& errors) {
  const LineColumn place = source.place(errors.front().span.begin);
  return {render(source, errors), fmt::format("{}:{}:{}: {}", source.name(), place.line, place.column, errors.front().message)};
}

int refuse(const Refusal& refusal, bool json) {
  say(refusal.text);
  if (json) {
    fmt::print("{{\"status\":\"error\",\"reason\":{}}}\n", json_string(refusal.reason));
  }
  return bad_input;
}

std::expected<std::shared_ptr<const SourceFile>, Refusal> read_source(const std::string& path) {
  auto text = read_file(path);
  if (!text) {
    return std::unexpected(refusal(text.error()));
  }
  return std::make_shared<const SourceFile>(path == "-" ? "<stdin>" : path, std::move(*text));
}

std::expected<std::shared_ptr<const musimd::Program>, Refusal> parse_program(const SourceFile& source) {
  auto program = musimd::parse(source);
  if (!program) {
    return std::unexpected(refusal(source, program.error()));
  }
  return std::make_shared<const musimd::Program>(std::move(*program));
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lockstep::tools
