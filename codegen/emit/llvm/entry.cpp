#include "codegen/emit/llvm/entry.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <functional>
#include <vector>

namespace lockstep::emit_llvm {

using namespace infreg;

namespace {

constexpr std::uint64_t most_on_stack = 64 * 1024;

llvm::Type* parameter_type(llvm::LLVMContext& context, const Parameter& parameter) {
  if (parameter.is_pointer) {
    return llvm::PointerType::getUnqual(context);
  }
  if (parameter.scalar == ScalarType::Float) {
    return llvm::Type::getFloatTy(context);
  }
  return parameter.scalar == ScalarType::Double ? llvm::Type::getDoubleTy(context)
                                                : llvm::Type::getIntNTy(context, bits_of(parameter.scalar));
}

/// `void NAME(<the kernel's parameters>, i64 for each of the numbers)`, and a pointer behind if it has a name.
llvm::Function* declare(llvm::Module& module, const Kernel& kernel, const std::string& name, std::initializer_list<const char*> numbers,
                        const char* pointer, llvm::GlobalValue::LinkageTypes linkage) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<llvm::Type*> types;
  std::vector<std::string> names;
  for (const Parameter& parameter : kernel.parameters) {
    types.push_back(parameter_type(context, parameter));
    names.push_back(parameter.name);
  }
  for (const char* number : numbers) {
    types.push_back(llvm::Type::getInt64Ty(context));
    names.emplace_back(number);
  }
  if (pointer != nullptr) {
    types.push_back(llvm::PointerType::getUnqual(context));
    names.emplace_back(pointer);
  }
  auto* function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false), linkage, name, module);
  for (unsigned i = 0; i < names.size(); ++i) {
    function->getArg(i)->setName(names[i]);
  }
  function->setDoesNotThrow();
  return function;
}

/// The floating-point control state of the thread while `body` makes its code. What computes is in a function of its own, which LLVM
/// neither inlines here nor moves operations out of.
void with_default_rounding(llvm::IRBuilderBase& b, const llvm::Triple& triple, const std::function<void()>& body) {
  if (triple.isX86()) {
    constexpr std::uint32_t plain = 0x1F80;  // all exceptions masked, round to nearest, no FTZ, no DAZ
    llvm::Value* saved = b.CreateAlloca(b.getInt32Ty(), nullptr, "mxcsr.saved");
    llvm::Value* wanted = b.CreateAlloca(b.getInt32Ty(), nullptr, "mxcsr.plain");
    b.CreateIntrinsic(llvm::Intrinsic::x86_sse_stmxcsr, {}, {saved});
    b.CreateStore(b.getInt32(plain), wanted);
    b.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {}, {wanted});
    body();
    b.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {}, {saved});
  } else if (triple.isAArch64()) {
    llvm::Value* saved = b.CreateIntrinsic(llvm::Intrinsic::aarch64_get_fpcr, {}, {});
    b.CreateIntrinsic(llvm::Intrinsic::aarch64_set_fpcr, {}, {b.getInt64(0)});
    body();
    b.CreateIntrinsic(llvm::Intrinsic::aarch64_set_fpcr, {}, {saved});
  } else {
    llvm::Value* saved = b.CreateIntrinsic(llvm::Intrinsic::get_rounding, {}, {});
    constexpr std::uint32_t to_nearest = 1;  // as FLT_ROUNDS counts
    b.CreateIntrinsic(llvm::Intrinsic::set_rounding, {}, {b.getInt32(to_nearest)});
    body();
    b.CreateIntrinsic(llvm::Intrinsic::set_rounding, {}, {saved});
  }
}

/// Zeros, so that nothing that is read there is ever undefined for LLVM. Ends the program if there is no memory.
llvm::Value* allocated(llvm::IRBuilderBase& b, llvm::Module& module, const Kernel& kernel, std::uint64_t bytes) {
  if (bytes == 0) {
    return llvm::ConstantPointerNull::get(b.getPtrTy());
  }
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::Value* scratch = nullptr;
  if (bytes <= most_on_stack) {
    auto* space = b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), bytes), nullptr, "scratch");
    space->setAlignment(llvm::Align(64));
    scratch = space;
  } else {
    const auto allocate = module.getOrInsertFunction("aligned_alloc", b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty());
    scratch = b.CreateCall(allocate, {b.getInt64(64), b.getInt64(bytes)}, "scratch");
    auto* failed = llvm::BasicBlock::Create(b.getContext(), "no_memory", function);
    auto* fine = llvm::BasicBlock::Create(b.getContext(), "begin", function);
    b.CreateCondBr(b.CreateICmpEQ(scratch, llvm::ConstantPointerNull::get(b.getPtrTy())), failed, fine);
    b.SetInsertPoint(failed);
    b.CreateCall(module.getOrInsertFunction("perror", b.getVoidTy(), b.getPtrTy()),
                 {b.CreateGlobalString(kernel.name + ": scratch memory", kernel.name + ".message")});
    b.CreateCall(module.getOrInsertFunction("abort", b.getVoidTy()));
    b.CreateUnreachable();
    b.SetInsertPoint(fine);
  }
  b.CreateMemSet(scratch, b.getInt8(0), bytes, llvm::Align(64));
  return scratch;
}

