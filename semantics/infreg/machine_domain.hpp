#pragma once
// The domain (evaluate_domain.hpp) that runs kernels: every lane is 64 bits and a poison flag, in two long rows.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/evaluate_domain.hpp"
#include "semantics/infreg/evaluate_slots.hpp"
#include "semantics/memory/bytes.hpp"
#include "semantics/memory/pointer.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/ops/lane.hpp"
#include "semantics/ops/scalar.hpp"

namespace lockstep::infreg {

namespace machine {

using ops::bits_from;
using ops::number_from;

/// An operation of ops.def on operands of one type, on bits; comparisons give i1.
#define LOCKSTEP_OPERATION(id, operands)                                                             \
  template <class T>                                                                                 \
  struct id {                                                                                        \
    static constexpr int arity = operands;                                                           \
    template <class... Bits>                                                                         \
    static std::uint64_t word(Bits... bits) {                                                        \
      if constexpr (is_comparison(Op::id)) {                                                         \
        return bits_from(static_cast<std::uint8_t>(infreg::holds(Op::id, number_from<T>(bits)...))); \
      } else {                                                                                       \
        return bits_from(ops::id(number_from<T>(bits)...));                                          \
      }                                                                                              \
    }                                                                                                \
    template <class... Bits>                                                                         \
    static bool undefined([[maybe_unused]] Bits... bits) {                                           \
      return ops::is_undefined<info(Op::id).undefined>(number_from<T>(bits)...);                     \
    }                                                                                                \
  };
#define OP(id, text, arity, precedence, undefined, meaning) LOCKSTEP_OPERATION(id, arity)
#define FUNCTION(id, text, arity, undefined, meaning) LOCKSTEP_OPERATION(id, arity)
#include "semantics/ops/ops.def"
#undef OP
#undef LOCKSTEP_OPERATION

/// Whether InfReg-IR has the operation on elements of the C++ type T.
template <class T>
constexpr bool takes(Op op) {
  const bool other_node = op == Op::Select || op == Op::LogicalNot || op == Op::LogicalAnd || op == Op::LogicalOr;
  return !other_node && !(is_floating_word<T> ? integer_only(op) : float_only(op));
}

/// C's conversion of a From to a To.
template <class From, class To>
struct Conversion {
  static constexpr int arity = 1;
  static std::uint64_t word(std::uint64_t bits) { return bits_from(ops::converted<To>(number_from<From>(bits))); }
  static bool undefined(std::uint64_t bits) { return ops::conversion_undefined<To>(number_from<From>(bits)); }
};
template <class From>
struct ToTruth {
  static constexpr int arity = 1;
  static std::uint64_t word(std::uint64_t bits) { return number_from<From>(bits) != From{0} ? 1 : 0; }
  static bool undefined(std::uint64_t) { return false; }
};

}  // namespace machine

/// What a kernel's evaluation has come to; shared by the packs of a launch.
struct Progress {
  std::uint64_t lane_operations = 0;
  std::optional<std::variant<Undefined, LimitReached>> stopped;
};

/// Memory that pointers point to: a buffer, or an object of the kernel with all its copies (for each item or group of the pack).
struct MemoryObject {
  std::string name;
  ScalarType element = ScalarType::Int;
  AddressSpace space = AddressSpace::Global;
  std::uint64_t count = 0;         ///< elements of each copy
  std::byte* bytes = nullptr;      ///< the copies one behind the other
  std::uint8_t* poison = nullptr;  ///< a flag for each element
};

class MachineDomain {
 public:
  using Truth = bool;
  using Number = std::int64_t;
  using Word = std::uint64_t;
  using OneLane = LaneOf<MachineDomain>;

  struct Lanes {
    std::uint64_t* bits = nullptr;
    std::uint8_t* poison = nullptr;
  };
  struct Base {
    const MemoryObject* object = nullptr;
    std::int64_t element = 0;  ///< counted from the object's beginning; may lie outside
  };
  struct Place {
    const MemoryObject* object = nullptr;
    std::int64_t element = 0;  ///< as asked for
    std::uint64_t cell = 0;    ///< of all copies
    bool exists = false;
  };

