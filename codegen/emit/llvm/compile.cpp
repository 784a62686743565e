#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>

#include "codegen/emit/llvm/machine.hpp"
#include "codegen/emit/llvm/module.hpp"

namespace lockstep::emit_llvm {

namespace {

void optimise(llvm::Module& module, llvm::TargetMachine& machine, unsigned level) {
  if (level == 0) {
    return;
  }
  llvm::PipelineTuningOptions tuning;
  // The code is made of vectors already: what looks for more of them costs time and finds nothing.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1, llvm::OptimizationLevel::O2,
                                            llvm::OptimizationLevel::O3};
  builder.buildPerModuleDefaultPipeline(levels[std::min(level, 3U)]).run(module, modules);
}

}  // namespace

std::expected<std::string, std::string> compiled(llvm::Module& module, const Target& target, unsigned level, bool assembly) {
  const auto machine = machine_for(target, level);
  if (!machine) {
    return std::unexpected(machine.error());
  }
  optimise(module, **machine, level);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const auto kind = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, kind)) {
    return std::unexpected("LLVM writes no such file for '" + target.triple + "'");
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace lockstep::emit_llvm
