// Calling compiled kernels: the checks of the arguments, and the loop over packs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "codegen/compile/code.hpp"
#include "codegen/compile/compile.hpp"

namespace lockstep {

namespace {

/// Parts of a launch for each thread: enough that one whose groups take longer does not keep the others waiting.
constexpr std::uint64_t parts_per_thread = 4;

/// Where a parameter's data lie, for every group.
struct Bound {
  std::uint64_t number = 0;          ///< of a number: its bits as the machine code reads them
  const std::byte* data = nullptr;   ///< group 0's block, or the whole
  std::uint64_t step = 0;            ///< bytes from a group's block to the next one's, as the kernel counts
  std::uint64_t stride = 0;          ///< the same as they really lie
  const std::byte* table = nullptr;  ///< or pointers, one for each group
  std::uint64_t bytes = 0;           ///< of a packed array: from its beginning on, as far as that is known
  bool is_number = false;

  bool is_packed() const { return table == nullptr && step == stride; }
};

/// Where the kernel has to believe that its array begins, so that it finds the block of group `group` where that lies. No address is
/// computed in C++: for one group alone that beginning may be anywhere.
const void* beginning(const Bound& bound, std::uint64_t group) {
  const std::byte* block = bound.data;
  std::uint64_t distance = bound.stride * group;
  if (bound.table != nullptr) {
    std::memcpy(static_cast<void*>(&block), bound.table + group * sizeof block, sizeof block);
    distance = 0;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): see above
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(block) + distance - bound.step * group);
}

/// Checks one argument and finds out where it lies. Errors are sentences without the name of the parameter.
class Binder {
 public:
  Binder(const KernelParameter& parameter, std::uint64_t groups) : parameter_(parameter), groups_(groups) {}

  using Result = std::expected<Bound, std::string>;

  Result operator()(const NumberArgument& argument) const {
    if (parameter_.is_pointer) {
      return std::unexpected(fmt::format("is an array of {}, not a number", type_name()));
    }
    Bound bound;
    bound.is_number = true;
    const bool fits = is_float(parameter_.type) ? set_float(bound.number, argument)
                      : is_float(argument.type) ? false
                                                : set_integer(bound.number, argument);
    if (!fits) {
      return std::unexpected(is_float(argument.type)
                                 ? fmt::format("is {}, which takes no number of type {}", type_name(), name_of(argument.type))
                                 : fmt::format("is {}, in which the number does not fit", type_name()));
    }
    return bound;
  }

  Result operator()(const PackedArgument& argument) const {
    if (auto problem = wrong_array(argument.element, argument.data, argument.count == 0)) {
      return std::unexpected(std::move(*problem));
    }
    for (const CertainAccess& access : parameter_.footprint.certain) {
      if (argument.count && groups_ > 0) {
        if (auto problem = outside(access, *argument.count)) {
          return std::unexpected(std::move(*problem));
        }
      }
    }
    Bound bound;
    bound.data = static_cast<const std::byte*>(argument.data);
    bound.bytes = argument.count.value_or(1) * size_of(parameter_.type);
    return bound;
  }

  Result operator()(const StridedArgument& argument) const {
    if (auto problem = wrong_array(argument.element, argument.data, false)) {
      return std::unexpected(std::move(*problem));
    }
    if (auto problem = without_blocks()) {
      return std::unexpected(std::move(*problem));
    }
    const std::uint64_t block = *parameter_.footprint.block;
    if (!parameter_.is_const && argument.stride < block && groups_ > 1) {
      return std::unexpected(fmt::format("is written, and groups {} elements apart would share some: each has {}", argument.stride, block));
    }
    if (auto problem = too_short(argument, block)) {
      return std::unexpected(std::move(*problem));
    }
    Bound bound;
    bound.data = static_cast<const std::byte*>(argument.data);
    bound.step = block * size_of(parameter_.type);
    bound.stride = argument.stride * size_of(parameter_.type);
    return bound;
  }

