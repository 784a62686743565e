#pragma once
// What every operation of InfReg-IR does (kernel.hpp), once, over any domain (evaluate_domain.hpp): machine numbers run a kernel
// (machine_domain.hpp), terms prove things about it. Lanes are never forked: what is done in some lanes only is done under a condition, and
// the arms of an `if` are merged behind it. A loop goes on until the domain says that there is no further round.

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "semantics/infreg/evaluate_domain.hpp"
#include "semantics/infreg/evaluate_polynomial.hpp"
#include "semantics/infreg/kernel.hpp"
#include "semantics/ops/lane.hpp"
#include "semantics/ops/scalar.hpp"

namespace lockstep::infreg {

/// Packs of groups through a kernel.
template <class D>
class Evaluation {
 public:
  using Truth = typename D::Truth;
  using Number = typename D::Number;
  using Word = typename D::Word;
  using OneLane = LaneOf<D>;

  /// Of a launch of `groups` groups. Scalar parameters have their values in the domain.
  Evaluation(const Kernel& kernel, D& domain, std::uint64_t groups) : kernel_(kernel), d_(domain), all_groups_(groups) {}

  /// From the beginning of the body to its end, or to where the domain stops. `first_group`: the launch's number of the pack's first group.
  void run_pack(std::uint64_t first_group) {
    first_group_ = first_group;
    run(kernel_.body);
  }

 private:
  // ---- lanes ---------------------------------------------------------------------------------------------------------------

  Layout layout_of(ValueId value) const { return kernel_.type_of(value).layout; }
  std::uint64_t lanes_of(ValueId value) const { return infreg::lanes(layout_of(value), kernel_.shape); }
  std::uint32_t groups(Layout layout) const { return layout.kind == Layout::Kind::Pack ? 1 : kernel_.shape.wg_pack; }
  std::uint32_t items(Layout layout) const { return layout.kind == Layout::Kind::Item ? kernel_.shape.wg_size : 1; }

  /// Calls f(group in the pack, item, number of the row's first lane) for each row, ascending.
  template <class F>
  void for_each_row(Layout layout, F&& f) const {
    std::uint64_t first = 0;
    for (std::uint32_t wg = 0; wg < groups(layout); ++wg) {
      for (std::uint32_t wi = 0; wi < items(layout); ++wi) {
        f(wg, wi, first);
        first += layout.elements;
      }
    }
  }

  /// result = choose(condition, value, result)
  void merge(const Truth& condition, ValueId result, ValueId value) {
    auto&& to = d_.result(result);
    const auto& from = d_.lanes(value);
    for (std::uint64_t n = 0; n < lanes_of(result); ++n) {
      const OneLane a = d_.get(from, n);
      const OneLane b = d_.get(to, n);
      d_.set(to, n, {choose(condition, a.word, b.word), choose(condition, a.poison, b.poison)});
    }
  }
  void merge(const Truth& condition, const std::vector<ValueId>& results, const std::vector<ValueId>& values) {
    for (std::size_t k = 0; k < results.size(); ++k) {
      merge(condition, results[k], values[k]);
    }
  }
  void copy(ValueId result, ValueId value) {
    auto&& to = d_.result(result);
    const auto& from = d_.lanes(value);
    for (std::uint64_t n = 0; n < lanes_of(result); ++n) {
      d_.set(to, n, d_.get(from, n));
    }
  }
  void copy(const std::vector<ValueId>& results, const std::vector<ValueId>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      copy(results[k], values[k]);
    }
  }

  /// Every lane of the result is d_.get(operands, lane) put through `one`.
  template <std::size_t Count, class F>
  void each_lane(ValueId result, const std::array<ValueId, Count>& operands, F&& one) {
    each_lane(result, operands, one, std::make_index_sequence<Count>{});
  }
  template <std::size_t Count, class F, std::size_t... K>
  void each_lane(ValueId result, const std::array<ValueId, Count>& operands, F& one, std::index_sequence<K...>) {
    auto&& to = d_.result(result);
    const std::tuple<decltype(d_.lanes(operands[K]))...> from{d_.lanes(operands[K])...};
    const std::uint64_t count = lanes_of(result);
    for (std::uint64_t n = 0; n < count; ++n) {
      d_.set(to, n, one(d_.get(std::get<K>(from), n)...));
    }
  }

