#include "codegen/emit/llvm/jit.hpp"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>

#include "codegen/emit/llvm/machine.hpp"

namespace lockstep::emit_llvm {

namespace {

using SharedJit = std::expected<std::shared_ptr<llvm::orc::LLJIT>, std::string>;

/// One for all kernels, each of which has a library of its own in it. It lives until the last kernel is gone.
const SharedJit& shared_jit() {
  static const SharedJit jit = []() -> SharedJit {
    const auto machine = machine_for({}, 0);  // registers the targets
    if (!machine) {
      return std::unexpected(machine.error());
    }
    auto made = llvm::orc::LLJITBuilder().create();
    if (!made) {
      return std::unexpected(llvm::toString(made.takeError()));
    }
    return std::shared_ptr<llvm::orc::LLJIT>(std::move(*made));
  }();
  return jit;
}

}  // namespace

struct Callable::Code {
  std::shared_ptr<llvm::orc::LLJIT> jit;
  llvm::orc::JITDylib* library = nullptr;

  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    if (library != nullptr) {
      llvm::consumeError(jit->getExecutionSession().removeJITDylib(*library));
    }
  }
};

std::expected<Callable, std::string> load(const std::string& object, std::string_view kernel_name) {
  const SharedJit& jit = shared_jit();
  if (!jit) {
    return std::unexpected(jit.error());
  }
  static std::atomic<std::uint64_t> next{0};
  auto code = std::make_shared<Callable::Code>();
  code->jit = *jit;
  auto library = (*jit)->createJITDylib(fmt::format("{}.{}", kernel_name, next++));
  if (!library) {
    return std::unexpected(llvm::toString(library.takeError()));
  }
  code->library = &*library;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, std::string(kernel_name));
  if (llvm::Error error = (*jit)->addObjectFile(*library, std::move(buffer))) {
    return std::unexpected(llvm::toString(std::move(error)));
  }
  auto address = (*jit)->lookup(*library, fmt::format("{}.call", kernel_name));
  if (!address) {
    return std::unexpected(llvm::toString(address.takeError()));
  }
  return Callable(std::move(code), address->toPtr<Callable::Function>());
}

std::expected<Callable, std::string> compile(const infreg::Kernel& kernel, EmitOptions options, unsigned level) {
  options.call_wrapper = true;
  auto module = emit(kernel, options);
  if (!module) {
    return std::unexpected(std::move(module.error()));
  }
  const auto object = module->object(level);
  if (!object) {
    return std::unexpected(object.error());
  }
  return load(*object, kernel.name);
}

}  // namespace lockstep::emit_llvm
