// Kernels of a campaign on a target: compiled many at a time where a compiler takes long for any file, and run one by one.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "differential/campaign/try.hpp"
#include "differential/compare/execute.hpp"
#include "differential/compare/guarded.hpp"
#include "differential/compare/interrupts.hpp"

namespace lockstep::differential {

namespace {

using Ending = FuzzAnswer::Ending;
using targets::Code;
using targets::NoCode;

FuzzAnswer stopped() { return {Ending::Stopped, "", "", {}, {}}; }
FuzzAnswer missing(std::string sentence) { return {Ending::Missing, "", std::move(sentence), {}, {}}; }

/// What a compiler has to say, without what changes from kernel to kernel: the first error, its names and numbers left out.
std::string gist_of(const std::string& message) {
  constexpr std::size_t most = 100;
  std::size_t begin = message.find("error: ");
  begin = begin == std::string::npos ? 0 : begin;
  std::string gist;
  bool is_quoted = false;
  for (const char c : message.substr(begin, message.find('\n', begin) - begin)) {
    is_quoted = is_quoted != (c == '\'');
    if (!is_quoted && c != '\'' && (c < '0' || c > '9')) {
      gist += c;
    }
  }
  return gist.substr(0, most);
}

/// A kernel in InfReg-IR, and what is asked of the target for it.
struct Lowered {
  std::size_t number = 0;  ///< among the cases
  LoweredCase lowered;
  targets::Asked asked;
};

/// Kernels that are tried together, and what has come of them so far.
class Together {
 public:
  Together(const FuzzPlan& plan, const std::vector<FuzzCase>& cases, std::vector<Counts>& counts)
      : plan_(plan), cases_(cases), counts_(counts), answers_(cases.size(), stopped()) {}

  std::vector<FuzzAnswer> answers() {
    for (std::size_t k = 0; k < cases_.size() && interrupts() == 0; ++k) {
      answers_[k] = answer_from([&] { return targets::reads_source(*plan_.target) ? run_source(k) : lower(k); });
    }
    if (interrupts() == 0 && !lowered_.empty()) {
      plan_.target->run ? run_all() : compile_and_run_all();
    }
    return std::move(answers_);
  }

 private:
  /// An answer, or that there is a kernel to be run: then it counts as stopped for now.
  FuzzAnswer lower(std::size_t number) {
    auto lowered = lower_case(plan_, cases_[number], counts_[number]);
    if (auto* answer = std::get_if<FuzzAnswer>(&lowered)) {
      return std::move(*answer);
    }
    lowered_.push_back(
        std::make_unique<Lowered>(Lowered{number, std::move(std::get<LoweredCase>(lowered)), asked_for(plan_, cases_[number])}));
    return stopped();
  }

  /// Of a target that reads kernels themselves.
  FuzzAnswer run_source(std::size_t number) {
    auto interpreted = interpret(cases_[number], true);
    if (auto* answer = std::get_if<FuzzAnswer>(&interpreted)) {
      return std::move(*answer);
    }
    const auto& made = std::get<Interpreted>(interpreted);
    const auto reference = made.reference();
    targets::SourceKernel kernel{made.read.program.source->text(), made.read.function->name, {}, cases_[number].kernel.wg_size};
    kernel.shape = made.read.program.options.wg_shape;
    kernel.grid = {reference.groups, 1, 1};
    const auto ran = plan_.target->run_source(kernel, reference, asked_for(plan_, cases_[number]));
    if (!ran || interrupts() > 0) {
      return interrupts() > 0 ? stopped() : missing(ran.error().sentence);
    }
    count(number, ran->evidence);
    return answer_to(*ran, made.reference());
  }

  void compile_and_run_all() {
    std::vector<targets::Job> jobs;
    for (const auto& each : lowered_) {
      jobs.push_back({each->lowered.kernel, each->asked});
    }
    std::vector<std::expected<Code, NoCode>> codes;
    const FuzzAnswer failed = answer_from([&] {
      codes = plan_.target->compile(jobs);
      return FuzzAnswer();
    });
    for (std::size_t k = 0; k < lowered_.size(); ++k) {
      answers_[lowered_[k]->number] = codes.empty() ? failed
                                      : !codes[k]   ? without(codes[k].error(), *lowered_[k])
                                                    : answer_from([&] { return run(*codes[k], *lowered_[k]); });
    }
  }

