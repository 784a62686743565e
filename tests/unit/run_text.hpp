#pragma once
// Small programs as texts, for the tests of the machine and of its observers.

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interpreter/machine/machine.hpp"
#include "semantics/musimd/parse.hpp"

namespace lockstep::testing {

inline std::shared_ptr<const musimd::Program> parse_text(const std::string& text) {
  auto program = musimd::parse(SourceFile("test.mus", text));
  INFO(text);
  REQUIRE(program.has_value());
  return std::make_shared<const musimd::Program>(std::move(*program));
}

inline std::unique_ptr<Machine> make_machine(const std::string& text, MachineOptions options = {}) {
  auto machine = Machine::make(parse_text(text), std::move(options));
  REQUIRE(machine.has_value());
  return std::move(*machine);
}

/// The machine at its end, after at most a thousand steps.
inline std::unique_ptr<Machine> run_text(const std::string& text, MachineOptions options = {}) {
  auto machine = make_machine(text, std::move(options));
  machine->run(1000);
  return machine;
}

/// "1 * ?": a variable in every thread, `*` uninitialised, `?` poison.
inline std::string local(const Machine& machine, const std::string& variable) {
  const auto& names = machine.program().variables;
  for (musimd::VarId v = 0; v < names.size(); ++v) {
    if (names[v] != variable) {
      continue;
    }
    std::string text;
    for (unsigned t = 0; t < machine.threads(); ++t) {
      const Cell cell = machine.state().bank.read(v, t);
      text += t == 0 ? "" : " ";
      text += cell.state == CellState::Number ? std::to_string(cell.number) : cell.state == CellState::Poison ? "?" : "*";
    }
    return text;
  }
  return "no such variable";
}

/// The nonempty cells: "0:1 5:?".
inline std::string shared(const Machine& machine) {
  std::string text;
  machine.state().shared.for_each([&](std::int64_t address, const Cell& cell) {
    text +=
        (text.empty() ? "" : " ") + std::to_string(address) + ":" + (cell.state == CellState::Poison ? "?" : std::to_string(cell.number));
  });
  return text;
}

inline std::vector<unsigned> members(const LaneSet& set) {
  std::vector<unsigned> out;
  set.for_each([&](unsigned t) { out.push_back(t); });
  return out;
}

/// The rules that have fired, with their counts.
inline std::map<std::string, std::uint64_t> rules(const Machine& machine) {
  std::map<std::string, std::uint64_t> out;
  for (const musimd::RuleInfo& rule : musimd::rule_table) {
    if (const std::uint64_t count = machine.rule_counts()[static_cast<std::size_t>(rule.id)]; count > 0) {
      out[std::string(rule.name)] = count;
    }
  }
  return out;
}

/// The status word and the reason: "halted", "stuck: no rule applies: …".
inline std::string ending(const Machine& machine) {
  if (!machine.ending()) {
    return "still running";
  }
  const std::string why = reason(*machine.ending());
  return std::string(status_word(*machine.ending())) + (why.empty() ? "" : ": " + why);
}

}  // namespace lockstep::testing