  Result operator()(const PointersArgument& argument) const {
    if (auto problem = wrong_array(argument.element, argument.pointers, argument.count == 0 && groups_ == 0, sizeof(void*))) {
      return std::unexpected(std::move(*problem));
    }
    if (auto problem = without_blocks()) {
      return std::unexpected(std::move(*problem));
    }
    if (argument.count < groups_) {
      return std::unexpected(fmt::format("has {} pointers for {} groups", argument.count, groups_));
    }
    Bound bound;
    bound.table = static_cast<const std::byte*>(argument.pointers);
    bound.step = *parameter_.footprint.block * size_of(parameter_.type);
    for (std::uint64_t group = 0; group < groups_; ++group) {
      std::uintptr_t address = 0;
      std::memcpy(&address, bound.table + group * sizeof address, sizeof address);
      if (address == 0 || address % size_of(parameter_.type) != 0) {
        return std::unexpected(fmt::format("has a pointer for group {} that {}", group, address == 0 ? "is null" : "is not aligned"));
      }
    }
    if (auto problem = parameter_.is_const ? std::nullopt : shared_block(argument)) {
      return std::unexpected(std::move(*problem));
    }
    return bound;
  }

 private:
  std::string_view type_name() const { return name_of(parameter_.type); }
  static std::string_view name_of(ScalarType type) { return info(type).name; }

  /// The number in the parameter's floating type, rounded.
  bool set_float(std::uint64_t& bits, const NumberArgument& argument) const {
    const auto with = [&](auto number) {
      const auto narrow = static_cast<float>(number);
      const auto wide = static_cast<double>(number);
      parameter_.type == ScalarType::Float ? std::memcpy(&bits, &narrow, sizeof narrow) : std::memcpy(&bits, &wide, sizeof wide);
    };
    if (argument.type == ScalarType::Float) {
      float number = 0;
      std::memcpy(&number, &argument.bits, sizeof number);
      with(number);
    } else if (argument.type == ScalarType::Double) {
      double number = 0;
      std::memcpy(&number, &argument.bits, sizeof number);
      with(number);
    } else if (is_signed(argument.type)) {
      with(static_cast<std::int64_t>(argument.bits));
    } else {
      with(argument.bits);
    }
    return true;
  }

  /// Whether an integer is in the parameter's range; it is kept as the bits of 64.
  bool set_integer(std::uint64_t& bits, const NumberArgument& argument) const {
    bits = argument.bits;
    const bool is_negative = is_signed(argument.type) && static_cast<std::int64_t>(argument.bits) < 0;
    const unsigned width = bits_of(parameter_.type) - (is_signed(parameter_.type) ? 1 : 0);
    if (is_negative) {
      return is_signed(parameter_.type) &&
             static_cast<std::int64_t>(argument.bits) >= -(static_cast<std::int64_t>((std::uint64_t{1} << width) - 1)) - 1;
    }
    return width >= 64 || argument.bits >> width == 0;
  }

  std::optional<std::string> wrong_array(ElementKind element, const void* data, bool may_be_null, std::size_t alignment = 0) const {
    if (!parameter_.is_pointer) {
      return fmt::format("is a number of type {}, not an array", type_name());
    }
    if (element.type != parameter_.type) {
      return fmt::format("is an array of {}, not of {}", type_name(), name_of(element.type));
    }
    if (element.is_const && !parameter_.is_const) {
      return "is written, and the argument must not be (const)";
    }
    if (data == nullptr && groups_ > 0 && !may_be_null) {
      return "is a null pointer";
    }
    if (reinterpret_cast<std::uintptr_t>(data) % (alignment != 0 ? alignment : size_of(parameter_.type)) != 0) {
      return fmt::format("begins at an address that is no multiple of its elements' size");
    }
    return std::nullopt;
  }

  std::optional<std::string> without_blocks() const {
    return parameter_.footprint.block ? std::nullopt
                                      : std::optional<std::string>(
                                            "cannot be given in blocks: the kernel's indices do not show that "
                                            "each group keeps to a block of its own; pass one packed array");
  }

