#include "codegen/emit/llvm/emit.hpp"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <bit>

#include "codegen/emit/llvm/entry.hpp"
#include "codegen/emit/llvm/lowering.hpp"
#include "codegen/emit/llvm/machine.hpp"
#include "codegen/emit/llvm/module.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

struct Module::Impl {
  std::string name;
  Target target;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

Module::Module(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

const std::string& Module::name() const { return impl_->name; }
const Target& Module::target() const { return impl_->target; }

std::string Module::text() const {
  std::string result;
  llvm::raw_string_ostream stream(result);
  impl_->module->print(stream, nullptr);
  return result;
}

std::expected<std::string, std::string> Module::object(unsigned level) { return compiled(*impl_->module, impl_->target, level, false); }
std::expected<std::string, std::string> Module::assembly(unsigned level) { return compiled(*impl_->module, impl_->target, level, true); }

namespace {

constexpr std::uint64_t most_scratch = std::uint64_t{1} << 30;
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

}  // namespace

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

  llvm::IRBuilder<> builder(impl->context);
  std::uint64_t scratch_bytes = 0;
  const auto lower = [&](const char* suffix, Shape shape) {
    llvm::Function* function = declare_body(module, kernel, suffix);
    Lowering lowering(kernel, shape, *cut, *function, builder, options.metadata);
    lowering.run();
    scratch_bytes = std::max(scratch_bytes, lowering.scratch_bytes());
    return function;
  };
  llvm::Function* pack = lower(".pack", kernel.shape);
  llvm::Function* one = kernel.shape.wg_pack == 1 ? nullptr : lower(".one", {kernel.shape.wg_size, 1});
  if (scratch_bytes > most_scratch) {
    return std::unexpected(
        fmt::format("a pack of '{}' needs {} bytes of scratch memory, more than {}", kernel.name, scratch_bytes, most_scratch));
  }
  define_entries(module, kernel, *pack, one, scratch_bytes, options.call_wrapper);
  describe_target(module, impl->target, vector_bytes(options.target).value());
  std::string faults;
  llvm::raw_string_ostream stream(faults);
  if (llvm::verifyModule(module, &stream)) {
    throw InternalError(fmt::format("ill-formed LLVM IR for '{}': {}", kernel.name, stream.str()));
  }
  return Module(std::move(impl));
}

}  // namespace lockstep::emit_llvm
