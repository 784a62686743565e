#include "interpreter/debug/ptx/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interpreter/ptx/specials.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/lane_set_text.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ptx/operations/formats.hpp"

namespace lockstep {

using ptx::Type;
using ptx_machine::Fragment;
using ptx_machine::Object;

namespace {

/// C's type of the same bits; none of 128 bits and of what is no number.
std::optional<ScalarType> scalar_of(Type type) {
  const bool is_signed = ptx::is_signed(type);
  if (type == Type::F32 || type == Type::TF32) {
    return ScalarType::Float;
  }
  if (type == Type::F64) {
    return ScalarType::Double;
  }
  if (type == Type::Pred) {
    return ScalarType::UChar;
  }
  switch (ptx::bits_of(type)) {
    case 8:
      return is_signed ? ScalarType::Char : ScalarType::UChar;
    case 16:
      return is_signed ? ScalarType::Short : ScalarType::UShort;
    case 32:
      return is_signed ? ScalarType::Int : ScalarType::UInt;
    case 64:
      return is_signed ? ScalarType::Long : ScalarType::ULong;
    default:
      return std::nullopt;
  }
}

}  // namespace

KernelValue value_of(Type type, const std::byte* bytes) {
  if (type == Type::F16 || type == Type::BF16) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes, 2);
    const float wide =
        type == Type::F16 ? ptx::operations::widened<ptx::operations::F16>(half) : ptx::operations::widened<ptx::operations::BF16>(half);
    return KernelValue::scalar(ScalarType::Float, std::bit_cast<std::uint32_t>(wide));
  }
  const auto scalar = scalar_of(type);
  if (!scalar) {
    return KernelValue::nothing("it has more than 64 bits");
  }
  return KernelValue::scalar(*scalar, with_type(*scalar, [&]<class T>(T number) -> std::uint64_t {
    std::memcpy(&number, bytes, sizeof number);
    if constexpr (std::is_floating_point_v<T>) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes, sizeof number);
      return bits;
    } else {
      return static_cast<std::uint64_t>(number);  // the sign is spread
    }
  }));
}

Type ptx_type(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
    case ScalarType::UChar:
      return Type::U8;
    case ScalarType::Char:
      return Type::S8;
    case ScalarType::Short:
      return Type::S16;
    case ScalarType::UShort:
      return Type::U16;
    case ScalarType::Int:
      return Type::S32;
    case ScalarType::UInt:
      return Type::U32;
    case ScalarType::Long:
      return Type::S64;
    case ScalarType::ULong:
      return Type::U64;
    case ScalarType::Float:
      return Type::F32;
    case ScalarType::Double:
      break;
  }
  return Type::F64;
}

