// Property 10: the symbolic rules, run on constants, take the same rules and leave the same state as the machine.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

#include "interpreter/machine/machine.hpp"
#include "semantics/musimd/parse.hpp"
#include "semantics/prove/execute.hpp"
#include "tests/campaign/run.hpp"
#include "tests/unit/random_mus.hpp"

using namespace lockstep;
using prove::ConstantRun;
using prove::ConstantRunOptions;
using prove::PlainCell;
using prove::RunStatus;

namespace {

struct RecordRules : Observer {
  std::vector<musimd::Fired> fired;
  void after_step(const Machine&, const StepEvent& event) override { fired.push_back(event.fired); }
};

musimd::Program parsed(const std::string& text) {
  auto program = musimd::parse(SourceFile("test.mus", text));
  INFO(text);
  REQUIRE(program.has_value());
  return *program;
}

PlainCell plain(Cell cell) {
  switch (cell.state) {
    case CellState::Uninitialised:
      return {};
    case CellState::Poison:
      return {PlainCell::State::Poison, 0};
    case CellState::Number:
      break;
  }
  return {PlainCell::State::Number, cell.number};
}

RunStatus plain(const Ending& ending) {
  if (std::holds_alternative<Halted>(ending)) {
    return RunStatus::Halted;
  }
  if (std::holds_alternative<Stuck>(ending)) {
    return RunStatus::Stuck;
  }
  return std::holds_alternative<Undefined>(ending) ? RunStatus::Undefined : RunStatus::StepLimit;
}

void require_same_stacks(const Concrete::State& machine, const ConstantRun& run) {
  REQUIRE(machine.active == run.active);
  REQUIRE(machine.pc == run.pc);
  REQUIRE(machine.frame_base == run.frame_base);
  REQUIRE(machine.sync.size() == run.sync.size());
  for (std::size_t k = 0; k < run.sync.size(); ++k) {
    REQUIRE(machine.sync[k].branch_pc == run.sync[k].branch_pc);
    REQUIRE(machine.sync[k].done == run.sync[k].done);
    REQUIRE(machine.sync[k].resume_at == run.sync[k].resume_at);
    REQUIRE(machine.sync[k].todo == run.sync[k].todo);
  }
  REQUIRE(machine.context.size() == run.context.size());
  for (std::size_t k = 0; k < run.context.size(); ++k) {
    REQUIRE(machine.context[k].mask == run.context[k].mask);
    REQUIRE(machine.context[k].sync_base == run.context[k].sync_base);
  }
}

/// Runs both and compares how they end, the rules and the whole state. Returns how they ended.
RunStatus require_agreement(const musimd::Program& program, const ConstantRunOptions& options) {
  MachineOptions machine_options;
  machine_options.threads = options.threads;
  machine_options.active = options.active;
  machine_options.order = options.order;
  machine_options.printed = options.printed;
  auto made = Machine::make(std::make_shared<const musimd::Program>(program), machine_options);
  REQUIRE(made.has_value());
  Machine& machine = **made;
  RecordRules rules;
  machine.attach(rules);
  const RunStatus status = plain(machine.run(options.max_steps));
  const ConstantRun run = prove::run_symbolic_on_constants(program, options);

  REQUIRE(run.status == status);
  REQUIRE(run.fired == rules.fired);
  const Concrete::State& state = machine.state();
  require_same_stacks(state, run);
  for (std::uint32_t v = 0; v < program.variables.size(); ++v) {
    for (unsigned t = 0; t < machine.threads(); ++t) {
      INFO(program.variables[v] << " of thread " << t);
      REQUIRE((plain(state.bank.read(v, t)) == run.locals[v][t]));
    }
  }
  std::map<std::int64_t, PlainCell> shared;
  state.shared.for_each([&](std::int64_t address, Cell cell) { shared.emplace(address, plain(cell)); });
  REQUIRE((shared == run.shared));
  return status;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("the program of Fig. 6 runs alike in both domains", "[proofs][agreement]") {
  const auto program = parsed(text_of(std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "examples/musimd/fig6.mus"));
  CHECK(require_agreement(program, {}) == RunStatus::Halted);
  const ConstantRun run = prove::run_symbolic_on_constants(program, {});
  CHECK(run.fired.size() == 39);  // the rows of Fig. 7
  // Σ after the run, from the paper's figure: rows 0 and 3 are incremented, and their marks are set.
  const std::vector<std::int64_t> expected = {1, 1, 1, 1, 3, 2, 4, 5, 1, 5, 6, 1, 2, 3, 1, 7, 2, 4, 5, 1};
  REQUIRE(run.shared.size() == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CHECK((run.shared.at(static_cast<std::int64_t>(k)) == PlainCell{PlainCell::State::Number, expected[k]}));
  }
}

TEST_CASE("each way to end and each corner of an instruction is alike in both domains", "[proofs][agreement]") {
  const std::vector<std::pair<std::string, RunStatus>> programs = {
      {"stop", RunStatus::Halted},
      {"a = 1", RunStatus::Stuck},
      {"sync", RunStatus::Stuck},
      {"end_everywhere", RunStatus::Stuck},
      {"jmp_mask 0, 0", RunStatus::Stuck},
      {"everywhere\nstop", RunStatus::Stuck},
      {"a = b", RunStatus::Undefined},
      {"a = 1 / (tid - 2)", RunStatus::Undefined},
      {"a = ld tid", RunStatus::Undefined},
      {"st tid - 1 = 4", RunStatus::Undefined},
      {"everywhere\njmp_mask tid, 0", RunStatus::Undefined},
      {"a = shfl(tid, tid - 1)\nbz a, 2\nsync", RunStatus::Undefined},
      {"a = 1\nb = shfl(c, 0)\nst 7 = b\nc = ld 7\na = 1 ? a : c\na = 0 ? c : 5\nd = c + 1\nd = c / 0\nstop", RunStatus::Undefined},
      {"a = -9223372036854775807 - 1\nb = a / -1\nc = a % -1\nd = a >> 65\ne = a << 1\nf = -7 / 2\ng = -7 % 2\nstop", RunStatus::Halted},
      {"a = tid\na = shfl(a, tid + 1)\nstop", RunStatus::Halted},
      {"L: jmp L", RunStatus::StepLimit},
      {"st 3 = tid\nst tid = 1 - tid\nstop", RunStatus::Halted},
  };
  for (const auto& [text, expected] : programs) {
    INFO(text);
    CHECK(require_agreement(parsed(text), {}) == expected);
  }
}

TEST_CASE("random programs run alike in both domains, at 1 to 8 threads, in any thread order and as printed", "[proofs][agreement]") {
  const bool full = test::full_run();
  const std::uint64_t count = full ? 5000 : 2000;
  std::mt19937_64 random(20);
  std::array<unsigned, 4> ended{};
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    RandomMus mus(seed);
    if (seed % 3 == 2) {
      mus.mutate();
    }
    ConstantRunOptions options;
    options.threads = 1 + static_cast<unsigned>(seed % 8);
    options.max_steps = 150;
    if (seed % 4 == 1) {
      options.active = {static_cast<unsigned>(random() % options.threads)};
    }
    if (seed % 4 == 3) {
      options.order.resize(options.threads);
      std::iota(options.order.begin(), options.order.end(), 0U);
      std::shuffle(options.order.begin(), options.order.end(), random);
    }
    if (seed % 5 == 4) {
      options.printed.insert(static_cast<musimd::Erratum>(random() % musimd::erratum_names.size()));
    }
    INFO("seed " << seed << "\n" << mus.text());
    ++ended[static_cast<std::size_t>(require_agreement(parsed(mus.text()), options))];
  }
  CHECK(ended[static_cast<std::size_t>(RunStatus::Halted)] > count / 4);  // the comparison is not about early ends only
}