  /// The kernel's objects and values take at most limits.bytes; otherwise `progress` is stopped at once.
  MachineDomain(const Kernel& kernel, std::span<const Argument> arguments, std::vector<Buffer>& buffers, const EvaluateOptions& options,
                Progress& progress);
  MachineDomain(const MachineDomain&) = delete;
  MachineDomain& operator=(const MachineDomain&) = delete;
  ~MachineDomain() = default;

  /// The next pack begins with the launch's group `first_group`: private and local objects are poison again. False at a limit.
  bool begin_pack(std::uint64_t first_group);

  // ---- lanes
  Lanes lanes(ValueId value) { return {bits_.data() + slots_.first[value], poison_.data() + slots_.first[value]}; }
  Lanes result(ValueId value) { return lanes(value); }
  static OneLane get(const Lanes& lanes, std::uint64_t n) { return {lanes.bits[n], lanes.poison[n] != 0}; }
  static void set(const Lanes& lanes, std::uint64_t n, const OneLane& lane) {
    lanes.bits[n] = lane.word;
    lanes.poison[n] = static_cast<std::uint8_t>(lane.poison);
  }
  template <class F>
  static OneLane pick(Number index, std::uint32_t count, F&& f) {
    return static_cast<std::uint64_t>(index) < count ? f(static_cast<std::uint32_t>(index)) : OneLane{0, true};
  }

  // ---- words
  static bool as_truth(Word word) { return word != 0; }
  static Number as_number(Word word) { return static_cast<Number>(word); }
  static Word from_truth(bool holds) { return holds ? 1 : 0; }
  static Word from_number(ScalarType type, Number number) {
    if (type == ScalarType::Bool) {
      return number != 0 ? 1 : 0;
    }
    return with_type(type, [&]<class T>(T) { return machine::bits_from(static_cast<T>(number)); });
  }
  static Word from_bits(Element, std::uint64_t bits) { return bits; }
  static Word ballot(const std::vector<bool>& votes) {
    Word word = 0;
    for (std::size_t k = 0; k < votes.size(); ++k) {
      word |= std::uint64_t{votes[k]} << k;
    }
    return word;
  }

  template <class F>
  static void with_operation(Op op, ScalarType type, F&& f) {
    with_type(type, [&]<class T>(T) {
      switch (op) {
#define OP(id, text, arity, precedence, undefined, meaning) \
  case Op::id:                                              \
    if constexpr (machine::takes<T>(Op::id)) {              \
      return static_cast<void>(f(machine::id<T>{}));        \
    }                                                       \
    break;
#define FUNCTION(id, text, arity, undefined, meaning) OP(id, text, arity, 14, undefined, meaning)
#include "semantics/ops/ops.def"
#undef OP
      }
      throw InternalError("an elementwise operation on a type that it does not take");
    });
  }
  static Word bitcast(ScalarType to, Word word) { return ops::bits_as(to, word); }
  template <class F>
  static void with_conversion(ScalarType from, ScalarType to, F&& f) {
    with_type(from, [&]<class From>(From) {
      if (to == ScalarType::Bool) {
        f(machine::ToTruth<From>{});
      } else {
        with_type(to, [&]<class To>(To) { f(machine::Conversion<From, To>{}); });
      }
    });
  }

  // ---- pointers
  Base parameter(ParameterId id) const { return {&objects_[parameters_[id].object], parameters_[id].element}; }
  Base object(ObjectId id) const { return {&objects_[first_object_ + id], 0}; }
  Word pointer(const Base& base) const {
    const auto number = static_cast<std::uint32_t>(base.object - objects_.data());
    return memory::pointer_to(number, base.element * static_cast<std::int64_t>(size_of(base.object->element)));
  }
  Base base(Word pointer) const;
  static OneLane moved(Word pointer, Number index, ScalarType element);
  static OneLane distance(Word p, Word q, ScalarType element);
  static OneLane compared(Op op, Word p, Word q);

