#include "targets/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <utility>

namespace lockstep::targets {

using differential::Failure;
using differential::NotRun;
using differential::Ran;
using differential::Reference;

namespace {

using Clock = std::chrono::steady_clock;

std::string_view name_of(differential::Failure::Kind kind) {
  switch (kind) {
    case differential::Failure::Kind::Undefined:
      return "undefined";
    case differential::Failure::Kind::Crashed:
      return "crashed";
    case differential::Failure::Kind::Endless:
      return "endless";
    case differential::Failure::Kind::Uncompiled:
      return "uncompiled";
    case differential::Failure::Kind::NotRun:
      return "not run";
    case differential::Failure::Kind::Limit:
      break;
  }
  return "limit";
}

/// What it means for a run that there is no code.
std::expected<Ran, NotRun> without(const NoCode& why, double seconds) {
  switch (why.kind) {
    case NoCode::Kind::TooLarge:
    case NoCode::Kind::Broken:
      return Ran{Failure{Failure::Kind::NotRun, why.sentence}, why.evidence, seconds, 0};
    case NoCode::Kind::Rejected:
    case NoCode::Kind::Endless:
      return Ran{Failure{Failure::Kind::Uncompiled, why.sentence}, why.evidence, seconds, 0};
    case NoCode::Kind::Cancelled:
      static_cast<void>(std::raise(SIGINT));
      break;
    case NoCode::Kind::Missing:
    case NoCode::Kind::Refused:
      break;
  }
  return std::unexpected(NotRun{why.sentence, why.kind != NoCode::Kind::Refused});
}

/// What has come of a target, compared.
std::expected<Verdict, NotRun> compared(const Target& target, std::expected<Ran, NotRun> ran, const Reference& reference) {
  if (!ran) {
    return std::unexpected(NotRun{fmt::format("{}: {}", target.name, ran.error().sentence), ran.error().is_missing});
  }
  Verdict verdict;
  verdict.target = target.name;
  verdict.ran = std::move(*ran);
  if (const auto* buffers = std::get_if<std::vector<launch::Buffer>>(&verdict.ran.result)) {
    verdict.comparison = compare(reference, *buffers);
    verdict.ran.result = std::vector<launch::Buffer>();  // nobody looks at them again
  }
  if (verdict.comparison.first) {
    verdict.writer = last_writer(reference, *verdict.comparison.first);
  }
  return verdict;
}

bool is_equal(const Verdict& verdict) { return name_of(verdict) == "equal"; }

}  // namespace

std::expected<Ran, NotRun> run(const Target& target, const infreg::Kernel& kernel, const Reference& reference, const Asked& asked) {
  if (target.run) {
    return target.run(kernel, reference, asked);
  }
  if (reads_source(target)) {
    return std::unexpected(NotRun{"it reads the kernel's source, and is not made from InfReg-IR"});
  }
  if (!target.compile) {
    return std::unexpected(NotRun{"its code is written, and not run"});
  }
  const Clock::time_point start = Clock::now();
  const auto codes = target.compile({Job{kernel, asked}});
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!codes.front()) {
    return without(codes.front().error(), seconds);
  }
  const Code& code = *codes.front();
  auto ran = run_apart(code.call, reference, patience_with(reference), code.alignment);
  if (!ran) {
    return std::unexpected(NotRun{ran.error()});
  }
  ran->evidence = code.evidence;
  ran->caveat = code.caveat;
  ran->compile_seconds = seconds;
  return std::move(*ran);
}

std::string_view name_of(const Verdict& verdict) {
  const auto* failure = std::get_if<differential::Failure>(&verdict.ran.result);
  return failure != nullptr ? name_of(failure->kind) : verdict.comparison.first ? "different" : "equal";
}

std::expected<Verdict, NotRun> judge(const Target& target, const infreg::Kernel& kernel, const Reference& reference, const Asked& asked) {
  auto verdict = compared(target, run(target, kernel, reference, asked), reference);
  if (!verdict) {
    return verdict;
  }
  verdict->wg_pack = kernel.shape.wg_pack;
  if (target.is_evaluator && verdict->comparison.first) {
    verdict->parting = first_parting(kernel, reference);
  } else if (!target.is_evaluator && !is_equal(*verdict) && name_of(*verdict) != "not run") {
    const Ran evaluated = run_infreg(kernel, reference);
    const auto* buffers = std::get_if<std::vector<launch::Buffer>>(&evaluated.result);
    verdict->evaluator_agrees = buffers != nullptr && compare(reference, *buffers).different == 0;
  }
  return verdict;
}

std::expected<Verdict, NotRun> judge(const Target& target, const SourceKernel& kernel, const Reference& reference, const Asked& asked) {
  return compared(target, target.run_source(kernel, reference, asked), reference);
}

}  // namespace lockstep::targets
