// Reorderings: every lane goes where it is wanted, by the instructions' definitions, and no allowed sequence of the forms is cheaper.

#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "codegen/emit/avx512/permute_cost.hpp"
#include "codegen/emit/avx512/permute_execute.hpp"
#include "semantics/base/internal_error.hpp"
#include "tests/campaign/run.hpp"
#include "tests/permutes/patterns.hpp"

using namespace lockstep;
using namespace lockstep::emit_avx512;
using namespace lockstep::test;

namespace {

/// Quick runs always do the same, full ones something else each day.
std::uint64_t seed() { return full_run() ? run_seed() : 1; }

constexpr double hardly = 1e-9;  // sums of thirds

/// Whether every wanted lane is there.
bool holds(const Wanted& wanted, const std::vector<std::optional<SourceLane>>& lanes) {
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (wanted[j] && lanes.at(j) != wanted[j]) {
      return false;
    }
  }
  return true;
}

/// What a sequence costs by the table and its documentation.
double price(const Sequence& sequence) {
  double result = 0.5 * static_cast<double>(sequence.index_vectors.size());
  const bool is_wide = register_bits_of(sequence.kind) == 512;
  for (const Step& step : sequence.steps) {
    const InstructionCost& row = cost(step.instruction);
    result += is_wide ? row.cycles_512 : row.cycles_256;
    result += is_wide && step.into ? 0.5 : 0;
  }
  return result;
}

/// What is wrong with the sequence, or "".
std::string wrong(const Wanted& wanted, const Sequence& sequence) {
  if (!holds(wanted, execute(sequence))) {
    return "lanes are not where they should be";
  }
  if (std::abs(price(sequence) - sequence.cycles) > hardly) {
    return "the cost is not the table's";
  }
  std::map<unsigned, int> uses;
  unsigned masks = 0;
  const auto use = [&](const Operand& operand) { uses[operand.number] += operand.is_step ? 1 : 0; };
  for (const Step& step : sequence.steps) {
    use(step.first);
    if (step.instruction != Instruction::Move) {
      use(step.second);
    }
    if (step.into) {
      use(*step.into);
      ++masks;
    }
  }
  if (sequence.masks != (register_bits_of(sequence.kind) == 512 ? masks : 0)) {
    return "the number of masks is wrong";
  }
  for (std::size_t k = 0; k + 1 < sequence.steps.size(); ++k) {
    if (uses[static_cast<unsigned>(k)] != 1) {
      return "a step is not used once";
    }
  }
  return "";
}

void check(RegisterKind kind, const Wanted& wanted, const Allowed& allowed = {}) {
  const Sequence sequence = cheapest(kind, wanted, allowed);
  const std::string what = wrong(wanted, sequence);
  if (!what.empty()) {
    FAIL_CHECK(name_of(kind) << " " << text_of(wanted) << ": " << explain(sequence) << ": " << what);
  }
}

Allowed random_allowed(std::mt19937_64& random) {
  Allowed result;
  for (bool* form : {&result.reuse, &result.scalar_broadcast, &result.vector_broadcast, &result.segmented_broadcast, &result.within_parts,
                     &result.two_within_parts, &result.whole_parts, &result.window, &result.blend}) {
    *form = random() % 3 != 0;
  }
  return result;
}

std::vector<std::pair<Form, bool Allowed::*>> switches() {
  return {{Form::Reuse, &Allowed::reuse},
          {Form::ScalarBroadcast, &Allowed::scalar_broadcast},
          {Form::VectorBroadcast, &Allowed::vector_broadcast},
          {Form::SegmentedBroadcast, &Allowed::segmented_broadcast},
          {Form::WithinParts, &Allowed::within_parts},
          {Form::TwoWithinParts, &Allowed::two_within_parts},
          {Form::WholeParts, &Allowed::whole_parts},
          {Form::Window, &Allowed::window},
          {Form::Blend, &Allowed::blend}};
}

}  // namespace

