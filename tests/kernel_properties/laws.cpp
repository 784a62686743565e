#include "tests/kernel_properties/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "semantics/core/front_end.hpp"
#include "semantics/core/print.hpp"
#include "semantics/generate/choices.hpp"
#include "semantics/musimd/check.hpp"
#include "semantics/typed/check.hpp"
#include "semantics/typed/parse.hpp"
#include "semantics/typed/print.hpp"

namespace lockstep::test {

namespace {

std::string prefixed(const std::string& what, const std::string& wrong) { return wrong.empty() ? "" : what + ": " + wrong; }

/// How the machine's run differs from the evaluator's in faults and buffers.
std::string differing(const Ready& ready, const generate::Kernel& kernel, const Ran& ran, const evaluator::Result& expected) {
  const std::string found = text_of(ready, ran.outcome.fault);
  const std::string wanted = text_of(ready, expected.fault);
  return found != wanted ? fmt::format("the machine meets {}, the evaluator {}", found, wanted)
                         : difference(kernel, ran.buffers, expected.buffers);
}

/// Whether the machine has met that the target of an assignment is no place, and the evaluator something else in the same line before it
/// looked at the target: C says nothing about which of the two is computed first, and one statement stands in a line.
bool target_came_first(const Ready& ready, const Ran& ran, const evaluator::Result& expected) {
  const std::string found = text_of(ready, ran.outcome.fault);
  const std::string wanted = text_of(ready, expected.fault);
  const auto line = [](const std::string& text) {  // "KIND in group G, item I, at LINE:COLUMN: …": who and where
    const std::size_t who = std::min(text.find(" in group "), text.size());
    return text.substr(who, text.find(':', who) - who);
  };
  return found.starts_with("out-of-bounds ") && !wanted.starts_with("out-of-bounds ") && line(found) == line(wanted);
}

/// How they differ in whether there are races. What a fault cut short has not met all of them.
std::string differing_races(const Ran& ran, const evaluator::Result& expected) {
  if (ran.outcome.fault || expected.fault || (ran.outcome.race_count > 0) == expected.has_race) {
    return "";
  }
  return expected.has_race ? "the machine reports no race, the evaluator finds one"
                           : "the machine reports a race, the evaluator finds none";
}

std::string rule_counts(const Ran& ran) { return fmt::format("{}", fmt::join(ran.outcome.rule_counts, " ")); }

/// How two runs differ in what may be told apart.
std::string differing_runs(const Ready& ready, const generate::Kernel& kernel, const Ran& one, const Ran& other, bool with_rules) {
  const std::string first = text_of(ready, one.outcome.fault);
  const std::string second = text_of(ready, other.outcome.fault);
  if (first != second) {
    return fmt::format("{} and {}", first, second);
  }
  if (with_rules && !one.outcome.fault && rule_counts(one) != rule_counts(other)) {
    return fmt::format("rule counts {} and {}", rule_counts(one), rule_counts(other));
  }
  if (with_rules && one.outcome.race_count != other.outcome.race_count) {
    return fmt::format("{} races and {}", one.outcome.race_count, other.outcome.race_count);
  }
  return difference(kernel, other.buffers, one.buffers);
}

Verdict agreement_on(const KernelTrial& trial, const launch::Arguments& arguments) {
  const Ready ready = make_ready(trial);
  const Ran ran = run_machine(ready, arguments, plain_options(trial.kernel));
  const evaluator::Result expected = run_evaluator(ready, trial.kernel, arguments);
  if (met_limit(ran) || expected.gave_up || target_came_first(ready, ran, expected)) {
    return left_out;
  }
  // Groups run one after the other in both, so that even a race leaves the same behind.
  const std::string races = differing_races(ran, expected);
  return {races.empty() ? differing(ready, trial.kernel, ran, expected) : races};
}

}  // namespace

Verdict agreement(const KernelTrial& trial) { return agreement_on(trial, arguments_of(trial.kernel)); }

Verdict agreement_of_overlaps(const KernelTrial& trial) { return agreement_on(trial, overlapping_arguments(trial.kernel, trial.salt)); }

Verdict agreement_of_warps(const KernelTrial& trial) {
  const Ready ready = make_ready(trial);
  launch::LaunchOptions options = plain_options(trial.kernel);
  generate::Choices choices = generate::from_seed(trial.salt);
  options.warp_size = 1 + choices(trial.kernel.wg_size);
  const Ran ran = run_machine(ready, trial.kernel, options);
  const evaluator::Result expected = run_evaluator(ready, trial.kernel, options.warp_size);
  if (met_limit(ran) || expected.gave_up || target_came_first(ready, ran, expected)) {
    return left_out;
  }
  const std::string what = fmt::format("warp size {}", options.warp_size);
  if (const std::string races = differing_races(ran, expected); !races.empty()) {
    return {prefixed(what, races)};
  }
  if (options.warp_size < trial.kernel.wg_size) {
    if (ran.outcome.fault && expected.fault) {
      return left_out;  // which warp comes first to what is undefined is the schedule's business
    }
    // Where one of the two meets a race and goes on to the end, the other may well meet something undefined.
    const bool races = (!ran.outcome.fault && ran.outcome.race_count > 0) || (!expected.fault && expected.has_race);
    if (races) {
      return left_out;
    }
  }
  return {prefixed(what, differing(ready, trial.kernel, ran, expected))};
}

Verdict one_item_at_a_time(const KernelTrial& trial) {
  const Ready ready = make_ready(trial);
  launch::LaunchOptions options = plain_options(trial.kernel);
  const Ran ran = run_machine(ready, trial.kernel, options);
  const evaluator::Result alone = run_evaluator(ready, trial.kernel, 1);
  if (met_limit(ran) || alone.gave_up || (ran.outcome.fault && alone.fault)) {
    return left_out;
  }
  options.warp_size = 1;
  const bool look_at_each_other = alone.fault ? run_machine(ready, trial.kernel, options).outcome.race_count > 0 : alone.has_race;
  return look_at_each_other ? left_out : Verdict{differing(ready, trial.kernel, ran, alone)};
}

Verdict pack_independence(const KernelTrial& trial) {
  const Ready ready = make_ready(trial);
  launch::LaunchOptions options = plain_options(trial.kernel);
  generate::Choices choices = generate::from_seed(trial.salt);
  options.groups = trial.kernel.groups;
  options.warp_size = choices(3) == 2 ? 1 + choices(trial.kernel.wg_size) : 0;
  const Ran alone = run_machine(ready, trial.kernel, options);
  for (const unsigned pack : {2U, 3U, 5U, 0U}) {
    for (const unsigned threads : {1U, 4U}) {
      options.pack = pack;
      options.threads = threads;
      const Ran ran = run_machine(ready, trial.kernel, options);
      if (const auto wrong = differing_runs(ready, trial.kernel, alone, ran, true); !wrong.empty()) {
        return {fmt::format("pack {} with {} threads, warp size {}: {}", pack, threads, options.warp_size, wrong)};
      }
    }
  }
  return {"", trial.kernel.groups > 1};
}

Verdict synchrony(const KernelTrial& trial) {
  const Ready ready = make_ready(trial);
  launch::LaunchOptions options = plain_options(trial.kernel);
  options.warp_size = 1;
  const Ran independent = run_machine(ready, trial.kernel, options);
  if (!is_clean(independent)) {
    return left_out;
  }
  bool is_compared = false;
  for (const unsigned warp_size : {1U, 2U, 4U, 0U}) {
    for (const launch::Schedule schedule : {launch::Schedule::LowestPc, launch::Schedule::Fair, launch::Schedule::Random}) {
      options.warp_size = warp_size > trial.kernel.wg_size ? 0 : warp_size;
      options.schedule = schedule;
      options.seed = trial.salt;
      const Ran ran = run_machine(ready, trial.kernel, options);
      if (met_limit(ran)) {
        continue;
      }
      is_compared = is_compared || (warp_size == 0 && trial.kernel.wg_size > 1);
      if (const auto wrong = differing_runs(ready, trial.kernel, independent, ran, false); !wrong.empty()) {
        return {fmt::format("warp size {}, schedule {}: {}", warp_size, static_cast<unsigned>(schedule), wrong)};
      }
    }
  }
  return {"", is_compared};
}

Verdict commutativity(const KernelTrial& trial) {
  const Ready ascending = make_ready(trial);
  const Ran first = run_machine(ascending, trial.kernel, plain_options(trial.kernel));
  const bool several =
      std::any_of(first.outcome.crev.begin(), first.outcome.crev.end(), [](const auto& calls) { return calls.activations > 1; });
  if (first.outcome.fault || !several) {
    return left_out;
  }
  for (const core::CrevOrder order : {core::CrevOrder::Descending, core::CrevOrder::Permuted}) {
    const Ready other = make_ready(trial, order, static_cast<unsigned>(trial.salt));
    const Ran ran = run_machine(other, trial.kernel, plain_options(trial.kernel));
    if (const auto wrong = differing_runs(other, trial.kernel, first, ran, false); !wrong.empty()) {
      return {fmt::format("order {}: {}", static_cast<unsigned>(order), wrong)};
    }
  }
  return {};
}

namespace {

/// `if (…) { crev r(…); }` at the end of the kernel becomes `if (1) { r(…); }`. False if there is no such thing.
bool call_plainly(generate::Kernel& kernel) {
  namespace syntax = core::syntax;
  for (syntax::Item& item : kernel.unit.items) {
    auto* f = std::get_if<syntax::Function>(&item.node);
    if (f == nullptr || !f->specifiers.is_kernel || !f->body || f->body->statements.size() != 1) {
      continue;
    }
    auto* branch = std::get_if<syntax::If>(&f->body->statements.front().node);
    auto* block = branch != nullptr ? std::get_if<syntax::Block>(&branch->then->node) : nullptr;
    auto* only = block != nullptr && block->statements.size() == 1 ? &block->statements.front() : nullptr;
    auto* statement = only != nullptr ? std::get_if<syntax::ExprStatement>(&only->node) : nullptr;
    auto* call = statement != nullptr ? std::get_if<syntax::Call>(&statement->expression->node) : nullptr;
    if (call == nullptr || !call->is_crev) {
      return false;
    }
    call->is_crev = false;
    branch->condition->node = syntax::IntegerLiteral{1};
    return true;
  }
  return false;
}

}  // namespace

Verdict synchronization_parity(const KernelTrial& trial) {
  generate::Kernel plain = generate::copy(trial.kernel);
  if (!call_plainly(plain)) {
    return left_out;
  }
  const Ready inside = make_ready(trial);
  const Ran revectorised = run_machine(inside, trial.kernel, plain_options(trial.kernel));
  const Ready outside = make_ready(trial_of(plain, trial.salt));
  const Ran called = run_machine(outside, plain, plain_options(plain));
  if (met_limit(revectorised) || met_limit(called)) {
    return left_out;
  }
  const std::string first = revectorised.outcome.fault ? std::string(launch::name_of(revectorised.outcome.fault->kind)) : "no fault";
  const std::string second = called.outcome.fault ? std::string(launch::name_of(called.outcome.fault->kind)) : "no fault";
  const bool served = std::any_of(revectorised.outcome.crev.begin(), revectorised.outcome.crev.end(),
                                  [](const auto& calls) { return calls.activations > 0; });
  if (!served) {
    return left_out;  // the caller's number was shrunk away
  }
  return {first != second ? first + " by crev, " + second + " by a call" : difference(trial.kernel, called.buffers, revectorised.buffers)};
}

Verdict translation(const KernelTrial& trial) {
  const Ready ready = make_ready(trial);
  const Diagnostics findings = typed::check(*ready.typed);
  if (!musimd::well_formed(findings)) {
    return {"the translation is not well-formed: " + findings.front().message};
  }
  const std::string printed = typed::print(*ready.typed);
  const auto source = std::make_shared<const SourceFile>("kernel.mus", printed);
  const auto again = typed::parse(source);
  if (!again) {
    return {"its printed translation is refused: " + render(*source, again.error().front())};
  }
  return {typed::same(*ready.typed, *again) ? "" : "the translation is read back as another program"};
}

Verdict print_and_parse(const KernelTrial& trial) {
  const SourceFile source("kernel.cl", trial.text);
  const auto again = core::parse(source, {});
  if (!again) {
    throw Refused(again.error().front().message + "\n" + render(source, again.error().front()));
  }
  if (!core::same(trial.kernel.unit, *again)) {
    return {"the kernel is read back as another one:\n" + core::print(*again)};
  }
  return {core::print(*again) == trial.text ? "" : "the kernel is printed in another way the second time"};
}

}  // namespace lockstep::test
