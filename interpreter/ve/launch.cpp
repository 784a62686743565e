#include "interpreter/ve/launch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "semantics/base/diagnostic.hpp"
#include "semantics/ve/lines.hpp"

namespace lockstep::ve_machine {

using ve::RelocationType;

namespace {

// Of the ABI.
constexpr unsigned register_arguments = 8;
constexpr unsigned stack_limit_register = 8;
constexpr unsigned link_register = 10;
constexpr unsigned stack_register = 11;
constexpr unsigned entry_register = 12;
constexpr unsigned thread_register = 14;
constexpr std::uint64_t argument_area = 176;  ///< from the stack pointer to where arguments lie
constexpr std::size_t least_stack = 4096;
constexpr std::size_t thread_size = 64;  ///< of what a thread has for itself

std::optional<Routine> routine_named(std::string_view name) {
  for (std::size_t k = 1; k < routine_count; ++k) {
    const auto routine = static_cast<Routine>(k);
    if (name == name_of(routine)) {
      return routine;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> routine_names() {
  std::vector<std::string_view> names;
  for (std::size_t k = 1; k < routine_count; ++k) {
    names.push_back(name_of(static_cast<Routine>(k)));
  }
  return names;
}

/// Where a symbol lies; none if nowhere.
std::optional<std::uint64_t> address_of(const Machine& machine, const ve::Symbol& symbol) {
  if (symbol.absolute) {
    return symbol.value;
  }
  if (symbol.section) {
    return memory::pointer_to(machine.sections[*symbol.section], static_cast<std::int64_t>(symbol.value));
  }
  if (const auto routine = routine_named(symbol.name)) {
    return memory::pointer_to(machine.routines, routine_bytes * static_cast<std::int64_t>(*routine));
  }
  return symbol.weak ? std::optional<std::uint64_t>(0) : std::nullopt;
}

/// Writes addresses into the sections.
std::optional<std::string> relocate(ve::Object& object, const Machine& machine) {
  for (const ve::Relocation& relocation : object.relocations) {
    const ve::Symbol& symbol = object.symbols[relocation.symbol];
    const auto target = address_of(machine, symbol);
    if (!target && relocation.type != RelocationType::None) {
      return fmt::format("{} needs '{}', which nobody has; there are {}", ve::place_text(object, relocation.section, relocation.offset),
                         shortened(symbol.name), fmt::join(routine_names(), ", "));
    }
    const std::uint64_t address = target.value_or(0) + static_cast<std::uint64_t>(relocation.addend);
    const std::uint64_t here = memory::pointer_to(machine.sections[relocation.section], static_cast<std::int64_t>(relocation.offset));
    std::uint64_t value = address;
    switch (relocation.type) {
      case RelocationType::None:
        continue;
      case RelocationType::Quad:
      case RelocationType::Low32:
        break;
      case RelocationType::High32:
        value = address >> 32U;
        break;
      case RelocationType::RelativeLow32:
        value = address - here;
        break;
      case RelocationType::RelativeHigh32:
        value = (address - here) >> 32U;
        break;
      case RelocationType::Long:
      case RelocationType::Relative32:
        value = relocation.type == RelocationType::Long ? address : address - here;
        if (static_cast<std::int64_t>(value) != static_cast<std::int32_t>(value)) {
          return fmt::format("{}: the address of '{}' does not fit into 32 bits",
                             ve::place_text(object, relocation.section, relocation.offset), shortened(symbol.name));
        }
        break;
    }
    std::memcpy(object.sections[relocation.section].bytes.data() + relocation.offset, &value,
                relocation.type == RelocationType::Quad ? 8 : 4);
  }
  return std::nullopt;
}

void add_buffers(Machine& machine, Arguments& arguments) {
  for (std::size_t k = 0; k < arguments.buffers.size(); ++k) {
    launch::Buffer& buffer = arguments.buffers[k];
    const auto owner = std::ranges::find_if(arguments.values, [&](const ParameterValue& value) {
      const auto* of = std::get_if<BufferNumber>(&value);
      return of != nullptr && of->number == k;
    });
    machine.memory.add({fmt::format("argument {}", owner - arguments.values.begin()), buffer.bytes.data(), buffer.bytes.size(), {}, {}});
  }
}

void add_sections(Machine& machine, ve::Object& object) {
  for (ve::Section& section : object.sections) {
    const bool writable = section.writable && !section.executable;
    machine.sections.push_back(machine.memory.add(
        {fmt::format("section '{}'", shortened(section.name)), section.bytes.data(), section.bytes.size(), {true, writable}, {}}));
  }
}

std::uint64_t register_value(const ParameterValue& value, const std::vector<launch::Buffer>& buffers) {
  if (const auto* of = std::get_if<BufferNumber>(&value)) {
    return memory::pointer_to(*of, buffers[of->number].type);
  }
  return std::get<std::uint64_t>(value);
}

/// The registers and the stack as a call finds them.
void enter(Machine& machine, const Arguments& arguments, std::uint32_t stack, std::uint32_t thread) {
  auto& s = machine.state.scalars;
  MemoryObject& room = *machine.memory.object(stack);
  const std::uint64_t passed = arguments.values.size() > register_arguments ? 8 * arguments.values.size() : 0;
  const std::uint64_t top = (room.bytes - argument_area - passed - 64) & ~std::uint64_t{15};
  for (std::size_t k = 0; k < arguments.values.size(); ++k) {
    const Word word = defined(register_value(arguments.values[k], arguments.buffers));
    if (k < register_arguments) {
      s[k] = word;
    } else {
      write(room, top + argument_area + 8 * k, 8, word);
    }
  }
  s[stack_limit_register] = defined(memory::pointer_to(stack));
  s[link_register] = defined(memory::pointer_to(machine.routines));
  s[stack_register] = defined(memory::pointer_to(stack, static_cast<std::int64_t>(top)));
  s[thread_register] = defined(memory::pointer_to(thread));
  machine.state.masks[0] = {all_lanes, Lanes{}};
}

}  // namespace

std::expected<const ve::Symbol*, std::string> find_kernel(const ve::Object& object, const std::string& wanted) {
  std::vector<std::string> names;
  const ve::Symbol* found = nullptr;
  for (const ve::Symbol* function : ve::functions_of(object)) {
    names.push_back(shortened(function->name));
    found = wanted.empty() || function->name == wanted ? function : found;
  }
  if (names.empty()) {
    return std::unexpected("the object has no function");
  }
  if (wanted.empty() && names.size() > 1) {
    return std::unexpected(fmt::format("--kernel: the object has several functions: {}", fmt::join(names, ", ")));
  }
  if (found == nullptr) {
    return std::unexpected(fmt::format("--kernel: the object has no function '{}'; it has: {}", shortened(wanted), fmt::join(names, ", ")));
  }
  return found;
}

std::expected<std::unique_ptr<Call>, std::string> prepare(const ve::Object& object, const ve::Decoder& decoder, const ve::Symbol& kernel,
                                                          Arguments& arguments, const LaunchOptions& options) {
  auto call = std::make_unique<Call>();  // 150 KB of registers
  Machine& machine = call->machine;
  call->loaded = object;
  call->stack.resize(std::max(options.stack_bytes, least_stack + 8 * arguments.values.size()) & ~std::size_t{63});
  call->thread.resize(thread_size);
  add_buffers(machine, arguments);
  add_sections(machine, call->loaded);
  machine.routines = machine.memory.add({"the library functions", nullptr, 0, {false, false}, {}});
  if (const auto problem = relocate(call->loaded, machine)) {
    return std::unexpected(*problem);
  }
  auto code = ve::decode(decoder, call->loaded);
  if (!code) {
    return std::unexpected(code.error());
  }
  call->code = std::move(*code);
  std::vector<std::uint8_t> states(call->stack.size(), uninitialised);
  const std::uint32_t stack = machine.memory.add({"the stack", call->stack.data(), call->stack.size(), {}, std::move(states)});
  const std::uint32_t thread = machine.memory.add({"the thread's block", call->thread.data(), call->thread.size(), {true, false}, {}});
  enter(machine, arguments, stack, thread);
  const Word entry = defined(*address_of(machine, kernel));
  machine.state.scalars[entry_register] = entry;
  machine.counters.rows.resize(ve::rows().size());
  if (machine.jump(entry)) {
    machine.state.place = machine.next;
  }
  return call;
}

std::expected<Outcome, std::string> run(const ve::Object& object, const ve::Decoder& decoder, const ve::Symbol& kernel,
                                        Arguments& arguments, const LaunchOptions& options) {
  const auto call = prepare(object, decoder, kernel, arguments, options);
  if (!call) {
    return std::unexpected(call.error());
  }
  Machine& machine = (*call)->machine;
  run(machine, (*call)->code, options.max_steps);
  return Outcome{machine.fault, machine.counters, machine.cost.cycles(), machine.state.scalars[0]};
}

std::string place_text(const ve::Object& object, const Place& place) {
  return ve::place_text(object, place.section, place.index * ve::instruction_bytes);
}

std::string render(const ve::Object& object, const ve::Decoder& decoder, const Fault& fault) {
  std::string text = fmt::format("{}:{}: error: {}\n", object.name, place_text(object, fault.place), fault.message);
  const std::span<const std::byte> bytes(object.sections[fault.place.section].bytes);
  const std::size_t at = fault.place.index * ve::instruction_bytes;
  if (at + ve::instruction_bytes <= bytes.size() && object.sections[fault.place.section].executable) {
    const ve::Lines lines = ve::read_lines(object);
    const std::string line = ve::line_name(lines, lines.at[fault.place.section][fault.place.index]);
    text += fmt::format("    {}{}\n", decoder.text(bytes.subspan(at, ve::instruction_bytes)), line.empty() ? line : "   from " + line);
  }
  return text;
}

}  // namespace lockstep::ve_machine
