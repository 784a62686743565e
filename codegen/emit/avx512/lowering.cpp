#include "codegen/emit/avx512/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "codegen/emit/avx512/inside.hpp"
#include "codegen/emit/avx512/sweeps.hpp"
#include "codegen/emit/avx512/whole.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

bool is_control(const Node& node) {
  return std::holds_alternative<If>(node) || std::holds_alternative<For>(node) || std::holds_alternative<Loop>(node);
}

/// Which loaded values may be read where they lie: no store that could meet them stands between the load and their last use.
class Views {
 public:
  struct Load {
    ValueId value;
    ParameterId parameter;
    std::size_t at;
    std::size_t last;
    std::vector<RegionId> home;
  };
  struct Store {
    std::optional<ParameterId> parameter;  ///< none: through a pointer
    std::size_t at;
  };

  explicit Views(const Kernel& kernel) : kernel_(kernel) { walk(kernel.body); }

  std::vector<Load> loads;
  std::vector<Store> stores;

 private:
  void walk(RegionId id) {
    path_.push_back(id);
    for (const Operation& operation : kernel_.regions[id].operations) {
      const std::size_t at = ++now_;
      for_each_use(operation.node, [&](ValueId value) { use(value, at); });
      if (const auto* load = std::get_if<infreg::Load>(&operation.node)) {
        const auto* of = std::get_if<OfParameter>(&load->place.base);
        if (of != nullptr && !load->mask && !load->place.lanes) {
          where_[operation.results.front()] = loads.size();
          loads.push_back({operation.results.front(), of->id, at, at, path_});
        }
      } else if (const Place* stored = stored_place(operation.node)) {
        const auto* of = std::get_if<OfParameter>(&stored->base);
        if (!std::holds_alternative<OfObject>(stored->base)) {
          stores.push_back({of == nullptr ? std::nullopt : std::optional(of->id), at});
        }
      }
      const bool is_loop = std::holds_alternative<For>(operation.node) || std::holds_alternative<infreg::Loop>(operation.node);
      const std::size_t before = used_inside_.size();
      for_each_region(operation.node, [&](RegionId region) { walk(region); });
      if (is_loop) {
        // What is used in a round is used in the last one.
        const std::size_t end = ++now_;
        for (std::size_t i = before; i < used_inside_.size(); ++i) {
          Load& load = loads[used_inside_[i]];
          if (load.home.size() <= path_.size()) {
            load.last = std::max(load.last, end);
          }
        }
      }
    }
    const std::size_t end = ++now_;
    for (const ValueId yield : kernel_.regions[id].yields) {
      use(yield, end);
    }
    path_.pop_back();
  }

  void use(ValueId value, std::size_t at) {
    if (const auto found = where_.find(value); found != where_.end()) {
      loads[found->second].last = std::max(loads[found->second].last, at);
      used_inside_.push_back(found->second);
    }
  }

  const Kernel& kernel_;
  std::size_t now_ = 0;
  std::vector<RegionId> path_;
  std::unordered_map<ValueId, std::size_t> where_;
  std::vector<std::size_t> used_inside_;
};

}  // namespace

Lowering::Lowering(const Kernel& kernel, Shape shape, const Plan& plan, Code& code, Tables& tables, std::vector<std::string> names)
    : kernel_(kernel),
      shape_(shape),
      plan_(plan),
      code_(code),
      tables_(tables),
      parameters_(std::move(names)),
      scalars_(kernel, parameters_),
      kept_(kernel.values.size()),
      definitions_(kernel.values.size()),
      region_of_(kernel.values.size()),
      uses_(kernel.values.size()),
      in_memory_(kernel.values.size()),
      column_reads_(kernel.values.size()),
      only_for_(kernel.values.size()),
      view_allowed_(kernel.values.size()),
      array_of_(kernel.values.size()),
      preferred_(kernel.values.size()),
      preferred_argument_(kernel.values.size()) {}

bool moves_lanes(const Kernel& kernel, const Node& node) {
  if (const auto* spread = std::get_if<Spread>(&node)) {
    return kernel.type_of(spread->source).layout.kind != Layout::Kind::Pack;
  }
  return std::holds_alternative<Reorder>(node) || std::holds_alternative<Shuffle>(node);
}

