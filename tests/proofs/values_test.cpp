// The values of proofs about kernels: their terms mean what the operations mean on machine numbers, and what is built into uninterpreted
// floats holds of IEEE 754.

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/questions.hpp"
#include "semantics/prove/value.hpp"
#include "semantics/prove/value_term.hpp"

using namespace lockstep;
using namespace lockstep::prove;

namespace {

constexpr unsigned patience_ms = 60'000;

std::vector<OpInfo> all_operations() {
  std::vector<OpInfo> all(op_table.begin(), op_table.end());
  all.insert(all.end(), function_table.begin(), function_table.end());
  return all;
}

/// Numbers at the edges of a type, and others.
std::uint64_t some_number(ScalarType type, std::mt19937_64& random) {
  return with_type(type, [&]<class T>(T) {
    const std::array<T, 5> edges = {T{0}, T{1}, static_cast<T>(-1), std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
    if (type == ScalarType::Bool) {
      return std::uint64_t{random() % 2};
    }
    return ops::bits_from(random() % 2 == 0 ? edges[random() % edges.size()] : static_cast<T>(random() % 100));
  });
}

/// Whether `truth` holds whenever the values are these numbers.
bool holds_for(const Truth& truth, const std::vector<Value>& values, const std::vector<std::uint64_t>& numbers) {
  std::vector<Truth> assumptions;
  for (std::size_t k = 0; k < values.size(); ++k) {
    assumptions.push_back(same_result(values[k], Value::number(values[k].type(), numbers[k])));
  }
  return Questions(assumptions, {}, patience_ms).ask(truth) == Answer::Unsatisfiable;
}

}  // namespace

TEST_CASE("terms of integers mean what machine numbers mean", "[proofs][values]") {
  std::mt19937_64 random(5);
  for (const ScalarInfo& type : scalar_table) {
    for (const OpInfo& op : all_operations()) {
      if (type.is_float || op.op == Op::Select || !ops::takes(op.op, type.type) || type.type == ScalarType::Bool) {
        continue;
      }
      for (int round = 0; round < 3; ++round) {
        std::vector<Value> values;
        std::vector<std::uint64_t> numbers;
        for (int k = 0; k < op.arity; ++k) {
          values.push_back(Value::named(type.type, "x" + std::to_string(k)));
          numbers.push_back(some_number(type.type, random));
        }
        INFO(op.name << " of " << type.name << ": " << numbers[0] << ", " << numbers.back());
        const auto expected = ops::apply(op.op, type.type, numbers);
        const Truth is_undefined = undefined(op.op, type.type, values);
        CHECK(holds_for(expected ? !is_undefined : is_undefined, values, numbers));
        if (expected) {
          const Value result = apply(op.op, type.type, values);
          CHECK(holds_for(same_result(result, Value::number(result.type(), *expected)), values, numbers));
        }
      }
    }
  }
}

TEST_CASE("conversions of terms are those of machine numbers", "[proofs][values]") {
  std::mt19937_64 random(6);
  for (const FloatMode mode : {FloatMode::Uninterpreted, FloatMode::Exact}) {
    const FloatTheory theory(mode);
    for (const ScalarInfo& from : scalar_table) {
      for (const ScalarInfo& to : scalar_table) {
        if (mode == FloatMode::Uninterpreted && (from.is_float || to.is_float)) {
          continue;
        }
        const std::uint64_t number = some_number(from.type, random);
        INFO(from.name << " to " << to.name << ": " << number);
        const Value x = Value::named(from.type, "x");
        const auto expected = ops::convert(from.type, to.type, number);
        const Truth fits = !misfits(to.type, x);
        CHECK(holds_for(expected ? fits : !fits, {x}, {number}));
        if (expected) {
          CHECK(holds_for(same_result(convert(to.type, x), Value::number(to.type, *expected)), {x}, {number}));
        }
      }
    }
  }
}

TEST_CASE("what uninterpreted floats know is true of IEEE 754", "[proofs][values]") {
  const FloatTheory theory(FloatMode::Exact);
  const ScalarType type = ScalarType::Float;
  const Value x = Value::named(type, "x");
  const Value y = Value::named(type, "y");
  const auto number = [&](float value) { return Value::number(type, ops::bits_from(value)); };
  const auto op = [&](Op id, std::initializer_list<Value> operands) { return apply(id, type, std::vector<Value>(operands)); };
  Questions questions({}, {}, patience_ms);
  const auto holds = [&](const Truth& truth) { return questions.ask(truth) == Answer::Unsatisfiable; };
  CHECK(holds(same_result(op(Op::Add, {x, number(-0.0F)}), x)));
  CHECK(holds(same_result(op(Op::Add, {number(-0.0F), x}), x)));
  CHECK(holds(same_result(op(Op::Sub, {x, number(0.0F)}), x)));
  CHECK(holds(same_result(op(Op::Mul, {number(1.0F), x}), x)));
  CHECK(holds(same_result(op(Op::Div, {x, number(1.0F)}), x)));
  // That + * and fma commute is so by definition: IEEE 754 rounds the exact sum or product. Asked of Z3, it takes minutes.
  CHECK(holds(same(equal(x, y), equal(y, x))));
  CHECK(holds(same_result(convert(ScalarType::Float, convert(ScalarType::Double, x)), x)));
  const Value i = Value::named(ScalarType::Short, "i");
  CHECK(holds(same_result(convert(ScalarType::Double, convert(ScalarType::Float, i)), convert(ScalarType::Double, i))));
  // And what it must not know.
  CHECK_FALSE(holds(same_result(op(Op::Add, {x, number(0.0F)}), x)));
  CHECK_FALSE(holds(same_result(op(Op::Sub, {x, x}), number(0.0F))));
}

TEST_CASE("a value of few cases stays constants, case by case", "[proofs][values]") {
  const Truth c = Truth::named("c");
  const auto number = [](std::int64_t n) { return Value::number(ScalarType::Long, static_cast<std::uint64_t>(n)); };
  const Value two_or_five = choose(c, number(2), number(5));
  const Value sum = apply(Op::Add, ScalarType::Long, std::array{two_or_five, number(1)});
  REQUIRE(sum.choice() != nullptr);
  CHECK(sum.choice()->then.known() == 3);
  CHECK(sum.choice()->otherwise.known() == 6);
  CHECK(identical(less(two_or_five, number(3)), c));
  CHECK(less(two_or_five, number(6)).known() == true);
  CHECK(Given(c)(sum).known() == 3);
  CHECK(Given(!c && Truth::named("d"))(sum).known() == 6);
  CHECK(identical(choose(c, sum, number(0)), choose(c, number(3), number(0))));
}

TEST_CASE("a pointer has a case for each object, however often it was moved", "[proofs][values]") {
  const auto moved_often = [](std::uint32_t times) {
    Value pointer = Value::pointer(1, Value::number(ScalarType::Long, 0));
    for (std::uint32_t k = 0; k < times; ++k) {
      const Value there = Value::pointer(1 + k % 3, Value::number(ScalarType::Long, k % 2));
      pointer = choose(Truth::named("move" + std::to_string(k)), there, pointer);
    }
    return pointer;
  };
  CHECK(moved_often(20'000).cases() <= 64);
  const Value pointer = moved_often(100);
  CHECK(pointer.cases() <= 64);
  const Value element = by_cases(pointer, [](const Value& p) { return p.as_pointer()->element; });
  const Value object = by_cases(pointer, [](const Value& p) { return Value::number(ScalarType::Int, p.as_pointer()->object); });
  const auto is = [](const Value& value, ScalarType type, std::uint64_t number) { return same_result(value, Value::number(type, number)); };
  std::vector<Truth> path;
  for (std::uint32_t k = 100; k-- > 90;) {  // the last move that there is decides
    std::vector<Truth> here = path;
    here.push_back(Truth::named("move" + std::to_string(k)));
    path.push_back(!here.back());
    Questions questions(here, {}, patience_ms);
    CHECK(questions.ask(is(object, ScalarType::Int, 1 + k % 3)) == Answer::Unsatisfiable);
    CHECK(questions.ask(is(element, ScalarType::Long, k % 2)) == Answer::Unsatisfiable);
  }
}

TEST_CASE("what the memory is too small for is not made", "[proofs][values]") {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
  const Budget budget({std::nullopt, std::nullopt, 64 * mebibyte});
  CHECK_NOTHROW(Budget::reserve(mebibyte, 8));
  CHECK_THROWS_AS(Budget::reserve(mebibyte, 80), OutOfBudget);
  CHECK_THROWS_AS(Budget::reserve(std::uint64_t{1} << 60U, 80), OutOfBudget);
}

TEST_CASE("a quotient that is undefined in one case is that of the others", "[proofs][values]") {
  const Truth c = Truth::named("c");
  for (const ScalarType type : {ScalarType::Char, ScalarType::Int, ScalarType::UInt, ScalarType::Long, ScalarType::ULong}) {
    const auto number = [&](std::uint64_t n) { return Value::number(type, n); };
    const std::uint64_t lowest = is_signed(type) ? ~std::uint64_t{0} << (8 * size_of(type) - 1) : 0;
    const Value divisor = choose(c, number(3), number(is_signed(type) ? ~std::uint64_t{0} : 0));
    const Value dividend = choose(c, number(12), number(lowest));
    for (const auto& [op, primitive_op, result] :
         {std::tuple(Op::Div, Primitive::Quotient, 4U), std::tuple(Op::Rem, Primitive::Remainder, 0U)}) {
      CHECK(primitive(primitive_op, number(1), number(0)).is_any());
      CHECK(Given(c)(primitive(primitive_op, dividend, divisor)).known() == result);
      CHECK(Given(!c)(undefined(op, type, std::array{dividend, divisor})).known() == true);
      Questions questions({c}, {}, patience_ms);
      CHECK(questions.ask(same_result(apply(op, type, std::array{dividend, divisor}), number(result))) == Answer::Unsatisfiable);
    }
  }
}

TEST_CASE("whether a widened number fits is known without exact floats", "[proofs][values]") {
  const Value x = Value::named(ScalarType::Float, "x");
  CHECK(identical(misfits(ScalarType::Int, convert(ScalarType::Double, x)), misfits(ScalarType::Int, x)));
  CHECK_FALSE(misfits(ScalarType::Int, x).known());
  for (const ScalarType from : {ScalarType::Char, ScalarType::UShort, ScalarType::Int, ScalarType::UInt}) {
    const Value i = Value::named(from, "i");
    const Value as_double = convert(ScalarType::Double, i);
    for (const ScalarType to :
         {ScalarType::Char, ScalarType::UChar, ScalarType::Short, ScalarType::UInt, ScalarType::Long, ScalarType::ULong}) {
      std::mt19937_64 random(8);
      for (int k = 0; k < 6; ++k) {
        const std::uint64_t bits = some_number(from, random);
        const auto real = ops::convert(from, ScalarType::Double, bits);
        REQUIRE(real);
        const bool fits = ops::convert(ScalarType::Double, to, *real).has_value();
        INFO(info(from).name << " by way of double to " << info(to).name << ": " << bits);
        CHECK(holds_for(fits ? !misfits(to, as_double) : misfits(to, as_double), {i}, {bits}));
      }
    }
  }
}

TEST_CASE("questions read back from SMT-LIB have the same answers", "[proofs][values]") {
  const Value x = Value::named(ScalarType::Int, "x");
  const Value y = Value::named(ScalarType::Int, "y");
  const Value sum = apply(Op::Add, ScalarType::Int, std::array{x, y});
  const Truth is_positive = less(Value::number(ScalarType::Int, 0), x);
  Questions questions({is_positive}, {}, patience_ms);
  const Truth certain = same_result(sum, apply(Op::Add, ScalarType::Int, std::array{y, x}));
  const Truth wrong = less(y, sum);
  CHECK(questions.ask(certain) == Answer::Unsatisfiable);
  CHECK(answer_to_script(questions.smt_lib(certain), patience_ms) == Answer::Unsatisfiable);
  CHECK(questions.ask(wrong) == Answer::Satisfiable);
  CHECK(answer_to_script(questions.smt_lib(wrong), patience_ms) == Answer::Satisfiable);
}
