// What each instruction that moves lanes does, by the operation sections of the Intel 64 and IA-32 Architectures Software Developer's
// Manual, against what the executor of reorderings says (codegen/emit/avx512/permute_execute.hpp): proved for all immediates, all index
// vectors and all contents of the registers at once.

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "codegen/emit/avx512/permute_cost.hpp"
#include "codegen/emit/avx512/permute_execute.hpp"
#include "semantics/prove/solver.hpp"
#include "semantics/prove/term.hpp"

using namespace lockstep;
using namespace lockstep::emit_avx512;
using lockstep::prove::Answer;
using lockstep::prove::Truth;
using lockstep::prove::Word;

namespace {

/// A number of the executor as a term.
struct Term {
  Word word;
};

Term operator+(const Term& a, unsigned n) { return {plus(a.word, Word(n))}; }
Term operator*(const Term& a, unsigned n) { return {times(a.word, Word(n))}; }
Term operator&(const Term& a, unsigned n) { return {bit_and(a.word, Word(n))}; }
Term operator>>(const Term& a, unsigned n) { return {shifted_right(a.word, Word(n))}; }

/// A register: its lanes from the lowest one.
using Register = std::vector<Word>;

Truth bit(const Word& word, unsigned number) { return !(bit_and(word, Word(std::int64_t{1} << number)) == Word(0)); }

Register lanes_from(const Register& r, std::size_t first, std::size_t count) {
  return {r.begin() + static_cast<std::ptrdiff_t>(first), r.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

Register either(const Truth& c, const Register& a, const Register& b) {
  Register result;
  for (std::size_t j = 0; j < a.size(); ++j) {
    result.push_back(choose(c, a[j], b[j]));
  }
  return result;
}

/// The manual's Select2 and Select4: one of the equal pieces of `r`, by the bits of `control` from bit `at`.
Register select(const Register& r, std::size_t pieces, const Word& control, unsigned at) {
  if (pieces == 1) {
    return r;
  }
  const std::size_t half = r.size() / 2;
  unsigned highest = at;
  for (std::size_t n = pieces; n > 2; n /= 2) {
    ++highest;
  }
  const Truth upper = bit(control, highest);
  return either(upper, select(lanes_from(r, half, half), pieces / 2, control, at), select(lanes_from(r, 0, half), pieces / 2, control, at));
}

void append(Register& to, const Register& what) { to.insert(to.end(), what.begin(), what.end()); }

Register joined(Register low, const Register& high) {
  append(low, high);
  return low;
}

/// The operands of an instruction.
struct Operands {
  Register a;
  Register b;
  Word immediate;
  std::vector<Word> index;
};

constexpr unsigned words_in_part(unsigned lane_bits) { return 128 / lane_bits; }

Register vpermil(const Operands& x, unsigned lane_bits) {
  const unsigned n = words_in_part(lane_bits);
  Register result;
  for (unsigned part = 0; part < x.a.size(); part += n) {
    const Register source = lanes_from(x.a, part, n);
    for (unsigned k = 0; k < n; ++k) {
      append(result, select(source, n, x.immediate, lane_bits == 64 ? part + k : 2 * k));
    }
  }
  return result;
}

Register vpermpd_immediate(const Operands& x) {
  Register result;
  for (unsigned half = 0; half < x.a.size(); half += 4) {
    for (unsigned k = 0; k < 4; ++k) {
      append(result, select(lanes_from(x.a, half, 4), 4, x.immediate, 2 * k));
    }
  }
  return result;
}

Register vshufp(const Operands& x, unsigned lane_bits) {
  const unsigned n = words_in_part(lane_bits);
  Register result;
  for (unsigned part = 0; part < x.a.size(); part += n) {
    const Register first = lanes_from(x.a, part, n);
    const Register second = lanes_from(x.b, part, n);
    for (unsigned k = 0; k < n; ++k) {
      append(result, select(k < n / 2 ? first : second, n, x.immediate, lane_bits == 64 ? part + k : 2 * k));
    }
  }
  return result;
}

Register vunpck(const Operands& x, unsigned lane_bits, bool high) {
  const unsigned n = words_in_part(lane_bits);
  Register result;
  for (unsigned part = 0; part < x.a.size(); part += n) {
    for (unsigned k = 0; k < n / 2; ++k) {
      const unsigned from = part + (high ? n / 2 : 0) + k;
      result.push_back(x.a[from]);
      result.push_back(x.b[from]);
    }
  }
  return result;
}

/// VSHUFF64X2 of 512 bits, VPERM2F128 of 256.
Register parts(const Operands& x, unsigned lane_bits) {
  const bool is_wide = x.a.size() * lane_bits == 512;
  if (!is_wide) {
    return joined(select(joined(x.a, x.b), 4, x.immediate, 0), select(joined(x.a, x.b), 4, x.immediate, 4));
  }
  Register result;
  for (unsigned k = 0; k < 4; ++k) {
    append(result, select(k < 2 ? x.a : x.b, 4, x.immediate, 2 * k));
  }
  return result;
}

/// VALIGNQ: the concatenation of both, shifted to the right by so many lanes; bit by bit of that number. The lower one is `a`.
Register valign(const Operands& x) {
  Register both = joined(x.a, x.b);
  for (unsigned distance = 1, number = 0; distance < x.a.size(); distance *= 2, ++number) {
    Register shifted = lanes_from(both, distance, both.size() - distance);
    shifted.resize(both.size(), Word(0));
    both = either(bit(x.immediate, number), shifted, both);
  }
  return lanes_from(both, 0, x.a.size());
}

/// VPERMPD and VPERMT2PD.
Register by_index(const Operands& x, const Register& table) {
  Register result;
  for (const Word& index : x.index) {
    append(result, select(table, table.size(), index, 0));
  }
  return result;
}

Register defined(Instruction instruction, unsigned lane_bits, const Operands& x) {
  switch (instruction) {
    case Instruction::Move:
      return x.a;
    case Instruction::Broadcast:
      return Register(x.a.size(), x.a[0]);
    case Instruction::InLanes:
      return vpermil(x, lane_bits);
    case Instruction::InHalves:
      return vpermpd_immediate(x);
    case Instruction::Shuffle:
      return vshufp(x, lane_bits);
    case Instruction::UnpackLow:
    case Instruction::UnpackHigh:
      return vunpck(x, lane_bits, instruction == Instruction::UnpackHigh);
    case Instruction::Parts:
      return parts(x, lane_bits);
    case Instruction::Window:
      return valign(x);
    case Instruction::PermuteOne:
      return by_index(x, x.a);
    case Instruction::PermuteTwo:
      break;
  }
  return by_index(x, joined(x.a, x.b));
}

Register executed(Instruction instruction, unsigned lane_bits, const Operands& x) {
  const Register both = joined(x.a, x.b);
  const auto lanes = static_cast<unsigned>(x.a.size());
  Register result;
  for (unsigned j = 0; j < lanes; ++j) {
    const Word from = brought_lane(instruction, lane_bits, lanes, j, Term{x.immediate}, Term{x.index[j]}).word;
    Word lane = Word(-1);  // outside of both operands: no lane
    for (std::size_t k = both.size(); k-- > 0;) {
      lane = choose(from == Word(static_cast<std::int64_t>(k)), both[k], lane);
    }
    result.push_back(lane);
  }
  return result;
}

Register named(const std::string& name, unsigned lanes) {
  Register result;
  for (unsigned j = 0; j < lanes; ++j) {
    result.push_back(Word::named(name + std::to_string(j)));
  }
  return result;
}

Answer can_differ(prove::Solver& solver, const Register& a, const Register& b) {
  Truth same(true);
  for (std::size_t j = 0; j < a.size(); ++j) {
    same = same && (a[j] == b[j]);
  }
  return solver.possible(!same);
}

/// Immediates of eight bits; of VPERM2F128 the bits that would make zeros are clear, as in all that we emit.
Truth is_immediate(Instruction instruction, unsigned register_bits, const Word& immediate) {
  const bool has_zero_bits = instruction == Instruction::Parts && register_bits == 256;
  return bit_and(immediate, Word(~std::int64_t{has_zero_bits ? 0x77 : 0xff})) == Word(0);
}

}  // namespace

TEST_CASE("instructions that move lanes do what their definitions say", "[proofs][permutes]") {
  for (const InstructionCost& row : cost_table) {
    for (const unsigned lane_bits : {32U, 64U}) {
      for (const unsigned register_bits : {256U, 512U}) {
        if (row.instruction == Instruction::InHalves && lane_bits == 32) {
          continue;
        }
        const unsigned lanes = register_bits / lane_bits;
        const Operands x{named("a", lanes), named("b", lanes), Word::named("immediate"), named("index", lanes)};
        prove::Solver solver(60'000);
        solver.assume(is_immediate(row.instruction, register_bits, x.immediate));
        INFO(row.mnemonic << " of " << lanes << " lanes of " << lane_bits << " bits");
        CHECK(solver.possible(Truth(true)) == Answer::Satisfiable);
        const Register result = executed(row.instruction, lane_bits, x);
        CHECK(can_differ(solver, defined(row.instruction, lane_bits, x), result) == Answer::Unsatisfiable);
        // And the question is not empty: another instruction does something else.
        const Instruction other = row.instruction == Instruction::Broadcast ? Instruction::Move : Instruction::Broadcast;
        CHECK(can_differ(solver, defined(other, lane_bits, x), result) == Answer::Satisfiable);
      }
    }
  }
}
