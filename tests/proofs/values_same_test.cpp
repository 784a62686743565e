// When two values are the same: results of floats of which nothing is known, and any number.

#include <array>
#include <catch2/catch.hpp>

#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/prove/questions.hpp"
#include "semantics/prove/value.hpp"
#include "semantics/prove/value_term.hpp"

using namespace lockstep;
using namespace lockstep::prove;

TEST_CASE("uninterpreted floats know what a neutral element is, and no more", "[proofs][values]") {
  const FloatTheory theory(FloatMode::Uninterpreted);
  for (const ScalarType type : {ScalarType::Float, ScalarType::Double}) {
    const Value x = Value::named(type, "x");
    const auto number = [&](double value) {
      return Value::number(type, type == ScalarType::Float ? ops::bits_from(static_cast<float>(value)) : ops::bits_from(value));
    };
    const auto is_x = [&](Op id, const Value& a, const Value& b) { return identical(apply(id, type, std::array{a, b}), x); };
    CHECK(is_x(Op::Add, x, number(-0.0)));
    CHECK(is_x(Op::Add, number(-0.0), x));
    CHECK(is_x(Op::Sub, x, number(0.0)));
    CHECK(is_x(Op::Mul, x, number(1.0)));
    CHECK(is_x(Op::Mul, number(1.0), x));
    CHECK(is_x(Op::Div, x, number(1.0)));
    CHECK_FALSE(is_x(Op::Add, x, number(0.0)));
    CHECK_FALSE(is_x(Op::Sub, x, number(-0.0)));
    CHECK_FALSE(is_x(Op::Mul, x, number(-1.0)));
    CHECK_FALSE(is_x(Op::Div, number(1.0), x));
  }
}

TEST_CASE("whether any number and another are the same does not depend on their order", "[proofs][values]") {
  for (const ScalarInfo& type : scalar_table) {
    INFO(type.name);
    const Value x = Value::named(type.type, "x");
    Questions questions({}, {}, 600'000);
    CHECK(questions.ask(same(same_result(Value(), x), same_result(x, Value()))) == Answer::Unsatisfiable);
  }
}
