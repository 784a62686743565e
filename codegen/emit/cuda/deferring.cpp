#include "codegen/emit/cuda/deferring.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codegen/emit/cuda/rewriting.hpp"
#include "semantics/infreg/walk.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// So many operations on lanes, of all rounds, are looked at.
constexpr std::uint64_t most_work = std::uint64_t{1} << 24;

/// `select keeps, (select chooses, ..), ..` is what a round makes of a carried value, with a quotient as an innermost arm.
struct Candidate {
  OperationId loop;
  std::size_t carried = 0;     ///< which of the loop's values
  std::uint32_t quotient = 0;  ///< operations of the body
  std::uint32_t user = 0;      ///< the select whose arm the quotient is
  ValueId keeps = 0;           ///< the outer condition
};

/// What a lane holds, when quotients are put off.
enum class Holds : std::uint8_t {
  Number,   ///< what it should
  Kept,     ///< a dividend, of an earlier round
  Fresh,    ///< a dividend, of this round
  Garbage,  ///< what was computed from one
};

class Search {
 public:
  Search(const Kernel& kernel, const Candidate& candidate)
      : kernel_(kernel),
        candidate_(candidate),
        loop_(std::get<For>(kernel.regions[candidate.loop.region].operations[candidate.loop.index].node)),
        body_(kernel.regions[loop_.body]),
        counter_(Symbol::of(body_.arguments.front())) {}

  /// The lanes that hold dividends behind the loop, as a condition; nothing if quotients cannot be put off.
  std::optional<Mask> found() {
    const std::int64_t from = loop_.from.constant();
    const std::int64_t limit = loop_.limit.constant();
    const auto rounds = static_cast<std::uint64_t>(limit - from);
    if (rounds * body_.operations.size() * lanes_of(result()) > most_work) {
      return std::nullopt;
    }
    for (round_ = from; round_ < limit; ++round_) {
      if (!run_round()) {
        return std::nullopt;
      }
    }
    return condition();
  }

 private:
  ValueId argument() const { return body_.arguments[candidate_.carried + 1]; }
  ValueId result() const { return body_.yields[candidate_.carried]; }
  std::uint64_t lanes_of(ValueId value) const { return lanes_per_group(kernel_.type_of(value).layout, kernel_.shape); }

  Holds of(ValueId value, std::uint64_t lane) const {
    const auto found = holds_.find(value);
    return found == holds_.end() ? Holds::Number : found->second[lane];
  }
  bool is_touched(ValueId value) const {
    const auto found = holds_.find(value);
    return found != holds_.end() && std::ranges::any_of(found->second, [](Holds one) { return one != Holds::Number; });
  }
  static Holds computed_from(Holds one) { return one == Holds::Number ? Holds::Number : Holds::Garbage; }

  /// Of a polynomial that speaks of the lane and the round alone.
  std::optional<std::int64_t> number(const Polynomial& polynomial, Layout layout, std::uint64_t lane) const {
    bool is_known = !polynomial.mentions(Symbol::group());
    polynomial.for_each_value([&](ValueId value) { is_known = is_known && Symbol::of(value) == counter_; });
    if (!is_known) {
      return std::nullopt;
    }
    const Lane at = lane_at(layout, kernel_.shape, lane);
    return polynomial.evaluate([&](Symbol symbol) -> std::int64_t {
      return symbol == Symbol::item() ? std::int64_t{at.wi} : symbol == Symbol::element() ? std::int64_t{at.ix} : round_;
    });
  }

  std::optional<bool> truth_of(const Mask& mask, std::uint64_t lane) const {
    for (const Mask::Comparison& one : mask.all_of) {
      const auto left = number(one.left, mask.layout, lane);
      const auto right = number(one.right, mask.layout, lane);
      if (!left || !right) {
        return std::nullopt;
      }
      if (!holds(one.op, *left, *right)) {
        return false;
      }
    }
    return true;
  }

  static bool holds(Op op, std::int64_t left, std::int64_t right) {
    switch (op) {
      case Op::Lt:
        return left < right;
      case Op::Le:
        return left <= right;
      case Op::Gt:
        return left > right;
      case Op::Ge:
        return left >= right;
      case Op::Eq:
        return left == right;
      default:
        return left != right;
    }
  }

