#pragma once
// Looking at a pack as people do: which fragment an item belongs to, the frames of its calls, its variables, and what pointers name.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/launch/pack.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep {

/// What an expression is in one item: a scalar or pointer, or an array. Without a number, `why` may say more than that something is
/// uninitialised or poison.
struct KernelValue {
  launch::CellState state = launch::CellState::Uninitialised;
  typed::ValueType type;   ///< of the value; of an array's elements
  std::uint64_t bits = 0;  ///< as core::Literal, or a pointer (objects.hpp)
  std::string_view why;
  bool absent = false;  ///< it is of a variable whose call has not begun or has returned
  bool is_array = false;
  const launch::Frame* frame = nullptr;  ///< of an array of registers
  typed::RegisterId reg = 0;
  const launch::Object* object = nullptr;  ///< of an array that is not of registers
  std::uint64_t first = 0;                 ///< element at which the array begins: arrays may be rows of others
  std::uint64_t count = 0;
  std::span<const std::uint64_t> extents;  ///< of a row of an array of several dimensions: empty for the innermost

  bool is_number() const { return state == launch::CellState::Number && !is_array; }
  static KernelValue number(launch::CellState state, typed::ValueType type, std::uint64_t bits) {
    KernelValue v;
    v.state = state;
    v.type = type;
    v.bits = bits;
    return v;
  }
  static KernelValue nothing(std::string_view why) {
    KernelValue v;
    v.why = why;
    return v;
  }
};

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
  /// A __local or __constant variable is an array of one element: its number. Everything else stays as it is.
  KernelValue scalar(const KernelValue& value, unsigned lane) const {
    return value.is_array && value.object != nullptr && value.count == 1 && value.extents.empty() ? element(value, 0, lane) : value;
  }

  /// An operand of an instruction that runs in `frame`.
  KernelValue evaluate(const typed::Expr& e, const launch::Frame& frame, unsigned lane) const;

 private:
  KernelValue cell(const launch::Object& object, std::uint64_t index, unsigned lane) const;
  KernelValue ask(typed::Query query, unsigned lane) const;
  KernelValue compute(const typed::ExprNode& node, std::span<const KernelValue> operands, const launch::Frame& frame, unsigned lane) const;

  launch::Pack* pack_;
};

/// The value as people write it: the number, "*" uninitialised (or none), "poison", "&x[3]" for pointers.
std::string text_of(const KernelView& view, const KernelValue& value);

}  // namespace lockstep
