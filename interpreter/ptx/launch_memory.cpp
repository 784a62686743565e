#include "interpreter/ptx/launch_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace lockstep::ptx_machine {

namespace resolved = ptx::resolved;
using ptx::Space;

namespace {

/// log2 of the bytes that marks are kept for together: 4, or less where the module has accesses that are narrower.
unsigned granule_shift(const resolved::Module& module) {
  unsigned shift = 2;
  for (const resolved::Function& function : module.functions) {
    for (const resolved::Instruction& i : function.code) {
      const ptx::Kind kind = ptx::info(i.form).kind;
      if (kind == ptx::Kind::Load || kind == ptx::Kind::Store || kind == ptx::Kind::Atomic) {
        const Space space = ptx::space_of(i.modifiers);
        if (space != Space::Param && space != Space::Local && space != Space::Const) {
          shift = std::min(shift, static_cast<unsigned>(std::countr_zero(ptx::bytes_of(i.types[0]))));
        }
      }
    }
  }
  return shift;
}

}  // namespace

LaunchMemory::LaunchMemory(const resolved::Module& module, std::uint32_t kernel, Arguments& arguments, const LaunchOptions& options)
    : module_(module), arguments_(arguments), options_(options) {
  placement.kernel = kernel;
}

std::optional<std::string> LaunchMemory::make() {
  for (std::size_t k = 0; k < arguments_.buffers.size(); ++k) {
    launch::Buffer& buffer = arguments_.buffers[k];
    Object object;
    object.name = buffer_name(k);
    object.data = buffer.bytes.data();
    object.bytes = buffer.bytes.size();
    buffers_.push_back(add(std::move(object)));
  }
  for (const resolved::VariableInfo& variable : module_.variables) {
    placement.of_module.push_back(add_variable(variable));
  }
  for (const resolved::Function& function : module_.functions) {
    auto& objects = placement.of_functions.emplace_back(function.variables.size());
    for (std::size_t v = 0; v < function.variables.size(); ++v) {
      const Space lies = function.variables[v].space;
      if (lies == Space::Global || lies == Space::Shared || lies == Space::Const) {
        objects[v] = add_variable(function.variables[v]);
      }
    }
  }
  const resolved::Function& kernel = module_.functions[placement.kernel];
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const std::uint32_t variable = std::get<resolved::VariableRef>(kernel.parameters[k]).index;
    placement.of_functions[placement.kernel][variable] = add_parameter(kernel.variables[variable], arguments_.values[k]);
  }
  for (const auto& [variable, number] : initialised_) {
    if (!problem_) {
      set_initial(*variable, space[number]);
    }
  }
  return problem_;
}

void LaunchMemory::begin_block() {
  for (const std::uint32_t number : shared_) {
    Object& object = space[number];
    std::memset(object.written, 0, object.bytes);
    object.unwritten = object.bytes;
    object.open = false;
  }
}

std::optional<std::string> LaunchMemory::watch() {
  const unsigned shift = granule_shift(module_);
  for (std::uint32_t k = 0; k < space.size(); ++k) {
    Object& object = space[k];
    if (object.space == Space::Global || object.space == Space::Shared) {
      take(Marks::bytes_for(object.bytes, shift));
      if (problem_) {
        return problem_;
      }
      marks_.push_back(std::make_unique<Marks>(object.bytes, shift, object.space == Space::Shared));
      object.marks = marks_.back().get();
    }
  }
  return std::nullopt;
}

void LaunchMemory::take(std::uint64_t bytes) {
  if (bytes > options_.memory_limit - taken_) {
    problem_ = fmt::format("the launch takes more than {} bytes of memory (--memory-limit)", options_.memory_limit);
    return;
  }
  taken_ += bytes;
}

std::string LaunchMemory::buffer_name(std::size_t number) const {
  const resolved::Function& kernel = module_.functions[placement.kernel];
  for (std::size_t k = 0; k < arguments_.values.size(); ++k) {
    const auto* of = std::get_if<BufferNumber>(&arguments_.values[k]);
    if (of != nullptr && of->number == number) {
      return kernel.variables[std::get<resolved::VariableRef>(kernel.parameters[k]).index].name;
    }
  }
  return fmt::format("buffer {}", number);
}

std::uint32_t LaunchMemory::add(Object object) {
  const std::string name = object.name;
  const auto number = space.add(std::move(object));
  if (!number) {
    problem_ = problem_ ? problem_ : fmt::format("'{}' does not fit into its space of addresses", shortened(name));
  }
  return number.value_or(0);
}

