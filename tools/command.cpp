#include "tools/command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "semantics/base/files.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/musimd/parse.hpp"

namespace lockstep::tools {

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void complain(const std::string& message) { say(refusal(message).text); }

Refusal refusal(const std::string& sentence) { return {"lockstep: error: " + sentence + "\n", sentence}; }

Refusal refusal(const SourceFile& source, const Diagnostics& errors) {
  return {render(source, errors), fmt::format("{}: {}", place_name(source, errors.front().span), errors.front().message)};
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
