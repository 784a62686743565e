// Vectors and memory.

#include <bit>
#include <cstring>

#include "interpreter/ve/execute.hpp"
#include "interpreter/ve/parts.hpp"
#include "interpreter/ve/rules.hpp"

namespace lockstep::ve_machine {

using ve::Instruction;
using ve::Kind;
using ve::Part;

namespace {

/// Where the elements lie.
struct Addresses {
  std::array<std::uint64_t, ve::max_length> at{};
  Lanes undefined{};
  /// Of elements that are a stride apart, all inside of one object and in their places: the object and the first one's offset. They need no
  /// further question but whether bytes that can be undefined are not.
  MemoryObject* plain = nullptr;
  std::int64_t first = 0;
  std::int64_t stride = 0;
};

/// The elements of a stride from a base on.
Addresses strided(Machine& machine, const Word& base, const Word& stride, unsigned length, unsigned bytes, bool writes) {
  Addresses made;
  if ((base.undefined | stride.undefined) != 0) {
    made.undefined = all_lanes;
    return made;
  }
  for (unsigned i = 0; i < length; ++i) {
    made.at[i] = base.bits + i * stride.bits;
  }
  MemoryObject* object = machine.memory.object_at(base.bits);
  const auto apart = std::bit_cast<std::int64_t>(stride.bits);
  if (length == 0 || object == nullptr || apart <= -memory::offset_limit || apart >= memory::offset_limit) {
    return made;
  }
  const std::int64_t first = memory::offset_of(base.bits);
  const std::int64_t last = first + apart * static_cast<std::int64_t>(length - 1);
  const auto fits = [&](std::int64_t offset) {
    return !memory::misaccess<bool>(offset, bytes, bytes, object->bytes, object->rights, writes).any();
  };
  if (fits(first) && fits(last) && apart % static_cast<std::int64_t>(bytes) == 0) {
    made.plain = object;
    made.first = first;
    made.stride = apart;
  }
  return made;
}

/// The elements in rows of 16: the low 16 bits of the stride lie between those of a row, the others between rows.
Addresses in_rows(const Word& base, const Word& stride, unsigned length) {
  Addresses made;
  made.undefined = (base.undefined | stride.undefined) != 0 ? all_lanes : Lanes{};
  const auto inside = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(stride.bits)});
  const auto rows = static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(stride.bits) >> 16);
  for (unsigned i = 0; i < length; ++i) {
    made.at[i] = base.bits + (i / 16) * rows + (i % 16) * inside;
  }
  return made;
}

Addresses of_elements(const Machine& machine, const ve::Operand& operand, unsigned length) {
  Elements elements;
  elements.set(machine, operand, length);
  Addresses made;
  made.undefined = elements.undefined;
  std::memcpy(made.at.data(), elements.data, length * sizeof made.at[0]);
  return made;
}

/// By the instruction's kind; its first operands say where.
Addresses addresses(Machine& machine, const Instruction& instruction, unsigned length, bool writes) {
  const ve::RowInfo& row = ve::info(instruction.row);
  if (row.kind == Kind::Gather || row.kind == Kind::Scatter) {
    return of_elements(machine, instruction.sources[0], length);
  }
  const Word stride = machine.read(instruction.sources[0]);
  const Word base = machine.read(instruction.sources[1]);
  const bool plain = row.kind == Kind::VectorLoad || row.kind == Kind::VectorStore;
  return plain ? strided(machine, base, stride, length, ve::bytes_of(row.part), writes) : in_rows(base, stride, length);
}

Word address_of(const Addresses& addresses, unsigned i) { return {addresses.at[i], has(addresses.undefined, i) ? ~std::uint64_t{0} : 0}; }

template <Part part>
void load_plain(const Addresses& addresses, unsigned length, std::uint64_t* to) {
  const std::byte* from = addresses.plain->data + addresses.first;
  for (unsigned i = 0; i < length; ++i) {
    std::uint64_t raw = 0;
    std::memcpy(&raw, from + static_cast<std::int64_t>(i) * addresses.stride, ve::bytes_of(part));
    to[i] = widened(part, raw);
  }
}

template <Part part>
void store_plain(const Addresses& addresses, unsigned length, const std::uint64_t* from) {
  std::byte* to = addresses.plain->data + addresses.first;
  for (unsigned i = 0; i < length; ++i) {
    const std::uint64_t raw = narrowed(part, defined(from[i])).bits;
    std::memcpy(to + static_cast<std::int64_t>(i) * addresses.stride, &raw, ve::bytes_of(part));
  }
}

/// Whether all bytes of the elements are numbers.
bool are_numbers(const Addresses& addresses, unsigned length, unsigned bytes) {
  static constexpr std::array<std::uint8_t, 8> numbers = {has_number, has_number, has_number, has_number,
                                                          has_number, has_number, has_number, has_number};
  if (addresses.plain->states.empty()) {
    return true;
  }
  const std::uint8_t* state = addresses.plain->states.data() + addresses.first;
  for (unsigned i = 0; i < length; ++i) {
    if (std::memcmp(state + static_cast<std::int64_t>(i) * addresses.stride, numbers.data(), bytes) != 0) {
      return false;
    }
  }
  return true;
}

