#include "semantics/prove/objects.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "semantics/memory/bytes.hpp"
#include "semantics/memory/pointer.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/value_bytes.hpp"

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
  const Terms::Byte byte = choose(c, Terms::Byte{a.value, a.byte}, Terms::Byte{b.value, b.byte});
  return {byte.of, choose(c, a.poison, b.poison), choose(c, a.written, b.written), byte.number};
}

void overwrite(Cell& cell, const Truth& condition, const Cell& by) {
  const bool is_new = identical(condition || cell.written, condition);  // where it was written, it is so again
  const Terms::Byte mine{by.value, by.byte};
  const Terms::Byte byte = is_new ? mine : choose(condition, mine, Terms::Byte{cell.value, cell.byte});
  cell.value = byte.of;
  cell.byte = byte.number;
  cell.poison = is_new ? by.poison : choose(condition, by.poison, cell.poison);
  cell.written = choose(condition, by.written, cell.written);
}

Truth within(const Value& index, std::uint64_t count) {
  using Index = Number<std::uint64_t>;
  return memory::has_element(Index{index.as(ScalarType::ULong)}, Index{Value::number(ScalarType::ULong, count)});
}

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

namespace {

Value behind(const Value& index, unsigned k) { return k == 0 ? index : primitive(Primitive::Plus, index, long_number(k)); }

}  // namespace

Cell read_bytes(const std::vector<Cell>& cells, const Value& index, ScalarType type) {
  const memory::Stored<Terms> found = memory::load<Terms>(type, [&](unsigned k) {
    const Cell cell = read_cell(cells, behind(index, k), 0, 1, cells.size());
    return memory::Byte<Terms>{{cell.value, cell.byte}, cell.poison, cell.written};
  });
  return {found.value, found.poison, found.written};
}

void write_bytes(std::vector<Cell>& cells, const Truth& condition, const Value& index, ScalarType type, const Cell& by) {
  memory::store<Terms>(type, {by.value, by.poison, by.written}, [&](unsigned k, const memory::Byte<Terms>& byte) {
    write_cell(cells, condition, behind(index, k), 0, 1, cells.size(), {byte.value.of, byte.poison, byte.written, byte.value.number});
  });
}

void make_bytes(MemoryObject& object) {
  Budget::reserve(object.cells.size() * size_of(object.element), sizeof(Cell));
  std::vector<Cell> bytes(object.cells.size() * size_of(object.element));
  for (std::size_t e = 0; e < object.cells.size(); ++e) {
    Budget::check();
    write_bytes(bytes, Truth(true), long_number(static_cast<std::int64_t>(e * size_of(object.element))), object.element, object.cells[e]);
  }
  object.cells = std::move(bytes);
  object.bytes = true;
}

Cell element_of(const MemoryObject& object, std::uint64_t index) {
  return object.bytes ? read_bytes(object.cells, long_number(static_cast<std::int64_t>(index * size_of(object.element))), object.element)
                      : object.cells[index];
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

bool grow(MemoryObject& buffer, const Value& index, unsigned size) {
  bool is_unknown = false;
  by_cases(index, [&](const Value& element) {
    const auto known = element.known();
    is_unknown = is_unknown || (!known && !element.is_any());
    const std::uint64_t each = cells_each(buffer.element, buffer.bytes);
    const std::uint64_t needed = (known.value_or(0) + size + each - 1) / each;
    while (buffer.count < needed && known.value_or(0) <= most_cells * each) {
      Budget::check();
      const Cell whole{unknown_element(buffer.element, buffer.name, buffer.count++), Truth(false), Truth(true)};
      for (unsigned k = 0; k < each; ++k) {
        buffer.cells.push_back(whole);
        buffer.cells.back().byte = k;
      }
    }
    return element;
  });
  return is_unknown;
}

Value scaled(const Value& index, unsigned step) { return step == 1 ? index : primitive(Primitive::Times, index, long_number(step)); }

Moved moved(const Value& pointer, const Value& index, ScalarType element, bool bytes) {
  const std::int64_t limit = memory::reach(size_of(element));
  const unsigned step = cells_each(element, bytes);
  const auto beyond = [&](const Value& number, std::int64_t most) {
    return !less(long_number(-most), number) || !less(number, long_number(most));
  };
  return by_cases(pointer, [&](const Value& p) -> Moved {
    const Value::Pointer* from = p.as_pointer();
    if (from == nullptr) {
      return {Value(), Truth(false)};
    }
    const Value sum = primitive(Primitive::Plus, from->element, scaled(index, step));
    return {Value::pointer(from->object, sum), beyond(index, limit) || beyond(sum, bytes ? memory::offset_limit : limit)};
  });
}

Moved distance(const Value& p, const Value& q, unsigned step) {
  return by_pairs(p, q, [step](const Value& x, const Value& y) -> Moved {
    const Value::Pointer* a = x.as_pointer();
    const Value::Pointer* b = y.as_pointer();
    if (a == nullptr || b == nullptr) {
      return {Value(), Truth(false)};
    }
    const Value cells = primitive(Primitive::Minus, a->element, b->element);
    return {step == 1 ? cells : primitive(Primitive::Quotient, cells, long_number(step)), Truth(a->object != b->object)};
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
