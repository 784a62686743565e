#include <algorithm>
#include <fstream>
#include <sstream>

#include "semantics/generate/program.hpp"
#include "tests/mutation/checks.hpp"
#include "tests/properties/agreement.hpp"
#include "tests/properties/invariants.hpp"
#include "tests/properties/laws.hpp"

namespace lockstep::test {

namespace {

std::shared_ptr<const musimd::Program> program_of(const std::string& text) {
  return std::make_shared<const musimd::Program>(musimd::parse(SourceFile("check.mus", text)).value());
}

/// The CREV paper's Fig. 6: 39 instructions, and the matrix with row 0 and row 3 changed as Fig. 7 says.
Verdict fig6() {
  std::ostringstream text;
  text << std::ifstream(LOCKSTEP_SOURCE_DIR "/examples/musimd/fig6.mus").rdbuf();
  const auto machine = machine_for(program_of(text.str()));
  const Ending ending = machine->run(1000);
  static constexpr std::int64_t expected[] = {1, 1, 1, 1, 3, 2, 4, 5, 1, 5, 6, 1, 2, 3, 1, 7, 2, 4, 5, 1};
  for (std::size_t a = 0; a < std::size(expected); ++a) {
    if (machine->state().shared.read(static_cast<std::int64_t>(a)) != Cell{CellState::Number, expected[a]}) {
      return "cell " + std::to_string(a) + " is wrong";
    }
  }
  if (!std::holds_alternative<Halted>(ending) || machine->steps() != 39) {
    return "ends after " + std::to_string(machine->steps()) + " steps: " + reason(ending);
  }
  return std::nullopt;
}

/// How a program must end: the premises that fail, those of all candidates if it is stuck.
struct Reason {
  const char* text;
  std::vector<std::string> premises;
};

/// Written down from rules.def by hand.
const std::vector<Reason>& reasons() {
  static const std::vector<Reason> all = {
      {"p = shfl(tid, 9)\nbz p, L\nL: sync\nstop\n", {"BT.3"}},
      {"v = x\nstop\n", {"MV.2"}},
      {"v = 1 / (tid - 1)\nstop\n", {"BP.2"}},
      {"v = ld 7\nstop\n", {"MM.2"}},
      {"v = ld tid - 1\nstop\n", {"LD.2"}},
      {"st tid - 1 = 0\nstop\n", {"ST.3"}},
      {"everywhere\njmp_mask tid, L\nL: end_everywhere\nstop\n", {"BA.3"}},
      {"jmp_mask 0, L\nL: stop\n", {"BA.2", "BI.2"}},
      {"sync\nstop\n", {"SS.2", "SI.sync.2"}},
      {"end_everywhere\nstop\n", {"EE.2"}},
      {"everywhere\nbz tid, L\nL: end_everywhere\nstop\n", {"EE.3"}},
      {"bz tid, L\nL: stop\n", {"SP.2"}},
      {"everywhere\nstop\n", {"SP.3"}},
      {"v = 1\n", {}},
  };
  return all;
}

Verdict reasons_named() {
  for (const Reason& r : reasons()) {
    const Ending ending = machine_for(program_of(r.text))->run(1000);
    std::vector<std::string> failed;
    const auto add = [&](const AskedPremise& premise) {
      if (!premise.holds) {
        failed.push_back(std::string(musimd::name(premise.rule)) + "." + std::to_string(premise.number));
      }
    };
    if (const auto* undefined = std::get_if<Undefined>(&ending)) {
      add(undefined->premise);
    } else if (const auto* stuck = std::get_if<Stuck>(&ending)) {
      for (const CandidateReport& candidate : stuck->candidates) {
        std::for_each(candidate.premises.begin(), candidate.premises.end(), add);
      }
    } else {
      return fmt::format("'{}' ends with {}", r.text, status_word(ending));
    }
    if (failed != r.premises) {
      return fmt::format("'{}' ends because of {}, expected {}", r.text, fmt::join(failed, " "), fmt::join(r.premises, " "));
    }
  }
  return std::nullopt;
}

/// Small programs that meet each premise on both sides; the big-step evaluator says what they do.
const char* const directed[] = {
    "v = tid & 1\nbz v, Else\nw = 1\njmp Join\nElse: w = 2\nJoin: sync\nstop\n",
    "bz tid == 0, A\nbz tid == 1, B\nx = 1\nB: sync\nA: sync\ny = tid\nstop\n",
    "i = 0\nHead: bz i < tid, Out\ni = i + 1\njmp Head\nOut: sync\nstop\n",
    "i = 0\nHead: i = i + 1\nbz i > tid, Head\nsync\nstop\n",
    "bz 0, L\nv = 1\nL: sync\nbz 1, M\nv = 2\nM: sync\nstop\n",
    "bz 1, L\njmp L\nv = 1\nL: sync\nstop\n",
    "bz tid > 1, L\neverywhere\nbz tid & 1, M\nv = tid\nM: sync\nend_everywhere\nL: sync\nstop\n",
    "bz tid > 1, L\neverywhere\neverywhere\nv = 1\nend_everywhere\nw = shfl(tid, 3)\nx = shfl(tid, 0)\nend_everywhere\ny = 1\nL: "
    "sync\nstop\n",
    "bz tid > 1, L\neverywhere\nbz 1, M\nM: v = 1\nend_everywhere\nL: sync\nstop\n",
    "bz tid > 1, L\neverywhere\ni = 0\nLoop: jmp_mask i, Call\njmp Next\nCall: v = shfl(tid, i)\nst tid = v\n"
    "Next: i = i + 1\nbz i == 4, Loop\nend_everywhere\nL: sync\nstop\n",
    "everywhere\njmp_mask 4, L\nv = 1\nL: jmp_mask -1, M\nv = 2\nM: end_everywhere\nstop\n",
    "bz tid, L\neverywhere\njmp_mask tid, M\nM: end_everywhere\nL: sync\nstop\n",
    "bz tid, L\neverywhere\njmp_mask 3 - tid, M\nM: end_everywhere\nL: sync\nstop\n",
    "bz tid > 1, L\neverywhere\njmp_mask tid * 0, M\nM: end_everywhere\nL: sync\nstop\n",
    "p = shfl(tid, 9)\neverywhere\njmp_mask p, M\nM: end_everywhere\nstop\n",
    "p = shfl(tid, 9)\nbz p, L\nL: sync\nstop\n",
    "p = shfl(tid, 9)\nbz p + 1, L\nL: sync\nstop\n",
    "p = shfl(tid, tid + 1)\nbz p, L\nL: sync\nstop\n",
    "p = shfl(tid, tid + 1)\nbz p * 0, L\nL: sync\nstop\n",
    "jmp_mask tid, L\nL: stop\n",
    "jmp_mask 0, L\nL: stop\n",
    "sync\nstop\n",
    "end_everywhere\nstop\n",
    "everywhere\nstop\n",
    "everywhere\nbz tid, L\nL: end_everywhere\nstop\n",
    "bz tid, L\nL: everywhere\nend_everywhere\nstop\n",
    "bz tid, L\nL: stop\n",
    "v = 3\nw = v\nx = tid\ny = w + x\nbz tid, L\nv = 1\nw = x\nx = v - w\nL: sync\nstop\n",
    "v = w\nstop\n",
    "bz tid, L\nv = 1\nL: sync\nw = v\nstop\n",
    "v = 5 / (tid - 2)\nstop\n",
    ".shared 0 : 7 8 9 10\nv = ld 3 - tid\nbz tid, L\nv = ld tid\nL: sync\nstop\n",
    ".shared 0 : 7 8 9\nv = ld tid\nstop\n",
    "v = ld 1 - tid\nstop\n",
    "p = shfl(tid, 9)\nv = ld p\nstop\n",
    "st 2 * tid = 10 + tid\nst 0 = tid\nstop\n",
    "bz tid, L\nst tid = 5\nL: sync\nv = ld tid\nstop\n",
    "st 1 - tid = 1\nstop\n",
    "p = shfl(tid, 9)\nst p = 1\nstop\n",
    "p = shfl(tid, 9)\nst tid = p\nv = ld tid\nstop\n",
    "v = tid * 10\nv = shfl(v, tid ^ 1)\nw = shfl(v, (tid + 1) % 4)\nx = shfl(v, tid + 1)\nstop\n",
    "v = tid\nbz tid > 1, L\nx = 9\nx = shfl(v, 3 - tid)\ny = shfl(v, 1 - tid)\nL: sync\nstop\n",
    "bz tid, L\nv = 1\nL: sync\nw = shfl(v, 0)\nx = shfl(v, 1)\nstop\n",
    "L: jmp L\n",
    "jmp L\nL:\n",
};

Verdict directed_agreement() {
  for (const char* text : directed) {
    const auto program = program_of(text);
    if (auto wrong = plain_agreement({program, musimd::print(*program), 0})) {
      return fmt::format("'{}': {}", text, *wrong);
    }
  }
  return std::nullopt;
}

/// A law on programs with fixed seeds.
Verdict campaign(Law law, const generate::ProgramOptions& options, unsigned programs, bool changed_control = false) {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    generate::Choices choices = generate::from_seed(seed);
    musimd::Program program = generate::emit(generate::random_program(choices, options));
    if (changed_control) {
      program = generate::with_changed_control(std::move(program), choices);
    }
    if (auto wrong = law(trial_of(std::move(program), seed))) {
      return fmt::format("program {}: {}", seed, *wrong);
    }
  }
  return std::nullopt;
}

constexpr struct {
  const char* name;
  Verdict (*run)();
} all[] = {
    {"fig6", fig6},
    {"determinism", [] { return campaign(determinism, {.max_threads = 8}, 60); }},
    {"reconvergence", [] { return campaign(reconvergence, {}, 60); }},
    {"progress", [] { return campaign(progress, {}, 60); }},
    {"lane independence", [] { return campaign(lane_independence, {.shared_writes = false, .shuffles = false, .blocks = false}, 60); }},
    {"thread order", [] { return campaign(thread_order, {.races = false}, 60); }},
    {"parity", [] { return campaign(parity, {.shuffles = false, .mask_tests = false}, 60); }},
    {"shuffle laws", [] { return campaign(shuffle_laws, {.max_threads = 8}, 60); }},
    {"directed programs", directed_agreement},
    {"reasons", reasons_named},
    {"agreement", [] { return campaign(plain_agreement, {.max_threads = 65}, 300); }},
    {"agreement, ill-formed", [] { return campaign(plain_agreement, {.max_threads = 8}, 200, true); }},
};

}  // namespace

std::vector<Check> rule_checks() {
  std::vector<Check> checks;
  for (const auto& [name, run] : all) {
    checks.push_back({name, {"rules"}, run});
  }
  return checks;
}

}  // namespace lockstep::test
