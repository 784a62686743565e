#pragma once
// The domain of terms for InfReg-IR (semantics/infreg/evaluate_domain.hpp): a kernel for all inputs at once. Regions run under the
// conditions of the ifs and loops around them; loops go on until nobody goes on, as far as form or solver tell.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "semantics/infreg/evaluate_domain.hpp"
#include "semantics/infreg/kernel.hpp"
#include "semantics/prove/accesses.hpp"
#include "semantics/prove/explorer.hpp"
#include "semantics/prove/objects.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

/// What InfReg-IR has to make sure of.
struct Demand {
  enum class Kind : std::uint8_t { Defined, LoopEnds };
  Kind kind = Kind::Defined;
  infreg::Cause cause = infreg::Cause::PoisonMask;  ///< of Defined
  infreg::OperationId operation;
  std::uint64_t group = 0;  ///< of the launch
  infreg::Lane lane;
  Truth holds;
};

struct InfregRunOptions {
  std::uint64_t groups = 1;
  std::uint64_t rounds = 16;  ///< of loops, where it is not certain that somebody goes on: at most
  std::uint64_t max_operations = 50'000'000;
  bool notes_accesses = false;
  /// If given: buffers become as large as the known indices ask for, and it is said here which of them, counted from 0, have others.
  std::vector<bool>* unknown_indices = nullptr;
};

/// What the packs of a launch share.
struct InfregRun {
  std::vector<Demand> demands;   ///< that do not hold by their form
  std::uint64_t operations = 0;  ///< executed
  bool given_up = false;         ///< a limit was met: nothing is known of the rest
  /// If asked for, to the buffers, whose objects are numbered from 1; a place is place_of(operation). What a pack does as a whole, each of
  /// its groups does: in a pack of its own it would.
  Accesses accesses;
};

/// An operation's number in Accesses, and back.
constexpr std::uint64_t place_of(infreg::OperationId id) { return std::uint64_t{id.region} << 32U | id.index; }
constexpr infreg::OperationId operation_at(std::uint64_t place) {
  return {static_cast<infreg::RegionId>(place >> 32U), static_cast<std::uint32_t>(place)};
}

class InfregSymbolic {
 public:
  using Truth = prove::Truth;
  using Number = prove::Number<std::int64_t>;
  using Word = Value;
  using OneLane = infreg::LaneOf<InfregSymbolic>;
  using Lanes = std::vector<OneLane>;
  using Base = Value;  ///< a pointer
  struct Place {
    Value pointer;
    ScalarType type = ScalarType::Int;
    std::uint32_t wg = 0;  ///< whose copy of a private or local object
    std::uint32_t wi = 0;
    infreg::Layout::Kind kind = infreg::Layout::Kind::Pack;
    infreg::OperationId operation;
  };

  /// `buffers`: the launch's, of all pointer parameters in order. `scalars`: a value for each parameter, of pointers any.
  InfregSymbolic(const infreg::Kernel& kernel, std::vector<MemoryObject>& buffers, const std::vector<Value>& scalars, Explorer& explorer,
                 const InfregRunOptions& options, InfregRun& run);

  /// The next pack begins with this group: private and local objects are poison again.
  void begin_pack(std::uint64_t first_group);

  const Lanes& lanes(infreg::ValueId value) const { return values_[value]; }
  Lanes& result(infreg::ValueId value) { return values_[value]; }
  static const OneLane& get(const Lanes& lanes, std::uint64_t n) { return lanes[n]; }
  static void set(Lanes& lanes, std::uint64_t n, OneLane lane) { lanes[n] = std::move(lane); }

  static Truth as_truth(const Value& word) { return nonzero(word); }
  static Number as_number(const Value& word) { return {word.is_any() ? word : word.as(ScalarType::Long)}; }
  static Value from_truth(const Truth& truth) { return Value::truth(ScalarType::Bool, truth); }
  static Value from_number(ScalarType type, const Number& number) { return convert(type, number.value); }
  static Value ballot(const std::vector<Truth>& votes) { return ballot_of(votes); }
  static Value from_bits(infreg::Element element, std::uint64_t bits) {
    return element.is_pointer ? Value::pointer(0, Value::number(ScalarType::Long, 0)) : Value::number(element.scalar, bits);
  }

  template <int Arity>
  struct Operation {
    static constexpr int arity = Arity;
    Op op;
    ScalarType type;

    template <class... V>
    Value word(const V&... operands) const {
      const std::array<Value, sizeof...(V)> all{operands...};
      return is_comparison(op) ? Value::truth(ScalarType::Bool, prove::holds(op, type, all)) : apply(op, type, all);
    }
    template <class... V>
    Truth undefined(const V&... operands) const {
      return prove::undefined(op, type, std::array<Value, sizeof...(V)>{operands...});
    }
  };
  template <class F>
  static void with_operation(Op op, ScalarType type, F&& f) {
    switch (info(op).arity) {
      case 1:
        return f(Operation<1>{op, type});
      case 2:
        return f(Operation<2>{op, type});
      default:
        return f(Operation<3>{op, type});
    }
  }
  struct Conversion {
    static constexpr int arity = 1;
    ScalarType to;
    Value word(const Value& v) const { return convert(to, v); }
    Truth undefined(const Value& v) const { return misfits(to, v); }
  };
  template <class F>
  static void with_conversion(ScalarType, ScalarType to, F&& f) {
    f(Conversion{to});
  }

