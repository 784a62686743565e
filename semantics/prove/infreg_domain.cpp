#include "semantics/prove/infreg_domain.hpp"

#include "semantics/infreg/evaluate_rules.hpp"
#include "semantics/infreg/with_pack.hpp"
#include "semantics/prove/budget.hpp"

namespace lockstep::prove {

using infreg::Layout;

InfregSymbolic::InfregSymbolic(const infreg::Kernel& kernel, std::vector<MemoryObject>& buffers, const std::vector<Value>& scalars,
                               Explorer& explorer, const InfregRunOptions& options, InfregRun& run)
    : kernel_(kernel), buffers_(buffers), explorer_(explorer), options_(options), run_(run), first_object_(buffers.size() + 1) {
  std::uint64_t all_lanes = 0;
  for (infreg::ValueId value = 0; value < kernel.values.size(); ++value) {
    all_lanes += infreg::lanes(kernel.type_of(value).layout, kernel.shape);
  }
  Budget::reserve(all_lanes, sizeof(OneLane));
  for (infreg::ValueId value = 0; value < kernel.values.size(); ++value) {
    values_.emplace_back(infreg::lanes(kernel.type_of(value).layout, kernel.shape));
  }
  std::size_t next = 1;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const infreg::Parameter& parameter = kernel.parameters[i];
    parameter_objects_.push_back(parameter.is_pointer ? next++ : 0);
    if (!parameter.is_pointer) {
      values_[parameter.value][0] = {scalars[i], Truth(false)};
    }
  }
  for (const infreg::Object& object : kernel.objects) {
    objects_.push_back({object.name, object.element, object.space, object.count, {}});
  }
}

void InfregSymbolic::begin_pack(std::uint64_t first_group) {
  first_group_ = first_group;
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    MemoryObject& object = objects_[k];
    const std::uint64_t copies = object.space == AddressSpace::Constant  ? 1
                                 : object.space == AddressSpace::Private ? std::uint64_t{kernel_.shape.wg_size} * kernel_.shape.wg_pack
                                                                         : kernel_.shape.wg_pack;
    Budget::reserve(object.count * copies, sizeof(Cell));
    if (object.space == AddressSpace::Constant) {
      object.cells.clear();
      for (const std::uint64_t bits : kernel_.objects[k].values) {
        object.cells.push_back({Value::number(object.element, bits), Truth(false), Truth(true)});
      }
      object.cells.resize(object.count, Cell{Value::number(object.element, 0), Truth(false), Truth(true)});
    } else {
      object.cells.assign(object.count * copies, Cell{Value(), Truth(true), Truth(true)});
    }
  }
}

// ---- memory --------------------------------------------------------------------------------------------------------------

InfregSymbolic::Place InfregSymbolic::place(const Base& base, const Number& index, ScalarType type, const infreg::Where& where) {
  const Value pointer = by_cases(base, [&](const Value& p) {
    const Value::Pointer* from = p.as_pointer();
    return from == nullptr ? Value() : Value::pointer(from->object, primitive(Primitive::Plus, from->element, index.value));
  });
  return {pointer, type, where.lane.wg, where.lane.wi, where.kind, where.operation};
}

Truth InfregSymbolic::exists(const Place& place) const {
  return by_cases(place.pointer, [&](const Value& p) {
    const Value::Pointer* to = p.as_pointer();
    if (to == nullptr) {
      return Truth(false);
    }
    const MemoryObject& object = memory(to->object);
    const bool has_copy = object.space == AddressSpace::Private ? place.kind == Layout::Kind::Item
                                                                : object.space != AddressSpace::Local || place.kind != Layout::Kind::Pack;
    return has_copy && object.element == place.type ? within(to->element, object.count) : Truth(false);
  });
}

Truth InfregSymbolic::writable(const Place& place) const {
  return by_cases(place.pointer, [&](const Value& p) {
    const Value::Pointer* to = p.as_pointer();
    return Truth(to != nullptr && memory(to->object).space != AddressSpace::Constant);
  });
}

std::size_t InfregSymbolic::first_cell(const MemoryObject& object, const Place& place) const {
  const std::size_t copy = object.space == AddressSpace::Private ? std::size_t{place.wg} * kernel_.shape.wg_size + place.wi
                           : object.space == AddressSpace::Local ? place.wg
                                                                 : 0;
  return copy * object.count;
}

InfregSymbolic::OneLane InfregSymbolic::read_as(const Place& place, const Truth& condition, Touching how) {
  const Truth here = path_ && condition;
  if (here.known() == false) {
    return nothing();
  }
  const Given given(here);
  const Value pointer = given(place.pointer);
  grow(pointer);
  note(pointer, here, place, how);
  const Cell cell = by_cases(pointer, [&](const Value& p) -> Cell {
    const Value::Pointer* from = p.as_pointer();
    if (from == nullptr) {
      return {Value(), Truth(true), Truth(true)};
    }
    const MemoryObject& object = memory(from->object);
    return read_cell(object.cells, from->element, first_cell(object, place), 1, object.count);
  });
  return {cell.value, cell.poison};
}

