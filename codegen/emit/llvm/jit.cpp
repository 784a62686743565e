#include "codegen/emit/llvm/jit.hpp"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <atomic>

namespace lockstep::emit_llvm {

namespace {

/// LLVM's linker for this process, by hand: LLJIT would also make a description of the target, which takes longer than linking a kernel
/// that comes from a cache.
struct Session {
  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer layer{session};
  llvm::orc::JITDylib& process{session.createBareJITDylib("process")};  ///< fma, aligned_alloc and the like

  explicit Session(std::unique_ptr<llvm::orc::ExecutorProcessControl> control) : session(std::move(control)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { llvm::consumeError(session.endSession()); }
};

using SharedSession = std::expected<std::shared_ptr<Session>, std::string>;

/// What stands in front of the names of C functions.
char prefix() { return llvm::Triple(llvm::sys::getProcessTriple()).isOSBinFormatMachO() ? '_' : '\0'; }

/// One for all kernels, each of which has a library of its own in it. It lives until the last kernel is gone.
const SharedSession& shared_session() {
  static const SharedSession made = []() -> SharedSession {
    auto control = llvm::orc::SelfExecutorProcessControl::Create();
    if (!control) {
      return std::unexpected(llvm::toString(control.takeError()));
    }
    auto session = std::make_shared<Session>(std::move(*control));
    auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix());
    if (!symbols) {
      return std::unexpected(llvm::toString(symbols.takeError()));
    }
    session->process.addGenerator(std::move(*symbols));
    return session;
  }();
  return made;
}

}  // namespace

struct Callable::Code {
  std::shared_ptr<Session> session;
  llvm::orc::JITDylib* library = nullptr;

  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    if (library != nullptr) {
      llvm::consumeError(session->session.removeJITDylib(*library));
    }
  }
};

std::expected<Callable, std::string> load(const std::string& object, std::string_view kernel_name) {
  const SharedSession& shared = shared_session();
  if (!shared) {
    return std::unexpected(shared.error());
  }
  Session& session = **shared;
  static std::atomic<std::uint64_t> next{0};
  auto code = std::make_shared<Callable::Code>();
  code->session = *shared;
  code->library = &session.session.createBareJITDylib(fmt::format("{}.{}", kernel_name, next++));
  code->library->addToLinkOrder(session.process);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, std::string(kernel_name));
  if (llvm::Error error = session.layer.add(*code->library, std::move(buffer))) {
    return std::unexpected(llvm::toString(std::move(error)));
  }
  const std::string name = (prefix() == '\0' ? "" : std::string(1, prefix())) + fmt::format("{}.call", kernel_name);
  auto address = session.session.lookup({code->library}, name);
  if (!address) {
    return std::unexpected(llvm::toString(address.takeError()));
  }
  return Callable(std::move(code), address->getAddress().toPtr<Callable::Function>());
}

std::expected<Callable, Failure> compile(const infreg::Kernel& kernel, EmitOptions options, unsigned level) {
  options.call_wrapper = true;
  auto module = emit(kernel, options);
  if (!module) {
    return std::unexpected(Failure{std::move(module.error())});
  }
  const auto object = module->object(level);
  if (!object) {
    return std::unexpected(object.error());
  }
  auto callable = load(*object, kernel.name);
  return callable ? std::expected<Callable, Failure>(std::move(*callable)) : std::unexpected(Failure{std::move(callable.error())});
}

}  // namespace lockstep::emit_llvm