  /// A sentence if blocks of two groups have memory in common. Pointers that ascend, as they mostly do, need no sorting.
  std::optional<std::string> shared_block(const PointersArgument& argument) const {
    struct Block {
      std::uintptr_t address = 0;
      std::uint64_t group = 0;
    };
    std::vector<Block> blocks(groups_);
    for (std::uint64_t group = 0; group < groups_; ++group) {
      std::memcpy(&blocks[group].address, static_cast<const std::byte*>(argument.pointers) + group * sizeof(void*), sizeof(void*));
      blocks[group].group = group;
    }
    if (!std::ranges::is_sorted(blocks, {}, &Block::address)) {
      std::ranges::sort(blocks, {}, &Block::address);
    }
    const std::uint64_t bytes = *parameter_.footprint.block * size_of(parameter_.type);
    const auto meet = std::ranges::adjacent_find(blocks, [&](const Block& a, const Block& b) { return b.address - a.address < bytes; });
    return meet == blocks.end()
               ? std::nullopt
               : std::optional(fmt::format("is written, and the blocks of groups {} and {} share some memory: each has {} elements",
                                           std::min(meet->group, (meet + 1)->group), std::max(meet->group, (meet + 1)->group),
                                           *parameter_.footprint.block));
  }

  /// A sentence if the last group's block does not lie within the elements, or within any memory.
  std::optional<std::string> too_short(const StridedArgument& argument, std::uint64_t block) const {
    std::uint64_t needed = 0;
    std::uint64_t bytes = 0;
    if (groups_ == 0) {
      return std::nullopt;
    }
    if (__builtin_mul_overflow(groups_ - 1, argument.stride, &needed) || __builtin_add_overflow(needed, block, &needed) ||
        __builtin_mul_overflow(needed, size_of(parameter_.type), &bytes)) {
      return fmt::format("would need more than all memory for {} groups that are {} elements apart", groups_, argument.stride);
    }
    return argument.count.value_or(needed) < needed ? std::optional(fmt::format("has {} elements; {} groups of {}, {} apart, need {}",
                                                                                *argument.count, groups_, block, argument.stride, needed))
                                                    : std::nullopt;
  }

  /// A sentence if an access of the first or last group lies outside of `count` elements.
  std::optional<std::string> outside(const CertainAccess& access, std::size_t count) const {
    for (const std::uint64_t group : {std::uint64_t{0}, groups_ - 1}) {
      for (const std::int64_t in_group : {access.first, access.last}) {
        std::int64_t element = 0;
        const bool is_far = __builtin_mul_overflow(access.stride, group, &element) || __builtin_add_overflow(element, in_group, &element);
        if (is_far || element < 0) {
          return fmt::format("is touched by group {} {}", group, is_far ? "far from all memory" : "in front of its first element");
        }
        if (static_cast<std::uint64_t>(element) >= count) {
          return fmt::format("has {} elements; group {} touches element {}", count, group, element);
        }
      }
    }
    return std::nullopt;
  }

  const KernelParameter& parameter_;
  std::uint64_t groups_;
};

/// A sentence if two packed arrays share memory that the code takes to be apart.
std::optional<std::string> shared_memory(const KernelFile& kernel, const std::vector<Bound>& bound) {
  const auto begin = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(bound[i].data); };
  for (std::size_t i = 0; i < bound.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const KernelParameter& a = kernel.parameters[j];
      const KernelParameter& b = kernel.parameters[i];
      const bool meet = begin(i) < begin(j) + bound[j].bytes && begin(j) < begin(i) + bound[i].bytes;
      if (!meet || (a.is_const && b.is_const)) {
        continue;
      }
      if (a.is_restrict || b.is_restrict) {
        return fmt::format("parameters '{}' and '{}' of '{}' share memory, but '{}' is declared restrict", a.name, b.name, kernel.name,
                           a.is_restrict ? a.name : b.name);
      }
      if (a.type != b.type) {
        return fmt::format("parameters '{}' and '{}' of '{}' share memory, but have elements of types {} and {}", a.name, b.name,
                           kernel.name, info(a.type).name, info(b.type).name);
      }
    }
  }
  return std::nullopt;
}

