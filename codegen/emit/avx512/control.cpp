// Structured control: what loops carry is kept in variables, or in arrays that their rounds overwrite.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/emit/avx512/lowering.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

constexpr std::int64_t most_unrolled_rounds = 32;
constexpr std::uint64_t most_unrolled_chunks = 2000;  ///< statements, about, that unrolling a loop may make

}  // namespace

// ---- if -------------------------------------------------------------------------------------------------------------------------------

/// Variables for a value, one for each chunk, to be assigned to.
std::vector<std::string> Lowering::declare(ValueId value, const std::vector<Piece>* first) {
  const Type& type = kernel_.type_of(value);
  std::vector<std::string> names;
  const bool scalar = is_scalar(type.layout);
  const std::uint64_t count = scalar ? 1 : geometry(type.layout).chunks;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::string start = first != nullptr        ? text_of((*first)[k], type)
                              : type.element == truth ? (scalar ? "false" : "0")
                              : scalar                ? number_text(type.element, 0)
                                                      : fmt::format("v::zero<{}>()", vector_type(type.element));
    names.push_back(code_.unique(name_of(value)));
    code_.variable(scalar ? held(type.element) : vector_type(type.element), names.back(), start);
  }
  return names;
}

std::vector<Piece> Lowering::pieces_of(const std::vector<std::string>& names, const Type& type) const {
  std::vector<Piece> pieces;
  for (const std::string& name : names) {
    pieces.push_back({name, is_scalar(type.layout) ? name : "", std::nullopt});
  }
  return pieces;
}

/// The chunks of a small value, wherever it is kept.
std::vector<Piece> Lowering::all_chunks(ValueId value) {
  const Layout layout = kernel_.type_of(value).layout;
  if (is_scalar(layout)) {
    return {kept_[value].chunks.front()};
  }
  std::vector<Piece> pieces;
  for (std::uint64_t k = 0; k < geometry(layout).chunks; ++k) {
    pieces.push_back(chunk(value, position(layout, k)));
  }
  return pieces;
}

void Lowering::branch(const Operation& operation, const If& node) {
  flush();
  const Piece condition = kept_[node.condition].chunks.front();
  const Type of_condition = kernel_.type_of(node.condition);
  if (condition.bits) {
    const RegionId taken = *condition.bits != 0 ? node.then : node.otherwise;
    region(taken);
    for (std::size_t i = 0; i < operation.results.size(); ++i) {
      const ValueId yield = kernel_.regions[taken].yields[i];
      if (is_big(kernel_.type_of(yield).layout)) {
        const std::string array = array_for(operation.results[i]);
        copy(yield, array);
        kept_[operation.results[i]] = {};
        kept_[operation.results[i]].array = array;
      } else {
        define(operation.results[i], all_chunks(yield));
      }
    }
    return;
  }
  const std::string holds = text_of(condition, of_condition);
  std::vector<std::vector<std::string>> variables(operation.results.size());
  for (std::size_t i = 0; i < operation.results.size(); ++i) {
    if (!is_big(kernel_.type_of(operation.results[i]).layout)) {
      variables[i] = declare(operation.results[i], nullptr);
    }
  }
  for (const bool first : {true, false}) {
    code_.open(fmt::format("if ({}{})", first ? "" : "!", holds));
    const RegionId id = first ? node.then : node.otherwise;
    region(id);
    for (std::size_t i = 0; i < operation.results.size(); ++i) {
      const ValueId yield = kernel_.regions[id].yields[i];
      if (is_big(kernel_.type_of(yield).layout)) {
        copy(yield, array_for(operation.results[i]));
        continue;
      }
      const std::vector<Piece> pieces = all_chunks(yield);
      for (std::size_t k = 0; k < pieces.size(); ++k) {
        code_.assign(variables[i][k], fmt::format("{} = {};", variables[i][k], text_of(pieces[k], kernel_.type_of(yield))));
      }
    }
    code_.close();
  }
  for (std::size_t i = 0; i < operation.results.size(); ++i) {
    const ValueId result = operation.results[i];
    if (is_big(kernel_.type_of(result).layout)) {
      kept_[result] = {};
      kept_[result].array = array_for(result);
    } else {
      define(result, pieces_of(variables[i], kernel_.type_of(result)));
    }
  }
}

