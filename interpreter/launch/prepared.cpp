#include "interpreter/launch/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "interpreter/launch/code.hpp"
#include "interpreter/launch/races.hpp"
#include "semantics/memory/pointer.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::launch {

namespace {

/// Whether some store may go to a __global buffer.
bool writes_global(const typed::Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const typed::Statement& statement) {
    const typed::Expr* base = typed::stored_base(statement.instruction);
    return base != nullptr && base->type().space == AddressSpace::Global;
  });
}

/// The kernel's parameters that stores name as their base, where every store to a buffer does so and no parameter is given another
/// pointer. Empty: it cannot be told, any buffer may be written.
std::optional<std::set<typed::RegisterId>> stored_parameters(const typed::Program& program) {
  std::set<typed::RegisterId> stored;
  const typed::Function& kernel = program.kernel();
  for (typed::Label pc = 0; pc < program.code.size(); ++pc) {
    const std::optional<typed::Written> written = typed::written_by(program.code[pc].instruction);
    if (pc < kernel.end && written && written->id < kernel.parameter_count && kernel.registers[written->id].type.is_pointer) {
      return std::nullopt;
    }
    const typed::Expr* pointer = typed::stored_base(program.code[pc].instruction);
    if (pointer == nullptr || pointer->type().space != AddressSpace::Global) {
      continue;
    }
    const auto* base = std::get_if<typed::Register>(&pointer->nodes.back().node);
    if (pc >= kernel.end || base == nullptr || base->id >= kernel.parameter_count) {
      return std::nullopt;
    }
    stored.insert(base->id);
  }
  return stored;
}

}  // namespace

PreparedBuffers::PreparedBuffers(const typed::Program& program, const std::vector<Argument>& arguments, std::vector<Buffer>& buffers)
    : states_(buffers.size()), names_(buffers.size()) {
  const bool any_write = writes_global(program);
  const auto stored = stored_parameters(program);
  const typed::Puns puns(program);
  std::set<std::size_t> watched;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (const auto* buffer = std::get_if<BufferNumber>(&arguments[k])) {
      if (any_write && (!stored || stored->contains(static_cast<typed::RegisterId>(k)))) {
        watched.insert(buffer->number);
      }
    }
  }
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (const std::size_t owner = owner_of(arguments, b); owner < arguments.size()) {
      const typed::RegisterInfo& parameter = program.kernel().registers[owner];
      names_[b] = parameter.variable.empty() ? parameter.name : parameter.variable;
    }
    Object object;
    object.data = buffers[b].bytes.data();
    object.count = buffers[b].count;
    object.element = buffers[b].type;
    object.space = AddressSpace::Global;
    object.bytes = puns(object.space, object.element);
    object.number = static_cast<std::uint32_t>(b);
    object.watched = watched.contains(b);
    object.rights = buffers[b].rights;
    object.shared_states = &states_[b];
    object.name = &names_[b];
    objects_.push_back(object);
    uninitialised_.push_back(buffers[b].uninitialised);
  }
  forget_states();
}

void PreparedBuffers::set_states(std::size_t buffer, const std::vector<std::uint8_t>& states) {
  delete[] states_[buffer].exchange(nullptr);
  if (!states.empty()) {
    std::copy(states.begin(), states.end(), make_states(objects_[buffer]));
  }
}

void PreparedBuffers::drop_states() {
  for (auto& s : states_) {
    delete[] s.exchange(nullptr);
  }
}

void PreparedBuffers::forget_states() {
  drop_states();
  for (std::size_t b = 0; b < objects_.size(); ++b) {
    const std::uint64_t cells = objects_[b].count == 0 ? 0 : objects_[b].cells() / objects_[b].count;  // of an element
    std::uint8_t* states = uninitialised_[b].empty() ? nullptr : make_states(objects_[b]);
    for (const std::uint64_t element : uninitialised_[b]) {
      std::fill_n(states + element * cells, cells, static_cast<std::uint8_t>(CellState::Uninitialised));
    }
  }
}

bool RaggedRange::has(std::uint64_t group, unsigned item) const {
  for (std::size_t d = 0; d < items.size(); ++d) {
    if (group % groups.at(d) * shape.at(d) + item % shape.at(d) >= items.at(d)) {
      return false;
    }
    group /= groups.at(d);
    item /= shape.at(d);
  }
  return true;
}