  bool run_round() {
    masks_.clear();
    for (std::uint32_t k = 0; k < body_.operations.size(); ++k) {
      const Operation& operation = body_.operations[k];
      if (operation.results.size() != 1) {
        return false;
      }
      const ValueId to = operation.results.front();
      if (const auto* mask = std::get_if<Mask>(&operation.node)) {
        masks_[to] = mask;
        continue;
      }
      std::vector<Holds> made(lanes_of(to), Holds::Number);
      for (std::uint64_t lane = 0; lane < made.size(); ++lane) {
        const auto held = lane_of(k, operation, kernel_.type_of(to).layout, lane);
        if (!held) {
          return false;
        }
        made[lane] = *held;
      }
      holds_[to] = std::move(made);
    }
    return end_round();
  }

  /// What a lane of the operation's result holds; nothing for operations that do more than compute.
  std::optional<Holds> lane_of(std::uint32_t k, const Operation& operation, Layout layout, std::uint64_t lane) const {
    if (const auto* node = std::get_if<Elementwise>(&operation.node)) {
      const bool is_good = std::ranges::all_of(node->operands, [&](ValueId one) { return of(one, lane) == Holds::Number; });
      return !is_good ? Holds::Garbage : k == candidate_.quotient ? Holds::Fresh : Holds::Number;
    }
    if (const auto* select = std::get_if<Select>(&operation.node)) {
      const auto mask = masks_.find(select->condition);
      const auto truth = mask == masks_.end() ? std::nullopt : truth_of(*mask->second, lane);
      const Holds then = of(select->then, lane);
      const Holds otherwise = of(select->otherwise, lane);
      return of(select->condition, lane) != Holds::Number ? Holds::Garbage
             : truth                                      ? *truth ? then : otherwise
             : then == Holds::Number && otherwise == then ? Holds::Number
                                                          : Holds::Garbage;
    }
    if (const auto* convert = std::get_if<Convert>(&operation.node)) {
      return computed_from(of(convert->source, lane));
    }
    if (const auto* bitcast = std::get_if<Bitcast>(&operation.node)) {
      return computed_from(of(bitcast->source, lane));
    }
    if (const auto* spread = std::get_if<Spread>(&operation.node)) {
      const Layout from = kernel_.type_of(spread->source).layout;
      const Lane at = lane_at(layout, kernel_.shape, lane);
      return computed_from(of(spread->source, from.kind == Layout::Kind::Item ? at.wi : 0));
    }
    if (const auto* reorder = std::get_if<Reorder>(&operation.node)) {
      return reordered(*reorder, layout, lane);
    }
    const bool is_plain = std::holds_alternative<Constant>(operation.node) || std::holds_alternative<ConstantLanes>(operation.node) ||
                          std::holds_alternative<Poison>(operation.node) || std::holds_alternative<Index>(operation.node) ||
                          std::holds_alternative<NumGroups>(operation.node);
    return is_plain ? std::optional(Holds::Number) : std::nullopt;
  }

  Holds reordered(const Reorder& reorder, Layout layout, std::uint64_t lane) const {
    const Layout from = kernel_.type_of(reorder.source).layout;
    if (const auto* table = std::get_if<Reorder::Table>(&reorder.pattern)) {
      const std::uint32_t source = table->source[lane];
      return source == Reorder::Table::nowhere ? Holds::Number : computed_from(of(reorder.source, source));
    }
    const auto& affine = std::get<Reorder::Affine>(reorder.pattern);
    const auto item = number(affine.item, layout, lane);
    const auto element = number(affine.element, layout, lane);
    if (!item || !element) {
      return is_touched(reorder.source) ? Holds::Garbage : Holds::Number;
    }
    const bool has_items = from.kind == Layout::Kind::Item;
    const bool is_there = *element >= 0 && *element < from.elements && (!has_items || (*item >= 0 && *item < kernel_.shape.wg_size));
    const auto source = static_cast<std::uint64_t>((has_items ? *item * from.elements : 0) + *element);
    return is_there ? computed_from(of(reorder.source, source)) : Holds::Number;
  }

  /// All values are carried at once. A lane gets its dividend in the round with its item's number, and never again.
  bool end_round() {
    std::vector<Holds> next = holds_.contains(result()) ? holds_.at(result()) : std::vector<Holds>(lanes_of(result()), Holds::Number);
    for (std::size_t k = 0; k < body_.yields.size(); ++k) {
      if (k != candidate_.carried && is_touched(body_.yields[k])) {
        return false;
      }
    }
    const Layout layout = kernel_.type_of(result()).layout;
    for (std::uint64_t lane = 0; lane < next.size(); ++lane) {
      if (next[lane] == Holds::Garbage || (next[lane] == Holds::Fresh && lane_at(layout, kernel_.shape, lane).wi != round_)) {
        return false;
      }
      next[lane] = next[lane] == Holds::Fresh ? Holds::Kept : next[lane];
    }
    holds_.clear();
    holds_[argument()] = std::move(next);
    return true;
  }

