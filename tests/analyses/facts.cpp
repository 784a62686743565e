// What the clean-ups know of single operations (codegen/passes/clean/facts.hpp): which of them are defined on all numbers, and which types
// hold all numbers of another.

#include "codegen/passes/clean/facts.hpp"

#include <cstdlib>
#include <optional>
#include <vector>

#include "semantics/base/scalar_type.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/prove/value.hpp"
#include "tests/analyses/analysis.hpp"

namespace lockstep::analyses {

namespace {

using passes::clean::holds_all;
using prove::Truth;
using prove::Value;

std::vector<Op> all_ops() {
  std::vector<Op> ops;
  for (std::size_t i = 0; i < op_count; ++i) {
    ops.push_back(static_cast<Op>(i));
  }
  return ops;
}

/// All numbers of a type of up to 16 bits; of a wider one what lies at the ends and around powers of two.
std::vector<std::uint64_t> numbers_of(ScalarType type) {
  std::vector<std::uint64_t> numbers;
  const auto add = [&](std::int64_t n) { numbers.push_back(ops::convert(ScalarType::Long, type, static_cast<std::uint64_t>(n)).value()); };
  if (bits_of(type) <= 16) {
    for (std::int64_t n = 0; n < std::int64_t{1} << bits_of(type); ++n) {
      add(n);
    }
    return numbers;
  }
  for (unsigned k = 0; k < 64; ++k) {
    for (const std::int64_t more : {-1, 0, 1}) {
      const auto n = static_cast<std::int64_t>((std::uint64_t{1} << k) + static_cast<std::uint64_t>(more));
      add(n);
      add(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(n)));
    }
  }
  if (type == ScalarType::Float) {
    numbers.insert(numbers.end(), {0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 1, 0x80000000, 0x3f000000});
  } else if (type == ScalarType::Double) {
    numbers.insert(numbers.end(), {0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7fefffffffffffff, 1, 0x8000000000000000});
  }
  return numbers;
}

// ---- operations that are defined on all numbers ------------------------------------------------------------------------------

Exhausted exhaust_total() {
  Exhausted result;
  for (const Op op : all_ops()) {
    for (const ScalarType type : {ScalarType::Bool, ScalarType::Char, ScalarType::UChar}) {
      if (op == Op::Select || info(op).arity > 2 || !ops::takes(op, type)) {
        continue;
      }
      for (const std::uint64_t a : numbers_of(type)) {
        for (const std::uint64_t b : numbers_of(type)) {
          const std::uint64_t operands[] = {a, b};
          const auto used = std::span(operands).first(static_cast<std::size_t>(info(op).arity));
          result.note(may_be_undefined(op, type) || ops::apply(op, type, used).has_value(),
                      [&] { return std::string(info(op).name) + " of " + ops::text_of(type, a) + ", " + ops::text_of(type, b); });
        }
      }
    }
  }
  for (const ScalarInfo& from : scalar_table) {
    for (const std::uint64_t number : numbers_of(from.type)) {
      for (const ScalarInfo& to : scalar_table) {
        result.note(conversion_may_be_undefined(from.type, to.type) || ops::convert(from.type, to.type, number).has_value(),
                    [&] { return std::string(from.name) + " " + ops::text_of(from.type, number) + " to " + std::string(to.name); });
      }
    }
  }
  return result;
}

Proved prove_total() {
  Proved proof;
  for (const Op op : all_ops()) {
    for (const ScalarInfo& type : scalar_table) {
      if (op == Op::Select || !ops::takes(op, type.type)) {
        continue;
      }
      std::vector<Value> operands;
      for (int k = 0; k < info(op).arity; ++k) {
        operands.push_back(Value::named(type.type, "x" + std::to_string(k)));
      }
      const std::string name = std::string(info(op).name) + " of " + std::string(type.name);
      const Truth defined = !undefined(op, type.type, operands);
      if (!may_be_undefined(op, type.type)) {
        proof.ask(name, {}, defined, defined && nonzero(operands.front()));
      } else {
        proof.ask(name, {nonzero(operands.back())}, nonzero(operands.back()), defined && nonzero(operands.front()));
      }
    }
  }
  for (const ScalarInfo& from : scalar_table) {
    for (const ScalarInfo& to : scalar_table) {
      if (!conversion_may_be_undefined(from.type, to.type)) {
        const Value x = Value::named(from.type, "x");
        proof.ask(std::string(from.name) + " to " + std::string(to.name), {}, !misfits(to.type, x), nonzero(x));
      }
    }
  }
  return proof;
}

// ---- types that hold all numbers of another ----------------------------------------------------------------------------------

/// Integers in floats take Z3 long, or too long: all numbers of up to 16 bits are tried, and all of 32 in full runs.
bool is_tried_whole(ScalarType to, ScalarType from) { return is_float(to) && !is_float(from); }

/// Whether a number becomes another type's, and itself again.
bool comes_back(ScalarType from, ScalarType to, std::uint64_t number) {
  const auto there = ops::convert(from, to, number);
  return there && ops::convert(to, from, *there) == number;
}

/// Converted there and on, if that is defined, a number becomes what it becomes at once; and converted back it is itself.
Exhausted exhaust_holding() {
  Exhausted result;
  for (const ScalarInfo& from : scalar_table) {
    for (const ScalarInfo& to : scalar_table) {
      if (!holds_all(to.type, from.type)) {
        continue;
      }
      if (is_tried_whole(to.type, from.type) && bits_of(from.type) == 32 && std::getenv("LOCKSTEP_FULL") != nullptr) {
        for (std::int64_t k = 0; k < std::int64_t{1} << 32; ++k) {
          const auto number = ops::convert(ScalarType::Long, from.type, static_cast<std::uint64_t>(k)).value();
          result.note(comes_back(from.type, to.type, number),
                      [&] { return std::string(from.name) + " " + ops::text_of(from.type, number); });
        }
      }
      for (const std::uint64_t number : numbers_of(from.type)) {
        const auto there = ops::convert(from.type, to.type, number);
        const auto describe = [&] {
          return std::string(from.name) + " " + ops::text_of(from.type, number) + " by way of " + std::string(to.name);
        };
        result.note(comes_back(from.type, to.type, number), describe);
        for (const ScalarInfo& on : scalar_table) {
          const auto at_once = ops::convert(from.type, on.type, number);
          const auto by_way = there ? ops::convert(to.type, on.type, *there) : std::nullopt;
          result.note(!by_way || by_way == at_once, describe);
        }
      }
    }
  }
  return result;
}

Proved prove_holding() {
  Proved proof;
  const prove::FloatTheory exact(prove::FloatMode::Exact);
  for (const ScalarInfo& from : scalar_table) {
    for (const ScalarInfo& to : scalar_table) {
      if (!holds_all(to.type, from.type) || is_tried_whole(to.type, from.type)) {
        continue;
      }
      const Value x = Value::named(from.type, "x");
      const Value there = convert(to.type, x);
      const Truth same = !misfits(to.type, x) && !misfits(from.type, there) && same_result(convert(from.type, there), x);
      proof.ask(std::string(from.name) + " in " + std::string(to.name), {}, same, same && nonzero(x));
    }
  }
  return proof;
}

}  // namespace

std::vector<TransferFunction> of_facts() {
  return {
      {"defined on all numbers", exhaust_total, prove_total},
      {"types that hold all of another", exhaust_holding, prove_holding},
  };
}

}  // namespace lockstep::analyses