// All 8^8 in a full run, else one in 251. That 251 is odd and prime to 8 lets every lane have all its values in the sample.
TEST_CASE("every permutation of one register of eight lanes") {
  constexpr unsigned all = 1U << 24;
  const unsigned step = full_run() ? 1 : 251;
  Wanted wanted(8);
  unsigned wrong_ones = 0;
  for (unsigned code = static_cast<unsigned>(seed() % step); code < all; code += step) {
    for (unsigned j = 0; j < 8; ++j) {
      wanted[j] = SourceLane{0, code >> 3 * j & 7};
    }
    const Sequence sequence = cheapest(RegisterKind::F64x8, wanted);
    if (!holds(wanted, execute(sequence))) {
      INFO(text_of(wanted) << ": " << explain(sequence));
      CHECK(++wrong_ones == 0);
    }
  }
}

// A sequence is wrong if it is wrong at one lane, and an immediate can only be wrong at a lane by what another lane wants: two lanes are
// enough to show every fault of the choice of one instruction, on its own or as a part of a merge.
TEST_CASE("all pairs of wanted lanes of two registers") {
  for (const RegisterKind kind : register_kinds) {
    const unsigned lanes = lanes_of(kind);
    if (kind == RegisterKind::I64x8 || kind == RegisterKind::I32x16 || kind == RegisterKind::I32x8) {
      continue;  // the choice is that of the floats, as another test says
    }
    Wanted wanted(lanes);
    for (unsigned i = 0; i < lanes; ++i) {
      for (unsigned j = 0; j < i; ++j) {
        for (unsigned code = 0; code < 4 * lanes * lanes; ++code) {
          wanted[i] = SourceLane{code % 2, code / 4 % lanes};
          wanted[j] = SourceLane{code / 2 % 2, code / 4 / lanes};
          check(kind, wanted);
        }
        wanted[i] = wanted[j] = std::nullopt;
      }
    }
  }
}

TEST_CASE("every way to take the lanes of two registers, in place, mirrored, rotated, repeated and drawn") {
  std::mt19937_64 random(seed());
  for (unsigned from_second = 0; from_second < 256; ++from_second) {
    for (unsigned way = 0; way < 20; ++way) {
      Wanted of_eight(8);
      Wanted of_sixteen(16);
      for (unsigned j = 0; j < 16; ++j) {
        const unsigned lane = way == 0 ? j : way == 1 ? 15 - j : way < 10 ? j + way : way < 16 ? way : static_cast<unsigned>(random());
        const unsigned reg = from_second >> j % 8 & 1;
        of_eight[j % 8] = SourceLane{reg, lane % 8};
        of_sixteen[j] = SourceLane{(from_second >> j / 2 & 1), lane % 16};
      }
      check(RegisterKind::F64x8, of_eight);
      check(RegisterKind::F32x8, of_eight);
      check(RegisterKind::F32x16, of_sixteen);
    }
  }
}

TEST_CASE("random reorderings of up to sixteen registers") {
  std::mt19937_64 random(seed());
  const unsigned rounds = full_run() ? 2'000'000 : 20'000;
  std::map<Form, unsigned> forms;
  for (unsigned round = 0; round < rounds; ++round) {
    const RegisterKind kind = register_kinds[random() % register_kinds.size()];
    const Wanted wanted = random_wanted(kind, random() % 8 == 0 ? 16 : 8, random);
    check(kind, wanted);
    check(kind, wanted, random_allowed(random));
    ++forms[cheapest(kind, wanted).form];
  }
  CHECK(forms.size() == form_count);
}

TEST_CASE("integers are moved as floats are") {
  std::mt19937_64 random(7);
  for (unsigned round = 0; round < 2000; ++round) {
    const RegisterKind floats = std::array{RegisterKind::F64x8, RegisterKind::F32x16, RegisterKind::F32x8}[round % 3];
    const RegisterKind integers = std::array{RegisterKind::I64x8, RegisterKind::I32x16, RegisterKind::I32x8}[round % 3];
    const Wanted wanted = random_wanted(floats, 6, random);
    CHECK(explain(cheapest(floats, wanted)) == explain(cheapest(integers, wanted)));
  }
}

