#include "semantics/infreg/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/infreg/limits.hpp"
#include "semantics/infreg/numbers.hpp"
#include "semantics/infreg/words.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::infreg {

namespace {

constexpr std::size_t shortest_run = 4;  // equal numbers of a list that are written "0 x 4"

/// A list with runs of equal items abbreviated: "[1, 2, 0 x 14]".
template <class Items, class Text>
std::string list_text(const Items& items, Text&& text_of_item) {
  std::string out = "[";
  for (auto first = items.begin(); first != items.end();) {
    const auto last = std::find_if(first, items.end(), [&](const auto& item) { return item != *first; });
    const auto count = static_cast<std::size_t>(last - first);
    const std::string text = text_of_item(*first);
    const auto separate = [&] { out += out.size() == 1 ? "" : ", "; };
    if (count >= shortest_run) {
      separate();
      out += fmt::format("{} x {}", text, count);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        separate();
        out += text;
      }
    }
    first = last;
  }
  return out + "]";
}

/// The text of one operation or polynomial.
class Words {
 public:
  explicit Words(const Kernel& kernel) : kernel_(kernel) {}

  // ---- names and types -----------------------------------------------------------------------------------------------------

  std::string value(ValueId id) const { return id < kernel_.values.size() ? "%" + kernel_.values[id].name : fmt::format("%?{}", id); }
  std::string values(const std::vector<ValueId>& ids) const {
    std::string out;
    for (const ValueId id : ids) {
      out += (out.empty() ? "" : ", ") + value(id);
    }
    return out;
  }
  std::string parameter(ParameterId id) const {
    return id < kernel_.parameters.size() ? "%" + kernel_.parameters[id].name : fmt::format("%?{}", id);
  }
  std::string object(ObjectId id) const { return id < kernel_.objects.size() ? "%" + kernel_.objects[id].name : fmt::format("%?{}", id); }
  std::string typed(ValueId id) const {
    return id < kernel_.values.size() ? fmt::format("{} : {}", value(id), text_of(kernel_.values[id].type, kernel_.shape)) : value(id);
  }
  std::string results(const Operation& operation) const {
    std::string out;
    for (const ValueId id : operation.results) {
      out += (out.empty() ? "" : ", ") + typed(id);
    }
    return out.empty() ? "" : out + " = ";
  }

  // ---- polynomials -----------------------------------------------------------------------------------------------------------

  std::string polynomial(const Polynomial& polynomial) const;

  // ---- operations ------------------------------------------------------------------------------------------------------------

  std::string operator()(const Constant& node) const {
    return node.type.element.is_pointer ? "constant null" : "constant " + number_text(node.type.element.scalar, node.bits);
  }
  std::string operator()(const ConstantLanes& node) const { return "lanes " + numbers(node.type.element.scalar, node.bits); }
  std::string operator()(const Poison&) const { return "poison"; }
  std::string operator()(const Index& node) const { return fmt::format("index {{ {} }}", polynomial(node.value)); }
  std::string operator()(const Mask& node) const {
    std::string out;
    for (const Mask::Comparison& comparison : node.all_of) {
      out += fmt::format("{}{} {} {}", out.empty() ? "" : ", ", polynomial(comparison.left), info(comparison.op).text,
                         polynomial(comparison.right));
    }
    return out.empty() ? "mask { }" : fmt::format("mask {{ {} }}", out);
  }
  std::string operator()(const NumGroups&) const { return "num_groups"; }
  std::string operator()(const Spread& node) const { return "spread " + value(node.source); }
  std::string operator()(const Elementwise& node) const {
    const bool has_word = is_elementwise(node.op) && ops::takes(node.op, node.operand_type);
    return fmt::format("{} {}", has_word ? mnemonic(node.op, node.operand_type) : info(node.op).name, values(node.operands));
  }
  std::string operator()(const Select& node) const {
    return fmt::format("select {}, {}, {}", value(node.condition), value(node.then), value(node.otherwise));
  }
  std::string operator()(const Convert& node) const { return "convert " + value(node.source); }
  std::string operator()(const Bitcast& node) const { return "bitcast " + value(node.source); }
  std::string operator()(const Reorder& node) const { return fmt::format("reorder {} {{ {} }}", value(node.source), pattern(node)); }
  std::string operator()(const Shuffle& node) const {
    return fmt::format("shuffle {}, {}, {}", value(node.source), value(node.lane), value(node.mask));
  }
  std::string operator()(const Vote& node) const {
    return fmt::format("{}.{} {}, {}", text_of(node.kind), node.whole_pack ? "pack" : "group", value(node.value), value(node.mask));
  }
  std::string operator()(const AddressOf& node) const {
    return "address " + std::visit([&](auto of) { return base(of); }, node.object);
  }
  std::string operator()(const PointerOffset& node) const {
    return fmt::format("offset {} {}, {}", text_of(node.element), value(node.pointer), value(node.index));
  }
  std::string operator()(const PointerDistance& node) const {
    return fmt::format("distance {} {}, {}", text_of(node.element), value(node.left), value(node.right));
  }
  std::string operator()(const PointerCompare& node) const {
    const bool has_word = is_comparison(node.op);
    return fmt::format("p{} {}, {}", has_word ? mnemonic(node.op, ScalarType::Int) : info(node.op).name, value(node.left),
                       value(node.right));
  }
  std::string operator()(const Load& node) const {
    return fmt::format("load {} {}{}", place(node.place), text_of(node.access), masked(node.mask));
  }
  std::string operator()(const Store& node) const {
    return fmt::format("store {} {}, {}{}", place(node.place), text_of(node.access), value(node.value), masked(node.mask));
  }
  std::string operator()(const Atomic& node) const {
    return fmt::format("{} {} {}, {}{}{}", info(node.op).word, place(node.place), text_of(node.access),
                       node.compare ? value(*node.compare) + ", " : "", value(node.value), masked(node.mask));
  }
  std::string operator()(const If& node) const { return fmt::format("if {} {{", value(node.condition)); }
  std::string operator()(const For& node) const {
    const std::vector<ValueId> arguments = arguments_of(node.body);
    const std::string variable = arguments.empty() ? "%?" : value(arguments.front());
    std::string carried;
    for (std::size_t i = 0; i < node.inits.size(); ++i) {
      carried += (i == 0 ? "" : ", ") + initialised(arguments, i + 1, node.inits[i]);
    }
    return fmt::format("for {} = {} to {} step {}{} {{", variable, polynomial(node.from), polynomial(node.limit), node.step,
                       carried.empty() ? "" : " (" + carried + ")");
  }
  std::string operator()(const Loop& node) const {
    const std::vector<ValueId> arguments = arguments_of(node.body);
    std::string carried;
    for (std::size_t i = 1; i < node.inits.size(); ++i) {
      carried += (i == 1 ? "" : ", ") + initialised(arguments, i, node.inits[i]);
    }
    return fmt::format("loop while {}{} {{", node.inits.empty() ? "%?" : initialised(arguments, 0, node.inits.front()),
                       carried.empty() ? "" : " (" + carried + ")");
  }

