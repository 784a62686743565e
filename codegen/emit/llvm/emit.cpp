#include "codegen/emit/llvm/emit.hpp"

#include <fmt/format.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <bit>

#include "codegen/emit/llvm/entry.hpp"
#include "codegen/emit/llvm/guard.hpp"
#include "codegen/emit/llvm/lowering.hpp"
#include "codegen/emit/llvm/machine.hpp"
#include "codegen/emit/llvm/module.hpp"
#include "codegen/emit/llvm/names.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/limits.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

struct Module::Impl {
  std::string name;
  Target target;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  bool is_broken = false;  ///< LLVM has failed in the middle of it: nobody may touch it, not even to free it
};

Module::Module(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() {
  if (impl_ != nullptr && impl_->is_broken) {
    static_cast<void>(impl_.release());  // NOLINT(bugprone-unused-return-value): it is left where it is
  }
}

const std::string& Module::name() const { return impl_->name; }
const Target& Module::target() const { return impl_->target; }

std::string Module::text() const {
  std::string result;
  llvm::raw_string_ostream stream(result);
  impl_->module->print(stream, nullptr);
  return result;
}

std::expected<std::string, Failure> Module::object(unsigned level) { return compiled(level, false); }
std::expected<std::string, Failure> Module::assembly(unsigned level) { return compiled(level, true); }

std::expected<std::string, Failure> Module::compiled(unsigned level, bool assembly) {
  std::expected<std::string, Failure> result;
  auto failure = failure_of([&] { result = emit_llvm::compiled(*impl_->module, impl_->target, level, assembly); });
  if (!failure) {
    return result;
  }
  impl_->is_broken = true;
  return std::unexpected(std::move(*failure));
}

namespace {

constexpr unsigned most_chunk_lanes = 64;  // a vote's word

std::expected<Cut, std::string> cut_for(const Kernel& kernel, const EmitOptions& options) {
  const auto bytes = vector_bytes(options.target);
  if (!bytes) {
    return std::unexpected(bytes.error());
  }
  const unsigned lanes_of_chunk = options.chunk_lanes.value_or(chunk_lanes(kernel, kernel.shape, *bytes));
  if (!std::has_single_bit(lanes_of_chunk) || lanes_of_chunk > most_chunk_lanes) {
    return std::unexpected(
        fmt::format("a chunk of {} lanes is not possible: it must be a power of two up to {}", lanes_of_chunk, most_chunk_lanes));
  }
  return Cut{lanes_of_chunk, options.most_ssa_chunks};
}

/// The same text gives the same code wherever it is compiled.
void describe_target(llvm::Module& module, const Target& target, unsigned register_bytes) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    if (!target.cpu.empty()) {
      function.addFnAttr("target-cpu", target.cpu);
    }
    if (!target.features.empty()) {
      function.addFnAttr("target-features", target.features);
    }
    if (llvm::Triple(target.triple).isX86()) {
      function.addFnAttr("prefer-vector-width", std::to_string(8 * register_bytes));
    }
  }
  if (llvm::Triple(target.triple).isRISCV()) {
    module.addModuleFlag(llvm::Module::Error, "target-abi", llvm::MDString::get(module.getContext(), "lp64d"));
  }
}

/// The body for packs of a shape, and the scratch memory that it needs.
struct Body {
  llvm::Function* function = nullptr;
  std::uint64_t scratch_bytes = 0;
};

Body lowered(llvm::Module& module, llvm::TargetMachine& machine, const Kernel& kernel, const char* suffix, Shape shape, Cut cut,
             bool metadata) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Function* function = declare_body(module, kernel, suffix);
  const llvm::TargetTransformInfo target = machine.getTargetTransformInfo(*function);
  const auto aligned = [&](llvm::Type* type) { return module.getDataLayout().getABITypeAlign(type->getScalarType()); };
  const Abilities abilities{
      [&](llvm::Type* type) {
        auto* vector = llvm::cast<llvm::VectorType>(type);
        return target.isLegalMaskedGather(type, aligned(type)) && !target.forceScalarizeMaskedGather(vector, aligned(type));
      },
      [&](llvm::Type* type) {
        auto* vector = llvm::cast<llvm::VectorType>(type);
        return target.isLegalMaskedScatter(type, aligned(type)) && !target.forceScalarizeMaskedScatter(vector, aligned(type));
      },
      machine.getTargetTriple().isAArch64()};
  Lowering lowering(kernel, shape, cut, abilities, *function, builder, metadata);
  lowering.run();
  return {function, lowering.scratch_bytes()};
}

std::optional<std::string> wrong_name(const Kernel& kernel, const EmitOptions& options) {
  if (kernel.name.starts_with("llvm.")) {
    return fmt::format("'{}': names that begin with llvm. are LLVM's own; give the kernel another name", kernel.name);
  }
  return options.call_wrapper ? std::nullopt : wrong_symbol(kernel.name);
}