// ---- what a loop carries -------------------------------------------------------------------------------------------------------------

struct Lowering::Carried {
  std::span<const ValueId> arguments;
  std::vector<std::vector<std::string>> variables;  ///< of each argument, of each chunk
  std::vector<std::string> arrays;                  ///< of each argument that is big
};

/// `home`: the region in which the loop stands.
Lowering::Carried Lowering::carry(std::span<const ValueId> inits, std::span<const ValueId> arguments, const Region& body, RegionId home) {
  Carried carried;
  carried.arguments = arguments;
  carried.variables.resize(inits.size());
  carried.arrays.resize(inits.size());
  for (std::size_t i = 0; i < inits.size(); ++i) {
    const Type& type = kernel_.type_of(inits[i]);
    if (is_big(type.layout)) {
      // What was loaded for the loop alone may be overwritten where it is.
      const bool own = kept_[inits[i]].array == array_of_[inits[i]] && uses_[inits[i]] == 1 && definitions_[inits[i]] != nullptr &&
                       std::holds_alternative<Load>(definitions_[inits[i]]->node) && region_of_[inits[i]] == home;
      carried.arrays[i] = own && !kept_[inits[i]].array.empty() ? kept_[inits[i]].array : array_for(arguments[i]);
      const bool any_number = definitions_[inits[i]] != nullptr && std::holds_alternative<Poison>(definitions_[inits[i]]->node);
      if (!any_number) {
        copy(inits[i], carried.arrays[i]);
      }
      prefer(arguments[i], body.yields[i], body, carried.arrays[i]);
    } else {
      const std::vector<Piece> first = all_chunks(inits[i]);
      carried.variables[i] = declare(arguments[i], &first);
    }
  }
  return carried;
}

/// A value that a round yields may be written where the argument lies, if the argument is not needed once the value is.
void Lowering::prefer(ValueId argument, ValueId yield, const Region& body, const std::string& array) {
  preferred_[yield].clear();
  if (std::ranges::count(body.yields, yield) != 1 || std::ranges::count(body.arguments, yield) != 0 || yield == argument) {
    return;
  }
  // The operation that defines it must be one of the body's own, and the argument's last use; in it the argument is read in the same row.
  std::size_t at = body.operations.size();
  for (std::size_t i = 0; i < body.operations.size(); ++i) {
    const Operation& operation = body.operations[i];
    if (std::ranges::count(operation.results, yield) != 0) {
      const Node& node = operation.node;
      if (std::holds_alternative<If>(node) || std::holds_alternative<For>(node) || std::holds_alternative<Loop>(node) ||
          std::holds_alternative<Vote>(node)) {
        return;
      }
      at = i;
    }
  }
  if (at == body.operations.size() || reads_other_rows(body.operations[at], argument, true)) {
    return;
  }
  bool used_later = std::ranges::count(body.yields, argument) != 0;
  for (std::size_t i = at + 1; i < body.operations.size(); ++i) {
    used_later = used_later || uses(body.operations[i], argument);
  }
  if (!used_later) {
    preferred_[yield] = array;
    preferred_argument_[yield] = argument;
  }
}

/// In the body: the arguments get their values.
void Lowering::bind(const Carried& carried) {
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    const ValueId argument = carried.arguments[i];
    if (!carried.arrays[i].empty()) {
      kept_[argument] = {};
      kept_[argument].array = carried.arrays[i];
    } else {
      define(argument, pieces_of(carried.variables[i], kernel_.type_of(argument)));
    }
  }
}