  static std::string numbers(ScalarType type, const std::vector<std::uint64_t>& bits) {
    return list_text(bits, [&](std::uint64_t number) { return number_text(type, number); });
  }

 private:
  std::string initialised(const std::vector<ValueId>& arguments, std::size_t i, ValueId init) const {
    return fmt::format("{} = {}", i < arguments.size() ? value(arguments[i]) : "%?", value(init));
  }
  std::vector<ValueId> arguments_of(RegionId id) const {
    return id < kernel_.regions.size() ? kernel_.regions[id].arguments : std::vector<ValueId>{};
  }
  std::string masked(std::optional<ValueId> mask) const { return mask ? ", " + value(*mask) : ""; }

  std::string base(OfParameter of) const { return parameter(of.id); }
  std::string base(OfObject of) const { return object(of.id); }
  std::string base(AtPointer at) const { return value(at.value); }

  std::string place(const Place& place) const {
    const bool only_lanes = place.lanes && place.index == Polynomial(0);
    return fmt::format("{} [{}{}{}]", std::visit([&](auto of) { return base(of); }, place.base), only_lanes ? "" : polynomial(place.index),
                       place.lanes && !only_lanes ? ", " : "", place.lanes ? "lanes " + value(*place.lanes) : "");
  }

  std::string pattern(const Reorder& node) const {
    if (const auto* table = std::get_if<Reorder::Table>(&node.pattern)) {
      return list_text(table->source,
                       [](std::uint32_t lane) { return lane == Reorder::Table::nowhere ? std::string("_") : std::to_string(lane); });
    }
    const auto& affine = std::get<Reorder::Affine>(node.pattern);
    const bool from_items = node.source < kernel_.values.size() && kernel_.type_of(node.source).layout.kind == Layout::Kind::Item;
    const bool to_items = node.layout.kind == Layout::Kind::Item;
    return fmt::format("({}ix) <- ({}{})", to_items ? "wi, " : "", from_items ? polynomial(affine.item) + ", " : "",
                       polynomial(affine.element));
  }

  const Kernel& kernel_;
};

/// A term's place in the text: by its factors as they are written, wg.ix before values before wi before ix; a longer term before its
/// beginning.
struct WrittenTerm {
  std::vector<std::pair<int, std::string>> factors;
  std::int64_t coefficient = 1;
};

WrittenTerm written(const Words& words, const Monomial& term) {
  WrittenTerm result{{}, term.coefficient};
  for (const Symbol symbol : term.factors) {
    switch (symbol.kind) {
      case Symbol::Kind::Group:
        result.factors.emplace_back(0, "wg.ix");
        break;
      case Symbol::Kind::Value:
        result.factors.emplace_back(1, words.value(symbol.value));
        break;
      case Symbol::Kind::Item:
        result.factors.emplace_back(2, "wi");
        break;
      case Symbol::Kind::Element:
        result.factors.emplace_back(3, "ix");
        break;
    }
  }
  std::ranges::sort(result.factors);
  result.factors.emplace_back(4, "");
  return result;
}

/// A number without its sign: exact for the least one too.
std::uint64_t magnitude(std::int64_t number) {
  return number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
}

