#include "interpreter/debug/ve/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interpreter/ve/memory.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep {

using ve_machine::MemoryObject;
using ve_machine::Word;

namespace {

constexpr auto types = std::to_array<VeType>({{"f64", ScalarType::Double, 0},
                                              {"f32", ScalarType::Float, 32},
                                              {"i64", ScalarType::Long, 0},
                                              {"u64", ScalarType::ULong, 0},
                                              {"i32", ScalarType::Int, 0},
                                              {"u32", ScalarType::UInt, 0},
                                              {"i16", ScalarType::Short, 0},
                                              {"u16", ScalarType::UShort, 0},
                                              {"i8", ScalarType::Char, 0},
                                              {"u8", ScalarType::UChar, 0},
                                              // The other half of packed numbers.
                                              {"f32lo", ScalarType::Float, 0},
                                              {"i32up", ScalarType::Int, 32},
                                              {"u32up", ScalarType::UInt, 32}});

}  // namespace

const VeType* ve_type_named(std::string_view name) {
  const auto* found = std::ranges::find(types, name, &VeType::name);
  return found == types.end() ? nullptr : found;
}

const VeType& ve_type(std::string_view name) {
  const VeType* found = ve_type_named(name);
  if (found == nullptr) {
    throw InternalError("no type of VE is called " + std::string(name));
  }
  return *found;
}

const VeType& VeView::type_of(ScalarType element) {
  const auto* found = std::ranges::find(types, element, &VeType::type);
  return found == types.end() ? ve_type("u8") : *found;
}

LaneSet VeView::active() const {
  LaneSet set(ve::max_length);
  const ve::Instruction* next = run_->next();
  const ve::Class c = next == nullptr ? ve::Class::Scalar : ve::info(next->row).kind_class;
  if (c == ve::Class::Scalar || c == ve::Class::Memory || c == ve::Class::Control || state().length.undefined != 0) {
    return set;
  }
  const auto active = run_->machine().active_below(static_cast<unsigned>(state().length.bits), *next);
  for (unsigned i = 0; i < active.length; ++i) {
    if (ve_machine::has(active.upper, i) || ve_machine::has(active.lower, i)) {
      set.insert(i);
    }
  }
  return set;
}

KernelValue VeView::value(const Word& word, const VeType& type) {
  const unsigned bits = 8 * type.bytes();
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  if ((word.undefined >> type.shift & mask) != 0) {
    return KernelValue::nothing("nothing was written there");
  }
  std::array<std::uint8_t, 8> bytes{};
  for (unsigned k = 0; k < type.bytes(); ++k) {
    bytes.at(k) = static_cast<std::uint8_t>(word.bits >> (type.shift + 8 * k));
  }
  return KernelValue::scalar(type.type, memory::Machine::number(type.type, std::span(bytes).first(type.bytes())));
}

KernelValue VeView::element(unsigned number, unsigned element, const VeType& type) const {
  const ve_machine::Vector& vector = state().vectors[number];
  return value({vector.elements[element], ve_machine::has(vector.undefined, element) ? ~std::uint64_t{0} : 0}, type);
}

KernelValue VeView::mask_bit(unsigned number, unsigned element) const {
  const ve_machine::Mask& mask = state().masks[number];
  return ve_machine::has(mask.undefined, element) ? KernelValue::nothing("nothing was written there")
                                                  : truth(ve_machine::has(mask.elements, element));
}

KernelValue VeView::length() const {
  return state().length.undefined != 0 ? KernelValue::nothing("no lvl has come before") : count(state().length.bits);
}

LaneSet VeView::mask(unsigned number) const {
  LaneSet set(ve::max_length);
  for (unsigned i = 0; i < ve::max_length; ++i) {
    if (is_true(mask_bit(number, i))) {
      set.insert(i);
    }
  }
  return set;
}

KernelValue VeView::at_address(std::uint64_t address, const VeType& type) const {
  const MemoryObject* object = run_->machine().memory.object_at(address);
  const std::int64_t offset = memory::offset_of(address);
  if (object == nullptr || object->data == nullptr || offset < 0 || static_cast<std::uint64_t>(offset) > object->bytes ||
      object->bytes - static_cast<std::uint64_t>(offset) < type.bytes()) {
    return KernelValue::nothing("it lies outside");
  }
  Word word = read(*object, static_cast<std::uint64_t>(offset), type.bytes());
  return value({word.bits << type.shift, word.undefined << type.shift}, type);
}

KernelValue VeView::buffer_element(std::size_t position, std::int64_t index, const VeType& type) const {
  const auto& buffer = std::get<BufferNumber>(run_->arguments().values[position]);
  const std::uint64_t first = memory::pointer_to(buffer, run_->arguments().buffers[buffer.number].type);
  const auto moved = memory::moved(first, index, type.bytes());
  return moved ? at_address(*moved, type) : KernelValue::nothing("it lies outside");
}

bool VeView::is_address(std::uint64_t address) const {
  const MemoryObject* object = run_->machine().memory.object_at(address);
  const std::int64_t offset = memory::offset_of(address);
  return object != nullptr && offset >= 0 && static_cast<std::uint64_t>(offset) <= object->bytes;
}

const launch::Buffer* VeView::buffer_at(std::uint64_t address) const {
  const std::uint32_t number = memory::object_of(address);
  const auto& buffers = run_->arguments().buffers;
  return number != 0 && number <= buffers.size() ? &buffers[number - 1] : nullptr;
}

// NOLINTBEGIN(bugprone-return-const-ref-from-parameter): there are no types but those of the table
const VeType& VeView::type_at(std::uint64_t address, const VeType& otherwise) const {
  const launch::Buffer* buffer = buffer_at(address);
  if (buffer == nullptr || size_of(buffer->type) != otherwise.bytes()) {
    return otherwise;
  }
  const auto* found = std::ranges::find_if(types, [&](const VeType& t) { return t.type == buffer->type && t.shift == otherwise.shift; });
  return found == types.end() ? otherwise : *found;
}
// NOLINTEND(bugprone-return-const-ref-from-parameter)

std::string VeView::address_text(std::uint64_t address, unsigned bytes) const {
  const MemoryObject* object = run_->machine().memory.object_at(address);
  const launch::Buffer* buffer = buffer_at(address);
  const std::int64_t offset = memory::offset_of(address);
  if (object == nullptr) {
    return fmt::format("0x{:x}", address);
  }
  const std::int64_t size = buffer == nullptr ? 1 : size_of(buffer->type);
  if (buffer == nullptr || (bytes != 0 && bytes != size) || offset % size != 0) {
    return fmt::format("{}{}0x{:x}", object->name, offset < 0 ? "-" : "+", offset < 0 ? -offset : offset);
  }
  const auto& values = run_->arguments().values;
  const auto owner = std::ranges::find_if(values, [&](const ve_machine::ParameterValue& value) {
    const auto* of = std::get_if<BufferNumber>(&value);
    return of != nullptr && &run_->arguments().buffers[of->number] == buffer;
  });
  const auto first = static_cast<std::int64_t>(std::get<BufferNumber>(*owner).first);
  return fmt::format("arg{}[{}]", owner - values.begin(), offset / size - first);
}

}  // namespace lockstep
