// Polynomials in the lanes of a chunk, as C++.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/avx512/lowering.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

/// The launch's number of the pack's first group; Symbol::group() is the present row's group in the pack.
constexpr Symbol first_group{Symbol::Kind::Group, 1};

bool is_iota(const std::vector<std::int64_t>& steps) {
  for (std::size_t j = 0; j < steps.size(); ++j) {
    if (steps[j] != static_cast<std::int64_t>(j)) {
      return false;
    }
  }
  return true;
}

}  // namespace

/// What one number says for all: the kernel's arguments; with one group in a pack, numbers of the group too.
bool Lowering::is_scalar(Layout layout) const {
  return layout.kind == Layout::Kind::Pack || (layout == Layout::group() && shape_.wg_pack == 1);
}

bool Lowering::is_big(Layout layout) const { return !is_scalar(layout) && geometry(layout).chunks > plan_.most_chunks; }

std::uint64_t Lowering::items(Layout layout) const { return layout.kind == Layout::Kind::Item ? shape_.wg_size : 1; }

/// With numbers for the values that are known now: variables of unrolled loops.
Polynomial Lowering::with_known(const Polynomial& polynomial) const {
  Polynomial result = polynomial;
  polynomial.for_each_value([&](ValueId value) {
    if (kept_[value].number) {
      result = result.substitute(Symbol::of(value), Polynomial(*kept_[value].number));
    }
  });
  return result;
}

Sum Lowering::plus(const Sum& a, const Sum& b) {
  Sum result{a.uniform + b.uniform, a.steps.empty() ? b.steps : a.steps, a.vector.empty() ? b.vector : a.vector};
  if (!a.steps.empty() && !b.steps.empty()) {
    for (std::size_t j = 0; j < result.steps.size(); ++j) {
      result.steps[j] += b.steps[j];
    }
    if (std::ranges::all_of(result.steps, [](std::int64_t step) { return step == 0; })) {
      result.steps.clear();
    }
  }
  if (!a.vector.empty() && !b.vector.empty()) {
    result.vector = code_.value("I64", "sum", fmt::format("v::add({}, {})", a.vector, b.vector));
  }
  return result;
}

Sum Lowering::times(const Sum& a, const Sum& b) {
  Sum result{a.uniform * b.uniform, {}, ""};
  const auto add_vector = [&](const std::string& text) {
    result.vector = result.vector.empty() ? text : code_.value("I64", "sum", fmt::format("v::add({}, {})", result.vector, text));
  };
  const auto add_scaled = [&](const Sum& varying, const Polynomial& factor) {
    if (varying.is_uniform() || factor == Polynomial(0)) {
      return;
    }
    if (factor.is_constant() && varying.vector.empty()) {
      Sum scaled{0, varying.steps, ""};
      for (std::int64_t& step : scaled.steps) {
        step = static_cast<std::int64_t>(static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(factor.constant()));
      }
      result = plus(result, scaled);
      return;
    }
    const std::string all = vector_text({0, varying.steps, varying.vector});
    add_vector(factor == Polynomial(1) ? all
                                       : code_.value("I64", "product", fmt::format("v::mul({}, {})", all, vector_text({factor, {}, ""}))));
  };
  add_scaled(a, b.uniform);
  add_scaled(b, a.uniform);
  if (!a.is_uniform() && !b.is_uniform()) {
    const std::string left = vector_text({0, a.steps, a.vector});
    const std::string right = vector_text({0, b.steps, b.vector});
    add_vector(code_.value("I64", "product", fmt::format("v::mul({}, {})", left, right)));
  }
  return result;
}