/// Bytes that live as long as the launch.
std::byte* LaunchMemory::bytes(std::uint64_t count) {
  take(count);
  storage_.emplace_back(problem_ ? 0 : count);
  return storage_.back().data();
}

std::uint32_t LaunchMemory::add_variable(const resolved::VariableInfo& variable) {
  const bool dynamic = variable.space == Space::Shared && variable.is_extern;
  if (dynamic && dynamic_) {
    return *dynamic_;  // all of them begin at one place
  }
  Object object;
  object.name = variable.name;
  object.space = variable.space;
  object.bytes = dynamic ? options_.shared_bytes : variable.bytes;
  object.data = bytes(object.bytes);
  object.writable = variable.space != Space::Const;
  const bool has_written = variable.space == Space::Shared || !variable.zeroed;
  if (has_written && !problem_) {
    take(object.bytes);
    written_.emplace_back(problem_ ? 0 : object.bytes);
    object.written = written_.back().data();
    object.unwritten = problem_ ? 0 : object.bytes;
  }
  const std::uint32_t number = add(std::move(object));
  if (!variable.initial.empty()) {
    initialised_.emplace_back(&variable, number);
  }
  if (variable.space == Space::Shared) {
    shared_.push_back(number);
    dynamic_ = dynamic ? std::optional(number) : dynamic_;
  }
  return number;
}

std::uint32_t LaunchMemory::add_parameter(const resolved::VariableInfo& variable, const ParameterValue& value) {
  Object object;
  object.name = variable.name;
  object.space = Space::Param;
  object.bytes = variable.bytes;
  object.data = bytes(variable.bytes);
  object.writable = false;
  if (problem_) {
    return 0;
  }
  if (const auto* given = std::get_if<ParameterBytes>(&value)) {
    std::memcpy(object.data, given->bytes.data(), std::min<std::size_t>(given->bytes.size(), variable.bytes));
    return add(std::move(object));
  }
  std::uint64_t address = 0;
  if (const auto* of = std::get_if<BufferNumber>(&value)) {
    address = space[buffers_[of->number]].address + of->first * size_of(arguments_.buffers[of->number].type);
  } else {
    resolved::VariableInfo pointee;
    pointee.name = variable.name;
    pointee.space = Space::Shared;
    pointee.bytes = std::get<SharedMemory>(value).bytes;
    address = space[add_variable(pointee)].address;
  }
  if (problem_) {
    return 0;
  }
  std::memcpy(object.data, &address, std::min<std::size_t>(variable.bytes, 8));
  return add(std::move(object));
}

void LaunchMemory::set_initial(const resolved::VariableInfo& variable, Object& object) {
  for (const resolved::InitialBytes& value : variable.initial) {
    std::array<std::uint64_t, 2> bits{};
    if (const auto* number = std::get_if<resolved::Constant>(&value.value)) {
      bits = number->bits;
    } else {
      bits[0] = symbol(std::get<resolved::InitialBytes::Symbol>(value.value));
    }
    if (value.offset > object.bytes || value.bytes > object.bytes - value.offset) {
      problem_ = fmt::format("'{}' has an initial value outside of its bytes", shortened(variable.name));
      return;
    }
    std::memcpy(object.data + value.offset, bits.data(), std::min<std::size_t>(value.bytes, sizeof bits));
    for (std::uint32_t k = 0; object.written != nullptr && k < value.bytes; ++k) {
      std::uint8_t& written = object.written[value.offset + k];
      object.unwritten -= 1U - written;
      written = 1;
    }
  }
}

std::uint64_t LaunchMemory::symbol(const resolved::InitialBytes::Symbol& symbol) const {
  std::uint64_t address = 0;
  if (const auto* function = std::get_if<resolved::FunctionRef>(&symbol.target)) {
    address = address_of_function(function->index);
  } else {
    const auto& of = std::get<resolved::AddressOf>(symbol.target);
    const Object& object = space[placement.of_module[of.variable.index]];
    address = object.address + static_cast<std::uint64_t>(of.offset);
    address = symbol.generic ? AddressSpace::to_generic(object.space, address) : address;
  }
  address += static_cast<std::uint64_t>(symbol.offset);
  return symbol.mask == 0 ? address : (address & symbol.mask) >> std::countr_zero(symbol.mask);
}

}  // namespace lockstep::ptx_machine
