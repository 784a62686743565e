#include "tests/campaign/campaign.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace lockstep::test {

WithEnvironment::WithEnvironment(const char* name, const std::string& value) : name_(name) {
  if (const char* old = std::getenv(name)) {
    old_ = old;
  }
  setenv(name, value.c_str(), 1);
}

WithEnvironment::~WithEnvironment() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

std::string comment(const std::string& mark, const std::string& message) {
  std::string text;
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    text += mark + " " + line + "\n";
  }
  return text;
}

std::string header(const std::string& text, const std::string& mark, const std::string& key, std::size_t from) {
  const std::string start = mark + " " + key + ": ";
  const std::size_t at = text.find(start, from);
  return at == std::string::npos ? "" : text.substr(at + start.size(), text.find('\n', at) - at - start.size());
}

std::string write_repro(const std::string& property, std::uint64_t seed, const std::string& extension, const std::string& text) {
  const std::string folder = environment("LOCKSTEP_REPRO_DIR");
  std::string file = (folder.empty() ? "." : folder) + "/repro-" + property + "-" + std::to_string(seed) + "." + extension;
  std::ofstream(file) << text;
  return file;
}

std::optional<std::string> read_repro(const std::string& file, const std::string& mark, const std::string& property) {
  std::ifstream stream(file);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream) {
    throw std::runtime_error("cannot read " + file);
  }
  return header(content.str(), mark, "property") == property ? std::optional(content.str()) : std::nullopt;
}

bool hold(const std::string& property, unsigned count, const std::function<std::optional<Finding>(std::uint64_t seed)>& try_seed,
          const std::function<std::optional<Finding>(const std::string& file)>& rerun) {
  const auto fail_if = [&](const std::optional<Finding>& finding) {
    if (finding) {
      FAIL(property << ": " << finding->message << "\n" << finding->text << "written to " << finding->file);
    }
  };
  const std::string file = environment("LOCKSTEP_REPRO");
  if (!file.empty()) {
    fail_if(rerun(file));
    return false;
  }
  rc::detail::TestMetadata metadata;
  metadata.id = property;
  rc::detail::TestParams params;
  params.seed = run_seed();
  params.maxSuccess = static_cast<int>(count);
  params.disableShrinking = true;  // the seed says nothing of a program's size: try_seed shrinks the program itself
  std::optional<Finding> found;
  const auto result = rc::detail::checkTestable(
      [&] {
        const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>());
        found = try_seed(seed);
        RC_ASSERT(!found);
      },
      metadata, params);
  fail_if(found);
  REQUIRE(result.template is<rc::detail::SuccessResult>());
  return true;
}

}  // namespace lockstep::test