  static Value bitcast(ScalarType to, const Value& v) { return prove::bitcast(to, v); }

  template <class F>
  static OneLane pick(const Number& index, std::uint32_t count, F&& f) {
    return by_cases(index.value, [&](const Value& at) {
      if (const auto known = at.known()) {
        return *known < count ? f(static_cast<std::uint32_t>(*known)) : nothing();
      }
      OneLane found = nothing();
      for (std::uint32_t k = 0; !at.is_any() && k < count; ++k) {
        const OneLane here = f(k);
        const Truth is_here = equal(at, Value::number(ScalarType::Long, k));
        found = {choose(is_here, here.word, found.word), choose(is_here, here.poison, found.poison)};
      }
      return found;
    });
  }

  Base parameter(infreg::ParameterId id) const { return address(parameter_objects_[id]); }
  Base object(infreg::ObjectId id) const { return address(first_object_ + id); }
  static Value pointer(const Base& base) { return base; }
  static Base base(const Value& pointer) { return pointer; }
  static OneLane moved(const Value& pointer, const Number& index, ScalarType element) {
    const Moved result = prove::moved(pointer, index.value, element);
    return {result.pointer, result.undefined};
  }
  static OneLane distance(const Value& p, const Value& q, ScalarType) {
    const Moved result = prove::distance(p, q);
    return {result.pointer, result.undefined};
  }
  static OneLane compared(Op op, const Value& p, const Value& q) {
    const Compared result = prove::compared(op, p, q);
    return {from_truth(result.holds), result.undefined};
  }

  static Place place(const Base& base, const Number& index, ScalarType type, const infreg::Where& where);
  Truth exists(const Place& place) const;
  Truth writable(const Place& place) const;
  OneLane read(const Place& place, const Truth& condition, ScalarType) { return read_as(place, condition, Touching::Reads); }
  void write(const Place& place, const Truth& condition, ScalarType, const OneLane& lane) {
    write_as(place, condition, lane, Touching::Writes);
  }
  OneLane change(const Place& place, const Truth& condition, ScalarType type, AtomicOp op, const OneLane& compare, const OneLane& operand);

  void demand(const Truth& holds, infreg::Cause cause, const infreg::Where& where);
  void demand(const Truth& holds, infreg::Cause cause, const infreg::Where& where, const Place&) { demand(holds, cause, where); }
  template <class F>
  bool under(const Truth& condition, F&& f) {
    if (condition.known() == false) {
      return false;
    }
    const Truth outer = path_;
    path_ = outer && condition;
    f();
    path_ = outer;
    return true;
  }
  bool another_round(const Truth& going, std::uint64_t round);
  bool count(std::uint64_t lanes);  ///< work done; false if that is too much
  bool begin(infreg::OperationId id, std::uint64_t lanes);
  bool stopped() const { return run_.given_up; }
  void end(infreg::OperationId, const infreg::Operation&) { open_.pop_back(); }

  friend OneLane choose(const Truth& c, const OneLane& a, const OneLane& b) {
    return {prove::choose(c, a.word, b.word), prove::choose(c, a.poison, b.poison)};
  }

 private:
  struct Open {
    infreg::OperationId id;
    std::uint64_t uncertain = 0;  ///< rounds of this loop that are not certain
  };
  static OneLane nothing() { return {Value(), Truth(true)}; }
  static Value address(std::size_t object) {
    return Value::pointer(static_cast<std::uint32_t>(object), Value::number(ScalarType::Long, 0));
  }
  const MemoryObject& memory(std::uint32_t object) const {
    return object < first_object_ ? (object == 0 ? nobody_ : buffers_[object - 1]) : objects_[object - first_object_];
  }
  std::size_t first_cell(const MemoryObject& object, const Place& place) const;
  OneLane read_as(const Place& place, const Truth& condition, Touching how);
  void write_as(const Place& place, const Truth& condition, const OneLane& lane, Touching how);
  void note(const Value& pointer, const Truth& condition, const Place& place, Touching how);
  void grow(const Value& pointer);

  const infreg::Kernel& kernel_;
  std::vector<MemoryObject>& buffers_;
  Explorer& explorer_;
  const InfregRunOptions& options_;
  InfregRun& run_;
  std::uint64_t first_group_ = 0;
  std::vector<Lanes> values_;
  std::vector<std::size_t> parameter_objects_;
  std::size_t first_object_ = 1;
  MemoryObject nobody_;
  std::vector<MemoryObject> objects_;  // of the kernel, with all their copies
  Truth path_{true};
  std::vector<Open> open_;
};

/// All groups: full packs, then each group that is left in a pack of its own. `buffers` become what they leave.
InfregRun run_infreg(const infreg::Kernel& kernel, const std::vector<Value>& scalars, std::vector<MemoryObject>& buffers,
                     Explorer& explorer, const InfregRunOptions& options);

}  // namespace lockstep::prove