/// The elements' bytes are numbers from now on.
void become_numbers(const Addresses& addresses, unsigned length, unsigned bytes) {
  if (!addresses.plain->states.empty()) {
    std::uint8_t* state = addresses.plain->states.data() + addresses.first;
    for (unsigned i = 0; i < length; ++i) {
      std::memset(state + static_cast<std::int64_t>(i) * addresses.stride, has_number, bytes);
    }
  }
}

/// Calls `f` with the part as a constant: one of the four that vectors have.
template <class F>
void with_part(Part part, F&& f) {
  switch (part) {
    case Part::Upper4:
      return f(std::integral_constant<Part, Part::Upper4>());
    case Part::Signed4:
      return f(std::integral_constant<Part, Part::Signed4>());
    case Part::Unsigned4:
      return f(std::integral_constant<Part, Part::Unsigned4>());
    default:
      return f(std::integral_constant<Part, Part::Whole8>());
  }
}

/// Whether an element of the length is undefined.
bool has_undefined(const Vector& vector, unsigned length) {
  return !is_empty(each_word([](std::uint64_t a, std::uint64_t b) { return a & b; }, vector.undefined, lanes_below(length)));
}

}  // namespace

bool vector_load(Machine& machine, const Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active || !is_known(machine, *active)) {
    return false;
  }
  const Part part = ve::info(instruction.row).part;
  const unsigned bytes = ve::bytes_of(part);
  const Addresses from = addresses(machine, instruction, active->length, false);
  Vector made = machine.state.vectors[instruction.result.number];
  unsigned count = 0;
  if (from.plain != nullptr && active->all && are_numbers(from, active->length, bytes)) {
    Vector& result = machine.state.vectors[instruction.result.number];
    with_part(part, [&](auto constant) { load_plain<decltype(constant)::value>(from, active->length, result.elements.data()); });
    set_undefined(result, *active, Lanes{});
    machine.counters.bytes_read += std::uint64_t{bytes} * active->length;
    return true;
  }
  for (unsigned i = 0; i < active->length; ++i) {
    if (!has(active->upper, i)) {
      continue;
    }
    const auto [object, offset] = machine.locate(address_of(from, i), bytes, bytes, false, i);
    if (object == nullptr) {
      return false;
    }
    const Word word = widened(part, read(*object, offset, bytes));
    made.elements[i] = word.bits;
    (word.undefined == 0 ? remove : add)(made.undefined, i);
    ++count;
  }
  machine.state.vectors[instruction.result.number] = made;
  machine.counters.bytes_read += std::uint64_t{bytes} * count;
  return true;
}

bool vector_store(Machine& machine, const Instruction& instruction) {
  const auto active = machine.active(instruction);
  if (!active || !is_known(machine, *active)) {
    return false;
  }
  const ve::RowInfo& row = ve::info(instruction.row);
  const unsigned bytes = ve::bytes_of(row.part);
  const Addresses to = addresses(machine, instruction, active->length, true);
  const Vector& stored = machine.state.vectors[instruction.sources[row.kind == Kind::Scatter ? 3 : 2].number];
  if (to.plain != nullptr && active->all && !has_undefined(stored, active->length)) {
    with_part(row.part, [&](auto constant) { store_plain<decltype(constant)::value>(to, active->length, stored.elements.data()); });
    become_numbers(to, active->length, bytes);
    machine.counters.bytes_written += std::uint64_t{bytes} * active->length;
    return true;
  }
  const auto word = [&](unsigned i) { return narrowed(row.part, {stored.elements[i], has(stored.undefined, i) ? ~std::uint64_t{0} : 0}); };
  std::array<Machine::Access, ve::max_length> places{};
  for (unsigned i = 0; i < active->length; ++i) {
    if (has(active->upper, i)) {
      places[i] = machine.locate(address_of(to, i), bytes, bytes, true, i);
      if (places[i].object == nullptr || !machine.may_store(*places[i].object, word(i), bytes, i)) {
        return false;
      }
    }
  }
  for (unsigned i = 0; i < active->length; ++i) {
    if (places[i].object != nullptr) {
      write(*places[i].object, places[i].offset, bytes, word(i));
      machine.counters.bytes_written += bytes;
    }
  }
  return true;
}

Accesses accesses_of(Machine& machine, const Instruction& instruction) {
  const ve::RowInfo& row = ve::info(instruction.row);
  const bool writes = row.kind_class == ve::Class::VectorStore || row.kind_class == ve::Class::Scatter;
  Accesses made{writes, ve::bytes_of(row.part), {}};
  if (row.kind_class == ve::Class::Memory) {
    made.writes = row.kind != Kind::Load;
    if (const Word address = accessed_address(machine, instruction); address.undefined == 0) {
      made.addresses.emplace_back(0, address.bits);
    }
  } else if ((writes || row.kind_class == ve::Class::VectorLoad || row.kind_class == ve::Class::Gather) &&
             machine.state.length.undefined == 0) {
    const auto active = machine.active_below(static_cast<unsigned>(machine.state.length.bits), instruction);
    const Addresses at = addresses(machine, instruction, active.length, writes);
    for (unsigned i = 0; i < active.length; ++i) {
      if (has(active.upper, i) && !has(active.undefined, i) && !has(at.undefined, i)) {
        made.addresses.emplace_back(i, at.at[i]);
      }
    }
  }
  return made;
}

}  // namespace lockstep::ve_machine
