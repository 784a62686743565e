// Operands: what their names are, and whether they fit the types that the form has there.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "semantics/ptx/fit.hpp"
#include "semantics/ptx/print.hpp"
#include "semantics/ptx/resolve_function.hpp"

namespace lockstep::ptx {
namespace {

/// Whether the instruction may read special registers and addresses of variables: only moves and conversions may.
bool reads_special(const Instruction& instruction) {
  return info(instruction.form).kind == Kind::Move || instruction.form == Form::CvtInteger || instruction.form == Form::CvtIntegerSaturated;
}

bool reads_addresses(const Instruction& instruction) { return info(instruction.form).kind == Kind::Move || instruction.form == Form::Cvta; }

/// Whether `_` may stand in the place of a result.
bool may_be_dropped(const Instruction& instruction, const OperandShape& shape) {
  const FormInfo& row = info(instruction.form);
  const bool of_pair = row.operands.size() > 1 && row.operands[1].behind_bar && row.kind != Kind::Shuffle;
  const bool needed = shape.behind_bar && (row.kind == Kind::Elect || row.form == Form::Lop3Bool);
  return shape.role == OperandRole::Written && (((of_pair || shape.behind_bar) && !needed) || row.kind == Kind::Atomic);
}

resolved::Operand widened(const resolved::Value& value) {
  return std::visit([](const auto& alternative) { return resolved::Operand(alternative); }, value);
}

/// .x .y .z .w, or .r .g .b .a
std::optional<std::uint32_t> component_number(std::string_view component) {
  if (component.size() != 1) {
    return std::nullopt;
  }
  constexpr std::string_view letters = "xyzwrgba";
  const std::size_t at = letters.find(component[0]);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<std::uint32_t>(at % 4));
}

}  // namespace

resolved::Value FunctionResolver::register_value(const Instruction& instruction, const OperandShape& shape, std::optional<Type> type,
                                                 const Name& name, const RegisterName& found, std::uint32_t component) {
  const Type held = found.declaration->type;
  if (type && !fits(held, *type, shape.wider)) {
    error(name.place, fmt::format("{} is {} register, and '{}' has .{} here", quoted(name.text), with_article(held),
                                  print_mnemonic(instruction), info(*type).text));
  }
  if (name.negated && (held != Type::Pred || shape.role == OperandRole::Written)) {
    error(name.place, "only a predicate that is read can have a '!'");
  }
  if (name.element) {
    error(name.place, "a register has no elements");
  } else if (name.offset != 0) {
    error(name.place, "an offset stands behind a register in brackets only");
  }
  return resolved::Register{found.numbers[component], name.negated};
}

resolved::Operand FunctionResolver::special_vector(const Instruction& instruction, const Name& name, SpecialRegister whole) {
  const std::uint32_t elements = vector_size(instruction.modifiers);
  if (elements == 1) {
    error(name.place, fmt::format("{} is several numbers, such as {}.x", quoted(name.text), name.text));
  }
  resolved::Vector vector;
  for (std::uint32_t i = 0; i < elements && i < info(whole).components; ++i) {
    vector.elements.emplace_back(Special{whole, static_cast<std::uint8_t>(i)});
  }
  return vector;
}

std::optional<resolved::Operand> FunctionResolver::special(const Instruction& instruction, const OperandShape& shape, Type type,
                                                           const Name& name) {
  const auto found = special_named(name.text);
  const auto whole = special_named(name.text + ".x");
  if (!found && !whole) {
    return std::nullopt;
  }
  if (shape.role == OperandRole::Written) {
    error(name.place, fmt::format("{} cannot be written", quoted(name.text)));
  } else if (!reads_special(instruction)) {
    error(name.place, fmt::format("only mov and cvt read special registers; 'mov.u32 %r, {};' puts this one into a register", name.text));
  }
  if (!found) {
    return special_vector(instruction, name, whole->name);
  }
  // Of old, 16 bits of them were read.
  const Type held = info(found->name).type;
  const bool half = bits_of(type) == 16 && bits_of(held) == 32 && !is_float(type);
  if (!half && !fits(held, type, shape.wider)) {
    error(name.place, fmt::format("{} is .{}, and '{}' has .{} here", quoted(name.text), info(held).text, print_mnemonic(instruction),
                                  info(type).text));
  }
  return *found;
}

