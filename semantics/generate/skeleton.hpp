#pragma once
// Structured μ-SIMD programs. Whatever tree is written down here, its code is well-formed (docs/wellformed.md), as long as the
// two rules below are kept; so it can be generated and shrunk freely.
//   - a MaskIf stands in a Block;
//   - a Repeat that is not synced stands directly in the body of a Block, and its rounds are a number.

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/musimd/syntax.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::generate {

/// An expression as a tree.
struct Term {
  enum class Kind : std::uint8_t { Number, Name, Tid, Apply };

  Kind kind = Kind::Number;
  std::int64_t number = 0;     ///< of a Number
  std::string name;            ///< of a Name: a variable
  Op op = Op::Add;             ///< of an Apply
  std::vector<Term> operands;  ///< of an Apply, as many as the operation has

  bool operator==(const Term&) const = default;
};

Term number(std::int64_t value);
Term variable(std::string name);
Term tid();
Term apply(Op op, std::vector<Term> operands);

/// A statement; what it becomes stands in emit.cpp.
struct Statement {
  enum class Kind : std::uint8_t {
    Assign,   ///< name = value
    Load,     ///< name = ld value
    Store,    ///< st address = value
    Shuffle,  ///< name = shfl(address, value), address being a Name or Tid
    If,       ///< body where value ≠ 0
    IfElse,   ///< body where value ≠ 0, then otherwise for the other threads
    While,    ///< for name = 0, 1, … while name < value: tested at the top
    Repeat,   ///< the same, tested at the bottom: one round at least
    Block,    ///< body in everywhere … end_everywhere
    MaskIf    ///< body if thread `value` was active before the block (jmp_mask)
  };

  Kind kind = Kind::Assign;
  std::string name;
  Term value;
  Term address;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
  bool synced = true;  ///< of a Repeat: a sync follows (Fig. 8 of the CREV paper has none)

  bool operator==(const Statement&) const = default;
};

struct Skeleton {
  unsigned threads = 1;
  std::vector<musimd::SharedRange> shared;
  std::vector<Statement> body;
};

/// The code, with a `stop` at the end. Variables and labels are numbered as the parser would number them.
musimd::Program emit(const Skeleton& skeleton);

/// Something that gets smaller as a program gets simpler: statements count most, then terms, numbers, rounds, threads, cells.
std::uint64_t measure(const Skeleton& skeleton);

}  // namespace lockstep::generate