  /// The operation's result: poison where it is undefined or an operand is poison.
  template <class F, class... L>
  static OneLane applied(const F& operation, const L&... lane) {
    return {operation.word(lane.word...), ops::poison_of(lane.poison..., operation.undefined(lane.word...))};
  }
  template <class... L>
  static OneLane with_poison(const OneLane& result, const L&... lane) {
    return {result.word, ops::poison_of(result.poison, lane.poison...)};
  }
  static OneLane poison() { return {Word{}, Truth(true)}; }

  // ---- polynomials ---------------------------------------------------------------------------------------------------------

  /// Makes `rows` ready; whether a value in it is poison.
  Truth prepare(LanePolynomial<Number>& rows, const Polynomial& polynomial) {
    Truth is_poison(false);
    rows.set(polynomial, [&](ValueId value) {
      const OneLane lane = d_.get(d_.lanes(value), 0);
      is_poison = is_poison || lane.poison;
      return d_.as_number(lane.word);
    });
    return is_poison;
  }

  /// A bound of a loop.
  Number bound(const Polynomial& polynomial) {
    const Truth is_poison = prepare(first_, polynomial);
    d_.demand(!is_poison, Cause::PoisonBound, Where{present_, {}, Layout::Kind::Pack});
    first_.row(0, 0);
    return first_.at(0);
  }

  // ---- operations without memory -------------------------------------------------------------------------------------------

  void evaluate(const Constant& n, const Operation& o) {
    auto&& to = d_.result(o.results[0]);
    const OneLane lane{d_.from_bits(n.type.element, n.bits), Truth(false)};
    for (std::uint64_t k = 0; k < lanes_of(o.results[0]); ++k) {
      d_.set(to, k, lane);
    }
  }

  void evaluate(const ConstantLanes& n, const Operation& o) {
    auto&& to = d_.result(o.results[0]);
    std::uint64_t k = 0;
    for (std::uint32_t wg = 0; wg < groups(n.type.layout); ++wg) {
      for (const std::uint64_t bits : n.bits) {
        d_.set(to, k++, {d_.from_bits(n.type.element, bits), Truth(false)});
      }
    }
  }

  void evaluate(const Poison&, const Operation& o) {
    auto&& to = d_.result(o.results[0]);
    for (std::uint64_t k = 0; k < lanes_of(o.results[0]); ++k) {
      d_.set(to, k, poison());
    }
  }

  void evaluate(const Index& n, const Operation& o) {
    auto&& to = d_.result(o.results[0]);
    const Truth is_poison = prepare(first_, n.value);
    for_each_row(n.type.layout, [&](std::uint32_t wg, std::uint32_t wi, std::uint64_t first) {
      first_.row(first_group_ + wg, wi);
      for (std::uint32_t ix = 0; ix < n.type.layout.elements; ++ix) {
        d_.set(to, first + ix, {d_.from_number(n.type.element.scalar, first_.at(ix)), is_poison});
      }
    });
  }

  void evaluate(const Mask& n, const Operation& o) {
    auto&& to = d_.result(o.results[0]);
    for (std::uint64_t k = 0; k < lanes_of(o.results[0]); ++k) {
      d_.set(to, k, {d_.from_truth(Truth(true)), Truth(false)});
    }
    for (const Mask::Comparison& comparison : n.all_of) {
      const Truth left_poison = prepare(first_, comparison.left);
      const Truth is_poison = prepare(second_, comparison.right) || left_poison;
      for_each_row(n.layout, [&](std::uint32_t wg, std::uint32_t wi, std::uint64_t first) {
        first_.row(first_group_ + wg, wi);
        second_.row(first_group_ + wg, wi);
        for (std::uint32_t ix = 0; ix < n.layout.elements; ++ix) {
          const OneLane so_far = d_.get(to, first + ix);
          const Truth all = d_.as_truth(so_far.word) && holds(comparison.op, first_.at(ix), second_.at(ix));
          d_.set(to, first + ix, {d_.from_truth(all), so_far.poison || is_poison});
        }
      });
    }
  }

  void evaluate(const NumGroups&, const Operation& o) {
    const Number number = like(Number{}, static_cast<std::int64_t>(all_groups_));
    d_.set(d_.result(o.results[0]), 0, {d_.from_number(ScalarType::ULong, number), Truth(false)});
  }

