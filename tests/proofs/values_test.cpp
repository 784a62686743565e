// The values of proofs about kernels: their terms mean what the operations mean on machine numbers, and what is built into uninterpreted
// floats holds of IEEE 754.

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/objects.hpp"
#include "semantics/prove/questions.hpp"
#include "semantics/prove/refine.hpp"
#include "semantics/prove/value.hpp"
#include "semantics/prove/value_term.hpp"
#include "tests/unit/bitcast_numbers.hpp"

using namespace lockstep;
using namespace lockstep::prove;

namespace {

constexpr unsigned patience_ms = 600'000;  // by the clock: seconds on a machine with nothing else to do

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

/// The constant with these bits.
Value number_of_word(ScalarType type, std::uint64_t word) {
  const unsigned spare = 64 - bits_of(type);
  const bool extends = is_signed(type) && !is_float(type);
  return Value::number(type, extends ? static_cast<std::uint64_t>(static_cast<std::int64_t>(word << spare) >> spare) : word);
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

TEST_CASE("bits as another type: constants, terms, and there and back", "[proofs][values][bitcast]") {
  for (const FloatMode mode : {FloatMode::Uninterpreted, FloatMode::Exact}) {
    const FloatTheory theory(mode, true);
    for (const unsigned size : {1U, 2U, 4U, 8U}) {
      for (const ScalarType from : bitcasts::types_of_size(size)) {
        for (const ScalarType to : bitcasts::types_of_size(size)) {
          INFO(info(from).name << " as " << info(to).name);
          for (const std::uint64_t word : bitcasts::words(size, 20)) {
            REQUIRE(bitcast(to, number_of_word(from, word)).known() == number_of_word(to, word).known());
          }
          // A float is looked at as bits: any NaN is equal to any other.
          const ScalarType integer = bitcasts::types_of_size(size).front();
          const Value x = Value::named(from, "x");
          const Value back = bitcast(integer, bitcast(from, bitcast(to, x)));
          CHECK(holds_for(same_result(back, bitcast(integer, x)), {}, {}));
          CHECK_FALSE(holds_for(same_result(back, number_of_word(integer, 1)), {}, {}));
        }
      }
    }
  }
}

TEST_CASE("a float of exact mode is the number that its bits are", "[proofs][values][bitcast]") {
  const FloatTheory theory(FloatMode::Exact, true);
  for (const ScalarType type : {ScalarType::Float, ScalarType::Double}) {
    const ScalarType integer = type == ScalarType::Float ? ScalarType::Int : ScalarType::Long;
    for (const std::uint64_t word : bitcasts::words(size_of(type), 10)) {
      INFO(word);
      const Value n = Value::named(integer, "n");
      const Value x = Value::named(type, "x");
      const Value number = number_of_word(type, word);
      CHECK(holds_for(same_result(bitcast(type, n), number), {n}, {*number_of_word(integer, word).known()}));
      const Truth is_word = same_result(bitcast(integer, x), number_of_word(integer, word));
      CHECK(holds_for(implies(is_word, same_result(x, number)), {}, {}));
      CHECK(holds_for(implies(is_word && equal(x, x), equal(x, number)), {}, {}));
    }
  }
}

TEST_CASE("bits go with moves, choices and signs", "[proofs][values][bitcast]") {
  for (const FloatMode mode : {FloatMode::Uninterpreted, FloatMode::Exact}) {
    const FloatTheory theory(mode, true);
    const auto bits = [](const Value& v) { return bitcast(ScalarType::UInt, v); };
    const auto word = [](std::uint64_t n) { return Value::number(ScalarType::UInt, n); };
    const Value x = Value::named(ScalarType::Float, "x");
    const Value y = Value::named(ScalarType::Float, "y");
    const Truth c = Truth::named("c");
    const auto op = [&](Op id, std::initializer_list<Value> operands) {
      return apply(id, ScalarType::Float, std::vector<Value>(operands));
    };
    const auto of_bits = [](Op id, const Value& a, const Value& b) { return apply(id, ScalarType::UInt, std::array{a, b}); };
    CHECK(holds_for(same_result(bits(choose(c, x, y)), choose(c, bits(x), bits(y))), {}, {}));
    const Value signalling = Value::number(ScalarType::Float, 0x7f800001);
    const Value quiet = Value::number(ScalarType::Float, 0xffc00002);
    const Value chosen = choose(c, signalling, choose(Truth::named("d"), quiet, x));
    CHECK(holds_for(implies(c, same_result(bits(chosen), word(0x7f800001))), {}, {}));
    CHECK(holds_for(implies(!c && Truth::named("d"), same_result(bits(chosen), word(0xffc00002))), {}, {}));
    CHECK(holds_for(same_result(bits(op(Op::Neg, {x})), of_bits(Op::BitXor, bits(x), word(0x80000000))), {}, {}));
    CHECK(holds_for(same_result(bits(op(Op::Fabs, {x})), of_bits(Op::BitAnd, bits(x), word(0x7fffffff))), {}, {}));
    CHECK(bits(op(Op::Neg, {signalling})).known() == 0xff800001);
    const Value least = op(Op::Min, {x, y});  // y < x ? y : x
    CHECK(holds_for(same_result(bits(least), choose(less(y, x), bits(y), bits(x))), {}, {}));
  }
}

TEST_CASE("nobody knows which bits a NaN has that was computed", "[proofs][values][bitcast]") {
  const auto bits = [](const Value& v) { return bitcast(ScalarType::UInt, v); };
  const auto number = [](float n) { return Value::number(ScalarType::Float, ops::bits_from(n)); };
  const auto op = [&](Op id, std::initializer_list<Value> operands) { return apply(id, ScalarType::Float, std::vector<Value>(operands)); };
  const auto holds = [](const Truth& truth) { return holds_for(truth, {}, {}); };
  const float infinity = std::numeric_limits<float>::infinity();
  for (const FloatMode mode : {FloatMode::Uninterpreted, FloatMode::Exact}) {
    const FloatTheory theory(mode, true);
    const Value x = Value::named(ScalarType::Float, "x");
    const Value y = Value::named(ScalarType::Float, "y");
    const Value sum = op(Op::Add, {x, y});
    CHECK(holds(same_result(bits(sum), bits(op(Op::Add, {x, y})))));
    CHECK_FALSE(holds(same_result(bits(sum), bits(op(Op::Add, {y, x})))));
    const std::vector<Value> nans = {op(Op::Div, {number(0), number(0)}),
                                     op(Op::Sub, {number(infinity), number(infinity)}),
                                     op(Op::Mul, {number(0), number(infinity)}),
                                     op(Op::Sqrt, {number(-1)}),
                                     op(Op::Fma, {number(0), number(infinity), number(1)}),
                                     op(Op::Add, {Value::number(ScalarType::Float, 0x7f800001), number(1)}),
                                     convert(ScalarType::Float, Value::number(ScalarType::Double, 0x7ff8000000000000))};
    for (const Value& nan : nans) {
      CHECK_FALSE(bits(nan).known());
      for (const std::uint64_t word : {0x7fc00000U, 0xffc00000U, 0x7f800001U, 0x7fc00001U}) {
        CHECK_FALSE(holds(same_result(bits(nan), Value::number(ScalarType::UInt, word))));
        CHECK_FALSE(holds(!same_result(bits(nan), Value::number(ScalarType::UInt, word))));
      }
      CHECK_FALSE(holds(same_result(bits(nan), bits(nans[&nan == nans.data() ? 1 : 0]))));
    }
    // What gives x back for every number may change a NaN.
    const std::vector<Value> nearly_x = {op(Op::Add, {x, number(-0.0F)}), op(Op::Sub, {x, number(0)}), op(Op::Mul, {number(1), x}),
                                         op(Op::Div, {x, number(1)}), convert(ScalarType::Float, convert(ScalarType::Double, x))};
    for (const Value& each : nearly_x) {
      CHECK_FALSE(holds(same_result(bits(each), bits(x))));
    }
  }
  const FloatTheory exact(FloatMode::Exact, true);
  const Value x = Value::named(ScalarType::Float, "x");
  const Value one_more = op(Op::Add, {x, number(1)});
  CHECK(holds(same_result(bitcast(ScalarType::Float, bits(one_more)), one_more)));
  const Value nan = op(Op::Div, {number(0), number(0)});
  const Value magnitude = apply(Op::BitAnd, ScalarType::UInt, std::array{bits(nan), Value::number(ScalarType::UInt, 0x7fffffff)});
  CHECK(holds(less(Value::number(ScalarType::UInt, 0x7f800000), magnitude)));
  CHECK(holds(!equal(nan, nan)));
}

TEST_CASE("where nobody looks at bits, a NaN that constants give is a constant", "[proofs][values][bitcast]") {
  for (const FloatMode mode : {FloatMode::Uninterpreted, FloatMode::Exact}) {
    const FloatTheory theory(mode);
    const Value zero = Value::number(ScalarType::Float, 0);
    const Value nan = apply(Op::Div, ScalarType::Float, std::array{zero, zero});
    CHECK(nan.known());
    CHECK(equal(nan, nan).known() == false);
    CHECK(bitcast(ScalarType::Int, nan).known());  // what this machine gives
    CHECK_THROWS_AS(bitcast(ScalarType::Int, Value::named(ScalarType::Float, "x")), InternalError);
  }
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

TEST_CASE("at an index that may be any lies poison that nobody has written", "[proofs][values]") {
  const std::vector<Cell> cells = unknown_cells(ScalarType::Int, "x", 3);
  const Cell nowhere = read_cell(cells, Value(), 0, 1, 3);
  CHECK(nowhere.poison.known() == true);
  CHECK(nowhere.written.known() == false);
  const Cell second = read_cell(cells, Value::number(ScalarType::Long, 1), 0, 1, 3);
  CHECK(second.poison.known() == false);
  CHECK(second.written.known() == true);
}

TEST_CASE("what the memory is too small for is not made", "[proofs][values]") {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
  const Budget budget({std::nullopt, std::nullopt, 64 * mebibyte});
  CHECK_NOTHROW(Budget::reserve(mebibyte, 8));
  CHECK_THROWS_AS(Budget::reserve(mebibyte, 80), OutOfBudget);
  CHECK_THROWS_AS(Budget::reserve(std::uint64_t{1} << 60U, 80), OutOfBudget);
}

TEST_CASE("of two allowances, one in the other, the lesser counts", "[proofs][values]") {
  const auto is_over_after = [](std::optional<std::uint64_t> outer, std::optional<std::uint64_t> inner) {
    const Budget around({std::nullopt, outer, std::nullopt});
    const Budget budget({std::nullopt, inner, std::nullopt});
    try {
      Budget::check(1000);
    } catch (const OutOfBudget&) {
      return true;
    }
    return false;
  };
  CHECK_FALSE(is_over_after(std::nullopt, std::nullopt));
  CHECK(is_over_after(100, std::nullopt));
  CHECK(is_over_after(std::nullopt, 100));
  CHECK(is_over_after(100, 10'000));
  CHECK(is_over_after(10'000, 100));
  CHECK_FALSE(is_over_after(10'000, 10'000));
}

TEST_CASE("a question costs what the solver does before its search", "[proofs][values]") {
  const auto units_of = [](Op op, ScalarType type) {
    const Value x = Value::named(type, "x");
    const Value y = Value::named(type, "y");
    const std::vector<Value> there{x, y};
    const Budget budget({std::nullopt, std::uint64_t{1} << 40U, std::nullopt});
    const Answer answer =
        Questions({!equal(y, Value::number(type, 0))}, {}, patience_ms).ask(!equal(apply(op, type, there), Value::number(type, 7)));
    CHECK(answer == Answer::Satisfiable);
    return budget.units();
  };
  // Two units are a microsecond; gates for 64 bits by 64 bits take Z3 some 50 ms, for 32 by 32 some 9.
  CHECK(units_of(Op::Rem, ScalarType::ULong) > 80'000);
  CHECK(units_of(Op::Rem, ScalarType::UInt) > 20'000);
  CHECK(units_of(Op::Mul, ScalarType::ULong) > 40'000);
  CHECK(units_of(Op::Add, ScalarType::ULong) < 20'000);

  const Budget small({std::nullopt, 50'000, std::nullopt});
  CHECK_THROWS_AS(units_of(Op::Div, ScalarType::ULong), OutOfBudget);
}

TEST_CASE("a proof says what it had no more of, and of a question that is too hard that nobody knows", "[proofs][values]") {
  const auto kernel_of = [](const char* text) {
    core::Options reading;
    reading.wg_size = 1;
    Diagnostics warnings;
    const auto program = core::read_kernels(std::make_shared<const SourceFile>("k.cl", text), reading, warnings);
    REQUIRE(program.has_value());
    return core::translate(*program, *program->kernel("k"));
  };
  // Whether two numbers of 32 bits have this product is a matter of hours.
  const typed::Program first = kernel_of("kernel void k(global int *o, uint a, uint b) { o[0] = (ulong)a * b == 0x9a0b1f4f9822968ful; }");
  const typed::Program second = kernel_of("kernel void k(global int *o, uint a, uint b) { o[0] = 0; }");
  const auto answer = [&](std::uint64_t units, unsigned query_ms, std::function<void(const Progress&)> progress) {
    RefineOptions options;
    options.allowance.units = units;
    options.query_ms = query_ms;
    options.progress = std::move(progress);
    const auto proof = refine(first, &second, options);
    REQUIRE(proof.has_value());
    CHECK(proof->kind == Refinement::Kind::Unknown);
    CHECK(proof->query == "o-0");
    CHECK(proof->seconds > 0);
    return *proof;
  };
  constexpr std::uint64_t many = std::uint64_t{1} << 40U;

  const Refinement hard = answer(many, 200, {});
  CHECK(hard.what == "the solver does not know whether o[0] is the same");
  CHECK_FALSE(hard.spent.has_value());

  const Refinement in_it = answer(500'000, patience_ms, {});
  CHECK(in_it.what == "there was no budget left to know whether o[0] is the same");
  CHECK(in_it.spent == Spent::Units);

  const Refinement before_it = answer(many, patience_ms, [](const Progress& progress) {  // the question is put when all is spent
    if (progress.what == "o[0] is the same") {
      CHECK_THROWS_AS(Budget::check(2 * many), OutOfBudget);
    }
  });
  CHECK(before_it.what == "there was no budget left to ask whether o[0] is the same");
  CHECK(before_it.spent == Spent::Units);
}

TEST_CASE("assumptions about other unknowns cost nothing", "[proofs][values]") {
  const auto named = [](const char* name) { return Value::named(ScalarType::ULong, name); };
  const auto number = [](std::uint64_t n) { return Value::number(ScalarType::ULong, n); };
  const auto op = [](Op id, std::initializer_list<Value> operands) { return apply(id, ScalarType::ULong, std::vector<Value>(operands)); };
  // p and q divide a product of two primes of 31 bits: hard, and nothing to do with a and b.
  const Truth hard = equal(op(Op::Mul, {named("p"), named("q")}), number(2147483647ULL * 2147483629ULL)) && less(number(1), named("p")) &&
                     less(named("p"), named("q")) && less(named("q"), number(std::uint64_t{1} << 32U));
  const Truth sum_is_even = equal(op(Op::BitAnd, {op(Op::Add, {named("a"), named("b")}), number(1)}), number(0));
  const Truth both_are_odd = equal(op(Op::BitAnd, {named("a"), number(1)}), op(Op::BitAnd, {named("b"), number(1)}));
  const Budget budget({std::nullopt, 30'000, std::nullopt});
  CHECK(Questions({hard, sum_is_even}, {}, patience_ms).ask(both_are_odd) == Answer::Unsatisfiable);
  // An assumption two steps away counts.
  CHECK(
      Questions({hard, equal(named("a"), named("c")), equal(named("c"), named("b"))}, {}, patience_ms).ask(equal(named("a"), named("b"))) ==
      Answer::Unsatisfiable);
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