/// At the body's end: the next values, all at once.
void Lowering::next_round(const Carried& carried, const Region& body) {
  std::vector<std::pair<std::string, std::string>> assignments;
  const auto is_variable = [&](const std::string& text) {
    return std::ranges::any_of(carried.variables, [&](const auto& names) { return std::ranges::count(names, text) != 0; });
  };
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    if (!carried.arrays[i].empty()) {
      continue;
    }
    const Type& type = kernel_.type_of(body.yields[i]);
    const std::vector<Piece> pieces = all_chunks(body.yields[i]);
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      std::string text = text_of(pieces[k], type);
      const std::string& variable = carried.variables[i][k];
      if (text == variable) {
        continue;
      }
      if (is_variable(text)) {
        const std::string kept = code_.unique("before");
        code_.variable(fmt::format("const {}", is_scalar(type.layout) ? held(type.element) : vector_type(type.element)), kept, text);
        text = kept;
      }
      assignments.emplace_back(variable, text);
    }
  }
  // Arrays: what is overwritten and needed elsewhere goes through one of its own.
  std::vector<std::pair<std::size_t, std::string>> moves;
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    const ValueId yield = body.yields[i];
    if (!carried.arrays[i].empty() && yield != carried.arguments[i] && std::ranges::count(carried.arguments, yield) != 0) {
      moves.emplace_back(i, new_array(kernel_.type_of(yield), "before"));
      copy(yield, moves.back().second);
    }
  }
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    if (!carried.arrays[i].empty() && std::ranges::count(carried.arguments, body.yields[i]) == 0) {
      copy(body.yields[i], carried.arrays[i]);
    }
  }
  for (const auto& [i, array] : moves) {
    const Kept before = std::exchange(kept_[body.yields[i]], Kept{});
    kept_[body.yields[i]].array = array;
    copy(body.yields[i], carried.arrays[i]);
    kept_[body.yields[i]] = before;
  }
  for (const auto& [variable, text] : assignments) {
    code_.assign(variable, fmt::format("{} = {};", variable, text));
  }
}

/// Behind the loop: its results are what it carried last.
void Lowering::leave(const Carried& carried, const Operation& operation) {
  for (std::size_t i = 0; i < carried.arguments.size(); ++i) {
    const ValueId result = operation.results[i];
    if (!carried.arrays[i].empty()) {
      kept_[result] = {};
      kept_[result].array = carried.arrays[i];
    } else {
      define(result, pieces_of(carried.variables[i], kernel_.type_of(result)));
    }
  }
}

// ---- loops -----------------------------------------------------------------------------------------------------------------------------

bool Lowering::unrolls(const For& node) const {
  const auto count = rounds(with_known(node.from), with_known(node.limit), node.step);
  if (!count || *count > most_unrolled_rounds) {
    return false;
  }
  const ValueId variable = kernel_.regions[node.body].arguments.front();
  std::uint64_t chunks = 0;
  bool moves = false;
  for (const Operation& operation : kernel_.regions[node.body].operations) {
    if (std::holds_alternative<If>(operation.node) || std::holds_alternative<For>(operation.node) ||
        std::holds_alternative<Loop>(operation.node)) {
      return false;
    }
    const Layout layout = layout_of(kernel_, operation);
    if (is_big(layout)) {
      return false;
    }
    chunks += is_scalar(layout) ? 1 : geometry(layout).chunks;
    if (moves_lanes(kernel_, operation.node)) {
      for_each_polynomial(operation.node, [&](const Polynomial& p) { moves = moves || p.mentions(Symbol::of(variable)); });
    }
  }
  return moves && chunks * static_cast<std::uint64_t>(*count) <= most_unrolled_chunks;
}