  void evaluate(const Spread& n, const Operation& o) {
    const Layout from_layout = layout_of(n.source);
    auto&& to = d_.result(o.results[0]);
    const auto& from = d_.lanes(n.source);
    for_each_row(n.layout, [&](std::uint32_t wg, std::uint32_t wi, std::uint64_t first) {
      const OneLane lane = d_.get(from, number_of(from_layout, kernel_.shape, {wg, wi, 0}));
      for (std::uint32_t ix = 0; ix < n.layout.elements; ++ix) {
        d_.set(to, first + ix, lane);
      }
    });
  }

  void evaluate(const Elementwise& n, const Operation& o) {
    d_.with_operation(n.op, n.operand_type, [&]<class F>(const F& operation) {
      std::array<ValueId, F::arity> operands{};
      for (std::size_t k = 0; k < operands.size(); ++k) {
        operands[k] = n.operands[k];
      }
      each_lane(o.results[0], operands, [&](const auto&... lane) { return applied(operation, lane...); });
    });
  }

  void evaluate(const Select& n, const Operation& o) {
    each_lane(o.results[0], std::array{n.condition, n.then, n.otherwise}, [&](const OneLane& c, const OneLane& a, const OneLane& b) {
      const Truth first = d_.as_truth(c.word);
      return OneLane{choose(first, a.word, b.word), ops::poison_of_choice(c.poison, first, a.poison, b.poison)};
    });
  }

  void evaluate(const Convert& n, const Operation& o) {
    d_.with_conversion(kernel_.type_of(n.source).element.scalar, n.to, [&](auto conversion) {
      each_lane(o.results[0], std::array{n.source}, [&](const OneLane& lane) { return applied(conversion, lane); });
    });
  }

  void evaluate(const Bitcast& n, const Operation& o) {
    each_lane(o.results[0], std::array{n.source}, [&](const OneLane& lane) { return OneLane{d_.bitcast(n.to, lane.word), lane.poison}; });
  }

  void evaluate(const Reorder& n, const Operation& o) {
    if (const auto* affine = std::get_if<Reorder::Affine>(&n.pattern)) {
      return reorder(*affine, n, o);
    }
    const std::vector<std::uint32_t>& source = std::get<Reorder::Table>(n.pattern).source;
    const std::uint64_t from_each = lanes_per_group(layout_of(n.source), kernel_.shape);
    auto&& to = d_.result(o.results[0]);
    const auto& from = d_.lanes(n.source);
    std::uint64_t k = 0;
    for (std::uint32_t wg = 0; wg < groups(n.layout); ++wg) {
      for (const std::uint32_t lane : source) {
        d_.set(to, k++, lane == Reorder::Table::nowhere ? poison() : d_.get(from, wg * from_each + lane));
      }
    }
  }

  void reorder(const Reorder::Affine& pattern, const Reorder& n, const Operation& o) {
    const Layout from_layout = layout_of(n.source);
    auto&& to = d_.result(o.results[0]);
    const auto& from = d_.lanes(n.source);
    const Truth item_poison = prepare(first_, pattern.item);
    const Truth is_poison = prepare(second_, pattern.element) || item_poison;
    for_each_row(n.layout, [&](std::uint32_t wg, std::uint32_t wi, std::uint64_t first) {
      first_.row(0, wi);  // the pattern is the same for all groups
      second_.row(0, wi);
      for (std::uint32_t ix = 0; ix < n.layout.elements; ++ix) {
        const Number element = second_.at(ix);
        const OneLane lane = d_.pick(first_.at(ix), items(from_layout), [&](std::uint32_t item) {
          return d_.pick(element, from_layout.elements,
                         [&](std::uint32_t e) { return d_.get(from, number_of(from_layout, kernel_.shape, {wg, item, e})); });
        });
        d_.set(to, first + ix, {lane.word, lane.poison || is_poison});
      }
    });
  }

  /// A lane of a mask: whether it is active. Poison there is undefined.
  Truth active(const OneLane& mask, const Where& where) {
    d_.demand(!mask.poison, Cause::PoisonMask, where);
    return d_.as_truth(mask.word) && !mask.poison;
  }

