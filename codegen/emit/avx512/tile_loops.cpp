// Loops that run within a sweep: a tile goes through all the rounds, what it carries in registers, before the next tile begins.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/emit/avx512/lowering.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

/// Whether a loop's rounds look at what they carry lane by lane only, so that each chunk can go all the way before the next one begins.
bool Lowering::is_local(const For& node, Layout layout) const {
  std::unordered_set<ValueId> inside;
  return is_local(node, layout, inside);
}

bool Lowering::is_local(const For& node, Layout layout, std::unordered_set<ValueId>& inside) const {
  const Region& body = kernel_.regions[node.body];
  inside.insert(body.arguments.begin(), body.arguments.end());
  bool local = !node.inits.empty();
  for (const ValueId init : node.inits) {
    local = local && kernel_.type_of(init).layout == layout;
  }
  for (const Operation& operation : body.operations) {
    inside.insert(operation.results.begin(), operation.results.end());
    if (const auto* inner = std::get_if<For>(&operation.node)) {
      local = local && is_local(*inner, layout, inside);
      continue;
    }
    const Node& node_inside = operation.node;
    if (std::holds_alternative<If>(node_inside) || std::holds_alternative<Loop>(node_inside) || std::holds_alternative<Vote>(node_inside) ||
        stored_place(node_inside) != nullptr || std::holds_alternative<Shuffle>(node_inside)) {
      return false;
    }
    const Layout here = layout_of(kernel_, operation);
    local = local && (here == layout || is_scalar(here));
    if (moves_lanes(kernel_, node_inside)) {
      for_each_plain_operand(node_inside, [&](ValueId source) { local = local && !inside.contains(source); });
    }
  }
  return local;
}

/// What the rounds of a loop within a sweep do; the chunks of its yields are in flight afterwards.
void Lowering::local_round(const Region& body, std::span<const Position> positions) {
  // A load may ask for the masks of all chunks.
  const bool is_plain = std::ranges::none_of(body.operations, [&](const Operation& inner) {
    return std::holds_alternative<For>(inner.node) || std::holds_alternative<Load>(inner.node) || is_scalar(layout_of(kernel_, inner)) ||
           of_row_.contains(inner.results.front());
  });
  if (is_plain) {
    // Chunk by chunk: what one chunk needs for itself lives as short as possible then. Compilers keep this order.
    for (const Operation& inner : body.operations) {
      in_flight_[inner.results.front()] = Slots(positions.size());
    }
    const std::span<const Position> around = std::exchange(tile_, positions);
    for (const Position& position : positions) {
      for (const Operation& inner : body.operations) {
        Piece piece = wanted_chunk(inner, position);
        in_flight_[inner.results.front()][position.slot] = std::move(piece);
      }
    }
    tile_ = around;
    return;
  }
  for (const Operation& inner : body.operations) {
    if (!std::holds_alternative<For>(inner.node) && is_scalar(layout_of(kernel_, inner))) {
      const Piece piece = chunk_of(inner, position(layout_of(kernel_, inner), 0));
      kept_[inner.results.front()] = {};
      kept_[inner.results.front()].chunks = {piece};
    } else {
      emit(inner, positions);
    }
  }
}

Lowering::Slots Lowering::chunks_at(ValueId value, std::span<const Position> positions) {
  Slots pieces;
  for (const Position& position : positions) {
    pieces.push_back(chunk(value, position));
  }
  return pieces;
}

bool Lowering::unrolls_within(const For& node, std::size_t slots) const {
  constexpr std::size_t most_statements = 1500;
  const auto count = rounds(with_known(node.from), with_known(node.limit), node.step);
  const std::vector<Operation>& operations = kernel_.regions[node.body].operations;
  const bool is_innermost = std::ranges::none_of(operations, [](const Operation& o) { return std::holds_alternative<For>(o.node); });
  return count && *count <= most_rounds_unrolled && is_innermost &&
         operations.size() * static_cast<std::size_t>(*count) * slots <= most_statements;
}

void Lowering::unrolled_within(const Operation& operation, const For& node, std::span<const Position> positions) {
  const Region& body = kernel_.regions[node.body];
  std::vector<Slots> carried;
  for (const ValueId init : node.inits) {
    carried.push_back(chunks_at(init, positions));
  }
  write_out(node, [&] {
    for (std::size_t i = 0; i < carried.size(); ++i) {
      in_flight_[body.arguments[i + 1]] = std::move(carried[i]);
    }
    local_round(body, positions);
    for (std::size_t i = 0; i < carried.size(); ++i) {
      carried[i] = chunks_at(body.yields[i], positions);
    }
  });
  for (std::size_t i = 0; i < carried.size(); ++i) {
    in_flight_[operation.results[i]] = std::move(carried[i]);
  }
}

void Lowering::local_loop(const Operation& operation, const For& node, std::span<const Position> positions) {
  if (unrolls_within(node, positions.size())) {
    unrolled_within(operation, node, positions);
    return;
  }
  const Region& body = kernel_.regions[node.body];
  const Polynomial from = with_known(node.from);
  const Polynomial limit = with_known(node.limit);
  std::vector<std::vector<std::string>> variables(node.inits.size());
  for (std::size_t i = 0; i < node.inits.size(); ++i) {
    const Type& type = kernel_.type_of(node.inits[i]);
    for (const Position& position : positions) {
      const std::string first = text_of(chunk(node.inits[i], position), type);
      variables[i].push_back(code_.unique(name_of(body.arguments[i + 1])));
      code_.variable(vector_type(type.element), variables[i].back(), first);
    }
  }
  const ValueId variable = body.arguments.front();
  open_for(variable, from, limit, node.step, true);
  if (const auto count = rounds(from, limit, node.step); count && *count > 0 && node.step == 1) {
    prefetch_in_rounds(Polynomial(Symbol::of(variable)) - from, *count);
  }
  std::vector<Position> inside(positions.begin(), positions.end());
  if (const auto range = value_ranges_.find(Symbol::of(variable)); range != value_ranges_.end()) {
    for (Position& position : inside) {
      position.ranges[range->first] = range->second;
    }
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    in_flight_[body.arguments[i + 1]] = pieces_of(variables[i], kernel_.type_of(node.inits[i]));
  }
  local_round(body, inside);
  std::vector<std::pair<std::string, std::string>> assignments;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Type& type = kernel_.type_of(body.yields[i]);
    for (std::size_t slot = 0; slot < inside.size(); ++slot) {
      std::string text = text_of(chunk(body.yields[i], inside[slot]), type);
      if (text == variables[i][slot]) {
        continue;
      }
      const bool is_variable = std::ranges::any_of(variables, [&](const auto& names) { return std::ranges::count(names, text) != 0; });
      if (is_variable) {
        const std::string before = code_.unique("before");
        code_.variable(fmt::format("const {}", vector_type(type.element)), before, text);
        text = before;
      }
      assignments.emplace_back(variables[i][slot], text);
    }
  }
  for (const auto& [name, text] : assignments) {
    code_.assign(name, fmt::format("{} = {};", name, text));
  }
  code_.close();
  value_ranges_.erase(Symbol::of(variable));
  for (std::size_t i = 0; i < variables.size(); ++i) {
    in_flight_[operation.results[i]] = pieces_of(variables[i], kernel_.type_of(node.inits[i]));
  }
}

}  // namespace lockstep::emit_avx512
