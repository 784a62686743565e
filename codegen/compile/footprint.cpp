#include "codegen/compile/footprint.hpp"

#include <algorithm>
#include <unordered_map>
#include <variant>

#include "semantics/infreg/kernel.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep {

using namespace infreg;

namespace {

struct Interval {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool exact = true;  ///< both ends are really met
};

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

std::optional<Interval> operator+(const Interval& a, const Interval& b) {
  Interval sum;
  sum.exact = a.exact && b.exact;
  return __builtin_add_overflow(a.low, b.low, &sum.low) || __builtin_add_overflow(a.high, b.high, &sum.high) ? std::nullopt
                                                                                                             : std::optional(sum);
}

std::optional<Interval> operator*(const Interval& a, const Interval& b) {
  std::vector<std::int64_t> corners;
  for (const std::int64_t x : {a.low, a.high}) {
    for (const std::int64_t y : {b.low, b.high}) {
      const auto corner = product(x, y);
      if (!corner) {
        return std::nullopt;
      }
      corners.push_back(*corner);
    }
  }
  const auto [low, high] = std::ranges::minmax(corners);
  return Interval{low, high, a.exact && b.exact};
}

/// So far from the ends of the range that lengths can be computed.
bool is_moderate(const Interval& interval) {
  constexpr std::int64_t far = std::int64_t{1} << 61;
  return interval.low > -far && interval.high < far;
}

/// Walks over the kernel once, with what is known of the loop variables around.
class Walk {
 public:
  explicit Walk(const Kernel& kernel) : kernel_(kernel), result_(kernel.parameters.size()), blocks_(kernel.parameters.size()) {}

  std::vector<Footprint> run() {
    region(kernel_.body, true);
    for (std::size_t i = 0; i < result_.size(); ++i) {
      const Blocks& blocks = blocks_[i];
      if (blocks.size && !blocks.impossible) {
        result_[i].block = blocks.size;
      }
    }
    return std::move(result_);
  }

 private:
  struct Blocks {
    std::optional<std::uint64_t> size;
    bool impossible = false;
  };

  /// `certain`: every launch comes here.
  void region(RegionId id, bool certain) {
    for (const Operation& operation : kernel_.regions[id].operations) {
      if (const auto* address = std::get_if<AddressOf>(&operation.node)) {
        // Where the pointer goes is not followed.
        if (const auto* of = std::get_if<OfParameter>(&address->object)) {
          blocks_[of->id].impossible = true;
        }
      } else if (const auto* load = std::get_if<Load>(&operation.node)) {
        touch(load->place, load->type.layout, certain && !load->mask);
      } else if (const auto* atomic = std::get_if<Atomic>(&operation.node)) {
        touch(atomic->place, atomic->type.layout, certain && !atomic->mask);
      } else if (const auto* store = std::get_if<Store>(&operation.node)) {
        touch(store->place, kernel_.type_of(store->value).layout, certain && !store->mask);
      } else if (const auto* loop = std::get_if<For>(&operation.node)) {
        rounds(*loop, certain);
      } else {
        for_each_region(operation.node, [&](RegionId inner) { region(inner, false); });
      }
    }
  }

  void rounds(const For& loop, bool certain) {
    const auto from = range(loop.from, 1);
    const auto limit = range(loop.limit, 1);
    bool known = false;
    if (from && limit && is_moderate(*from) && is_moderate(*limit)) {
      const bool up = loop.step > 0;
      Interval variable{up ? from->low : limit->low + 1, up ? limit->high - 1 : from->high, false};
      const bool is_constant = loop.from.is_constant() && loop.limit.is_constant();
      known = is_constant && variable.low <= variable.high;
      // The last round's number is as far from the first one's as whole steps go.
      if (known) {
        const std::int64_t step = up ? loop.step : -loop.step;
        const std::int64_t length = (variable.high - variable.low) / step * step;
        (up ? variable.high : variable.low) = up ? variable.low + length : variable.high - length;
        variable.exact = true;
      }
      if (variable.low <= variable.high) {
        ranges_[kernel_.regions[loop.body].arguments.front()] = variable;
      }
    }
    region(loop.body, certain && known);
  }

  void touch(const Place& place, Layout layout, bool certain) {
    const auto* of = std::get_if<OfParameter>(&place.base);
    if (of == nullptr) {
      return;
    }
    Blocks& blocks = blocks_[of->id];
    const auto stride = place.index.slope(Symbol::group());
    const auto offset = range(place.index.without(Symbol::group()), layout.elements);
    if (place.lanes || !stride || !stride->is_constant() || !offset) {
      blocks.impossible = true;
      return;
    }
    const std::int64_t size = stride->constant();
    const bool fits = size > 0 && offset->low >= 0 && offset->high < size;
    blocks.impossible = blocks.impossible || !fits || blocks.size.value_or(size) != static_cast<std::uint64_t>(size);
    blocks.size = static_cast<std::uint64_t>(size);
    const CertainAccess access{size, offset->low, offset->high};
    std::vector<CertainAccess>& all = result_[of->id].certain;
    if (certain && offset->exact && std::ranges::find(all, access) == all.end()) {
      all.push_back(access);
    }
  }

  /// The numbers that a polynomial takes, for work items and elements of an access, and all rounds of the loops around.
  std::optional<Interval> range(const Polynomial& polynomial, std::uint32_t elements) const {
    std::optional<Interval> sum = Interval{polynomial.constant(), polynomial.constant()};
    std::vector<Symbol> seen;
    for (const Monomial& term : polynomial.terms()) {
      std::optional<Interval> value = Interval{term.coefficient, term.coefficient};
      for (const Symbol symbol : term.factors) {
        const auto factor = range_of(symbol, elements);
        value = value && factor ? *value * *factor : std::nullopt;
        if (value && std::ranges::find(seen, symbol) != seen.end()) {
          value->exact = false;  // the terms are not at their ends together
        }
        seen.push_back(symbol);
      }
      sum = sum && value ? *sum + *value : std::nullopt;
    }
    return sum;
  }

  std::optional<Interval> range_of(Symbol symbol, std::uint32_t elements) const {
    if (symbol.kind == Symbol::Kind::Item) {
      return Interval{0, std::int64_t{kernel_.shape.wg_size} - 1};
    }
    if (symbol.kind == Symbol::Kind::Element) {
      return Interval{0, std::int64_t{elements} - 1};
    }
    const auto found = symbol.kind == Symbol::Kind::Value ? ranges_.find(symbol.value) : ranges_.end();
    return found == ranges_.end() ? std::nullopt : std::optional(found->second);
  }

  const Kernel& kernel_;
  std::vector<Footprint> result_;
  std::vector<Blocks> blocks_;
  std::unordered_map<ValueId, Interval> ranges_;  ///< of loop variables; one that is missing may be anything
};

}  // namespace

std::vector<Footprint> footprints(const Kernel& kernel) { return Walk(kernel).run(); }

}  // namespace lockstep