// From the instructions' side: what one instruction brings about, with any operands, immediate and mask, costs no more than that.
TEST_CASE("whatever one instruction can do is found") {
  std::mt19937_64 random(3);
  for (const RegisterKind kind : register_kinds) {
    for (const InstructionCost& row : cost_table) {
      for (const unsigned lane_bits : {32U, 64U}) {
        const bool exists = lane_bits >= lane_bits_of(kind) && (row.instruction != Instruction::InHalves || lane_bits == 64);
        const bool is_plain = row.instruction != Instruction::Move && row.instruction < Instruction::PermuteOne;
        for (unsigned immediate = 0; exists && is_plain && immediate < 256; ++immediate) {
          for (const unsigned second : {0U, 1U}) {
            const bool zeroes =
                row.instruction == Instruction::Parts && lanes_of(kind) * lane_bits_of(kind) == 256 && (immediate & 0x88) != 0;
            const Step step{.instruction = row.instruction, .lane_bits = lane_bits, .second = {false, second}, .immediate = immediate};
            const Sequence one{.kind = kind, .steps = {step}, .result = Operand{true, 0}};
            Wanted wanted = zeroes ? Wanted(lanes_of(kind)) : execute(one);
            CHECK(cheapest(kind, wanted).cycles <= price(one) + hardly);
            for (auto& lane : wanted) {
              lane = random() % 3 == 0 ? std::nullopt : lane;
            }
            CHECK(cheapest(kind, wanted).cycles <= price(one) + hardly);
          }
        }
      }
    }
    for (unsigned mask = 0; mask < 256; ++mask) {
      const Step step{.lane_bits = lane_bits_of(kind), .first = {false, 1}, .into = Operand{false, 0}, .mask = mask * 0x101};
      const Sequence one{.kind = kind, .steps = {step}, .result = Operand{true, 0}};
      CHECK(cheapest(kind, execute(one)).cycles <= price(one) + hardly);
    }
  }
}

namespace {

/// The least that a merge costs, found by trying all divisions of the registers into single ones and pairs and all first parts.
class AllDivisions {
 public:
  AllDivisions(RegisterKind kind, const Wanted& wanted) : kind_(kind), wanted_(wanted) {
    for (const auto& lane : wanted) {
      if (lane) {
        registers_.insert(lane->reg);
      }
    }
  }

  double least() {
    divide(registers_, {});
    return least_;
  }

 private:
  Sequence part(const std::set<unsigned>& registers) const {
    Wanted wanted = wanted_;
    for (auto& lane : wanted) {
      lane = lane && registers.contains(lane->reg) ? lane : std::nullopt;
    }
    const Sequence alone = cheapest(kind_, wanted);
    // A merge is no part. Where it is the cheapest, of one instruction only the general one is left: the others cost less than a merge.
    return alone.form == Form::Merge ? cheapest(kind_, wanted, Allowed::none()) : alone;
  }

  void divide(std::set<unsigned> left, const std::vector<Sequence>& parts) {
    if (left.empty()) {
      price_of(parts);
      return;
    }
    const unsigned one = *left.begin();
    left.erase(left.begin());
    const auto with = [&](const std::set<unsigned>& registers, const std::set<unsigned>& rest) {
      std::vector<Sequence> more = parts;
      more.push_back(part(registers));
      divide(rest, more);
    };
    with({one}, left);
    for (const unsigned other : left) {
      std::set<unsigned> rest = left;
      rest.erase(other);
      with({one, other}, rest);
    }
  }