  // ---- memory
  Place place(const Base& base, Number index, ScalarType type, const Where& where) const {
    const MemoryObject& object = *base.object;
    const auto element = static_cast<std::uint64_t>(base.element) + static_cast<std::uint64_t>(index);
    std::uint64_t copy = 0;
    bool exists = memory::has_element(element, object.count) && object.element == type;
    if (object.space == AddressSpace::Private) {
      copy = std::uint64_t{where.lane.wg} * kernel_.shape.wg_size + where.lane.wi;
      exists = exists && where.kind == Layout::Kind::Item;
    } else if (object.space == AddressSpace::Local) {
      copy = where.lane.wg;
      exists = exists && where.kind != Layout::Kind::Pack;
    }
    return {&object, static_cast<std::int64_t>(element), copy * object.count + element, exists};
  }
  static bool exists(const Place& place) { return place.exists; }
  static bool writable(const Place& place) { return place.object->space != AddressSpace::Constant; }
  static OneLane read(const Place& place, bool condition, ScalarType type) {
    if (!condition) {
      return {0, true};
    }
    const std::byte* from = place.object->bytes + place.cell * size_of(type);
    const Word word = with_type(type, [&]<class T>(T number) {
      std::memcpy(&number, from, sizeof number);
      return machine::bits_from(number);
    });
    return {type == ScalarType::Bool ? from_truth(word != 0) : word, place.object->poison[place.cell] != 0};
  }
  static void write(const Place& place, bool condition, ScalarType type, const OneLane& lane) {
    if (condition) {
      std::byte* to = place.object->bytes + place.cell * size_of(type);
      with_type(type, [&]<class T>(T) {
        const T number = machine::number_from<T>(lane.word);
        std::memcpy(to, &number, sizeof number);
      });
      place.object->poison[place.cell] = static_cast<std::uint8_t>(lane.poison);
    }
  }
  static OneLane change(const Place& place, bool condition, ScalarType type, AtomicOp op, const OneLane& compare, const OneLane& operand) {
    const OneLane old = read(place, condition, type);
    const bool poison = ops::poison_of_change(op, old.poison, compare.poison, old.word == compare.word, operand.poison);
    write(place, condition, type, {condition ? ops::changed(op, type, old.word, compare.word, operand.word) : 0, poison});
    return old;
  }

  // ---- control
  void demand(bool holds, Cause cause, const Where& where) {
    if (!holds) [[unlikely]] {
      fail(cause, where, nullptr);
    }
  }
  void demand(bool holds, Cause cause, const Where& where, const Place& place) {
    if (!holds) [[unlikely]] {
      fail(cause, where, &place);
    }
  }
  template <class F>
  static bool under(bool condition, F&& f) {
    if (condition) {
      f();
    }
    return condition;
  }
  bool another_round(bool going, std::uint64_t) { return going && spend(1); }
  bool begin(OperationId, std::uint64_t lanes) { return spend(lanes); }
  bool stopped() const { return progress_.stopped.has_value(); }
  void end(OperationId id, const Operation& operation) {
    if (observer_) {
      observe(id, operation);
    }
  }

 private:
  bool spend(std::uint64_t lane_operations);
  void fail(Cause cause, const Where& where, const Place* place);
  void observe(OperationId id, const Operation& operation);
  void make_objects(std::span<const Argument> arguments, std::vector<Buffer>& buffers, std::uint64_t most_bytes);
  void make_object(const Object& object, std::uint64_t& bytes_left);
  void set_scalars(std::span<const Argument> arguments);

  /// The storage of an object of the kernel.
  struct Storage {
    std::vector<std::byte> bytes;
    std::vector<std::uint8_t> poison;
  };

  const Kernel& kernel_;
  Progress& progress_;
  std::uint64_t most_lane_operations_;
  const Observer& observer_;
  std::uint64_t first_group_ = 0;
  Slots slots_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint8_t> poison_;
  std::vector<MemoryObject> objects_;  // [0] is nobody's: the null pointer; the buffers; from first_object_ on the kernel's
  std::size_t first_object_ = 1;
  /// What a pointer parameter points to.
  struct Pointed {
    std::size_t object = 0;  ///< index into objects_
    std::int64_t element = 0;
  };
  std::vector<Pointed> parameters_;
  std::vector<Storage> storage_;  // of each object of the kernel
  std::vector<LanesView> views_;
};

}  // namespace lockstep::infreg