resolved::Operand FunctionResolver::named(const Instruction& instruction, const OperandShape& shape, Type type, const Name& name) {
  const std::size_t dot = name.text.find('.');
  const Named* found = find(std::string_view(name.text).substr(0, dot));
  if (found == nullptr) {
    if (auto special_register = special(instruction, shape, type, name)) {
      return *special_register;
    }
    if (dot != std::string::npos && special_named(name.text.substr(0, dot) + ".x")) {
      error(name.place, fmt::format("{} has the components .x, .y, .z and .w", quoted(name.text.substr(0, dot))));
    } else {
      known(name);  // says that it is not declared
    }
    return resolved::None{};
  }
  if (const auto* registers = std::get_if<RegisterName>(&found->meaning)) {
    if (dot != std::string::npos) {
      const auto component = component_number(std::string_view(name.text).substr(dot + 1));
      if (!component || *component >= registers->numbers.size() || registers->declaration->vector == 1) {
        error(name.place,
              registers->declaration->vector == 1
                  ? fmt::format("{} is no vector, so it has no component .{}", quoted(name.text.substr(0, dot)), name.text.substr(dot + 1))
                  : fmt::format("{} is no component of a vector of {}", quoted(name.text), registers->numbers.size()));
        return resolved::None{};
      }
      return widened(register_value(instruction, shape, type, name, *registers, *component));
    }
    if (registers->numbers.size() == 1) {
      return widened(register_value(instruction, shape, type, name, *registers, 0));
    }
    const std::uint32_t elements = vector_size(instruction.modifiers);
    if (!shape.vector || registers->numbers.size() != elements) {
      error(name.place, fmt::format("{} is a vector of {}, and '{}' has {} here", quoted(name.text), registers->numbers.size(),
                                    print_mnemonic(instruction), elements == 1 ? "one number" : fmt::format("{}", elements)));
      return resolved::None{};
    }
    resolved::Vector vector;
    for (std::uint32_t i = 0; i < elements; ++i) {
      vector.elements.push_back(register_value(instruction, shape, type, name, *registers, i));
    }
    return vector;
  }
  const bool holds_address = !is_float(type) && (bits_of(type) == 32 || bits_of(type) == 64);
  const auto* variable = std::get_if<resolved::VariableRef>(&found->meaning);
  const auto* function = std::get_if<resolved::FunctionRef>(&found->meaning);
  if (variable == nullptr && function == nullptr) {
    error(name.place, fmt::format("{} is no value", quoted(name.text)));
    return resolved::None{};
  }
  if (shape.role == OperandRole::Written) {
    error(name.place, fmt::format("{} is no register", quoted(name.text)));
  } else if (!reads_addresses(instruction)) {
    error(name.place, fmt::format("only mov and cvta read the address of {}; what lies there is read by ld", quoted(name.text)));
  } else if (!holds_address) {
    error(name.place, fmt::format("the address of {} does not fit .{}", quoted(name.text), info(type).text));
  }
  if (variable != nullptr) {
    const resolved::VariableInfo& target = variable_info(*variable);
    if (instruction.form == Form::Cvta && target.space != space_of(instruction.modifiers)) {
      error(name.place,
            fmt::format("{} lies in .{}, not in .{}", quoted(name.text), text_of(target.space), text_of(space_of(instruction.modifiers))));
    }
    const Type element = target.type;
    return resolved::AddressOf{*variable, name.offset + static_cast<std::int64_t>(name.element.value_or(0) * bytes_of(element))};
  }
  return *function;
}

resolved::Value FunctionResolver::number(const Immediate& immediate, Type type) {
  bool cut = false;
  const auto constant = constant_of(immediate.number, type, cut);
  if (!constant) {
    error(immediate.place, constant.error());
  } else if (cut) {
    warning(immediate.place, fmt::format("this number does not fit .{}: its low bits are taken", info(type).text));
  }
  return constant.value_or(resolved::Constant{});
}

/// An element of a vector, or an operand of a form that does not run; without a type anything fits.
resolved::Value FunctionResolver::element(const Instruction& instruction, const OperandShape& shape, std::optional<Type> type,
                                          const Scalar& scalar) {
  if (std::holds_alternative<Sink>(scalar)) {
    return resolved::None{};
  }
  if (const auto* immediate = std::get_if<Immediate>(&scalar)) {
    if (shape.role == OperandRole::Written) {
      error(immediate->place, "a number cannot be written");
    }
    return number(*immediate, type.value_or(Type::B64));
  }
  const auto& name = std::get<Name>(scalar);
  resolved::Operand operand = named(instruction, shape, type.value_or(Type::B64), name);
  return std::visit(
      [&](auto&& value) -> resolved::Value {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, resolved::Vector> || std::is_same_v<T, resolved::Address>) {
          error(name.place, fmt::format("{} is no single number", quoted(name.text)));
          return resolved::None{};
        } else {
          return std::forward<decltype(value)>(value);
        }
      },
      std::move(operand));
}

