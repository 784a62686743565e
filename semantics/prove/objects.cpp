#include "semantics/prove/objects.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "semantics/prove/budget.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

namespace {

Value long_number(std::int64_t number) { return Value::number(ScalarType::Long, static_cast<std::uint64_t>(number)); }

/// f(left, right) for each pair of cases.
template <class F>
auto by_pairs(const Value& a, const Value& b, const F& f) {
  return by_cases(a, [&](const Value& x) { return by_cases(b, [&](const Value& y) { return f(x, y); }); });
}

}  // namespace

Moved choose(const Truth& c, const Moved& a, const Moved& b) {
  return {choose(c, a.pointer, b.pointer), choose(c, a.undefined, b.undefined)};
}
Compared choose(const Truth& c, const Compared& a, const Compared& b) {
  return {choose(c, a.holds, b.holds), choose(c, a.undefined, b.undefined)};
}

Cell choose(const Truth& c, const Cell& a, const Cell& b) {
  return {choose(c, a.value, b.value), choose(c, a.poison, b.poison), choose(c, a.written, b.written)};
}

void overwrite(Cell& cell, const Truth& condition, const Cell& by) {
  const bool is_new = identical(condition || cell.written, condition);  // where it was written, it is so again
  cell.value = is_new ? by.value : choose(condition, by.value, cell.value);
  cell.poison = is_new ? by.poison : choose(condition, by.poison, cell.poison);
  cell.written = choose(condition, by.written, cell.written);
}

Truth within(const Value& index, std::uint64_t count) { return less(index.as(ScalarType::ULong), Value::number(ScalarType::ULong, count)); }

Cell read_cell(const std::vector<Cell>& cells, const Value& index, std::size_t first, std::size_t stride, std::uint64_t count) {
  const auto nothing = [] { return Cell{Value(), Truth(true), Truth(false)}; };
  return by_cases(index, [&](const Value& at) -> Cell {
    if (at.is_any()) {
      return nothing();
    }
    if (const auto known = at.known()) {
      return *known < count ? cells[first + *known * stride] : nothing();
    }
    Cell found = nothing();
    for (std::uint64_t k = count; k-- > 0;) {
      Budget::check();
      const Cell& cell = cells[first + k * stride];
      found = k + 1 == count ? cell : choose(equal(at, long_number(static_cast<std::int64_t>(k))), cell, found);
    }
    return found;
  });
}

void write_cell(std::vector<Cell>& cells, const Truth& condition, const Value& index, std::size_t first, std::size_t stride,
                std::uint64_t count, const Cell& by) {
  if (condition.known() == false || index.is_any()) {
    return;
  }
  if (const Value::Choice* choice = index.choice()) {
    write_cell(cells, condition && choice->condition, choice->then, first, stride, count, by);
    write_cell(cells, condition && !choice->condition, choice->otherwise, first, stride, count, by);
    return;
  }
  if (const auto known = index.known()) {
    if (*known < count) {
      overwrite(cells[first + *known * stride], condition, by);
    }
    return;
  }
  for (std::uint64_t k = 0; k < count; ++k) {
    Budget::check();
    overwrite(cells[first + k * stride], condition && equal(index, long_number(static_cast<std::int64_t>(k))), by);
  }
}

Value unknown_element(ScalarType type, const std::string& name, std::uint64_t index) {
  return Value::named(type, fmt::format("{}[{}]", name, index));
}

std::vector<Cell> unknown_cells(ScalarType type, const std::string& name, std::uint64_t count) {
  std::vector<Cell> cells;
  cells.reserve(count);
  for (std::uint64_t k = 0; k < count; ++k) {
    Budget::check();
    cells.push_back({unknown_element(type, name, k), Truth(false), Truth(true)});
  }
  return cells;
}

bool grow(MemoryObject& buffer, const Value& index) {
  bool is_unknown = false;
  by_cases(index, [&](const Value& element) {
    const auto known = element.known();
    is_unknown = is_unknown || (!known && !element.is_any());
    const std::uint64_t needed = known.value_or(0) + 1;
    while (buffer.count < needed && needed <= most_cells) {
      Budget::check();
      buffer.cells.push_back({unknown_element(buffer.element, buffer.name, buffer.count++), Truth(false), Truth(true)});
    }
    return element;
  });
  return is_unknown;
}

Moved moved(const Value& pointer, const Value& index, ScalarType element) {
  const std::int64_t limit = (std::int64_t{1} << 39) / static_cast<std::int64_t>(size_of(element));
  const auto beyond = [&](const Value& number) { return !less(long_number(-limit), number) || !less(number, long_number(limit)); };
  return by_cases(pointer, [&](const Value& p) -> Moved {
    const Value::Pointer* from = p.as_pointer();
    if (from == nullptr) {
      return {Value(), Truth(false)};
    }
    const Value sum = primitive(Primitive::Plus, from->element, index);
    return {Value::pointer(from->object, sum), beyond(index) || beyond(sum)};
  });
}

Moved distance(const Value& p, const Value& q) {
  return by_pairs(p, q, [](const Value& x, const Value& y) -> Moved {
    const Value::Pointer* a = x.as_pointer();
    const Value::Pointer* b = y.as_pointer();
    if (a == nullptr || b == nullptr) {
      return {Value(), Truth(false)};
    }
    return {primitive(Primitive::Minus, a->element, b->element), Truth(a->object != b->object)};
  });
}

Compared compared(Op op, const Value& p, const Value& q) {
  return by_pairs(p, q, [&](const Value& x, const Value& y) -> Compared {
    const Value::Pointer* a = x.as_pointer();
    const Value::Pointer* b = y.as_pointer();
    if (a == nullptr || b == nullptr) {
      return {Truth(false), Truth(false)};
    }
    if (a->object == b->object) {
      return {holds(op, ScalarType::Long, std::array{a->element, b->element}), Truth(false)};
    }
    return {Truth(op == Op::Ne), Truth(is_order(op))};
  });
}

}  // namespace lockstep::prove
