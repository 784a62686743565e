#include "tests/properties/support.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "semantics/generate/shrink.hpp"
#include "semantics/musimd/parse.hpp"

namespace lockstep::test {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// As comments in front of the program, so that the file is a program, too.
std::string file_text(const Campaign& campaign, const Trial& trial, const std::string& message) {
  std::string text = "# property: " + campaign.property + "\n# salt: " + std::to_string(trial.salt) + "\n";
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    text += "# " + line + "\n";
  }
  return text + "# LOCKSTEP_REPRO=THIS_FILE property_tests runs it again\n" + trial.text;
}

Finding report(const Campaign& campaign, const Trial& trial, std::uint64_t seed) {
  Finding finding{verdict(campaign.law, trial).value_or("fails only sometimes"), trial.text, ""};
  const std::string folder = environment("LOCKSTEP_REPRO_DIR");
  finding.file = (folder.empty() ? "." : folder) + "/repro-" + campaign.property + "-" + std::to_string(seed) + ".mus";
  std::ofstream(finding.file) << file_text(campaign, trial, finding.message);
  return finding;
}

/// The value of `# key: value` in the comments of a file.
std::string header(const std::string& text, const std::string& key) {
  const std::string start = "# " + key + ": ";
  const std::size_t at = text.find(start);
  return at == std::string::npos ? "" : text.substr(at + start.size(), text.find('\n', at) - at - start.size());
}

}  // namespace

unsigned sample(unsigned usual) { return environment("LOCKSTEP_FULL").empty() ? usual : 10 * usual; }

std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const std::string given = environment("LOCKSTEP_SEED");
    const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch().count();
    const std::uint64_t value = given.empty() ? static_cast<std::uint64_t>(day) : std::strtoull(given.c_str(), nullptr, 10);
    std::cout << "LOCKSTEP_SEED=" << value << " repeats this run\n";
    return value;
  }();
  return seed;
}

Verdict verdict(Law law, const Trial& trial) {
  try {
    return law(trial);
  } catch (const std::exception& error) {
    return std::string("exception: ") + error.what();
  }
}

std::optional<Finding> try_seed(const Campaign& campaign, std::uint64_t seed) {
  generate::Choices choices = generate::from_seed(seed);
  generate::Skeleton skeleton = generate::random_program(choices, campaign.options);
  musimd::Program program = generate::emit(skeleton);
  if (campaign.changed_control) {
    program = generate::with_changed_control(std::move(program), choices);
  }
  const auto fails = [&](const musimd::Program& p) { return verdict(campaign.law, trial_of(p, seed)).has_value(); };
  if (!fails(program)) {
    return std::nullopt;
  }
  if (campaign.changed_control) {
    program = generate::shrink(std::move(program), std::function<bool(const musimd::Program&)>(fails));
  } else {
    program = generate::emit(generate::shrink(std::move(skeleton), [&](const generate::Skeleton& s) { return fails(generate::emit(s)); }));
  }
  return report(campaign, trial_of(std::move(program), seed), seed);
}

std::optional<Finding> rerun(const Campaign& campaign, const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream) {
    throw std::runtime_error("cannot read " + file);
  }
  if (header(content.str(), "property") != campaign.property) {
    return std::nullopt;
  }
  const SourceFile source(file, content.str());
  const auto parsed = musimd::parse(source);
  if (!parsed) {
    throw std::runtime_error(render(source, parsed.error()));
  }
  const Trial trial = trial_of(*parsed, std::strtoull(header(content.str(), "salt").c_str(), nullptr, 10));
  const Verdict wrong = verdict(campaign.law, trial);
  return wrong ? std::optional(Finding{*wrong, trial.text, file}) : std::nullopt;
}

void hold(const Campaign& campaign, unsigned usual) {
  const auto fail_if = [&](const std::optional<Finding>& finding) {
    if (finding) {
      FAIL(campaign.property << ": " << finding->message << "\n" << finding->text << "written to " << finding->file);
    }
  };
  const std::string file = environment("LOCKSTEP_REPRO");
  if (!file.empty()) {
    fail_if(rerun(campaign, file));
    return;
  }
  rc::detail::TestMetadata metadata;
  metadata.id = campaign.property;
  rc::detail::TestParams params;
  params.seed = run_seed();
  params.maxSuccess = static_cast<int>(sample(usual));
  params.disableShrinking = true;  // the seed says nothing of the program's size: try_seed shrinks the program itself
  std::optional<Finding> found;
  const auto result = rc::detail::checkTestable(
      [&] {
        const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>());
        found = try_seed(campaign, seed);
        RC_ASSERT(!found);
      },
      metadata, params);
  fail_if(found);
  REQUIRE(result.template is<rc::detail::SuccessResult>());
}

}  // namespace lockstep::test
