#pragma once
// Functions made ready for the machine: each instruction with the rows that it reads and writes, and what it does with them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "interpreter/ptx/address_space.hpp"
#include "interpreter/ptx/geometry.hpp"
#include "interpreter/ptx/lane_operations.hpp"
#include "interpreter/ptx/races.hpp"
#include "interpreter/ptx/rows.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx_machine {

/// Where an operand that is read comes from: a row of the frame, or one of the pool, which every thread has alike or whose numbers are
/// known beforehand.
struct Source {
  bool pooled = false;
  bool always_defined = false;                         ///< nobody has to ask
  bool negated = false;                                ///< of a predicate
  bool inverted = false;                               ///< and whoever takes the whole row wants the opposite in it
  bool clock = false;                                  ///< the row is a counter, and is set when it is read
  bool open = false;                                   ///< a special register of which PTX does not say what it is
  std::uint8_t bytes = 4;                              ///< of an element
  ptx::Undefined undefined = ptx::Undefined::Nothing;  ///< what of it a computation copies, should it have no number
  std::uint32_t index = 0;                             ///< of the row
};

struct Destination {
  std::uint32_t row = 0;
  std::uint8_t bytes = 4;
  bool operator==(const Destination&) const = default;
};

struct Compute {
  LaneOperation operation;
  std::array<std::optional<Destination>, 2> destinations;
  std::vector<Source> sources;
};
struct Move {
  Destination to;
  Source from;
};
/// Elements to one number, the first one lowest.
struct Pack {
  Destination to;
  std::vector<Source> elements;
};
/// One number to its elements; those that are not wanted are none.
struct Unpack {
  std::vector<std::optional<Destination>> elements;
  Source from;
  std::uint8_t element_bytes = 4;
};
/// Elements to as many others, all at once; the number that they make together lies in a row of its own.
struct Repack {
  Pack pack;
  Unpack unpack;
};
/// A conversion that reads or writes the low bits of wider registers: these lie in rows of their own.
struct Resized {
  std::vector<Move> narrow;
  Compute compute;
  std::optional<Move> widen;
};
struct ConvertAddress {
  Destination to;
  Source from;
  ptx::Space space = ptx::Space::Global;
  bool from_generic = false;
};
struct IsSpace {
  Destination to;
  Source from;
  ptx::Space space = ptx::Space::Global;
};

/// An address that is read or written: base plus offset.
struct Place {
  ptx::Space space = ptx::Space::Generic;
  Source base;
  std::int64_t offset = 0;
  bool alike = false;  ///< the same in all threads
  MemoryOrder order;
  std::uint8_t bytes = 4;  ///< of an element
  std::uint8_t count = 1;  ///< elements, one behind the other
};
struct Load {
  Place place;
  bool is_signed = false;
  std::vector<std::optional<Destination>> elements;
};
struct Store {
  Place place;
  std::vector<Source> elements;
};

struct Atomic {
  Place place;
  ptx::Modifier operation = ptx::Modifier::Add;
  ptx::Type type = ptx::Type::B32;
  std::optional<Destination> to;
  Source operand;
  std::optional<Source> swap;  ///< of cas: what is stored
};

struct Branch {
  std::uint32_t target = 0;
};
struct IndexedBranch {
  Source index;
  std::vector<std::uint32_t> targets;
};

struct Call {
  std::optional<std::uint32_t> function;
  Source callee;  ///< without a function: the address of one
  std::shared_ptr<const ptx::resolved::Call> call;
};
struct Return {};
struct Exit {};
struct Trap {};
/// What cannot be run, if it is come to.
struct Refused {
  std::string sentence;
};
struct Nothing {};
/// A fence changes nothing here, since accesses take effect in order, but what threads know of each other.
struct Fence {
  MemoryOrder order;
};

struct Barrier {
  enum class Kind : std::uint8_t { Sync, Arrive, Reduce };
  Kind kind = Kind::Sync;
  bool aligned = true;
  Source id;
  std::optional<Source> count;  ///< threads; all of the block without it
  ptx::Modifier operation = ptx::Modifier::Popc;
  Source predicate;
  std::optional<Destination> to;
};

/// What the threads of a warp do together.
struct Collective {
  /// What has to be alike in all members.
  struct Operation {
    ptx::Kind kind = ptx::Kind::Shuffle;
    ptx::Modifier mode = ptx::Modifier::Idx;
    ptx::Type type = ptx::Type::B32;
    bool operator==(const Operation&) const = default;
  };
  Operation operation;
  std::optional<Source> mask;  ///< without one, the threads that are active
  std::array<Source, 3> operands;
  std::size_t operand_count = 0;
  std::optional<Destination> to;
  std::optional<Destination> predicate;  ///< behind the bar
};

using Action = std::variant<Compute, Move, Pack, Unpack, Repack, Resized, ConvertAddress, IsSpace, Load, Store, Atomic, Branch,
                            IndexedBranch, Call, Return, Exit, Trap, Refused, Nothing, Fence, Barrier, Collective>;

/// Whether PTX leaves open what the instruction makes of its operands, be it of some only.
bool leaves_open(const Action& action);
/// The same, or what one of its operands is.
bool is_open(const Action& action);

struct Step {
  std::optional<ptx::resolved::Guard> guard;
  Action action;
  const ptx::resolved::Instruction* source = nullptr;
};

/// A number that every frame of a function has in a row of its own: the address of a variable of the function.
struct FrameAddress {
  std::uint32_t variable = 0;
  std::int64_t offset = 0;
  std::uint8_t bytes = 8;
  std::uint32_t row = 0;
};

struct FunctionCode {
  const ptx::resolved::Function* function = nullptr;
  std::vector<Step> steps;
  std::vector<std::uint8_t> row_bytes;  ///< of each row, of an element: the registers, then the addresses of variables
  std::vector<FrameAddress> addresses;
};

/// Where variables lie. Those that each thread has for itself have no object yet: each frame makes its own.
struct Placement {
  std::uint32_t kernel = 0;                                             ///< its index
  std::vector<std::uint32_t> of_module;                                 ///< of each variable of the module, its object
  std::vector<std::vector<std::optional<std::uint32_t>>> of_functions;  ///< of each variable of each function
};

/// All functions that have a body, by their index in the module; of other kernels, and of functions without one, nothing.
std::vector<FunctionCode> prepare(const ptx::resolved::Module& module, const Placement& placement, const AddressSpace& space, Pool& pool);

}  // namespace lockstep::ptx_machine
