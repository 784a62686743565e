#pragma once
// Inside of the pass `to_infreg`: what its files share.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/passes/kinds.hpp"
#include "codegen/passes/round_sets.hpp"
#include "semantics/infreg/builder.hpp"

namespace lockstep::passes {

using infreg::Type;
using infreg::ValueId;
using Kind = Layout::Kind;

/// Rounds of a loop as elements: in element e the loop's variable is from + step * e.
struct Lanes {
  VarId var = 0;
  std::uint32_t elements = 1;
  std::int64_t from = 0;
  std::int64_t step = 1;
  std::optional<ValueId> range = std::nullopt;  ///< which elements are rounds, as Item(elements); none: all are
  std::vector<KnownNumbers> known = {};         ///< of sets: what is known in each element's round

  Polynomial variable() const { return Polynomial(step) * Polynomial(Symbol::element()) + Polynomial(from); }
};

/// Makes the kernel. Call run() once.
class Converter {
 public:
  Converter(const Assignments& assignments, unsigned wg_pack);

  infreg::Kernel run() {
    statements(in_.body);
    return std::move(out_);
  }

 private:
  // to_infreg_numbers.cpp
  Layout layout_of(VarId var) const;

  /// The layout of single numbers, or in a loop over lanes of as many as there are rounds.
  Layout working(Kind kind) const;
  ValueId add(infreg::Node node, std::string_view name = "t");

  /// The kernel's value that a symbol stands for, as i64 of layout Pack.
  ValueId pack_number(VarId var);
  bool is_lane_symbol(Symbol symbol) const;

  /// Variables become values, the loop over lanes the element, unrolled loops numbers. All symbols must be known without lanes.
  Polynomial lowered(const Polynomial& polynomial);

  /// The part that speaks of lanes and pack-wide numbers only, and the rest as a value of the layout (none: there is no rest).
  std::pair<Polynomial, std::optional<ValueId>> split(const Polynomial& polynomial, Layout layout);
  ValueId converted(ValueId value, ScalarType to);

  /// The value in a layout that is at least as various.
  ValueId fitted(ValueId value, Layout layout);
  ValueId constant(Element element, std::uint64_t bits, Layout layout);
  ValueId number(ScalarType type, const Polynomial& polynomial, Layout layout);
  ValueId poison(Element element, Layout layout);
  ValueId current(VarId var);

  /// Whether it speaks of what differs from round to round and is no loop variable: known numbers of each round.
  bool has_expanded(const Polynomial& index) const;

  /// An index as item `wi` has it in the round that is element `ix`; the loop's class promises that it is known.
  std::int64_t index_in(std::uint32_t ix, std::uint32_t wi, const Polynomial& index) const;

  /// Calls f(wi, ix) for each lane of one group, in order.
  template <class F>
  void for_each_lane(Layout layout, F&& f) const {
    for (std::uint32_t wi = 0; wi < (layout.kind == Kind::Item ? in_.wg_size : 1); ++wi) {
      for (std::uint32_t ix = 0; ix < layout.elements; ++ix) {
        f(wi, ix);
      }
    }
  }

  ValueId element_of_array(const Ref& ref, Layout layout);
  /// Of an array whose elements are variables: which one it is here; empty if there is no such element.
  std::optional<VarId> part_of_array(const Ref& ref);
  /// Calls f(VarId) with the variables that the variable consists of: itself, or its elements.
  template <class F>
  void for_each_part(VarId var, F&& f) const {
    const std::optional<VarId> first = in_.variables[var].first_element;
    for (VarId k = 0; k < (first ? in_.variables[var].count : 1); ++k) {
      f(first.value_or(var) + k);
    }
  }
  ValueId operand(const Operand& operand, Layout layout);

  /// The mask of an assignment together with the rounds that there are, in the layout; none: all lanes.
  std::optional<ValueId> mask_in(const std::optional<Operand>& mask, Layout layout);
  ValueId range_in(Layout layout);

  // to_infreg_rights.cpp
  infreg::Place place(const Place& p, Layout layout);
  ValueId right(const Right& r, const std::optional<Operand>& mask, Kind kind, std::string_view name);
  ValueId address(const Place& p, Layout layout);
  ValueId shuffle(const Shuffle& node, const std::optional<Operand>& mask, Layout layout, std::string_view name);

  // to_infreg.cpp
  void statements(const Body& body);
  void assign(const Assign& node);
  void assign_variable(VarId var, ValueId value, const std::optional<Operand>& mask);
  void assign_element(const Assign& node, ValueId value);

  /// How the array's lanes get what the rounds have: from which element of the rounds' values, and in which lanes there is one.
  struct Moved {
    decltype(infreg::Reorder::pattern) pattern;
    ValueId exists = 0;
  };

  /// Round e writes element `target_index` of the array, which no other round writes; empty if that is element e of an equal layout.
  std::optional<Moved> places_of_rounds(const Polynomial& target_index, Layout rounds, Layout target);
  Moved places_in_table(const Polynomial& target_index, Layout target);
  void store(const Store& node);

  // to_infreg_loops.cpp
  /// The variables that a loop's body changes and that live beyond one round.
  std::vector<VarId> carried_by(const Body& body);

  struct Carried {
    std::vector<VarId> vars;
    std::vector<Type> types;
    std::vector<std::string> names;
    std::vector<ValueId> inits;
  };

  Carried carry(const std::vector<VarId>& vars);
  void counted(const For& node);
  /// Its `from` where nobody comes to the loop.
  Polynomial guarded_limit(const For& node);
  void rolled(const For& node);
  void unrolled(const For& node);
  void vectorised(const For& node);
  KnownNumbers numbers_in_round(const For& node, std::int64_t value) const;
  void at_once(const For& node, Lanes lanes, const Polynomial& from, const Polynomial& limit);
  void loop(const Loop& node);

  /// Whether the truth value holds somewhere in the pack.
  ValueId any(ValueId value);

  const Assignments& in_;
  std::unordered_map<ObjectId, ObjectId> objects_;  ///< those that are used, and their numbers in the result
  infreg::Kernel out_;
  infreg::Builder builder_;
  std::unordered_map<VarId, ValueId> values_;          ///< what each variable is now; none: poison
  std::unordered_map<VarId, std::int64_t> constants_;  ///< variables of the loops that are being unrolled
  std::unordered_map<VarId, std::uint32_t> expanded_;  ///< scalars with one number for each round of the loop over lanes
  std::optional<Lanes> lanes_;
  SourceSpan span_;
};

}  // namespace lockstep::passes
