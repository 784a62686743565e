#include "tests/runner/agree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "semantics/musimd/print.hpp"

namespace lockstep::runner {

using namespace musimd;

namespace {

std::set<unsigned> members(const LaneSet& set) {
  std::set<unsigned> out;
  set.for_each([&](unsigned t) { out.insert(t); });
  return out;
}

bigstep::Value value(const Cell& cell) {
  using bigstep::Value;
  const auto kind = cell.state == CellState::Number   ? Value::Number
                    : cell.state == CellState::Poison ? Value::Poison
                                                      : Value::Uninitialised;
  return {kind, cell.number};
}

std::vector<bigstep::SyncEntry> entries(const Machine& machine, std::size_t begin, std::size_t end) {
  std::vector<bigstep::SyncEntry> out;
  for (std::size_t k = begin; k < end; ++k) {
    const auto& entry = machine.state().sync[k];
    out.push_back({entry.branch_pc, members(entry.done), entry.resume_at, members(entry.todo)});
  }
  return out;
}

bool same_stacks(const Machine& machine, const bigstep::Result& reference) {
  const auto& state = machine.state();
  if (entries(machine, state.frame_base, state.sync.size()) != reference.sync || state.context.size() != reference.context.size()) {
    return false;
  }
  for (std::size_t k = 0; k < state.context.size(); ++k) {
    const std::size_t end = k + 1 < state.context.size() ? state.context[k + 1].sync_base : state.frame_base;
    const bigstep::ContextEntry frame{members(state.context[k].mask), entries(machine, state.context[k].sync_base, end)};
    if (frame != reference.context[k]) {
      return false;
    }
  }
  return true;
}

std::string rule_difference(const Recording& recording, const bigstep::Result& reference) {
  const std::size_t common = std::min(recording.rules.size(), reference.rules.size());
  for (std::size_t k = 0; k < common; ++k) {
    const Fired fired = recording.rules[k];
    const std::string ours =
        fired.rule == fired.root ? std::string(name(fired.rule)) : fmt::format("{}/{}", name(fired.rule), name(fired.root));
    if (ours != reference.rules[k]) {
      return fmt::format("step {} is {} in the machine and {} in the evaluator", k, ours, reference.rules[k]);
    }
  }
  return recording.rules.size() == reference.rules.size()
             ? ""
             : fmt::format("the machine takes {} steps, the evaluator {}", recording.rules.size(), reference.rules.size());
}

std::string memory_difference(const Machine& machine, const bigstep::Result& reference) {
  std::map<std::int64_t, bigstep::Value> shared;
  machine.state().shared.for_each([&](std::int64_t address, const Cell& cell) { shared.emplace(address, value(cell)); });
  std::map<std::int64_t, bigstep::Value> expected;
  for (const auto& [address, cell] : reference.shared) {
    if (cell.kind != bigstep::Value::Uninitialised) {
      expected.emplace(address, cell);
    }
  }
  if (shared != expected) {
    return "Σ differs";
  }
  const Program& program = machine.program();
  for (VarId v = 0; v < program.variables.size(); ++v) {
    const auto found = reference.locals.find(program.variables[v]);
    for (unsigned t = 0; t < machine.threads(); ++t) {
      const bigstep::Value theirs = found == reference.locals.end() ? bigstep::Value{} : found->second.at(t);
      if (theirs != value(machine.state().bank.read(v, t))) {
        return fmt::format("{} differs in thread {}", program.variables[v], t);
      }
    }
  }
  return "";
}

/// The evaluator reads a directive from one line.
std::string without_continuations(std::string text) {
  constexpr std::string_view continued = " ..\n";
  for (std::size_t at = text.find(continued); at != std::string::npos; at = text.find(continued, at)) {
    text.erase(at, continued.size());
  }
  return text;
}

}  // namespace

bigstep::Result evaluate(const Program& program, const RunSettings& settings, unsigned threads) {
  bigstep::Options options;
  options.max_steps = settings.max_steps;
  options.initial_active = settings.active;
  options.thread_order = thread_order(settings, threads);
  options.threads = threads;
  for (std::size_t e = 0; e < erratum_names.size(); ++e) {
    if (settings.printed.contains(static_cast<Erratum>(e))) {
      options.as_printed.emplace(erratum_names[e]);
    }
  }
  return bigstep::run(without_continuations(print(program)), options);
}

std::string difference(const Machine& machine, const Ending& ending, const Recording& recording, const bigstep::Result& reference) {
  if (ending.index() != static_cast<std::size_t>(reference.ending)) {
    return fmt::format("the endings differ: {} ({}) in the machine, '{}' in the evaluator", status_word(ending), reason(ending),
                       reference.failing_rule_or_reason);
  }
  if (std::string text = rule_difference(recording, reference); !text.empty()) {
    return text;
  }
  if (machine.state().pc != reference.pc || members(machine.state().active) != reference.active) {
    return "pc or Θ differs";
  }
  return same_stacks(machine, reference) ? memory_difference(machine, reference) : "Π or Λ differs";
}

}  // namespace lockstep::runner