  /// The outer condition, as it is in each item's own round.
  std::optional<Mask> condition() {
    const auto* keeps = outer_mask();
    if (keeps == nullptr || !is_touched(argument())) {
      return std::nullopt;
    }
    Mask mask{kernel_.type_of(argument()).layout, {}};
    for (const Mask::Comparison& one : keeps->all_of) {
      mask.all_of.push_back(
          {one.left.substitute(counter_, Polynomial(Symbol::item())), one.op, one.right.substitute(counter_, Polynomial(Symbol::item()))});
    }
    mask.all_of.push_back({Polynomial(Symbol::item()), Op::Ge, loop_.from});
    mask.all_of.push_back({Polynomial(Symbol::item()), Op::Lt, loop_.limit});
    for (std::uint64_t lane = 0; lane < lanes_of(argument()); ++lane) {
      const auto truth = truth_of(mask, lane);
      if (!truth || *truth != (of(argument(), lane) != Holds::Number)) {
        return std::nullopt;
      }
    }
    // What holds for all items need not be asked.
    std::erase_if(mask.all_of, [&](const Mask::Comparison& one) {
      const Mask alone{mask.layout, {one}};
      for (std::uint64_t lane = 0; lane < lanes_of(argument()); ++lane) {
        if (truth_of(alone, lane) != true) {
          return false;
        }
      }
      return true;
    });
    return mask;
  }

  const Mask* outer_mask() const {
    for (const Operation& operation : body_.operations) {
      if (operation.results.size() == 1 && operation.results.front() == candidate_.keeps) {
        return std::get_if<Mask>(&operation.node);
      }
    }
    return nullptr;
  }

  const Kernel& kernel_;
  const Candidate& candidate_;
  const For& loop_;
  const Region& body_;
  Symbol counter_;
  std::int64_t round_ = 0;
  std::map<ValueId, std::vector<Holds>> holds_;  ///< what is not there holds what it should
  std::map<ValueId, const Mask*> masks_;
};

class Deferrer {
 public:
  explicit Deferrer(Kernel kernel) : kernel_(std::move(kernel)) {}