  FuzzAnswer without(const NoCode& why, const Lowered& kernel) {
    const std::string name(plan_.target->name);
    switch (why.kind) {
      case NoCode::Kind::Refused:
        return finding(name + " refuses", why.sentence);
      case NoCode::Kind::TooLarge:
        ++counts_[kernel.number]["limit: too long for the target's compiler"];
        return {Ending::Limit, "", "", {}, {}};
      case NoCode::Kind::Broken:
        return finding(name + " itself fails", why.sentence);
      case NoCode::Kind::Rejected:
        return finding(name + " does not compile: " + gist_of(why.sentence), why.sentence);
      case NoCode::Kind::Endless:
        return finding(name + " takes the compiler too long", why.sentence);
      case NoCode::Kind::Cancelled:
        return stopped();
      case NoCode::Kind::Missing:
        break;
    }
    return missing(why.sentence);
  }

  FuzzAnswer run(const Code& code, const Lowered& kernel) {
    if (interrupts() > 0) {
      return stopped();
    }
    count(kernel.number, code.evidence);
    const Reference reference = kernel.lowered.interpreted.reference();
    if (is_batched(plan_)) {
      const auto ran = run_apart(code.call, reference, plan_.patience, code.alignment);
      return ran ? answer_to(*ran, reference) : missing(ran.error());
    }
    const GuardedArguments arguments(reference, code.alignment);
    code.call(arguments.pointers(), reference.groups);
    const auto buffers = arguments.buffers();
    const std::string name(plan_.target->name);
    return buffers ? judged(name, reference, *buffers).value_or(FuzzAnswer()) : finding(name + ": writes beside a buffer", buffers.error());
  }

  /// Of a target that makes no code.
  void run_all() {
    for (const auto& each : lowered_) {
      answers_[each->number] = answer_from([&] {
        const Reference reference = each->lowered.interpreted.reference();
        const auto ran = plan_.target->run(each->lowered.kernel, reference, each->asked);
        if (!ran && ran.error().is_limit) {
          ++counts_[each->number]["limit: too large for the target"];
          return FuzzAnswer{Ending::Limit, "", "", {}, {}};
        }
        if (!ran) {
          return ran.error().is_missing ? missing(ran.error().sentence)
                                        : finding(std::string(plan_.target->name) + " refuses", ran.error().sentence);
        }
        count(each->number, ran->evidence);
        return answer_to(*ran, reference);
      });
    }
  }

  FuzzAnswer answer_to(const Ran& ran, const Reference& reference) const {
    const std::string name(plan_.target->name);
    const auto* failure = std::get_if<Failure>(&ran.result);
    if (failure == nullptr) {
      return judged(name, reference, std::get<0>(ran.result)).value_or(FuzzAnswer());
    }
    switch (failure->kind) {
      case Failure::Kind::Limit:
      case Failure::Kind::NotRun:
        return {Ending::Limit, "", "", {}, {}};
      case Failure::Kind::Endless:
        return finding(name + " is endless", failure->sentence);
      case Failure::Kind::Undefined:
        return finding(name + ": undefined", failure->sentence);
      case Failure::Kind::Uncompiled:
        return finding(name + " does not compile: " + gist_of(failure->sentence), failure->sentence);
      case Failure::Kind::Crashed:
        break;
    }
    return finding(name + " crashes", failure->sentence);
  }

  void count(std::size_t number, const std::string& evidence) {
    Counts& counts = counts_[number];
    ++counts["evidence: " + evidence];
    for (const auto& [name, value] : cases_[number].settings) {
      ++counts[fmt::format("{}: {}", name, value.empty() ? "given" : value)];
    }
  }

  const FuzzPlan& plan_;
  const std::vector<FuzzCase>& cases_;
  std::vector<Counts>& counts_;
  std::vector<FuzzAnswer> answers_;
  std::vector<std::unique_ptr<Lowered>> lowered_;
};

}  // namespace

std::vector<FuzzAnswer> try_on_target(const FuzzPlan& plan, const std::vector<FuzzCase>& cases, std::vector<Counts>& counts) {
  return Together(plan, cases, counts).answers();
}

}  // namespace lockstep::differential
