#include "tests/properties/support.hpp"

#include <functional>
#include <stdexcept>
#include <utility>

#include "semantics/generate/shrink.hpp"
#include "semantics/musimd/parse.hpp"

namespace lockstep::test {

namespace {

const std::string mark = "#";

/// As comments in front of the program, so that the file is a program, too.
std::string file_text(const Campaign& campaign, const Trial& trial, const std::string& message) {
  return mark + " property: " + campaign.property + "\n" + mark + " salt: " + std::to_string(trial.salt) + "\n" + comment(mark, message) +
         mark + " LOCKSTEP_REPRO=THIS_FILE property_tests runs it again\n" + trial.text;
}

Finding report(const Campaign& campaign, const Trial& trial, std::uint64_t seed) {
  Finding finding{verdict(campaign.law, trial).value_or("fails only sometimes"), trial.text, ""};
  finding.file = write_repro(campaign.property, seed, "mus", file_text(campaign, trial, finding.message));
  return finding;
}

}  // namespace

unsigned sample(unsigned usual) { return full_run() ? 10 * usual : usual; }

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
  const auto text = read_repro(file, mark, campaign.property);
  if (!text) {
    return std::nullopt;
  }
  const SourceFile source(file, *text);
  const auto parsed = musimd::parse(source);
  if (!parsed) {
    throw std::runtime_error(render(source, parsed.error()));
  }
  const Trial trial = trial_of(*parsed, number(header(*text, mark, "salt")));
  const Verdict wrong = verdict(campaign.law, trial);
  return wrong ? std::optional(Finding{*wrong, trial.text, file}) : std::nullopt;
}

void hold(const Campaign& campaign, unsigned usual) {
  hold(
      campaign.property, sample(usual), [&](std::uint64_t seed) { return try_seed(campaign, seed); },
      [&](const std::string& file) { return rerun(campaign, file); });
}

}  // namespace lockstep::test