void InfregSymbolic::write_as(const Place& place, const Truth& condition, const OneLane& lane, Touching how) {
  const Truth here = path_ && condition;
  if (here.known() == false) {
    return;
  }
  const Given given(here);
  const auto store = [&](const auto& self, const Value& pointer, const Truth& where) -> void {
    if (const Value::Choice* choice = pointer.choice()) {
      self(self, choice->then, where && choice->condition);
      self(self, choice->otherwise, where && !choice->condition);
      return;
    }
    const Value::Pointer* to = pointer.as_pointer();
    if (to == nullptr || to->object == 0) {
      return;
    }
    MemoryObject& object = to->object < first_object_ ? buffers_[to->object - 1] : objects_[to->object - first_object_];
    write_cell(object.cells, where, to->element, first_cell(object, place), 1, object.count,
               {given(lane.word), given(lane.poison), Truth(true)});
  };
  const Value pointer = given(place.pointer);
  grow(pointer);
  note(pointer, here, place, how);
  store(store, pointer, here);
}

InfregSymbolic::OneLane InfregSymbolic::change(const Place& place, const Truth& condition, ScalarType type, AtomicOp op,
                                               const OneLane& compare, const OneLane& operand) {
  const OneLane old = read_as(place, condition, Touching::Changes);
  if ((path_ && condition).known() != false) {
    const MaybePoison next = changed(op, type, {old.word, old.poison}, {compare.word, compare.poison}, {operand.word, operand.poison});
    write_as(place, condition, {next.value, next.poison}, Touching::Changes);
  }
  return old;
}

/// NOLINTNEXTLINE(misc-no-recursion): over the cases of a value
void InfregSymbolic::grow(const Value& pointer) {
  if (options_.unknown_indices == nullptr) {
    return;
  }
  if (const Value::Choice* choice = pointer.choice()) {
    grow(choice->then);
    return grow(choice->otherwise);
  }
  const Value::Pointer* to = pointer.as_pointer();
  if (to != nullptr && to->object != 0 && to->object < first_object_ && prove::grow(buffers_[to->object - 1], to->element)) {
    (*options_.unknown_indices)[to->object - 1] = true;
  }
}

void InfregSymbolic::note(const Value& pointer, const Truth& condition, const Place& place, Touching how) {
  if (!run_.accesses.is_noting()) {
    return;
  }
  const bool whole_pack = place.kind == Layout::Kind::Pack;
  for (std::uint32_t wg = whole_pack ? 0 : place.wg; wg < (whole_pack ? kernel_.shape.wg_pack : place.wg + 1); ++wg) {
    run_.accesses.note(pointer, condition, {first_group_ + wg, place.wi, place_of(place.operation), how});
  }
}

// ---- control -------------------------------------------------------------------------------------------------------------

void InfregSymbolic::demand(const Truth& holds, infreg::Cause cause, const infreg::Where& where) {
  const Truth demanded = implies(path_, holds);
  if (demanded.known() != true) {
    run_.demands.push_back({Demand::Kind::Defined, cause, where.operation, first_group_ + where.lane.wg, where.lane, demanded});
  }
}

bool InfregSymbolic::another_round(const Truth& going, std::uint64_t) {
  const Truth somebody = path_ && going;
  if (const auto known = somebody.known()) {
    return *known && count(1);  // a body may have no operations that count
  }
  Open& loop = open_.back();
  if (!explorer_.possible(somebody)) {
    return false;
  }
  if (++loop.uncertain > options_.rounds) {
    run_.demands.push_back({Demand::Kind::LoopEnds, infreg::Cause::PoisonCondition, loop.id, first_group_, {}, !somebody});
    return false;
  }
  return true;
}

bool InfregSymbolic::count(std::uint64_t lanes) {
  run_.operations += lanes;
  Budget::check(lanes);
  run_.given_up = run_.operations > options_.max_operations;
  return !run_.given_up;
}

bool InfregSymbolic::begin(infreg::OperationId id, std::uint64_t lanes) {
  if (!count(lanes)) {
    return false;
  }
  open_.push_back({id, 0});
  return true;
}

InfregRun run_infreg(const infreg::Kernel& kernel, const std::vector<Value>& scalars, std::vector<MemoryObject>& buffers,
                     Explorer& explorer, const InfregRunOptions& options) {
  InfregRun run;
  if (options.notes_accesses) {
    std::vector<std::uint64_t> counts{0};
    for (const MemoryObject& buffer : buffers) {
      counts.push_back(buffer.count);
    }
    run.accesses = Accesses(counts);
  }
  const auto run_packs = [&](const infreg::Kernel& body, std::uint64_t first, std::uint64_t last) {
    InfregSymbolic domain(body, buffers, scalars, explorer, options, run);
    infreg::Evaluation evaluation(body, domain, options.groups);
    for (std::uint64_t group = first; group < last && !run.given_up; group += body.shape.wg_pack) {
      domain.begin_pack(group);
      evaluation.run_pack(group);
    }
  };
  const std::uint64_t in_packs = options.groups - options.groups % kernel.shape.wg_pack;
  run_packs(kernel, 0, in_packs);
  if (in_packs != options.groups) {
    run_packs(infreg::with_pack(kernel, 1), in_packs, options.groups);
  }
  return run;
}

}  // namespace lockstep::prove