  void evaluate(const Shuffle& n, const Operation& o) {
    const Layout layout = layout_of(n.source);
    const std::uint32_t size = kernel_.shape.wg_size;
    auto&& to = d_.result(o.results[0]);
    const auto& from = d_.lanes(n.source);
    const auto& mask = d_.lanes(n.mask);
    const auto& wanted = d_.lanes(n.lane);
    for_each_row(layout, [&](std::uint32_t wg, std::uint32_t wi, std::uint64_t first) {
      const std::uint64_t group = std::uint64_t{wg} * size;
      const Truth is_active = active(d_.get(mask, group + wi), {present_, {wg, wi, 0}, Layout::Kind::Item});
      const OneLane lane = d_.get(wanted, group + wi);
      for (std::uint32_t ix = 0; ix < layout.elements; ++ix) {
        const OneLane found = d_.pick(d_.as_number(lane.word), size, [&](std::uint32_t item) {
          const OneLane other = d_.get(mask, group + item);
          const OneLane value = d_.get(from, (group + item) * layout.elements + ix);
          return OneLane{value.word, value.poison || other.poison || !d_.as_truth(other.word)};
        });
        d_.set(to, first + ix, {found.word, !is_active || lane.poison || found.poison});
      }
    });
  }

  void evaluate(const Vote& n, const Operation& o) {
    const Layout layout = layout_of(n.value);
    auto&& to = d_.result(o.results[0]);
    const auto& value = d_.lanes(n.value);
    const auto& mask = d_.lanes(n.mask);
    const std::uint32_t in_each = n.whole_pack ? groups(layout) : 1;
    const std::uint64_t per_group = lanes_per_group(layout, kernel_.shape);
    const bool is_ballot = n.kind == Vote::Kind::Ballot;
    for (std::uint32_t first = 0; first < groups(layout); first += in_each) {
      Counted counted;
      for (std::uint64_t k = first * per_group; k < (std::uint64_t{first} + in_each) * per_group; ++k) {
        const OneLane lane = d_.get(value, k);
        const Truth is_active = active(d_.get(mask, k), {present_, lane_at(layout, kernel_.shape, k), layout.kind});
        count(counted, is_active, {lane.word, lane.poison && is_active}, is_ballot);
      }
      d_.set(to, first / in_each, {is_ballot ? d_.ballot(counted.votes) : result_of(n.kind, counted), counted.poison});
    }
  }

  /// What a vote has seen so far.
  struct Counted {
    Truth any{false};
    Truth all{true};
    Truth poison{false};
    Number sum = like(Number{}, 0);
    std::vector<Truth> votes;  ///< of a ballot
  };
  void count(Counted& counted, const Truth& is_active, const OneLane& lane, bool is_ballot) {
    const Truth yes = d_.as_truth(lane.word);
    const Truth counts = ops::says_yes(is_active, yes);
    counted.any = counted.any || counts;
    counted.all = counted.all && !ops::says_no(is_active, yes);
    counted.poison = counted.poison || lane.poison;
    if (is_ballot) {
      counted.votes.push_back(counts);
    } else {
      counted.sum = plus(counted.sum, choose(counts, like(Number{}, 1), like(Number{}, 0)));
    }
  }
  Word result_of(Vote::Kind kind, const Counted& counted) {
    switch (kind) {
      case Vote::Kind::Any:
        return d_.from_truth(counted.any);
      case Vote::Kind::All:
        return d_.from_truth(counted.all);
      case Vote::Kind::Popcount:
      case Vote::Kind::Ballot:
        break;
    }
    return d_.from_number(ScalarType::ULong, counted.sum);
  }

  // ---- pointers and memory ---------------------------------------------------------------------------------------------------

  auto base_of(OfParameter of) { return d_.parameter(of.id); }
  auto base_of(OfObject of) { return d_.object(of.id); }

  void evaluate(const AddressOf& n, const Operation& o) {
    auto&& to = d_.result(o.results[0]);
    const OneLane lane{d_.pointer(std::visit([&](auto of) { return base_of(of); }, n.object)), Truth(false)};
    for (std::uint64_t k = 0; k < lanes_of(o.results[0]); ++k) {
      d_.set(to, k, lane);
    }
  }