  void price_of(const std::vector<Sequence>& parts) {
    if (parts.size() < 2) {
      return;
    }
    const bool is_wide = register_bits_of(kind_) == 512;
    for (std::size_t first = 0; first < parts.size(); ++first) {
      double sum = 0;
      bool has_index = false;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const Sequence& p = parts[k];
        sum += p.cycles - 0.5 * static_cast<double>(p.index_vectors.size());
        has_index = has_index || !p.index_vectors.empty();
        if (k == first) {
          continue;
        }
        const bool under_mask = is_wide && p.steps.size() == 1 && !p.steps[0].into && p.steps[0].instruction != Instruction::PermuteTwo &&
                                p.steps[0].lane_bits == lane_bits_of(kind_);
        sum += under_mask ? 0.5 : is_wide ? 1 : 1.0 / 3;
      }
      least_ = std::min(least_, sum + (has_index ? 0.5 : 0));
    }
  }

  RegisterKind kind_;
  const Wanted& wanted_;
  std::set<unsigned> registers_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

TEST_CASE("no division of the sources is cheaper than the chosen one") {
  std::mt19937_64 random(seed());
  for (unsigned round = 0; round < (full_run() ? 20'000U : 5000U); ++round) {
    const RegisterKind kind = register_kinds[random() % register_kinds.size()];
    const Wanted wanted = random_wanted(kind, 5, random);
    const Sequence sequence = cheapest(kind, wanted);
    INFO(name_of(kind) << " " << text_of(wanted) << ": " << explain(sequence));
    const double least = AllDivisions(kind, wanted).least();
    CHECK(sequence.cycles <= least + hardly);
    CHECK((sequence.form != Form::Merge || sequence.cycles >= least - hardly));
  }
}

TEST_CASE("more registers than are compared go in pairs, with one index vector") {
  Wanted wanted(16);
  for (unsigned j = 0; j < 16; ++j) {
    wanted[j] = SourceLane{15 - j, (5 * j + 3) % 16};
  }
  const Sequence sequence = cheapest(RegisterKind::F32x16, wanted);
  CHECK(wrong(wanted, sequence).empty());
  CHECK(sequence.form == Form::Merge);
  CHECK(sequence.index_vectors.size() == 1);
  CHECK(sequence.masks == 7);
  CHECK(sequence.cycles <= 8 + 0.5 + 7 * 1);
}

TEST_CASE("a form that is switched off is not chosen, and costs nothing less") {
  std::mt19937_64 random(seed());
  std::set<Form> seen;
  for (unsigned round = 0; round < 5000; ++round) {
    const RegisterKind kind = register_kinds[random() % register_kinds.size()];
    const Wanted wanted = random_wanted(kind, 3, random);
    const Sequence with_all = cheapest(kind, wanted);
    for (const auto& [form, is_on] : switches()) {
      Allowed others;
      others.*is_on = false;
      const Sequence without = cheapest(kind, wanted, others);
      CHECK(without.form != form);
      CHECK(without.cycles >= with_all.cycles - hardly);
      CHECK_FALSE(others.allows(form));
      if (with_all.form == form) {
        seen.insert(form);
        Allowed only = Allowed::none();
        only.*is_on = true;
        CHECK(cheapest(kind, wanted, only).form == form);
      }
    }
    const Form general = cheapest(kind, wanted, Allowed::none()).form;
    CHECK((general == Form::Anything || general >= Form::OneRegister));
  }
  CHECK(seen.size() == switches().size());
}

TEST_CASE("what no register can hold is refused") {
  CHECK_THROWS_AS(cheapest(RegisterKind::F64x8, Wanted(7)), InternalError);
  CHECK_THROWS_AS(cheapest(RegisterKind::F32x16, Wanted(8)), InternalError);
  CHECK_THROWS_AS(cheapest(RegisterKind::F64x8, wanted("a0 a1 a2 a3 a4 a5 a6 a8")), InternalError);
  CHECK_NOTHROW(cheapest(RegisterKind::F32x16, Wanted(16, SourceLane{0, 15})));
}