/// wg.ix is the group's number in the launch, or in the pack.
Sum Lowering::sum_of(const Polynomial& polynomial, const Position& position, Groups groups) {
  const Polynomial known = with_known(polynomial);
  const auto factor = [&](Symbol symbol) -> Sum {
    switch (symbol.kind) {
      case Symbol::Kind::Item:
        return coordinate(position.wi);
      case Symbol::Kind::Element:
        return coordinate(position.ix);
      case Symbol::Kind::Group: {
        Sum group = coordinate(position.wg);
        if (groups == Groups::OfLaunch) {
          group.uniform += Polynomial(first_group);
        }
        return group;
      }
      case Symbol::Kind::Value:
        break;
    }
    return {Polynomial(symbol), {}, ""};
  };
  Sum sum{known.constant(), {}, ""};
  if (position.is_flat) {
    // Of the pack's first lane; the others follow it.
    sum = {sum.uniform + position.place, std::vector<std::int64_t>(plan_.chunk_lanes), ""};
    std::ranges::generate(sum.steps, [step = std::int64_t{0}]() mutable { return step++; });
  }
  for (const Monomial& term : known.terms()) {
    Sum product{term.coefficient, {}, ""};
    for (const Symbol symbol : term.factors) {
      product = times(product, factor(symbol));
    }
    sum = plus(sum, product);
  }
  return sum;
}

std::string Lowering::steps_text(const std::vector<std::int64_t>& steps) {
  if (is_iota(steps)) {
    return "v::iota<I64>()";
  }
  std::vector<std::string> numbers;
  for (const std::int64_t step : steps) {
    numbers.push_back(number_text(index_element, static_cast<std::uint64_t>(step)));
  }
  return fmt::format("v::load<I64>({})", table("int64_t", "lanes", numbers));
}

/// A vector of int64.
std::string Lowering::vector_text(const Sum& sum) {
  std::string result;
  const auto add = [&](const std::string& text) {
    result = result.empty() ? text : code_.value("I64", "sum", fmt::format("v::add({}, {})", result, text));
  };
  if (sum.uniform != Polynomial(0) || sum.is_uniform()) {
    const std::string number = sum.uniform.is_constant() ? number_text(index_element, static_cast<std::uint64_t>(sum.uniform.constant()))
                                                         : fmt::format("static_cast<int64_t>({})", index_text(sum.uniform));
    add(code_.value("I64", "all", fmt::format("v::set1<I64>({})", number)));
  }
  if (!sum.steps.empty()) {
    add(code_.value("I64", "lanes", steps_text(sum.steps)));
  }
  if (!sum.vector.empty()) {
    add(sum.vector);
  }
  return result;
}

/// An integer expression: of int64_t where no number in it can be large, else of uint64_t, which wraps.
std::string Lowering::index_text(const Polynomial& polynomial) {
  bool small = true;
  for (const Monomial& term : polynomial.terms()) {
    small = small && term.coefficient < (1 << 20) && term.coefficient > -(1 << 20) && term.factors.size() == 1;
    for (const Symbol symbol : term.factors) {
      const bool of_row = symbol.kind == Symbol::Kind::Item || symbol == Symbol::group();
      small = small && (of_row || value_ranges_.contains(symbol));
    }
  }
  small = small && polynomial.constant() < (std::int64_t{1} << 40) && polynomial.constant() > -(std::int64_t{1} << 40);
  std::string text;
  for (const Monomial& term : polynomial.terms()) {
    const bool negative = term.coefficient < 0;
    const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(term.coefficient) : static_cast<std::uint64_t>(term.coefficient);
    std::string product;
    for (const Symbol symbol : term.factors) {
      std::string name;
      if (symbol.kind == Symbol::Kind::Value) {
        name = kept_[symbol.value].chunks.front().text;
      } else {
        const auto found = symbols_.find(symbol);
        if (found == symbols_.end()) {
          throw InternalError("a coordinate has no name here");
        }
        name = found->second;
      }
      product += fmt::format("{}{}", product.empty() ? "" : " * ", small ? name : fmt::format("v::u({})", name));
    }
    if (size != 1) {
      product += fmt::format(" * {}{}", size, small ? "" : "u");
    }
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += product;
  }
  if (!small && text.starts_with('-')) {
    text.insert(0, "0u ");
  }
  const std::int64_t constant = polynomial.constant();
  if (text.empty()) {
    return small ? fmt::format("{}", constant) : number_text(index_element, static_cast<std::uint64_t>(constant));
  }
  if (constant != 0) {
    const std::uint64_t size = constant < 0 ? 0 - static_cast<std::uint64_t>(constant) : static_cast<std::uint64_t>(constant);
    text += fmt::format(" {} {}{}", constant < 0 ? "-" : "+", size, small ? "" : "u");
  }
  return text;
}

}  // namespace lockstep::emit_avx512