  void evaluate(const PointerOffset& n, const Operation& o) {
    each_lane(o.results[0], std::array{n.pointer, n.index}, [&](const OneLane& pointer, const OneLane& index) {
      return with_poison(d_.moved(pointer.word, d_.as_number(index.word), n.element), pointer, index);
    });
  }
  void evaluate(const PointerDistance& n, const Operation& o) {
    each_lane(o.results[0], std::array{n.left, n.right},
              [&](const OneLane& p, const OneLane& q) { return with_poison(d_.distance(p.word, q.word, n.element), p, q); });
  }
  void evaluate(const PointerCompare& n, const Operation& o) {
    each_lane(o.results[0], std::array{n.left, n.right},
              [&](const OneLane& p, const OneLane& q) { return with_poison(d_.compared(n.op, p.word, q.word), p, q); });
  }

  /// Calls touch(lane number, whether it is active, its cell) for each lane, ascending. Inactive lanes touch nothing.
  template <class F>
  void for_each_access(const Place& place, const Type& type, const std::optional<ValueId>& mask, F&& touch) {
    const Truth index_poison = prepare(first_, place.index);
    const auto* pointer = std::get_if<AtPointer>(&place.base);
    const bool one_pointer = pointer != nullptr && layout_of(pointer->value).kind == Layout::Kind::Pack;
    typename D::Base base{};
    std::visit(
        [&](auto of) {
          if constexpr (!std::is_same_v<decltype(of), AtPointer>) {
            base = base_of(of);
          }
        },
        place.base);
    for_each_row(type.layout, [&](std::uint32_t wg, std::uint32_t wi, std::uint64_t first) {
      first_.row(first_group_ + wg, wi);
      for (std::uint32_t ix = 0; ix < type.layout.elements; ++ix) {
        const std::uint64_t k = first + ix;
        const Where where{present_, {wg, wi, ix}, type.layout.kind};
        Truth is_active = mask ? active(d_.get(d_.lanes(*mask), k), where) : Truth(true);
        Truth is_poison = index_poison;
        Number index = first_.at(ix);
        if (place.lanes) {
          const OneLane more = d_.get(d_.lanes(*place.lanes), k);
          index = plus(index, d_.as_number(more.word));
          is_poison = is_poison || more.poison;
        }
        if (pointer != nullptr) {
          const OneLane from = d_.get(d_.lanes(pointer->value), one_pointer ? 0 : k);
          base = d_.base(from.word);
          is_poison = is_poison || from.poison;
        }
        d_.demand(!is_active || !is_poison, Cause::PoisonAddress, where);
        is_active = is_active && !is_poison;
        const typename D::Place cell = d_.place(base, index, type.element.scalar, where);
        const Truth exists = d_.exists(cell);
        d_.demand(!is_active || exists, Cause::NoSuchCell, where, cell);
        touch(k, is_active && exists, cell, where);
      }
    });
  }

  void evaluate(const Load& n, const Operation& o) {
    auto&& to = d_.result(o.results[0]);
    for_each_access(n.place, n.type, n.mask, [&](std::uint64_t k, const Truth& is_active, const typename D::Place& cell, const Where&) {
      const OneLane lane = d_.read(cell, is_active, n.type.element.scalar);
      d_.set(to, k, {lane.word, lane.poison || !is_active});
    });
  }

  void evaluate(const Store& n, const Operation&) {
    const Type type = kernel_.type_of(n.value);
    const auto& from = d_.lanes(n.value);
    for_each_access(n.place, type, n.mask, [&](std::uint64_t k, const Truth& is_active, const typename D::Place& cell, const Where& where) {
      const Truth writable = d_.writable(cell);
      d_.demand(!is_active || writable, Cause::ReadOnly, where, cell);
      d_.write(cell, is_active && writable, type.element.scalar, d_.get(from, k));
    });
  }

  void evaluate(const Atomic& n, const Operation& o) {
    auto&& to = d_.result(o.results[0]);
    const auto& value = d_.lanes(n.value);
    for_each_access(n.place, n.type, n.mask,
                    [&](std::uint64_t k, const Truth& is_active, const typename D::Place& cell, const Where& where) {
                      const Truth writable = d_.writable(cell);
                      d_.demand(!is_active || writable, Cause::ReadOnly, where, cell);
                      const OneLane compare = n.compare ? d_.get(d_.lanes(*n.compare), k) : OneLane{};
                      const OneLane old = d_.change(cell, is_active && writable, n.type.element.scalar, n.op, compare, d_.get(value, k));
                      d_.set(to, k, {old.word, old.poison || !is_active});
                    });
  }