Layout layout_of(const Kernel& kernel, const Operation& operation) {
  const auto* store = std::get_if<Store>(&operation.node);
  return kernel.type_of(store != nullptr ? store->value : operation.results.front()).layout;
}

void Lowering::run() {
  bind();
  find_ahead();
  begin_prefetch();
  region(kernel_.body);
  end_prefetch();
}

/// Finds the values that are wanted where one mask holds: the first arm of one choice, and what is spread or computed for nothing else.
void Lowering::find_choices() {
  for (const Region& region : kernel_.regions) {
    for (auto operation = region.operations.rbegin(); operation != region.operations.rend(); ++operation) {
      const auto* choice = std::get_if<Select>(&operation->node);
      if (choice != nullptr && uses_[choice->then] == 1) {
        only_for_[choice->then] = choice;
        continue;
      }
      const bool passes_on = std::holds_alternative<Spread>(operation->node) || std::holds_alternative<Elementwise>(operation->node);
      if (passes_on && only_for_[operation->results.front()] != nullptr) {
        for_each_plain_operand(operation->node, [&](ValueId operand) {
          if (uses_[operand] == 1) {
            only_for_[operand] = only_for_[operation->results.front()];
          }
        });
      }
    }
  }
}

/// Whether nobody wants the chunk: the choice that it is for takes the other arm, whatever the elements of its items are.
bool Lowering::is_unwanted(const Operation& operation, const Position& position) {
  const Select* choice = operation.results.size() == 1 ? only_for_[operation.results.front()] : nullptr;
  const Operation* condition = choice == nullptr ? nullptr : definitions_[choice->condition];
  const auto* mask = condition == nullptr ? nullptr : std::get_if<Mask>(&condition->node);
  if (mask == nullptr || position.is_flat || remaking_) {
    return false;
  }
  Ranges ranges = position.ranges;
  if (mask->layout != position.layout) {
    ranges[Symbol::element()] = {0, std::int64_t{mask->layout.elements} - 1};
    if (position.layout.kind != Layout::Kind::Item) {
      ranges[Symbol::item()] = Range(0, std::int64_t{shape_.wg_size} - 1);
    }
  }
  return std::ranges::any_of(mask->all_of, [&](const Mask::Comparison& one) {
    const std::optional<bool> decided = decide({with_known(one.left), one.op, with_known(one.right)}, ranges);
    return decided == false;
  });
}