std::optional<std::string> complaint(const typed::Program& program, const Arguments& arguments, const LaunchOptions& options) {
  const typed::Function& kernel = program.kernel();
  if (arguments.values.size() != kernel.parameter_count) {
    return fmt::format("kernel '{}' has {} parameters, but there are {} arguments", kernel.name, kernel.parameter_count,
                       arguments.values.size());
  }
  if (program.wg_size == 0 || program.wg_size > LaneSet::max_width) {
    return fmt::format("the group size is {}, but must lie between 1 and {}", program.wg_size, LaneSet::max_width);
  }
  for (std::size_t k = 0; k < kernel.parameter_count; ++k) {
    const typed::RegisterInfo& parameter = kernel.registers[k];
    const auto* buffer = std::get_if<BufferNumber>(&arguments.values[k]);
    const bool is_null = buffer == nullptr && std::get<ScalarBits>(arguments.values[k]).bits == 0;
    if (parameter.type.is_pointer != (buffer != nullptr) && !(parameter.type.is_pointer && is_null)) {
      return fmt::format("parameter '{}' wants a {}", parameter.name, parameter.type.is_pointer ? "buffer" : "number");
    }
    if (buffer == nullptr) {
      continue;
    }
    if (buffer->number >= arguments.buffers.size()) {
      return fmt::format("parameter '{}' gets buffer {}, which does not exist", parameter.name, buffer->number);
    }
    const Buffer& b = arguments.buffers[buffer->number];
    if (b.type != parameter.type.scalar) {
      return fmt::format("parameter '{}' wants elements of type {}, but its buffer has {}", parameter.name,
                         info(parameter.type.scalar).name, info(b.type).name);
    }
    if (buffer->first > b.count) {
      return fmt::format("parameter '{}' points to element {} of a buffer that has {}", parameter.name, buffer->first, b.count);
    }
    if (b.count > max_elements || b.bytes.size() != b.count * size_of(b.type)) {
      return fmt::format("the buffer of parameter '{}' has {} elements; at most {} are possible", parameter.name, b.count, max_elements);
    }
  }
  const typed::Puns puns(program);
  constexpr std::uint64_t most_bytes = std::numeric_limits<std::uint32_t>::max();
  for (const Buffer& b : arguments.buffers) {
    if (puns(AddressSpace::Global, b.type) && b.bytes.size() > most_bytes) {
      return fmt::format("a buffer of {} bytes is met as elements of several types; at most {} are possible", b.bytes.size(), most_bytes);
    }
  }
  for (const typed::Object& object : program.objects) {
    if (puns(object.space, object.element) && object.count > most_bytes / size_of(object.element)) {
      return fmt::format("'{}' has more than {} bytes, and is met as elements of several types", object.name, most_bytes);
    }
  }
  if (arguments.buffers.size() + program.objects.size() >= memory::max_objects) {
    return std::string("too many buffers");
  }
  if (options.groups > std::numeric_limits<std::uint32_t>::max() - 1) {
    return fmt::format("{} groups are too many: at most {} are possible", options.groups, std::numeric_limits<std::uint32_t>::max() - 1);
  }
  return std::nullopt;
}

std::uint64_t warps_of_group(const typed::Program& program, const LaunchOptions& options) {
  return options.warp_size == 0 ? 1 : (program.wg_size + std::uint64_t{options.warp_size} - 1) / options.warp_size;
}

namespace {

/// A sum of products that stays where numbers end.
class Bytes {
 public:
  void add(std::uint64_t count, std::uint64_t size) {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(count, size, &product) || __builtin_add_overflow(sum_, product, &sum_)) {
      sum_ = std::numeric_limits<std::uint64_t>::max();
    }
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// What one group needs before it calls anything, beside what all groups share.
std::uint64_t bytes_of_group(const typed::Program& program, const LaunchOptions& options) {
  Bytes bytes;
  bytes.add(bytes_per_lane(program.kernel()), padded_lanes(program.wg_size));
  const bool marked = options.races && warps_of_group(program, options) > 1;
  const std::size_t marks = Footprints::bytes_per_cell * (typed::atomic_order(program) == typed::AtomicOrder::None ? 1 : 2);
  const typed::Puns puns(program);
  for (const typed::Object& object : program.objects) {
    if (object.space == AddressSpace::Local) {
      const std::uint64_t cells = puns(object.space, object.element) ? size_of(object.element) : 1;  // of an element
      bytes.add(object.count, size_of(object.element) + cells * (sizeof(CellState) + (marked ? marks : 0)));
    }
  }
  return bytes.sum();
}

}  // namespace

std::optional<Fault> too_large(const typed::Program& program, const LaunchOptions& options) {
  Bytes bytes;
  bytes.add(bytes_of_group(program, options), 1);
  for (const typed::Object& object : program.objects) {
    if (object.space != AddressSpace::Local) {
      bytes.add(object.count, size_of(object.element));
    }
  }
  if (bytes.sum() <= options.frame_memory) {
    return std::nullopt;
  }
  Fault fault;
  fault.kind = FaultKind::MemoryLimit;
  fault.party.span = program.kernel().span;
  fault.message = fmt::format("the kernel's registers and arrays take more than {} bytes for a group of {} item{} (--frame-memory)",
                              options.frame_memory, program.wg_size, program.wg_size == 1 ? "" : "s");
  return fault;
}

std::vector<FrameLayout> layouts_for(const typed::Program& program, std::size_t lanes) {
  const auto addressed = typed::addressed_arrays(program);
  std::vector<FrameLayout> layouts;
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    layouts.push_back(lay_out(program.functions[f], addressed[f], lanes));
  }
  return layouts;
}

unsigned allowed_pack(const typed::Program& program, const LaunchOptions& options, std::uint64_t wanted) {
  if (options.schedule != Schedule::LowestPc) {
    return 1;  // these schedules order the warps of one group
  }
  std::uint64_t most = std::min<std::uint64_t>(LaneSet::max_width / program.wg_size, options.groups);
  const typed::Puns puns(program);
  for (const typed::Object& object : program.objects) {
    if (object.space == AddressSpace::Local && object.count != 0) {
      // Cells of all groups' copies are counted with 32 bits. Other arrays and buffers have one copy, and fewer elements (max_elements).
      const std::uint64_t cells = object.count * (puns(object.space, object.element) ? size_of(object.element) : 1);
      most = std::min<std::uint64_t>(most, std::numeric_limits<std::uint32_t>::max() / cells);
    }
  }
  if (const std::uint64_t bytes = bytes_of_group(program, options); bytes != 0) {
    most = std::min<std::uint64_t>(most, options.frame_memory / bytes);
  }
  return static_cast<unsigned>(std::max<std::uint64_t>(1, std::min(wanted, most)));
}

Fault fault_of(const Race& race) {
  return {FaultKind::Race, race.second, race.object, race.second_value, "a race, which --strict makes an error"};
}

}  // namespace lockstep::launch
