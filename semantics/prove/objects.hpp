#pragma once
// Memory in the proofs about kernels: for each object a row of cells, each with its own value. An index that is not known is looked for in
// every cell.

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/base/scalar_type.hpp"
#include "semantics/prove/value.hpp"

namespace lockstep::prove {

/// A cell of a buffer, an array or a register: an element; of an object of bytes, a byte of `value`.
struct Cell {
  Value value;
  Truth poison{false};
  Truth written{true};
  unsigned byte = 0;  ///< which one
};
Cell choose(const Truth& c, const Cell& a, const Cell& b);

/// `cell` becomes `by` where `condition` holds.
void overwrite(Cell& cell, const Truth& condition, const Cell& by);

/// Whether 0 <= index < count; index is a Long.
Truth within(const Value& index, std::uint64_t count);

/// What lies in cells first, first + stride, … of `cells` at this index, which is a Long below `count` (or else the cell means nothing).
Cell read_cell(const std::vector<Cell>& cells, const Value& index, std::size_t first, std::size_t stride, std::uint64_t count);
/// Nothing is written for an index beyond `count`.
void write_cell(std::vector<Cell>& cells, const Truth& condition, const Value& index, std::size_t first, std::size_t stride,
                std::uint64_t count, const Cell& by);

/// As read_cell and write_cell, of all bytes of a number that begins at `index`; the cells are bytes.
Cell read_bytes(const std::vector<Cell>& cells, const Value& index, ScalarType type);
void write_bytes(std::vector<Cell>& cells, const Truth& condition, const Value& index, ScalarType type, const Cell& by);

/// A buffer, or an array of the program.
struct MemoryObject {
  std::string name;
  ScalarType element = ScalarType::Int;
  AddressSpace space = AddressSpace::Global;
  std::uint64_t count = 0;  ///< of each copy
  std::vector<Cell> cells;  ///< the copies one behind the other
  bool bytes = false;       ///< the cells are bytes: a program puns it
};
/// Takes the elements apart.
void make_bytes(MemoryObject& object);
/// An element, whatever the cells are.
Cell element_of(const MemoryObject& object, std::uint64_t index);

/// The unknown elements of a buffer: x[0], x[1], …
std::vector<Cell> unknown_cells(ScalarType type, const std::string& name, std::uint64_t count);
/// One of them.
Value unknown_element(ScalarType type, const std::string& name, std::uint64_t index);

/// A buffer has at most so many elements.
inline constexpr std::uint64_t most_cells = std::uint64_t{1} << 16U;

/// Makes a buffer as large as an access of an element, or of `size` bytes, asks for where the index, a Long, is known. Returns whether it
/// is not known.
bool grow(MemoryObject& buffer, const Value& index, unsigned size = 1);

/// What one element is in the numbers of pointers: pointers count elements, or, into objects of bytes, bytes.
constexpr unsigned cells_each(ScalarType element, bool bytes) { return bytes ? size_of(element) : 1; }
/// index * step.
Value scaled(const Value& index, unsigned step);

/// The pointer `index` elements on (a Long), and where that is undefined: beyond what a pointer can hold (docs/kernel-language.md).
struct Moved {
  Value pointer;
  Truth undefined;
};
Moved choose(const Truth& c, const Moved& a, const Moved& b);
Moved moved(const Value& pointer, const Value& index, ScalarType element, bool bytes = false);
/// p - q in elements of one object, and where that is undefined: of different objects.
Moved distance(const Value& p, const Value& q, unsigned step = 1);
/// A comparison of pointers, and where it is undefined: an order of different objects.
struct Compared {
  Truth holds;
  Truth undefined;
};
Compared choose(const Truth& c, const Compared& a, const Compared& b);
Compared compared(Op op, const Value& p, const Value& q);

}  // namespace lockstep::prove