void Lowering::bind() {
  symbols_[Symbol{Symbol::Kind::Group, 1}] = "group";
  for (RegionId id = 0; id < kernel_.regions.size(); ++id) {
    const Region& region = kernel_.regions[id];
    for (const Operation& operation : region.operations) {
      for (const ValueId result : operation.results) {
        region_of_[result] = id;
      }
      for_each_use(operation.node, [&](ValueId value) { ++uses_[value]; });
      if (!is_control(operation.node) && operation.results.size() == 1) {
        definitions_[operation.results.front()] = &operation;
      }
      if (moves_lanes(kernel_, operation.node)) {
        for_each_plain_operand(operation.node, [&](ValueId source) { in_memory_[source] = true; });
      }
      const auto* reordering = std::get_if<Reorder>(&operation.node);
      const auto* pattern = reordering == nullptr ? nullptr : std::get_if<Reorder::Affine>(&reordering->pattern);
      if (pattern != nullptr && reordering->layout == Layout::item() && pattern->item == Polynomial(Symbol::item()) &&
          !pattern->element.mentions(Symbol::item())) {
        ++column_reads_[reordering->source];
      }
    }
    for (const ValueId yield : region.yields) {
      ++uses_[yield];
    }
  }
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    if (!kernel_.parameters[i].is_pointer) {
      const Element element = Element::of(kernel_.parameters[i].scalar);
      const bool narrow = size_of(element.scalar) < 4 && element != truth;
      const std::string text = narrow ? fmt::format("{}({})", held(element), parameters_[i]) : parameters_[i];
      const Piece piece{text, text, std::nullopt};
      kept_[kernel_.parameters[i].value].chunks = {piece};
    }
  }
  is_loaded_.resize(kernel_.parameters.size());
  stores_through_.resize(kernel_.parameters.size());
  for (const Region& region : kernel_.regions) {
    for (const Operation& operation : region.operations) {
      const auto* load = std::get_if<Load>(&operation.node);
      const auto* address = std::get_if<AddressOf>(&operation.node);
      const auto* store = std::get_if<Store>(&operation.node);
      const auto* atomic = std::get_if<Atomic>(&operation.node);
      if (atomic != nullptr && std::holds_alternative<OfParameter>(atomic->place.base)) {
        ++stores_through_[std::get<OfParameter>(atomic->place.base).id];
        is_loaded_[std::get<OfParameter>(atomic->place.base).id] = true;
      } else if (store != nullptr && std::holds_alternative<OfParameter>(store->place.base)) {
        ++stores_through_[std::get<OfParameter>(store->place.base).id];
      } else if (load != nullptr && std::holds_alternative<OfParameter>(load->place.base)) {
        is_loaded_[std::get<OfParameter>(load->place.base).id] = true;
      } else if (address != nullptr && std::holds_alternative<OfParameter>(address->object)) {
        is_loaded_[std::get<OfParameter>(address->object).id] = true;
      }
    }
  }
  // A table names lanes, not places in a buffer.
  std::unordered_set<ValueId> of_tables;
  for (const Region& region : kernel_.regions) {
    for (const Operation& operation : region.operations) {
      const auto* reordering = std::get_if<Reorder>(&operation.node);
      if (reordering != nullptr && std::holds_alternative<Reorder::Table>(reordering->pattern)) {
        of_tables.insert(reordering->source);
      }
    }
  }
  find_choices();
  const Views views(kernel_);
  for (const Views::Load& load : views.loads) {
    bool allowed = !of_tables.contains(load.value);
    for (const Views::Store& store : views.stores) {
      if (store.at <= load.at ||
          store.at > load.last) {  // also the store that writes the value itself: a chunk before the next one is read
        continue;
      }
      const bool elsewhere = store.parameter && *store.parameter != load.parameter;
      asked_apart_ = asked_apart_ || elsewhere;
      allowed = allowed && elsewhere && plan_.parameters_apart;
    }
    view_allowed_[load.value] = allowed;
  }
  for (const Object& object : kernel_.objects) {
    const Element element = Element::of(object.element);
    if (object.space == AddressSpace::Constant) {
      std::vector<std::string> numbers;
      for (const std::uint64_t bits : object.values) {
        numbers.push_back(object.element == ScalarType::Bool ? ((bits & 1) != 0 ? "1" : "0") : number_text(element, bits));
      }
      objects_.push_back(table(in_memory(element), object.name, numbers));
      continue;
    }
    const std::uint64_t each = object.space == AddressSpace::Private ? std::uint64_t{shape_.wg_pack} * shape_.wg_size : shape_.wg_pack;
    const std::string name = code_.unique(object.name);
    arrays_.push_back({in_memory(element), name, each * object.count, each * object.count * size_of(object.element)});
    objects_.push_back(name);
  }
}

void Lowering::region(RegionId id) {
  const std::vector<Operation>& operations = kernel_.regions[id].operations;
  const Operation* guard = id == kernel_.body && plan_.whole_packs ? guard_of_kernel() : nullptr;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    operation(operations[i]);
    if (&operations[i] == guard) {
      assume(guard->results.front());
    }
  }
  flush();
}

/// A node that is computed again where it is used: from numbers of the pack alone.
bool Lowering::is_cheap(const Node& node) const {
  if (const auto* spread = std::get_if<Spread>(&node)) {
    return is_scalar(kernel_.type_of(spread->source).layout);
  }
  return std::holds_alternative<Constant>(node) || std::holds_alternative<Poison>(node) || std::holds_alternative<Index>(node) ||
         std::holds_alternative<Mask>(node);
}

bool Lowering::is_view(const Operation& operation, const Load& node) const {
  return !by_groups() && view_allowed_[operation.results.front()] && !is_scalar(node.type.layout) &&
         std::holds_alternative<OfParameter>(node.place.base) && node.type.element != truth;
}

