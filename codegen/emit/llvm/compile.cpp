#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

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

/// What LLVM complains about while it compiles, which it would print otherwise, and end the process.
class Complaints : public llvm::DiagnosticHandler {
 public:
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error && first_.empty()) {
      llvm::raw_string_ostream stream(first_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

}  // namespace

std::expected<std::string, Failure> compiled(llvm::Module& module, const Target& target, unsigned level, bool assembly) {
  const auto machine = machine_for(target, level);
  if (!machine) {
    return std::unexpected(Failure{machine.error()});
  }
  auto handler = std::make_unique<Complaints>();
  const Complaints& complaints = *handler;
  module.getContext().setDiagnosticHandler(std::move(handler));
  optimise(module, **machine, level);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  passes.add(llvm::createTargetTransformInfoWrapperPass((*machine)->getTargetIRAnalysis()));
  if (level == 0) {  // half of the operations go, cheaply, before instructions are selected for them
    passes.add(llvm::createEarlyCSEPass());
    passes.add(llvm::createDeadCodeEliminationPass());
  }
  const auto kind = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, kind)) {
    return std::unexpected(Failure{fmt::format("LLVM writes no such file for '{}'", resolved(target).triple)});
  }
  passes.run(module);
  if (!complaints.first().empty()) {
    return std::unexpected(Failure{fmt::format("LLVM cannot compile this for '{}': {}", resolved(target).triple, complaints.first())});
  }
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace lockstep::emit_llvm