std::expected<std::vector<Bound>, std::string> bind(const KernelFile& kernel, std::uint64_t groups,
                                                    std::span<const KernelArgument> arguments) {
  if (arguments.size() != kernel.parameters.size()) {
    return std::unexpected(fmt::format("'{}' has {} parameters, not {}", kernel.name, kernel.parameters.size(), arguments.size()));
  }
  std::vector<Bound> all;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto bound = std::visit(Binder(kernel.parameters[i], groups), arguments[i].value());
    if (!bound) {
      return std::unexpected(fmt::format("parameter '{}' of '{}' {}", kernel.parameters[i].name, kernel.name, bound.error()));
    }
    all.push_back(*bound);
  }
  if (auto problem = shared_memory(kernel, all)) {
    return std::unexpected(std::move(*problem));
  }
  return all;
}

/// A launch whose arguments have been checked.
struct Launch {
  const emit_llvm::Callable& callable;
  std::vector<Bound> bound;
  std::vector<const void*> pointers;  ///< what the machine code takes: to the data, and to the numbers
  std::vector<std::size_t> moving;    ///< the parameters whose pointer is another one for each group
  std::uint64_t groups;
};

Launch launch_of(const emit_llvm::Callable& callable, std::vector<Bound> bound, std::uint64_t groups) {
  Launch launch{callable, std::move(bound), {}, {}, groups};
  for (std::size_t i = 0; i < launch.bound.size(); ++i) {
    const Bound& one = launch.bound[i];
    launch.pointers.push_back(one.is_number ? static_cast<const void*>(&one.number) : one.data);
    if (!one.is_packed()) {
      launch.moving.push_back(i);
    }
  }
  return launch;
}

/// Groups first to last - 1. `pointers` is a copy of the launch's that the calling thread may change.
void run_part(const Launch& launch, std::span<const void*> pointers, std::uint64_t first, std::uint64_t last) noexcept {
  if (launch.moving.empty()) {
    launch.callable(pointers.data(), first, last, launch.groups);
    return;
  }
  for (std::uint64_t group = first; group < last; ++group) {
    for (const std::size_t i : launch.moving) {
      pointers[i] = beginning(launch.bound[i], group);
    }
    launch.callable(pointers.data(), group, group + 1, launch.groups);
  }
}

}  // namespace

std::expected<void, std::string> CompiledKernel::run(std::uint64_t groups, std::span<const KernelArgument> arguments) const {
  const KernelFile& kernel = code_->file;
  auto bound = bind(kernel, groups, arguments);
  if (!bound) {
    return std::unexpected(std::move(bound.error()));
  }
  if (groups == 0) {
    return {};
  }
  const Launch launch = launch_of(code_->callable, std::move(*bound), groups);
  // Parts begin at multiples of the pack, so that packs are the same groups whatever the number of threads.
  const std::uint64_t packs = (groups - 1) / kernel.wg_pack + 1;
  const std::uint64_t threads = std::min<std::uint64_t>(code_->threads, packs);
  const std::uint64_t parts = threads == 1 ? 1 : std::min(packs, threads * parts_per_thread);
  const auto begin = [&](std::uint64_t part) {
    return std::min(groups, (packs / parts * part + std::min(part, packs % parts)) * kernel.wg_pack);
  };
  std::vector<const void*> pointers;  // nothing is allocated where an exception would end the program
  for (std::uint64_t part = 0; part < parts; ++part) {
    pointers.insert(pointers.end(), launch.pointers.begin(), launch.pointers.end());
  }
  const std::span<const void*> all(pointers);
  const std::size_t width = launch.pointers.size();
  if (parts == 1) {
    run_part(launch, all, 0, groups);
    return {};
  }
#pragma omp parallel for schedule(dynamic) num_threads(static_cast<int>(threads))
  for (std::uint64_t part = 0; part < parts; ++part) {
    run_part(launch, all.subspan(part * width, width), begin(part), begin(part + 1));
  }
  return {};
}

const std::string& CompiledKernel::name() const { return code_->file.name; }
unsigned CompiledKernel::wg_size() const { return code_->file.wg_size; }
unsigned CompiledKernel::wg_pack() const { return code_->file.wg_pack; }
const std::vector<KernelParameter>& CompiledKernel::parameters() const { return code_->file.parameters; }
const Diagnostics& CompiledKernel::warnings() const { return code_->file.warnings; }
const LoweringVerdict& CompiledKernel::verdict() const { return code_->file.verdict; }
bool CompiledKernel::is_from_cache() const { return code_->is_from_cache; }

}  // namespace lockstep