resolved::Operand FunctionResolver::vector(const Instruction& instruction, const OperandShape& shape, Type type, const Vector& vector) {
  const std::uint32_t elements = vector_size(instruction.modifiers);
  Type element_type = type;
  if (elements > 1 && shape.vector) {
    if (vector.elements.size() != elements) {
      error(vector.place, fmt::format("'{}' has {} elements here, not {}", print_mnemonic(instruction), elements, vector.elements.size()));
      return resolved::None{};
    }
  } else if (shape.packed && is_bits(type)) {
    // The elements share the bits equally.
    const auto many = static_cast<std::uint32_t>(vector.elements.size());
    const std::uint32_t width = many == 0 ? 0 : bits_of(type) / many;
    const auto part = width * many == bits_of(type) && many > 1 ? type_named(fmt::format("b{}", width)) : std::nullopt;
    if (!part || width < 8) {
      error(vector.place, fmt::format("the {} bits of .{} are no {} equal parts", bits_of(type), info(type).text, many));
      return resolved::None{};
    }
    element_type = *part;
  } else {
    error(vector.place, shape.packed ? fmt::format("a vector is put together or taken apart as bits: mov.b{}", bits_of(type))
                                     : fmt::format("'{}' has no vector here", print_mnemonic(instruction)));
    return resolved::None{};
  }
  resolved::Vector resolved;
  for (const Scalar& scalar : vector.elements) {
    if (std::holds_alternative<Sink>(scalar) && shape.role != OperandRole::Written) {
      error(std::get<Sink>(scalar).place, "'_' is no value");
    }
    resolved.elements.push_back(element(instruction, shape, element_type, scalar));
  }
  return resolved;
}

/// Why the instruction does not reach a variable by its name; nothing if it does.
std::string FunctionResolver::unreachable(const Instruction& instruction, resolved::VariableRef variable) const {
  const Space space = space_of(instruction.modifiers);
  const Space lies = variable_info(variable).space;
  if (space != Space::Generic && space != lies) {
    return fmt::format("lies in .{}, not in .{}", text_of(lies), text_of(space));
  }
  if (space == Space::Generic && (lies == Space::Param || lies == Space::Const)) {
    return fmt::format("lies in .{0}, which has to be said: '{1}.{0}'", text_of(lies), info(instruction.form).mnemonic);
  }
  if (instruction.form == Form::Prefetchu && lies != Space::Global) {
    return fmt::format("lies in .{}, and prefetchu takes generic addresses", text_of(lies));
  }
  const bool passed_in = std::ranges::find(to_.parameters, resolved::Parameter(variable)) != to_.parameters.end();
  if (info(instruction.form).kind == Kind::Store && passed_in) {
    return "is a parameter of this function, which cannot be written";
  }
  return "";
}

resolved::Address FunctionResolver::address(const Address& address, const Instruction* instruction) {
  resolved::Address resolved;
  if (const auto* immediate = std::get_if<Immediate>(&address.base)) {
    resolved.base = number(*immediate, Type::B64);
    return resolved;
  }
  const auto& name = std::get<Name>(address.base);
  resolved.offset = name.offset;
  const Named* found = known(name);
  if (found == nullptr) {
    return resolved;
  }
  if (const auto* registers = std::get_if<RegisterName>(&found->meaning)) {
    const std::size_t dot = name.text.find('.');
    const auto component = dot == std::string::npos ? std::optional(0U) : component_number(std::string_view(name.text).substr(dot + 1));
    const Type type = registers->declaration->type;
    if (!component || *component >= registers->numbers.size() || is_float(type) || (bits_of(type) != 32 && bits_of(type) != 64)) {
      error(name.place, fmt::format("{} is {} register, which holds no address", quoted(name.text), with_article(type)));
      return resolved;
    }
    if (name.element) {
      error(name.place, "a register has no elements");
    }
    resolved.base = resolved::Register{registers->numbers[*component]};
    return resolved;
  }
  const auto* variable = std::get_if<resolved::VariableRef>(&found->meaning);
  if (variable == nullptr) {
    error(name.place, fmt::format("{} is no address", quoted(name.text)));
    return resolved;
  }
  const resolved::VariableInfo& target = variable_info(*variable);
  if (instruction != nullptr) {
    if (const std::string why = unreachable(*instruction, *variable); !why.empty()) {
      error(name.place, fmt::format("{} {}", quoted(name.text), why));
    }
  }
  resolved.base = resolved::AddressOf{*variable, 0};
  resolved.offset += static_cast<std::int64_t>(name.element.value_or(0) * bytes_of(target.type));
  return resolved;
}

/// An operand of a form that does not run: names have to be declared, and that is all.
resolved::Operand FunctionResolver::loose(const Operand& operand) {
  if (const auto* name = std::get_if<Name>(&operand)) {
    if (!special_named(name->text)) {
      known(*name);
    }
  } else if (const auto* vector = std::get_if<Vector>(&operand)) {
    for (const Scalar& scalar : vector->elements) {
      std::visit([&](const auto& element) { loose(element); }, scalar);
    }
  } else if (const auto* bracketed = std::get_if<Address>(&operand)) {
    address(*bracketed, nullptr);
  }
  return resolved::None{};
}

