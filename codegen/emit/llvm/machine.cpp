#include "codegen/emit/llvm/machine.hpp"

#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "codegen/emit/llvm/guard.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_llvm {

namespace {

void register_targets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
  });
}

llvm::CodeGenOptLevel codegen_level(unsigned level) {
  switch (level) {
    case 0:
      return llvm::CodeGenOptLevel::None;
    case 1:
      return llvm::CodeGenOptLevel::Less;
    case 2:
      return llvm::CodeGenOptLevel::Default;
    default:
      return llvm::CodeGenOptLevel::Aggressive;
  }
}

/// A sentence about the first processor or feature that the target does not know; LLVM itself would only print a warning.
std::string unknown_name(const llvm::Target& registered, const Target& target) {
  const std::unique_ptr<llvm::MCSubtargetInfo> plain(registered.createMCSubtargetInfo(target.triple, "", ""));
  if (!plain) {
    return fmt::format("LLVM cannot compile for '{}'", target.triple);
  }
  if (!target.cpu.empty() && !plain->isCPUStringValid(target.cpu)) {
    return fmt::format("'{}' is no processor of '{}'", target.cpu, target.triple);
  }
  const auto known = plain->getAllProcessorFeatures();
  const llvm::SubtargetFeatures asked(target.features);
  for (const std::string& feature : asked.getFeatures()) {
    const llvm::StringRef name = llvm::SubtargetFeatures::StripFlag(feature);
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& row) { return name == row.Key; });
    if (found == known.end()) {
      return fmt::format("'{}' is no feature of '{}'", feature, target.triple);
    }
  }
  return "";
}

/// A sentence about a machine for which what we emit cannot be compiled, as we know, or which nobody has tested.
std::string unsupported(const llvm::Target& registered, const Target& target) {
  struct Supported {
    llvm::Triple::ArchType machine;
    const char* features;  ///< that it has to have, as LLVM names them, or must not have
    const char* said;
  };
  static constexpr Supported all[] = {{llvm::Triple::x86_64, "+64bit,+64bit-mode,+sse2,-soft-float", "64-bit mode and SSE2"},
                                      {llvm::Triple::aarch64, "+fp-armv8,+neon", "floating point and NEON"},
                                      {llvm::Triple::riscv64, "+64bit,+f,+d,-e", "registers of 64 bits, all 32, F and D"}};
  const llvm::Triple triple(target.triple);
  const auto* found = std::ranges::find(all, triple.getArch(), &Supported::machine);
  if (found == std::end(all) || triple.isX32() || triple.getEnvironment() == llvm::Triple::GNUILP32 || triple.isWindowsArm64EC()) {
    return fmt::format("'{}' is not supported: kernels are compiled for x86-64, AArch64 and RISC-V of 64 bits", target.triple);
  }
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(registered.createMCSubtargetInfo(target.triple, target.cpu, target.features));
  if (!subtarget->checkFeatures(found->features)) {
    return fmt::format("'{}' is not supported with this processor and these features: kernels need {}", target.triple, found->said);
  }
  return "";
}

std::expected<std::unique_ptr<llvm::TargetMachine>, std::string> new_machine(const Target& target, unsigned level) {
  register_targets();
  std::string error;
  const llvm::Target* registered = llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (registered == nullptr) {
    return std::unexpected(fmt::format("LLVM cannot compile for '{}': {}", target.triple, error));
  }
  if (std::string unknown = unknown_name(*registered, target); !unknown.empty()) {
    return std::unexpected(std::move(unknown));
  }
  if (std::string problem = unsupported(*registered, target); !problem.empty()) {
    return std::unexpected(std::move(problem));
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // what is fused is decided in the kernel language (docs/kernel-language.md)
  const llvm::Triple triple(target.triple);
  if (triple.isRISCV()) {
    options.MCOptions.ABIName = "lp64d";
  }
  std::unique_ptr<llvm::TargetMachine> machine(registered->createTargetMachine(target.triple, target.cpu, target.features, options,
                                                                               llvm::Reloc::PIC_, std::nullopt, codegen_level(level)));
  if (!machine) {
    return std::unexpected(fmt::format("LLVM cannot compile for '{}'", target.triple));
  }
  return machine;
}

}  // namespace

std::string llvm_version() { return LLVM_VERSION_STRING; }

Target host_target() {
  // Asked once: the processor cannot change while we run.
  static const Target host = [] {
    llvm::SubtargetFeatures features;
    for (const auto& [name, present] : llvm::sys::getHostCPUFeatures()) {
      features.AddFeature(name, present);
    }
    return Target{llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), features.getString()};
  }();
  return host;
}

Target resolved(const Target& target) {
  if (target.triple.empty()) {
    Target host = host_target();
    if (!target.cpu.empty()) {
      host.cpu = target.cpu;
      host.features = target.features;
    } else if (!target.features.empty()) {
      host.features += "," + target.features;
    }
    return host;
  }
  Target result = target;
  result.triple = llvm::Triple::normalize(target.triple);
  if (llvm::Triple(result.triple).isRISCV64() && result.cpu.empty() && result.features.empty()) {
    result.features = "+m,+a,+f,+d,+c";
  }
  return result;
}

std::expected<llvm::TargetMachine*, std::string> machine_for(const Target& target, unsigned level) {
  using Key = std::tuple<std::string, std::string, std::string, unsigned>;
  static thread_local std::map<Key, std::unique_ptr<llvm::TargetMachine>> machines;
  const Target full = resolved(target);
  const Key key{full.triple, full.cpu, full.features, level};
  if (const auto found = machines.find(key); found != machines.end()) {
    return found->second.get();
  }
  std::expected<std::unique_ptr<llvm::TargetMachine>, std::string> machine;
  if (auto failure = failure_of([&] { machine = new_machine(full, level); })) {
    return std::unexpected(std::move(failure->sentence));
  }
  if (!machine) {
    return std::unexpected(std::move(machine.error()));
  }
  return machines.emplace(key, std::move(*machine)).first->second.get();
}

std::expected<unsigned, std::string> vector_bytes(const Target& target) {
  const auto machine = machine_for(target, 0);
  if (!machine) {
    return std::unexpected(machine.error());
  }
  const llvm::MCSubtargetInfo& subtarget = *(*machine)->getMCSubtargetInfo();
  if ((*machine)->getTargetTriple().isX86()) {
    if (subtarget.checkFeatures("+avx512f")) {
      return 64;
    }
    if (subtarget.checkFeatures("+avx")) {
      return 32;
    }
  }
  return 16;
}

}  // namespace lockstep::emit_llvm
