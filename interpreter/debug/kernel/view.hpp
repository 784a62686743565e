#pragma once
// Looking at a pack as people do: which fragment an item belongs to, the frames of its calls, its variables, and what pointers name.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/kernel/value.hpp"
#include "interpreter/launch/pack.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep {

/// A pack as it is at the moment; it changes with the pack. Lanes are items of the pack, group after group.
class KernelView {
 public:
  explicit KernelView(launch::Pack& pack) : pack_(&pack) {}

  launch::Pack& pack() const { return *pack_; }
  const typed::Program& program() const { return pack_->program(); }
  const launch::Lanes& lanes() const { return pack_->domain().lanes(); }
  std::uint64_t group_of(unsigned lane) const { return lanes().first_group + lane / lanes().wg_size; }
  unsigned item_of(unsigned lane) const { return lane % lanes().wg_size; }

  /// The fragment that takes the next step; null if there is none.
  const launch::Fragment* next() const;
  /// The fragment that the lane belongs to; null if its warp has stopped.
  const launch::Fragment* fragment_of(unsigned lane) const;
  bool active(unsigned lane) const;

  /// The innermost frame of `function` among the calls of the lane's fragment, at or below call `level`; null if there is none.
  const launch::Frame* frame_of(unsigned lane, typed::FunctionId function, std::size_t level) const;

  /// A register, or the array that it is; null is nobody's frame.
  KernelValue read(const launch::Frame* frame, typed::FunctionId function, typed::RegisterId id, unsigned lane) const;
  /// An array of the program.
  KernelValue array_of(typed::ObjectId id) const;
  /// Element or row `index` of an array, or of what a pointer points to.
  KernelValue element(const KernelValue& array, std::int64_t index, unsigned lane) const;
  /// The array as one row of all its elements: what the index of an instruction counts.
  static KernelValue in_one_row(KernelValue array) {
    array.extents = {};
    return array;
  }
  /// Element `index` of an array of registers in one row, or of what a pointer points to, by its name: "m[1][1]", "x[3]", "byte 1 of x".
  std::string place_text(const KernelValue& array, std::int64_t index) const;
  /// A __local or __constant variable is an array of one element: its number. Everything else stays as it is.
  KernelValue scalar(const KernelValue& value, unsigned lane) const {
    return value.is_array && value.object != nullptr && value.count == 1 && value.extents.empty() ? element(value, 0, lane) : value;
  }

  /// An operand of an instruction that runs in `frame`.
  KernelValue evaluate(const typed::Expr& e, const launch::Frame& frame, unsigned lane) const;

 private:
  KernelValue cell(const launch::Object& object, std::uint64_t index, unsigned lane) const;
  /// An element of a type, at so many bytes behind the beginning of an object of bytes.
  KernelValue reinterpreted(const launch::Object& object, std::optional<std::int64_t> offset, ScalarType type, unsigned lane) const;
  KernelValue ask(typed::Query query, unsigned lane) const;
  KernelValue compute(const typed::ExprNode& node, std::span<const KernelValue> operands, const launch::Frame& frame, unsigned lane) const;

  launch::Pack* pack_;
};

/// The value as people write it: the number, "*" uninitialised (or none), "poison", "&x[3]" for pointers.
std::string text_of(const KernelView& view, const KernelValue& value);

}  // namespace lockstep
