#pragma once
// For tests of the evaluation of InfReg-IR: kernels made in few words, runs that keep what every operation gave.

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "semantics/infreg/builder.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::infreg::sketch {

inline const Symbol wi = Symbol::item();
inline const Symbol ix = Symbol::element();
inline const Symbol wg = Symbol::group();

inline Type typed(ScalarType type, Layout layout) { return {Element::of(type), layout}; }
inline Type i64(Layout layout) { return typed(ScalarType::Long, layout); }
inline Type i1(Layout layout) { return typed(ScalarType::Bool, layout); }

// A parameter or an object as the base of an access, and arguments: which of the alternatives of equal types is meant.
inline decltype(infreg::Place::base) parameter(ParameterId id) { return infreg::OfParameter{id}; }
inline decltype(infreg::Place::base) object(ObjectId id) { return infreg::OfObject{id}; }
inline decltype(infreg::Place::base) through(ValueId pointer) { return infreg::AtPointer{pointer}; }
inline AddressOf address_of_parameter(ParameterId id) { return {OfParameter{id}}; }
inline AddressOf address_of_object(ObjectId id) { return {OfObject{id}}; }
inline std::vector<Argument> scalar(std::uint64_t bits) { return {Argument(ScalarBits{bits})}; }
inline std::vector<Argument> buffers(std::initializer_list<std::size_t> numbers) {
  std::vector<Argument> result;
  for (const std::size_t number : numbers) {
    result.emplace_back(BufferNumber{number});
  }
  return result;
}

/// A kernel on the way.
struct Sketch {
  explicit Sketch(std::uint32_t wg_size, std::uint32_t wg_pack = 1) : builder(kernel) {
    kernel.name = "k";
    kernel.shape = {wg_size, wg_pack};
    kernel.body = builder.new_region();
    builder.enter(kernel.body);
  }
  Sketch(const Sketch&) = delete;
  Sketch& operator=(const Sketch&) = delete;

  ParameterId pointer(ScalarType type, const std::string& name) {
    kernel.parameters.emplace_back();
    kernel.parameters.back().name = name;
    kernel.parameters.back().scalar = type;
    kernel.parameters.back().is_pointer = true;
    return static_cast<ParameterId>(kernel.parameters.size() - 1);
  }
  ValueId scalar(ScalarType type, const std::string& name) {
    const ValueId value = builder.new_value(typed(type, Layout::pack()), name);
    kernel.parameters.emplace_back();
    kernel.parameters.back().name = name;
    kernel.parameters.back().scalar = type;
    kernel.parameters.back().value = value;
    return value;
  }
  ObjectId object(const std::string& name, ScalarType type, AddressSpace space, std::uint64_t count,
                  std::vector<std::uint64_t> values = {}) {
    kernel.objects.push_back({name, type, space, count, std::move(values)});
    return static_cast<ObjectId>(kernel.objects.size() - 1);
  }

  ValueId add(Node node, const std::string& name = "t") { return builder.add(std::move(node), {}, name); }
  void effect(Node node) { builder.add_many(std::move(node), {}); }

  ValueId index(const Polynomial& p, Layout layout, ScalarType type = ScalarType::Long) { return add(Index{typed(type, layout), p}); }
  ValueId mask(const Polynomial& a, Op op, const Polynomial& b, Layout layout) { return add(Mask{layout, {{a, op, b}}}); }
  ValueId constant(ScalarType type, Layout layout, std::uint64_t bits) { return add(Constant{typed(type, layout), bits}); }
  ValueId op(Op operation, ScalarType type, std::vector<ValueId> operands) {
    return add(Elementwise{operation, type, std::move(operands)});
  }
  void store(ParameterId to, const Polynomial& place, ValueId value, std::optional<ValueId> if_mask = {}) {
    effect(Store{{parameter(to), place, {}}, Access::Gather, value, if_mask});
  }
  /// `value` in `to`, each lane in a cell of its own.
  void store_lanes(ParameterId to, ValueId value) {
    const Layout layout = kernel.type_of(value).layout;
    Polynomial place = ix;
    if (layout.kind == Layout::Kind::Item) {
      place += Polynomial(wi) * Polynomial(layout.elements);
    }
    place += Polynomial(wg) * Polynomial(static_cast<std::int64_t>(lanes_per_group(layout, kernel.shape)));
    store(to, place, value);
  }

  /// A region in which `fill` puts operations; it gets the arguments and gives the yields.
  template <class F>
  RegionId region(const std::vector<Type>& arguments, F&& fill) {
    const RegionId inner = builder.new_region(arguments);
    const RegionId outer = builder.enter(inner);
    std::vector<ValueId> yields = fill(std::vector<ValueId>(kernel.regions[inner].arguments));
    kernel.regions[inner].yields = std::move(yields);
    builder.enter(outer);
    return inner;
  }

  Kernel kernel;
  Builder builder;
};

/// What an operation gave once.
struct Seen {
  std::vector<std::uint64_t> bits;
  std::vector<std::uint8_t> poison;

  /// Poison lanes are empty.
  std::vector<std::optional<std::uint64_t>> lanes() const {
    std::vector<std::optional<std::uint64_t>> result;
    for (std::size_t k = 0; k < bits.size(); ++k) {
      result.push_back(poison[k] != 0 ? std::nullopt : std::optional(bits[k]));
    }
    return result;
  }
  bool operator==(const Seen& other) const { return lanes() == other.lanes(); }
};

struct Ran {
  Outcome outcome;
  std::map<ValueId, std::vector<Seen>> seen;  ///< of each value that an operation gave: all its executions

  const Seen& last(ValueId value) const { return seen.at(value).back(); }
};

/// Runs a kernel that the verifier accepts.
inline Ran run(const Kernel& kernel, const std::vector<Argument>& arguments, std::vector<Buffer>& memory, EvaluateOptions options = {}) {
  const std::vector<Fault> faults = verify(kernel);
  INFO(print_marked(kernel, faults));
  REQUIRE(faults.empty());
  Ran ran;
  options.observer = [&](const Executed& executed) {
    for (const LanesView& view : executed.results) {
      ran.seen[view.value].push_back({{view.bits.begin(), view.bits.end()}, {view.poison.begin(), view.poison.end()}});
    }
  };
  ran.outcome = evaluate(kernel, arguments, memory, options);
  return ran;
}
inline Ran run(const Kernel& kernel, EvaluateOptions options = {}) {
  std::vector<Buffer> none;
  return run(kernel, {}, none, std::move(options));
}
/// Runs one group to its end.
inline Ran finish(const Sketch& s) {
  Ran ran = run(s.kernel);
  REQUIRE(std::holds_alternative<Finished>(ran.outcome.end));
  return ran;
}

template <class T>
Buffer buffer_of(ScalarType type, const std::vector<T>& numbers) {
  Buffer buffer = make_buffer(type, numbers.size());
  if (!numbers.empty()) {
    std::memcpy(buffer.bytes.data(), numbers.data(), buffer.bytes.size());
  }
  return buffer;
}
template <class T>
std::vector<T> numbers_of(const Buffer& buffer) {
  std::vector<T> numbers(buffer.count);
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), buffer.bytes.data(), buffer.bytes.size());
  }
  return numbers;
}

using ops::number_from;

}  // namespace lockstep::infreg::sketch
