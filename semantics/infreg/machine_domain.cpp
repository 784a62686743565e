#include "semantics/infreg/machine_domain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "semantics/infreg/walk.hpp"

namespace lockstep::infreg {

namespace {

constexpr std::uint64_t bytes_per_lane = sizeof(std::uint64_t) + sizeof(std::uint8_t);

}  // namespace

MachineDomain::MachineDomain(const Kernel& kernel, std::span<const Argument> arguments, std::vector<Buffer>& buffers,
                             const EvaluateOptions& options, Progress& progress)
    : kernel_(kernel), progress_(progress), most_lane_operations_(options.limits.lane_operations), observer_(options.observer) {
  std::optional<Slots> slots = place_values(kernel, options.limits.bytes / bytes_per_lane);
  if (!slots) {
    progress_.stopped = LimitReached{fmt::format("the values of one pack need more than {} bytes", options.limits.bytes)};
    return;
  }
  slots_ = std::move(*slots);
  make_objects(arguments, buffers, options.limits.bytes - slots_.lanes * bytes_per_lane);
  if (!stopped()) {
    bits_.resize(slots_.lanes);
    poison_.resize(slots_.lanes);
    set_scalars(arguments);
  }
}

void MachineDomain::make_objects(std::span<const Argument> arguments, std::vector<Buffer>& buffers, std::uint64_t most_bytes) {
  if (arguments.size() != kernel_.parameters.size()) {
    throw InternalError("an evaluation needs one argument for each parameter");
  }
  objects_.resize(1);
  for (Buffer& buffer : buffers) {
    if (buffer.bytes.size() != buffer.count * size_of(buffer.type) || buffer.poison.size() != buffer.count) {
      throw InternalError("a buffer's bytes and flags do not fit its count");
    }
    objects_.push_back({"", buffer.type, AddressSpace::Global, buffer.count, buffer.bytes.data(), buffer.poison.data()});
  }
  parameters_.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = kernel_.parameters[i];
    const auto* buffer = std::get_if<BufferNumber>(&arguments[i]);
    if ((buffer != nullptr) != parameter.is_pointer || (buffer != nullptr && buffer->number >= buffers.size()) ||
        (buffer != nullptr && buffer->first > buffers[buffer->number].count)) {
      throw InternalError("an argument does not fit its parameter");
    }
    if (buffer != nullptr) {
      parameters_[i] = {1 + buffer->number, static_cast<std::int64_t>(buffer->first)};
      MemoryObject& object = objects_[1 + buffer->number];
      if (object.element != parameter.scalar) {
        throw InternalError("a buffer has another type than its parameter");
      }
      object.name += (object.name.empty() ? "%" : " = %") + parameter.name;
    }
  }
  first_object_ = objects_.size();
  for (const Object& object : kernel_.objects) {
    make_object(object, most_bytes);
    if (stopped()) {
      return;
    }
  }
  for (std::size_t i = 0; i < storage_.size(); ++i) {
    objects_[first_object_ + i].bytes = storage_[i].bytes.data();
    objects_[first_object_ + i].poison = storage_[i].poison.data();
  }
}

void MachineDomain::make_object(const Object& object, std::uint64_t& bytes_left) {
  std::uint64_t copies = object.space == AddressSpace::Private ? std::uint64_t{kernel_.shape.wg_size} * kernel_.shape.wg_pack
                         : object.space == AddressSpace::Local ? kernel_.shape.wg_pack
                                                               : 1;
  const std::uint64_t each = size_of(object.element) + 1;
  if (object.count > bytes_left / each / std::max<std::uint64_t>(copies, 1)) {
    progress_.stopped = LimitReached{fmt::format("%{} has {} elements in {} copies; there is no room for them below the limit of memory",
                                                 object.name, object.count, copies)};
    return;
  }
  const std::uint64_t cells = object.count * copies;
  bytes_left -= cells * each;
  Storage storage{std::vector<std::byte>(cells * size_of(object.element)), std::vector<std::uint8_t>(cells)};
  for (std::size_t i = 0; i < object.values.size(); ++i) {
    std::memcpy(storage.bytes.data() + i * size_of(object.element), &object.values[i], size_of(object.element));
  }
  storage_.push_back(std::move(storage));
  objects_.push_back({"%" + object.name, object.element, object.space, object.count, nullptr, nullptr});
}

void MachineDomain::set_scalars(std::span<const Argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!kernel_.parameters[i].is_pointer) {
      set(lanes(kernel_.parameters[i].value), 0, {std::get<ScalarBits>(arguments[i]).bits, false});
    }
  }
}