  // ---- control ---------------------------------------------------------------------------------------------------------------

  /// A condition in layout Pack that decides.
  Truth decided(ValueId condition, const Truth& asked) {
    const OneLane lane = d_.get(d_.lanes(condition), 0);
    d_.demand(!asked || !lane.poison, Cause::PoisonCondition, Where{present_, {}, Layout::Kind::Pack});
    return d_.as_truth(lane.word) && !lane.poison;
  }

  void evaluate(const If& n, const Operation& o) {
    const Truth condition = decided(n.condition, Truth(true));
    const bool first = d_.under(condition, [&] {
      run(n.then);
      copy(o.results, kernel_.regions[n.then].yields);
    });
    d_.under(!condition, [&] {
      run(n.otherwise);
      const std::vector<ValueId>& yields = kernel_.regions[n.otherwise].yields;
      first ? merge(!condition, o.results, yields) : copy(o.results, yields);
    });
  }

  /// A loop's results are what it carries from round to round.
  void round(RegionId body, std::size_t first_argument, const Truth& going, const Operation& o) {
    d_.under(going, [&] {
      for (std::size_t k = 0; k < o.results.size(); ++k) {
        copy(kernel_.regions[body].arguments[first_argument + k], o.results[k]);
      }
      run(body);
      merge(going, o.results, kernel_.regions[body].yields);
    });
  }

  void evaluate(const For& n, const Operation& o) {
    const OperationId self = present_;
    Number variable = bound(n.from);
    const Number limit = bound(n.limit);
    const auto before = [&](const Number& a, const Number& b) { return (n.step > 0) ? less(a, b) : less(b, a); };
    copy(o.results, n.inits);
    Truth going = before(variable, limit);
    for (std::uint64_t k = 0; !d_.stopped() && d_.another_round(going, k); ++k) {
      d_.set(d_.result(kernel_.regions[n.body].arguments[0]), 0, {d_.from_number(ScalarType::Long, variable), Truth(false)});
      round(n.body, 1, going, o);
      const Number next = plus(variable, like(variable, n.step));
      going = going && before(variable, next) && before(next, limit);  // a variable that would wrap is past every limit
      variable = next;
    }
    present_ = self;
  }

  void evaluate(const Loop& n, const Operation& o) {
    const OperationId self = present_;
    copy(o.results, n.inits);
    Truth going(true);
    for (std::uint64_t k = 0; !d_.stopped(); ++k) {
      present_ = self;
      going = going && decided(o.results[0], going);
      if (d_.stopped() || !d_.another_round(going, k)) {
        return;
      }
      round(n.body, 0, going, o);
    }
  }

  void run(RegionId region) {
    const Region& r = kernel_.regions[region];
    for (std::uint32_t i = 0; i < r.operations.size(); ++i) {
      const Operation& o = r.operations[i];
      present_ = {region, i};
      if (!d_.begin(present_, cost(o))) {
        return;
      }
      std::visit([&](const auto& node) { evaluate(node, o); }, o.node);
      if (d_.stopped()) {
        return;
      }
      d_.end({region, i}, o);
    }
  }

  /// The lanes that the operation works on; 1 for control.
  std::uint64_t cost(const Operation& o) const {
    if (const auto* store = std::get_if<Store>(&o.node)) {
      return lanes_of(store->value);
    }
    if (const auto* vote = std::get_if<Vote>(&o.node)) {
      return lanes_of(vote->value);
    }
    const bool control = std::holds_alternative<If>(o.node) || std::holds_alternative<For>(o.node) || std::holds_alternative<Loop>(o.node);
    return control ? 1 : lanes_of(o.results[0]);
  }

  const Kernel& kernel_;
  D& d_;
  std::uint64_t all_groups_;
  std::uint64_t first_group_ = 0;
  OperationId present_;
  LanePolynomial<Number> first_;  // of the present operation; two, because some have two at a time
  LanePolynomial<Number> second_;
};

}  // namespace lockstep::infreg