void Lowering::operation(const Operation& operation) {
  if (const auto* node = std::get_if<If>(&operation.node)) {
    branch(operation, *node);
    return;
  }
  if (const auto* node = std::get_if<Loop>(&operation.node)) {
    while_loop(operation, *node);
    return;
  }
  if (const auto* node = std::get_if<For>(&operation.node)) {
    const Layout layout = operation.results.empty() ? Layout::pack() : kernel_.type_of(operation.results.front()).layout;
    if (!is_scalar(layout) && is_local(*node, layout)) {
      enqueue(operation, layout);
    } else {
      rolled_loop(operation, *node);
    }
    return;
  }
  if (const auto* node = std::get_if<Vote>(&operation.node)) {
    flush();
    vote(operation, *node);
    return;
  }
  const Layout layout = layout_of(kernel_, operation);
  if (is_scalar(layout)) {
    scalar_operation(operation);
    return;
  }
  const ValueId result = operation.results.empty() ? 0 : operation.results.front();
  if (!operation.results.empty() && is_cheap(operation.node) && !in_memory_[result]) {
    kept_[result] = {};
    kept_[result].again = &operation;
    return;
  }
  if (const auto* load = std::get_if<Load>(&operation.node);
      load != nullptr && by_groups() && is_whole(load->place, load->access, load->mask, load->type, plan_.chunk_lanes)) {
    load_whole(operation, *load);
    return;
  }
  if (const auto* store = std::get_if<Store>(&operation.node);
      store != nullptr && by_groups() &&
      is_whole(store->place, store->access, store->mask, kernel_.type_of(store->value), plan_.chunk_lanes)) {
    store_whole(*store);
    return;
  }
  if (const auto* load = std::get_if<Load>(&operation.node); load != nullptr && is_view(operation, *load)) {
    if (conflicts(operation)) {
      flush();  // nobody waits for the load, so what is stored there has to be done
    }
    kept_[result] = {};
    kept_[result].view = View{std::get<OfParameter>(load->place.base).id, load->place.index, load->access};
    return;
  }
  enqueue(operation, layout);
}

void Lowering::scalar_operation(const Operation& operation) {
  if (uses_waiting(operation) || conflicts(operation)) {
    flush();
  }
  const Layout layout = layout_of(kernel_, operation);
  const Piece piece = chunk_of(operation, position(layout, 0));
  if (!operation.results.empty()) {
    define(operation.results.front(), {piece});
  } else {
    code_.memory_changes();
  }
}

void Lowering::flush() {
  if (waiting_.empty()) {
    return;
  }
  const std::vector<const Operation*> phase = waiting_;
  // Which results somebody behind the sweep needs.
  std::unordered_map<ValueId, std::uint32_t> used_here;
  for (const Operation* operation : phase) {
    for_each_inside(kernel_, *operation, [&](const Operation& inner) {
      for_each_use(inner.node, [&](ValueId value) { ++used_here[value]; });
      for_each_region(inner.node, [&](RegionId region) {
        for (const ValueId yield : kernel_.regions[region].yields) {
          ++used_here[yield];
        }
      });
    });
  }
  std::vector<ValueId> outputs;
  for (const Operation* operation : phase) {
    for (const ValueId result : operation->results) {
      if (uses_[result] > used_here[result]) {
        outputs.push_back(result);
      }
    }
  }
  const Layout layout = waiting_layout_;
  const bool big = is_big(layout);
  has_outputs_ = !outputs.empty();
  std::vector<std::vector<Piece>> chunks(outputs.size());
  if (big) {
    for (const ValueId value : outputs) {
      kept_[value] = {};
      kept_[value].array = preferred_[value].empty() ? array_for(value) : preferred_[value];
    }
  }
  const bool flat = outputs.empty() && std::ranges::all_of(phase, [&](const Operation* operation) { return is_flat(*operation); });
  const auto go = [&](const Body& body) { flat ? sweep_flat(layout, body) : sweep_layout(layout, body); };
  if (!flat && !joins_rows(layout)) {
    stage_stores(phase);
  }
  go([&](std::span<const Position> positions) {
    in_flight_.clear();
    for (const Operation* operation : phase) {
      emit(*operation, positions);
    }
    std::vector<std::pair<std::string, std::string>> stores;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      for (const Position& position : positions) {
        const Piece piece = in_flight_.at(outputs[i])[position.slot];
        if (!big) {
          chunks[i].push_back(piece);
          continue;
        }
        if (!preferred_[outputs[i]].empty() && kept_[outputs[i]].array == preferred_[outputs[i]]) {
          const Piece before = read_own(preferred_argument_[outputs[i]], position);
          if (before.text == piece.text) {
            continue;
          }
        }
        stores.emplace_back(kept_[outputs[i]].array, store_text(outputs[i], position, piece));
      }
    }
    for (auto& [array, text] : stores) {
      code_.assign(array, std::move(text));
    }
    code_.memory_changes();
  });
  store_staged();
  in_flight_.clear();
  waiting_.clear();
  if (!big) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      define(outputs[i], std::move(chunks[i]));
    }
  }
}