std::string Words::polynomial(const Polynomial& polynomial) const {
  std::vector<WrittenTerm> terms;
  terms.reserve(polynomial.terms().size());
  for (const Monomial& term : polynomial.terms()) {
    terms.push_back(written(*this, term));
  }
  std::ranges::sort(terms, {}, &WrittenTerm::factors);
  std::string out;
  const auto append = [&](bool negative, const std::string& text) {
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    out += text;
  };
  for (const WrittenTerm& term : terms) {
    std::string text;
    for (std::size_t i = 0; i + 1 < term.factors.size(); ++i) {
      text += (i == 0 ? "" : "*") + term.factors[i].second;
    }
    if (magnitude(term.coefficient) != 1) {
      text += fmt::format("*{}", magnitude(term.coefficient));
    }
    append(term.coefficient < 0, text);
  }
  if (polynomial.constant() != 0 || out.empty()) {
    append(polynomial.constant() < 0, std::to_string(magnitude(polynomial.constant())));
  }
  return out;
}

/// The text of a kernel, line by line.
class Printer {
 public:
  Printer(const Kernel& kernel, const PrintOptions& options)
      : kernel_(kernel), options_(options), words_(kernel), printed_(kernel.regions.size(), false) {
    if (options_.source_lines && kernel_.source != nullptr) {
      origins_.emplace(*kernel_.source);
    }
  }

  std::string run() {
    head();
    region(kernel_.body, 1);
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  void line(std::size_t depth, const std::string& text) {
    out_.append(2 * depth, ' ');
    out_ += text;
    out_ += '\n';
  }

  void comments(LineOf place) {
    if (options_.below) {
      for (const std::string& comment : options_.below(place)) {
        out_ += "; " + printable(comment) + "\n";
      }
    }
  }

  void head() {
    std::string parameters;
    for (const Parameter& parameter : kernel_.parameters) {
      const auto type = text_of(parameter.scalar);
      parameters += fmt::format("{}%{}: {}{}{}", parameters.empty() ? "" : ", ", parameter.name,
                                parameter.is_pointer ? fmt::format("ptr<{}>", type) : std::string(type), parameter.is_const ? " const" : "",
                                parameter.is_restrict ? " restrict" : "");
    }
    line(0, fmt::format("kernel @{}({}) wg_size {} wg_pack {} {{", kernel_.name, parameters, kernel_.shape.wg_size, kernel_.shape.wg_pack));
    comments(std::nullopt);
    for (const Object& object : kernel_.objects) {
      const std::string values = object.space == AddressSpace::Constant ? " = " + Words::numbers(object.element, object.values) : "";
      line(1, fmt::format("{} %{} : {}[{}]{}", name_of(object.space), object.name, text_of(object.element), object.count, values));
    }
  }

  void region(RegionId id, std::size_t depth) {
    if (id >= kernel_.regions.size() || printed_[id] || depth > max_depth) {
      line(depth, "...");
      return;
    }
    printed_[id] = true;
    const Region& region = kernel_.regions[id];
    for (std::size_t i = 0; i < region.operations.size(); ++i) {
      operation(region.operations[i], depth, OperationId{id, static_cast<std::uint32_t>(i)});
    }
    if (!region.yields.empty()) {
      line(depth, "yield " + words_.values(region.yields));
    }
    comments(OperationId{id, static_cast<std::uint32_t>(region.operations.size())});
  }

  void operation(const Operation& operation, std::size_t depth, LineOf place) {
    std::string text = words_.results(operation) + std::visit(words_, operation.node);
    if (origins_) {
      text += fmt::format("  ; line {}", origins_->name(kernel_.source->place(operation.span.begin).line));
    }
    line(depth, text);
    comments(place);
    if (const auto* branch = std::get_if<If>(&operation.node)) {
      region(branch->then, depth + 1);
      if (branch->otherwise >= kernel_.regions.size() || !is_empty(kernel_.regions[branch->otherwise])) {
        line(depth, "} else {");
        region(branch->otherwise, depth + 1);
      }
      line(depth, "}");
    } else if (const auto* counted = std::get_if<For>(&operation.node)) {
      region(counted->body, depth + 1);
      line(depth, "}");
    } else if (const auto* loop = std::get_if<Loop>(&operation.node)) {
      region(loop->body, depth + 1);
      line(depth, "}");
    }
  }

  static bool is_empty(const Region& region) { return region.operations.empty() && region.yields.empty(); }

  const Kernel& kernel_;
  const PrintOptions& options_;
  std::optional<LineOrigins> origins_;
  Words words_;
  std::vector<bool> printed_;
  std::string out_;
};

}  // namespace

std::string print(const Kernel& kernel, const PrintOptions& options) { return Printer(kernel, options).run(); }

std::string print(const Kernel& kernel, const Operation& operation) {
  const Words words(kernel);
  return words.results(operation) + std::visit(words, operation.node);
}

std::string print(const Kernel& kernel, const Polynomial& polynomial) { return Words(kernel).polynomial(polynomial); }

}  // namespace lockstep::infreg