const Fragment* PtxView::fragment_of(unsigned lane) const {
  const auto& all = block().fragments();
  const auto found = std::ranges::find_if(all, [&](const Fragment& f) { return f.lanes.contains(lane); });
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::size_t> PtxView::level_of(unsigned lane, std::uint32_t function, std::size_t level) const {
  const Fragment* f = fragment_of(lane);
  for (std::size_t k = f == nullptr ? 0 : std::min(level, f->calls.size()) + 1; k-- > 0;) {
    if (function_at(*f, k) == function) {
      return k;
    }
  }
  return std::nullopt;
}

KernelValue PtxView::read(unsigned lane, std::uint32_t function, std::uint32_t index, Type type, std::size_t level) const {
  const ptx_machine::Frame* frame = frame_of(lane, function, level);
  if (frame == nullptr) {
    KernelValue none = KernelValue::nothing(fragment_of(lane) == nullptr ? "the thread has ended" : "the thread is not in that function");
    none.absent = true;
    return none;
  }
  if (!is_defined(lane, function, index, level)) {
    return KernelValue::nothing("nothing has been written to it");
  }
  return value_of(type, frame->row(index) + std::size_t{lane} * frame->row_bytes(index));
}

KernelValue PtxView::special(ptx::Special special, unsigned lane) const {
  using enum ptx::SpecialRegister;
  if (special.name >= Clock && special.name <= GlobaltimerHi) {
    return KernelValue::nothing("it is a counter");
  }
  const std::uint64_t number = ptx_machine::number_of(special, run_->options(), block().index(), lane);
  return KernelValue::scalar(ptx::bits_of(info(special.name).type) == 64 ? ScalarType::ULong : ScalarType::UInt, number);
}

const Object* PtxView::variable(unsigned lane, std::uint32_t function, ptx::resolved::VariableRef variable, std::size_t level) const {
  const ptx_machine::Placement& placement = run_->memory().placement;
  if (!variable.local) {
    return &run_->memory().space[placement.of_module[variable.index]];
  }
  if (const auto number = placement.of_functions[function][variable.index]) {
    return &run_->memory().space[*number];
  }
  const ptx_machine::Frame* frame = frame_of(lane, function, level);
  return frame == nullptr ? nullptr : &run_->memory().space[frame->objects[variable.index]];
}

KernelValue PtxView::element(const Object& object, std::int64_t byte, Type type, unsigned lane) const {
  const std::uint64_t bytes = ptx::bytes_of(type);
  if (byte < 0 || object.bytes < bytes || static_cast<std::uint64_t>(byte) > object.bytes - bytes) {
    return KernelValue::nothing("it lies outside");
  }
  const std::uint64_t at = static_cast<std::uint64_t>(byte) + lane * object.stride;
  if (object.written != nullptr && !std::all_of(object.written + at, object.written + at + bytes, [](std::uint8_t w) { return w != 0; })) {
    return KernelValue::nothing("nothing has been written there");
  }
  return value_of(type, object.data + at);
}

KernelValue PtxView::at_address(ptx::Space space, std::uint64_t address, Type type, unsigned lane) const {
  const Object* object = run_->memory().space.object_at(space, address);
  return object == nullptr ? KernelValue::nothing("nothing lies there")
                           : element(*object, ptx_machine::AddressSpace::offset_in(*object, address), type, lane);
}

std::optional<Type> PtxView::type_of(const Object& object) const {
  const auto& buffers = run_->arguments().buffers;
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    if (&buffer(k) == &object) {
      return ptx_type(buffers[k].type);
    }
  }
  const ptx_machine::Placement& placement = run_->memory().placement;
  for (std::size_t v = 0; v < placement.of_module.size(); ++v) {
    if (placement.of_module[v] == object.number) {
      return program().module().variables[v].type;
    }
  }
  for (std::size_t f = 0; f < placement.of_functions.size(); ++f) {
    for (std::size_t v = 0; v < placement.of_functions[f].size(); ++v) {
      if (placement.of_functions[f][v] == object.number) {
        return program().module().functions[f].variables[v].type;
      }
    }
  }
  return std::nullopt;
}

std::string PtxView::address_text(ptx::Space space, std::uint64_t address, Type type) const {
  const Object* object = run_->memory().space.object_at(space, address);
  if (object == nullptr) {
    return fmt::format("{:#x}", address);
  }
  const std::int64_t byte = ptx_machine::AddressSpace::offset_in(*object, address);
  const auto size = static_cast<std::int64_t>(ptx::bytes_of(type));
  if (byte % size != 0) {
    return fmt::format("byte {} of {}", byte, shortened(object->name));
  }
  const auto own = type_of(*object);
  const bool alike = own && ptx::bits_of(*own) == ptx::bits_of(type) && (ptx::is_float(*own) == ptx::is_float(type) || ptx::is_bits(type));
  const std::string name =
      (object->space == ptx::Space::Param ? "param " : "") + shortened(object->name) + (alike ? "" : fmt::format(".{}", info(type).text));
  return object->bytes == static_cast<std::uint64_t>(size) ? name : fmt::format("{}[{}]", name, byte / size);
}

std::optional<std::uint64_t> PtxView::operand(const Fragment& f, const ptx_machine::Source& source, unsigned lane) const {
  const std::byte* row = nullptr;
  if (source.pooled) {
    row = source.clock ? nullptr : block().pool().row(source.index);
  } else {
    const ptx_machine::Frame* frame = block().frame(f.calls.size(), f.function);
    const bool defined = source.always_defined || (frame->defined(source.index)[lane / 64] >> (lane % 64) & 1U) != 0;
    row = defined ? frame->row(source.index) : nullptr;
  }
  if (row == nullptr) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  std::memcpy(&number, row + std::size_t{lane} * source.bytes, std::min<std::size_t>(source.bytes, 8));
  return number;
}

std::string thread_text(const PtxView& view, unsigned lane) {
  const ptx_machine::Dim3& block = view.run().options().geometry.block;
  const ptx_machine::Dim3 at = block.at(lane);
  return block.y == 1 && block.z == 1 ? std::to_string(lane) : fmt::format("{} ({},{},{})", lane, at.x, at.y, at.z);
}

std::string block_text(const PtxView& view, std::uint64_t block) {
  const ptx_machine::Dim3& grid = view.run().options().geometry.grid;
  const ptx_machine::Dim3 at = grid.at(block);
  return grid.y == 1 && grid.z == 1 ? fmt::format("block {}", block) : fmt::format("block {} ({},{},{})", block, at.x, at.y, at.z);
}

std::string threads_text(const LaneSet& set) { return "threads " + to_text(set); }

}  // namespace lockstep