/// One operation of a phase, for the chunks of a tile.
void Lowering::emit(const Operation& operation, std::span<const Position> positions) {
  if (const auto* node = std::get_if<For>(&operation.node)) {
    local_loop(operation, *node, positions);
    return;
  }
  Slots pieces;
  if (!operation.results.empty()) {
    if (const auto same = of_row_.find(operation.results.front()); same != of_row_.end()) {
      in_flight_[operation.results.front()] = Slots(positions.size(), same->second);
      return;
    }
  }
  const std::span<const Position> around = std::exchange(tile_, positions);
  for (const Position& position : positions) {
    pieces.push_back(wanted_chunk(operation, position));
  }
  tile_ = around;
  if (!operation.results.empty()) {
    in_flight_[operation.results.front()] = std::move(pieces);
  }
}

Piece Lowering::wanted_chunk(const Operation& operation, const Position& position) {
  if (is_unwanted(operation, position)) {
    const Type& type = kernel_.type_of(operation.results.front());
    return type.element == truth ? mask(0) : uniform(type, number_text(type.element, 0));
  }
  return chunk_of(operation, position);
}

std::string Lowering::store_text(ValueId value, const Position& position, const Piece& piece) {
  const Type& type = kernel_.type_of(value);
  const std::string at = address_text(kept_[value].array, position.place);
  return type.element == truth ? fmt::format("v::store_mask<W>({}, {});", at, mask_text(piece))
                               : fmt::format("v::store({}, {});", at, text_of(piece, type));
}

std::string Lowering::address_text(const std::string& base, const Polynomial& offset) {
  const std::string text = index_text(offset);
  return text == "0" ? base : fmt::format("{} + {}", base, text);
}

/// The value's own array, the same one whenever the value is computed.
std::string Lowering::array_for(ValueId value) {
  if (array_of_[value].empty()) {
    array_of_[value] = new_array(kernel_.type_of(value), name_of(value));
  }
  return array_of_[value];
}

std::string Lowering::new_array(const Type& type, std::string_view wanted) {
  const std::string name = code_.unique(wanted);
  const std::uint64_t count = geometry(type.layout).chunks * plan_.chunk_lanes;
  const std::string element = type.element == truth ? "uint8_t" : held(type.element);
  const std::uint64_t size = type.element == truth ? 1 : element.find("64") != std::string::npos || element == "double" ? 8 : 4;
  arrays_.push_back({element, name, count, count * size});
  return name;
}

/// A value in registers; in memory too if somebody may have to look there.
void Lowering::define(ValueId value, std::vector<Piece> chunks) {
  const Type& type = kernel_.type_of(value);
  kept_[value] = {};
  kept_[value].chunks = std::move(chunks);
  if (in_memory_[value] && !is_scalar(type.layout)) {
    kept_[value].array = array_for(value);
    for (std::size_t k = 0; k < kept_[value].chunks.size(); ++k) {
      code_.assign(kept_[value].array, store_text(value, position(type.layout, k), kept_[value].chunks[k]));
    }
    code_.memory_changes();
  }
}

/// All lanes of the value to an array of its type.
void Lowering::copy(ValueId source, const std::string& array) {
  if (kept_[source].array == array) {
    return;
  }
  const Type& type = kernel_.type_of(source);
  sweep(*this, type.layout, [&](std::span<const Position> positions) {
    for (const Position& position : positions) {
      const Piece piece = chunk(source, position);
      const std::string at = address_text(array, position.place);
      code_.assign(array, type.element == truth ? fmt::format("v::store_mask<W>({}, {});", at, mask_text(piece))
                                                : fmt::format("v::store({}, {});", at, text_of(piece, type)));
    }
  });
  code_.memory_changes();
}

}  // namespace lockstep::emit_avx512