/// More than what the values can need, in pieces for themselves and for what loops carry: bytes, as a floating number for it may be huge.
double most_for_values(const Kernel& kernel, Shape shape) {
  constexpr double pieces = 4;
  constexpr double widest = 8;
  constexpr double ends = 4.0 * 64 * widest;  // a chunk on either side, in whole cache lines
  double bytes = 0;
  for (const Value& value : kernel.values) {
    bytes += pieces * (ends + widest * static_cast<double>(lanes(value.type.layout, shape)));
  }
  return bytes;
}

std::expected<Module, std::string> emitted(const Kernel& kernel, const EmitOptions& options) {
  if (auto problem = wrong_name(kernel, options)) {
    return std::unexpected(std::move(*problem));
  }
  const auto machine = machine_for(options.target, 0);
  if (!machine) {
    return std::unexpected(machine.error());
  }
  const auto cut = cut_for(kernel, options);
  if (!cut) {
    return std::unexpected(cut.error());
  }
  auto impl = std::make_unique<Module::Impl>();
  impl->name = kernel.name;
  impl->target = resolved(options.target);
  impl->module = std::make_unique<llvm::Module>(kernel.name, impl->context);
  llvm::Module& module = *impl->module;
  module.setTargetTriple(impl->target.triple);
  module.setDataLayout((*machine)->createDataLayout());

  const Body pack = lowered(module, **machine, kernel, ".pack", kernel.shape, *cut, options.metadata);
  const Shape single{kernel.shape.wg_size, 1};
  const Body one = kernel.shape.wg_pack == 1 ? Body() : lowered(module, **machine, kernel, ".one", single, *cut, options.metadata);
  const std::uint64_t scratch_bytes = std::max(pack.scratch_bytes, one.scratch_bytes);
  if (scratch_bytes > most_scratch_bytes) {
    return std::unexpected(
        fmt::format("a pack of '{}' needs {} bytes of scratch memory, more than {}", kernel.name, scratch_bytes, most_scratch_bytes));
  }
  define_entries(module, kernel, *pack.function, one.function, scratch_bytes, options.call_wrapper);
  describe_target(module, impl->target, vector_bytes(options.target).value());
  std::string faults;
  llvm::raw_string_ostream stream(faults);
  if (llvm::verifyModule(module, &stream)) {
    throw InternalError(fmt::format("ill-formed LLVM IR for '{}': {}", kernel.name, stream.str()));
  }
  return Module(std::move(impl));
}

}  // namespace

bool fits(const Kernel& kernel, unsigned wg_pack, const Target& target) {
  const Shape shape{kernel.shape.wg_size, wg_pack};
  const auto is_wrong = [&](const Value& value) { return !wrong_layout(value.type.layout, shape).empty(); };
  if (std::ranges::any_of(kernel.values, is_wrong)) {
    return false;
  }
  double bytes = 0;
  for (const Object& object : kernel.objects) {
    bytes += static_cast<double>(bytes_of(object, shape));
  }
  constexpr auto limit = static_cast<double>(most_scratch_bytes);
  if (bytes > limit || bytes + most_for_values(kernel, shape) <= limit) {
    return bytes <= limit;
  }
  EmitOptions options;
  options.target = target;
  const auto cut = cut_for(kernel, options);
  if (!cut) {
    return false;
  }
  llvm::TargetMachine& machine = *machine_for(target, 0).value();
  llvm::LLVMContext context;
  llvm::Module module(kernel.name, context);
  module.setDataLayout(machine.createDataLayout());
  bool result = false;
  const auto failure =
      failure_of([&] { result = lowered(module, machine, kernel, ".pack", shape, *cut, false).scratch_bytes <= most_scratch_bytes; });
  return result && !failure;
}

unsigned chunk_lanes(const Kernel& kernel, Shape shape, unsigned vector_bytes) {
  unsigned widest = 1;
  std::uint64_t most_lanes = 1;
  for (const Value& value : kernel.values) {
    if (value.type.layout.kind != Layout::Kind::Pack) {
      widest = std::max(widest, value.type.element.is_pointer ? 8U : size_of(value.type.element.scalar));
      most_lanes = std::max(most_lanes, lanes(value.type.layout, shape));
    }
  }
  return static_cast<unsigned>(std::min<std::uint64_t>({vector_bytes / widest, most_chunk_lanes, std::bit_ceil(most_lanes)}));
}

std::expected<Module, std::string> emit(const Kernel& kernel, const EmitOptions& options) {
  std::optional<std::expected<Module, std::string>> result;
  if (auto failure = failure_of([&] { result.emplace(emitted(kernel, options)); })) {
    return std::unexpected(std::move(failure->sentence));
  }
  return std::move(*result);
}

}  // namespace lockstep::emit_llvm