/// With groups side by side: the bounds of all loops over rows and columns are known then, and short loops over columns are none.
bool Lowering::unrolls_with_arrays(const For& node) const {
  const auto count = rounds(with_known(node.from), with_known(node.limit), node.step);
  if (!by_groups() || !count || *count > most_unrolled_rounds) {
    return false;
  }
  std::uint64_t columns = 0;
  for (const Operation& operation : kernel_.regions[node.body].operations) {
    if (std::holds_alternative<If>(operation.node) || std::holds_alternative<For>(operation.node) ||
        std::holds_alternative<Loop>(operation.node)) {
      return false;
    }
    columns += layout_of(kernel_, operation).elements;
  }
  return columns * static_cast<std::uint64_t>(*count) <= 8 * most_unrolled_chunks;
}

/// Writes the rounds of a loop one behind the other: its variable is a number in each. Behind the last it is none, as the loop may be
/// written once more: for the next tile, or in the second part of a loop around it.
void Lowering::write_out(const For& node, const std::function<void()>& round) {
  const std::int64_t from = with_known(node.from).constant();
  const std::int64_t count = rounds(with_known(node.from), with_known(node.limit), node.step).value();
  const ValueId variable = kernel_.regions[node.body].arguments.front();
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t number = from + k * node.step;
    const std::string text = number_text(index_element, static_cast<std::uint64_t>(number));
    kept_[variable] = {};
    kept_[variable].chunks = {Piece{text, text, std::nullopt}};
    kept_[variable].number = number;
    round();
  }
  kept_[variable] = {};
}

void Lowering::unrolled(const Operation& operation, const For& node) {
  const Region& body = kernel_.regions[node.body];
  std::vector<std::vector<Piece>> carried;
  for (const ValueId init : node.inits) {
    carried.push_back(all_chunks(init));
  }
  write_out(node, [&] {
    for (std::size_t i = 0; i < carried.size(); ++i) {
      define(body.arguments[i + 1], std::move(carried[i]));
    }
    region(node.body);
    for (std::size_t i = 0; i < carried.size(); ++i) {
      carried[i] = all_chunks(body.yields[i]);
    }
  });
  for (std::size_t i = 0; i < carried.size(); ++i) {
    define(operation.results[i], std::move(carried[i]));
  }
}

std::optional<Range> Lowering::range_of(const Polynomial& from, const Polynomial& limit, std::int64_t step) const {
  const auto count = rounds(from, limit, step);
  if (!count || *count == 0) {
    return std::nullopt;
  }
  const std::int64_t last = from.constant() + (*count - 1) * step;
  return step > 0 ? Range{from.constant(), last} : Range{last, from.constant()};
}

/// Opens the C++ loop; its variable's name.
std::string Lowering::open_for(ValueId variable, const Polynomial& from, const Polynomial& limit, std::int64_t step, bool quiet) {
  const auto number = [&](const Polynomial& p) {
    return p.is_constant() && std::llabs(p.constant()) < (std::int64_t{1} << 31) ? fmt::format("{}", p.constant())
           : p.is_constant() ? number_text(index_element, static_cast<std::uint64_t>(p.constant()))
                             : fmt::format("static_cast<int64_t>({})", index_text(p));
  };
  const std::string begin = number(from);
  const std::string end = number(limit);
  const std::string name = code_.unique(name_of(variable));
  if (rounds(from, limit, step) || step == 1 || step == -1) {
    const std::string next = step == 1    ? fmt::format("++{}", name)
                             : step == -1 ? fmt::format("--{}", name)
                                          : fmt::format("{} += {}", name, step);
    const auto count = rounds(from, limit, step);
    code_.open(fmt::format("for (int64_t {0} = {1}; {0} {2} {3}; {4})", name, begin, step > 0 ? "<" : ">", end, next), name,
               quiet && count && *count > 0);
  } else {
    // The variable must not wrap: the rounds are counted.
    const std::string left = code_.unique("rounds");
    code_.variable("uint64_t", left,
                   fmt::format("v::rounds({}, {}, {})", begin, end, number_text(index_element, static_cast<std::uint64_t>(step))));
    code_.open(fmt::format("for (int64_t {0} = {1}; {2} != 0; --{2}, {0} = v::add({0}, {3}))", name, begin, left,
                           number_text(index_element, static_cast<std::uint64_t>(step))),
               name);
  }
  kept_[variable] = {};
  kept_[variable].chunks = {Piece{name, name, std::nullopt}};
  if (const auto range = range_of(from, limit, step)) {
    value_ranges_[Symbol::of(variable)] = *range;
  }
  return name;
}