bool MachineDomain::begin_pack(std::uint64_t first_group) {
  first_group_ = first_group;
  for (std::size_t i = 0; i < storage_.size(); ++i) {
    if (kernel_.objects[i].space != AddressSpace::Constant) {
      if (!spend(storage_[i].poison.size())) {
        return false;
      }
      std::fill(storage_[i].poison.begin(), storage_[i].poison.end(), std::uint8_t{1});
    }
  }
  return spend(1);
}

MachineDomain::Base MachineDomain::base(Word pointer) const {
  const std::uint32_t number = memory::object_of(pointer);
  const MemoryObject& object = objects_[number < objects_.size() ? number : 0];
  return {&object, memory::element_of(pointer, size_of(object.element))};
}

MachineDomain::OneLane MachineDomain::moved(Word pointer, Number index, ScalarType element) {
  const std::optional<Word> sum = memory::moved(pointer, index, size_of(element));
  return {sum.value_or(0), !sum};
}

MachineDomain::OneLane MachineDomain::distance(Word p, Word q, ScalarType element) {
  const std::optional<std::int64_t> elements = memory::distance(p, q, size_of(element));
  return {static_cast<Word>(elements.value_or(0)), !elements};
}

MachineDomain::OneLane MachineDomain::compared(Op op, Word p, Word q) {
  const bool answer = infreg::holds(op, static_cast<std::int64_t>(p), static_cast<std::int64_t>(q));
  return {from_truth(answer), memory::misordered(op, p, q)};
}

bool MachineDomain::spend(std::uint64_t lane_operations) {
  if (lane_operations > most_lane_operations_ - progress_.lane_operations) {
    progress_.stopped = LimitReached{fmt::format("more than {} operations on lanes", most_lane_operations_)};
    return false;
  }
  progress_.lane_operations += lane_operations;
  return true;
}

namespace {

std::string sentence(Cause cause, const MachineDomain::Place* place, Layout::Kind kind, ScalarType wanted) {
  switch (cause) {
    case Cause::PoisonMask:
      return "the mask is poison";
    case Cause::PoisonAddress:
      return "the address is poison";
    case Cause::PoisonCondition:
      return "the condition is poison";
    case Cause::PoisonBound:
      return "a bound of the loop is poison";
    case Cause::ReadOnly:
      return fmt::format("{} is constant and cannot be written", place->object->name);
    case Cause::NoSuchCell:
      break;
  }
  const MemoryObject& object = *place->object;
  if (object.bytes == nullptr && object.name.empty()) {
    return "the pointer points to nothing";
  }
  if (static_cast<std::uint64_t>(place->element) >= object.count) {
    return fmt::format("index {} lies outside of {}, which has {} element{}", place->element, object.name, object.count,
                       object.count == 1 ? "" : "s");
  }
  if (object.element != wanted) {
    return fmt::format("{} has elements of type {}, not {}", object.name, info(object.element).name, info(wanted).name);
  }
  return fmt::format("{} belongs to each {}: an access for {} cannot say whose is meant", object.name,
                     object.space == AddressSpace::Private ? "item" : "group",
                     kind == Layout::Kind::Pack ? "the whole pack" : "a whole group");
}

}  // namespace

void MachineDomain::fail(Cause cause, const Where& where, const Place* place) {
  if (stopped()) {
    return;
  }
  const Operation& operation = kernel_.regions[where.operation.region].operations[where.operation.index];
  Undefined undefined;
  undefined.operation = where.operation;
  undefined.span = operation.span;
  undefined.group = first_group_ + where.lane.wg;
  if (where.kind == Layout::Kind::Item) {
    undefined.item = where.lane.wi;
  }
  undefined.element = where.lane.ix;
  undefined.sentence = sentence(cause, place, where.kind, accessed_type(kernel_, operation.node));
  progress_.stopped = std::move(undefined);
}

void MachineDomain::observe(OperationId id, const Operation& operation) {
  views_.clear();
  for (const ValueId value : operation.results) {
    const Type& type = kernel_.type_of(value);
    const std::uint64_t count = infreg::lanes(type.layout, kernel_.shape);
    const Lanes row = lanes(value);
    views_.push_back({value, type, {row.bits, count}, {row.poison, count}});
  }
  observer_({id, operation, first_group_, kernel_.shape, views_});
}

}  // namespace lockstep::infreg