  Kernel made() {
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      for (auto k = static_cast<std::uint32_t>(kernel_.regions[region].operations.size()); k-- > 0;) {
        if (const auto candidate = candidate_of({region, k})) {
          if (const auto mask = Search(kernel_, *candidate).found()) {
            defer(*candidate, *mask);
          }
        }
      }
    }
    return std::move(kernel_);
  }

 private:
  /// Where in the body a value is computed, if it is used there once.
  std::optional<std::uint32_t> used_once(RegionId id, ValueId value) const {
    const std::vector<Operation>& operations = kernel_.regions[id].operations;
    const auto found =
        std::ranges::find_if(operations, [&](const Operation& one) { return std::ranges::find(one.results, value) != one.results.end(); });
    return found != operations.end() && uses_within(kernel_, id, value) == 1
               ? std::optional(static_cast<std::uint32_t>(found - operations.begin()))
               : std::nullopt;
  }

  bool is_quotient(const Operation& operation) const {
    const auto* node = std::get_if<Elementwise>(&operation.node);
    return node != nullptr && node->op == Op::Div && is_float(node->operand_type);
  }

  /// Whether the divisor is the same for all elements of an item.
  bool is_alike(const Region& body, ValueId value) const {
    for (const Operation& operation : body.operations) {
      if (operation.results.size() != 1 || operation.results.front() != value) {
        continue;
      }
      if (std::holds_alternative<Spread>(operation.node)) {
        return true;
      }
      const auto* reorder = std::get_if<Reorder>(&operation.node);
      const auto* affine = reorder != nullptr ? std::get_if<Reorder::Affine>(&reorder->pattern) : nullptr;
      return affine != nullptr && !affine->item.mentions(Symbol::element()) && !affine->element.mentions(Symbol::element());
    }
    return false;
  }

  std::optional<Candidate> candidate_of(OperationId id) const {
    const auto* loop = std::get_if<For>(&kernel_.regions[id.region].operations[id.index].node);
    if (loop == nullptr || !has_known_rounds(*loop)) {
      return std::nullopt;
    }
    const Region& body = kernel_.regions[loop->body];
    for (std::size_t carried = 0; carried < body.yields.size(); ++carried) {
      const auto outer = used_once(loop->body, body.yields[carried]);
      const auto* keep = outer ? std::get_if<Select>(&body.operations[*outer].node) : nullptr;
      const Layout layout = kernel_.type_of(body.yields[carried]).layout;
      if (keep == nullptr || layout.kind != Layout::Kind::Item || layout.elements < 2) {
        continue;
      }
      const auto inner = used_once(loop->body, keep->then);
      if (!inner) {
        continue;
      }
      const auto* choice = std::get_if<Select>(&body.operations[*inner].node);
      for (const ValueId arm : choice == nullptr ? std::vector{keep->then} : std::vector{choice->then, choice->otherwise}) {
        const auto quotient = used_once(loop->body, arm);
        if (quotient && is_quotient(body.operations[*quotient]) &&
            is_alike(body, std::get<Elementwise>(body.operations[*quotient].node).operands[1])) {
          return Candidate{id, carried, *quotient, choice == nullptr ? *outer : *inner, keep->condition};
        }
      }
    }
    return std::nullopt;
  }

  void defer(const Candidate& candidate, const Mask& mask) {
    const For loop = std::get<For>(kernel_.regions[candidate.loop.region].operations[candidate.loop.index].node);
    const ValueId counter = kernel_.regions[loop.body].arguments.front();
    const Elementwise quotient = std::get<Elementwise>(kernel_.regions[loop.body].operations[candidate.quotient].node);
    const Layout layout = mask.layout;
    const Element element = Element::of(quotient.operand_type);
    const Type one{element, Layout::item()};
    const ValueId before = add_value(kernel_, one, "no_divisor");
    const ValueId argument = add_value(kernel_, one, "divisor");
    const ValueId own = add_value(kernel_, one, "divisor");
    const ValueId is_own = add_value(kernel_, {truth, Layout::item()}, "is_own");
    const ValueId next = add_value(kernel_, one, "divisor");
    const ValueId divisors = add_value(kernel_, one, "divisors");
    const ValueId dividends = add_value(kernel_, {element, layout}, "dividends");
    const ValueId divisor = add_value(kernel_, {element, layout}, "divisor");
    const ValueId quotients = add_value(kernel_, {element, layout}, "quotients");
    const ValueId is_quotient = add_value(kernel_, {truth, layout}, "is_quotient");

    Region& body = kernel_.regions[loop.body];
    const SourceSpan span = body.operations[candidate.quotient].span;
    const ValueId undivided = body.operations[candidate.quotient].results.front();
    rename_uses(body.operations[candidate.user].node, [&](ValueId used) { return used == undivided ? quotient.operands[0] : used; });
    body.operations.push_back({Reorder{quotient.operands[1], Layout::item(), Reorder::Affine{Polynomial(Symbol::item()), 0}}, {own}, span});
    body.operations.push_back(
        {Mask{Layout::item(), {{Polynomial(Symbol::item()), Op::Eq, Polynomial(Symbol::of(counter))}}}, {is_own}, span});
    body.operations.push_back({Select{is_own, own, argument}, {next}, span});
    body.arguments.push_back(argument);
    body.yields.push_back(next);
    body.operations.erase(body.operations.begin() + candidate.quotient);

    std::vector<Operation>& outside = kernel_.regions[candidate.loop.region].operations;
    Operation& operation = outside[candidate.loop.index];
    const ValueId result = operation.results[candidate.carried];
    operation.results[candidate.carried] = dividends;
    operation.results.push_back(divisors);
    std::get<For>(operation.node).inits.push_back(before);
    const std::vector<Operation> behind = {
        {Spread{divisors, layout}, {divisor}, span},
        {Elementwise{Op::Div, quotient.operand_type, {dividends, divisor}}, {quotients}, span},
        {mask, {is_quotient}, span},
        {Select{is_quotient, quotients, dividends}, {result}, span},
    };
    outside.insert(outside.begin() + candidate.loop.index + 1, behind.begin(), behind.end());
    outside.insert(outside.begin() + candidate.loop.index, Operation{Constant{one, 0}, {before}, span});
  }

  Kernel kernel_;
};

}  // namespace

Kernel with_deferred_quotients(Kernel kernel) { return Deferrer(std::move(kernel)).made(); }

}  // namespace lockstep::emit_cuda