/// Where the loop is better cut in two: the variable passes from one chunk of a row to the next, and masks compare elements with it.
std::vector<std::int64_t> Lowering::chunk_cuts(const For& node, std::int64_t from, std::int64_t limit) const {
  const Region& body = kernel_.regions[node.body];
  const Symbol variable = Symbol::of(body.arguments.front());
  std::vector<std::int64_t> result;
  const auto c = static_cast<std::int64_t>(plan_.chunk_lanes);
  std::int64_t length = 0;
  std::size_t size = 0;
  for (const Operation& operation : body.operations) {
    const auto* mask = std::get_if<Mask>(&operation.node);
    size += 1;
    if (mask == nullptr || !has_rows(mask->layout)) {
      continue;
    }
    for (const Mask::Comparison& one : mask->all_of) {
      const Polynomial difference = one.left - one.right;
      if (difference.mentions(variable) && difference.mentions(Symbol::element())) {
        length = std::max(length, static_cast<std::int64_t>(mask->layout.elements));
      }
    }
  }
  constexpr std::int64_t most_parts = 4;
  constexpr std::size_t most_operations = 60;
  if (node.step != 1 || from != 0 || limit > length || size > most_operations || (length + c - 1) / c > most_parts) {
    return result;
  }
  for (std::int64_t cut = c; cut < limit; cut += c) {
    result.push_back(cut);
  }
  return result;
}

void Lowering::rolled_loop(const Operation& operation, const For& node) {
  flush();
  if (unrolls(node)) {
    unrolled(operation, node);
    return;
  }
  const Region& body = kernel_.regions[node.body];
  const Polynomial from = with_known(node.from);
  const Polynomial limit = with_known(node.limit);
  const ValueId variable = body.arguments.front();
  const std::span<const ValueId> arguments(body.arguments);
  const RegionId home = operation.results.empty() ? kernel_.body : region_of_[operation.results.front()];
  const Carried carried = carry(node.inits, arguments.subspan(1), body, home);
  if (unrolls_with_arrays(node)) {
    write_out(node, [&] {
      code_.open("");  // so that no expression in variables is taken for the same one of the round before
      bind(carried);
      const bool before = std::exchange(in_unrolled_, true);
      region(node.body);
      next_round(carried, body);
      code_.close();
      in_unrolled_ = before;
    });
    leave(carried, operation);
    return;
  }
  std::vector<Polynomial> ends{from};
  if (from.is_constant() && limit.is_constant()) {
    for (const std::int64_t cut : chunk_cuts(node, from.constant(), limit.constant())) {
      ends.emplace_back(cut);
    }
  }
  ends.push_back(limit);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    open_for(variable, ends[i], ends[i + 1], node.step, false);
    bind(carried);
    region(node.body);
    next_round(carried, body);
    code_.close();
    value_ranges_.erase(Symbol::of(variable));
  }
  leave(carried, operation);
}

void Lowering::while_loop(const Operation& operation, const Loop& node) {
  flush();
  const Region& body = kernel_.regions[node.body];
  const Carried carried = carry(node.inits, body.arguments, body, region_of_[operation.results.front()]);
  code_.open(fmt::format("while ({})", carried.variables.front().front()));
  bind(carried);
  region(node.body);
  next_round(carried, body);
  code_.close();
  leave(carried, operation);
}

}  // namespace lockstep::emit_avx512