resolved::Operand FunctionResolver::operand(const Instruction& instruction, const OperandShape& shape, std::optional<Type> type,
                                            const Operand& operand) {
  if (const auto* bracketed = std::get_if<Address>(&operand)) {
    return address(*bracketed, &instruction);
  }
  if (!type) {
    return resolved::None{};  // labels and callees, which are resolved by themselves
  }
  const std::uint32_t elements = shape.vector ? vector_size(instruction.modifiers) : 1;
  resolved::Operand made = single(instruction, shape, *type, operand);
  if (elements > 1 && !std::holds_alternative<resolved::Vector>(made) && !std::holds_alternative<resolved::None>(made)) {
    error(instruction.mnemonic_place,
          fmt::format("'{}' has {} elements, in braces, where this has one", print_mnemonic(instruction), elements));
  }
  return made;
}

/// What stands for itself: no address, and no label.
resolved::Operand FunctionResolver::single(const Instruction& instruction, const OperandShape& shape, Type type, const Operand& operand) {
  if (const auto* name = std::get_if<Name>(&operand)) {
    return named(instruction, shape, type, *name);
  }
  if (const auto* immediate = std::get_if<Immediate>(&operand)) {
    return widened(number(*immediate, type));
  }
  if (const auto* sink = std::get_if<Sink>(&operand)) {
    if (!may_be_dropped(instruction, shape)) {
      error(sink->place, fmt::format("the result of '{}' cannot be left out", print_mnemonic(instruction)));
    }
    return resolved::None{};
  }
  if (const auto* elements = std::get_if<Vector>(&operand)) {
    return vector(instruction, shape, type, *elements);
  }
  return resolved::None{};
}

void FunctionResolver::operands(const Instruction& instruction, resolved::Instruction& to) {
  const FormInfo& row = info(instruction.form);
  if (row.kind == Kind::Call) {
    return;
  }
  std::size_t next = 0;
  for (const OperandShape& shape : row.operands) {
    if (shape.role == OperandRole::FlagIn || shape.role == OperandRole::FlagOut) {
      to.operands.emplace_back(resolved::Register{carry_flag()});
      continue;
    }
    if (shape.role == OperandRole::Rest || !row.runs()) {
      break;
    }
    to.operands.push_back(operand(instruction, shape, type_of(shape, instruction.types), instruction.operands.at(next++)));
  }
  for (; !row.runs() && next < instruction.operands.size(); ++next) {
    to.operands.push_back(loose(instruction.operands[next]));
  }
  check_numbers(instruction, to);
}

/// Numbers that have to lie in a range.
void FunctionResolver::check_numbers(const Instruction& instruction, const resolved::Instruction& to) {
  const FormInfo& row = info(instruction.form);
  const auto in_range = [&](std::size_t i, std::uint64_t most, std::string_view what) {
    const auto* constant = i < to.operands.size() ? std::get_if<resolved::Constant>(&to.operands[i]) : nullptr;
    if (constant != nullptr && constant->bits[0] > most) {
      error(std::get<Immediate>(instruction.operands[i]).place, fmt::format("{} is from 0 to {}", what, most));
    }
  };
  const bool barrier = row.kind == Kind::BarrierSync || row.kind == Kind::BarrierArrive || row.kind == Kind::BarrierReduce;
  if (barrier) {
    const std::size_t first = row.kind == Kind::BarrierReduce ? 1 : 0;
    in_range(first, 15, "the number of a barrier");
    const auto* threads = first + 1 < to.operands.size() ? std::get_if<resolved::Constant>(&to.operands[first + 1]) : nullptr;
    if (threads != nullptr && (threads->bits[0] % 32 != 0 || threads->bits[0] == 0)) {
      error(std::get<Immediate>(instruction.operands[first + 1]).place, "the threads at a barrier are a multiple of 32");
    }
  } else if (row.form == Form::Pmevent) {
    in_range(0, 15, "the number of an event");
  } else if (row.form == Form::PmeventMask) {
    in_range(0, 0xffff, "a mask of events");
  } else if (row.form == Form::Bfe) {
    in_range(2, 255, "the position of a field");
    in_range(3, 255, "the length of a field");
  } else if (row.form == Form::Bfi) {
    in_range(3, 255, "the position of a field");
    in_range(4, 255, "the length of a field");
  } else if (row.form == Form::Lop3 || row.form == Form::Lop3Bool) {
    in_range(row.form == Form::Lop3 ? 4 : 5, 255, "the table of lop3");
  }
}

}  // namespace lockstep::ptx