/// for (group = from; group + step <= to; group += step) body(arguments, group, num_groups, scratch). Returns the first group that is left.
struct Groups {
  llvm::Value* to;
  llvm::Value* num_groups;
  llvm::Value* scratch;
};
llvm::Value* loop_over_groups(llvm::IRBuilderBase& b, llvm::Function& body, std::uint64_t step, llvm::Value* from, const Groups& groups,
                              std::vector<llvm::Value*> arguments) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* header = llvm::BasicBlock::Create(b.getContext(), "groups", function);
  auto* inside = llvm::BasicBlock::Create(b.getContext(), "group", function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateBr(header);
  b.SetInsertPoint(header);
  llvm::PHINode* group = b.CreatePHI(b.getInt64Ty(), 2, "wg.ix");
  group->addIncoming(from, before);
  b.CreateCondBr(b.CreateICmpUGE(b.CreateSub(groups.to, group), b.getInt64(step)), inside, after);
  b.SetInsertPoint(inside);
  arguments.insert(arguments.end(), {group, groups.num_groups, groups.scratch});
  b.CreateCall(&body, arguments);
  group->addIncoming(b.CreateAdd(group, b.getInt64(step)), inside);
  b.CreateBr(header);
  b.SetInsertPoint(after);
  return group;
}

std::vector<llvm::Value*> first_arguments(llvm::Function& function, std::size_t count) {
  std::vector<llvm::Value*> arguments;
  arguments.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    arguments.push_back(function.getArg(static_cast<unsigned>(i)));
  }
  return arguments;
}

llvm::Function* define_range(llvm::Module& module, const Kernel& kernel, llvm::Function& pack, llvm::Function* one,
                             std::uint64_t scratch_bytes) {
  llvm::Function* range =
      declare(module, kernel, kernel.name + ".range", {"first", "last", "num_groups"}, nullptr, llvm::GlobalValue::InternalLinkage);
  range->addFnAttr(llvm::Attribute::NoInline);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "entry", range));
  const std::vector<llvm::Value*> arguments = first_arguments(*range, kernel.parameters.size());
  const auto number = [&](std::size_t i) { return range->getArg(static_cast<unsigned>(arguments.size() + i)); };
  const Groups groups{number(1), number(2), allocated(b, module, kernel, scratch_bytes)};
  llvm::Value* next = loop_over_groups(b, pack, kernel.shape.wg_pack, number(0), groups, arguments);
  if (one != nullptr) {
    loop_over_groups(b, *one, 1, next, groups, arguments);
  }
  if (scratch_bytes > most_on_stack) {
    b.CreateCall(module.getOrInsertFunction("free", b.getVoidTy(), b.getPtrTy()), {groups.scratch});
  }
  b.CreateRetVoid();
  return range;
}

void define_entry(llvm::Module& module, const Kernel& kernel, llvm::Function& range, const llvm::Triple& triple) {
  llvm::Function* entry = declare(module, kernel, kernel.name, {"num_groups"}, nullptr, llvm::GlobalValue::ExternalLinkage);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "entry", entry));
  std::vector<llvm::Value*> arguments = first_arguments(*entry, kernel.parameters.size());
  llvm::Value* num_groups = entry->getArg(static_cast<unsigned>(kernel.parameters.size()));
  arguments.insert(arguments.end(), {b.getInt64(0), num_groups, num_groups});
  with_default_rounding(b, triple, [&] { b.CreateCall(&range, arguments); });
  b.CreateRetVoid();
}

void define_wrapper(llvm::Module& module, const Kernel& kernel, llvm::Function& range, const llvm::Triple& triple) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* number = llvm::Type::getInt64Ty(context);
  auto* call = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, number, number, number}, false),
                                      llvm::GlobalValue::ExternalLinkage, kernel.name + ".call", module);
  call->setDoesNotThrow();
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", call));
  std::vector<llvm::Value*> arguments;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    llvm::Value* place = b.CreateLoad(pointer, b.CreateConstGEP1_64(pointer, call->getArg(0), i), parameter.name);
    if (parameter.is_pointer) {
      arguments.push_back(place);
    } else if (parameter.scalar == ScalarType::Bool) {
      arguments.push_back(b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), place), b.getInt8(0)));
    } else {
      arguments.push_back(b.CreateAlignedLoad(parameter_type(context, parameter), place, llvm::Align(size_of(parameter.scalar))));
    }
  }
  for (unsigned i = 1; i <= 3; ++i) {
    arguments.push_back(call->getArg(i));
  }
  with_default_rounding(b, triple, [&] { b.CreateCall(&range, arguments); });
  b.CreateRetVoid();
}

}  // namespace

llvm::Function* declare_body(llvm::Module& module, const Kernel& kernel, const char* suffix) {
  llvm::Function* function =
      declare(module, kernel, kernel.name + suffix, {"wg.ix", "num_groups"}, "scratch", llvm::GlobalValue::InternalLinkage);
  llvm::Argument* scratch = function->getArg(static_cast<unsigned>(function->arg_size()) - 1);
  scratch->addAttr(llvm::Attribute::NoAlias);  // memory that K.range has made for this call alone
  scratch->addAttr(llvm::Attribute::getWithAlignment(module.getContext(), llvm::Align(64)));
  return function;
}

void define_entries(llvm::Module& module, const Kernel& kernel, llvm::Function& pack, llvm::Function* one, std::uint64_t scratch_bytes,
                    bool call_wrapper) {
  const llvm::Triple triple(module.getTargetTriple());
  llvm::Function* range = define_range(module, kernel, pack, one, scratch_bytes);
  call_wrapper ? define_wrapper(module, kernel, *range, triple) : define_entry(module, kernel, *range, triple);
}

}  // namespace lockstep::emit_llvm
