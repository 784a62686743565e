#include "codegen/emit/llvm/guard.hpp"

#include <fmt/format.h>
#include <llvm/Support/ErrorHandling.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "codegen/emit/llvm/target.hpp"

namespace lockstep::emit_llvm {

namespace {

constexpr std::array guarded_signals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
constexpr std::size_t stack_of_handler = std::size_t{64} << 10U;

/// Where a thread goes on when LLVM has failed, and why it did.
struct Landing {
  sigjmp_buf place = {};
  int signal = 0;
  std::array<char, 500> sentence = {};  ///< of LLVM
};

thread_local Landing* landing = nullptr;

std::mutex guards_mutex;
unsigned guards = 0;
std::array<struct sigaction, guarded_signals.size()> actions_before = {};

/// Outside of guards a signal means what it meant before.
void on_signal(int signal) {
  if (landing != nullptr) {
    landing->signal = signal;
    siglongjmp(landing->place, 1);
  }
  for (std::size_t i = 0; i < guarded_signals.size(); ++i) {
    if (guarded_signals[i] == signal) {
      sigaction(signal, &actions_before[i], nullptr);
    }
  }
  raise(signal);
}

void on_fatal_error(void* /*data*/, const char* sentence, bool /*with_report*/) {
  if (landing != nullptr) {
    std::strncpy(landing->sentence.data(), sentence, landing->sentence.size() - 1);
    siglongjmp(landing->place, 1);
  }
}

/// While one of them lives, signals and LLVM's last words come here.
class Handlers {
 public:
  Handlers() : stack_(stack_of_handler) {
    const std::scoped_lock lock(guards_mutex);
    if (guards++ == 0) {
      struct sigaction action = {};
      action.sa_handler = on_signal;
      action.sa_flags = SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      for (std::size_t i = 0; i < guarded_signals.size(); ++i) {
        sigaction(guarded_signals[i], &action, &actions_before[i]);
      }
      llvm::install_fatal_error_handler(on_fatal_error);
    }
    stack_t own = {};
    own.ss_sp = stack_.data();
    own.ss_size = stack_.size();
    sigaltstack(&own, &stack_before_);
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;
  ~Handlers() {
    sigaltstack(&stack_before_, nullptr);
    const std::scoped_lock lock(guards_mutex);
    if (--guards == 0) {
      for (std::size_t i = 0; i < guarded_signals.size(); ++i) {
        sigaction(guarded_signals[i], &actions_before[i], nullptr);
      }
      llvm::remove_fatal_error_handler();
    }
  }

 private:
  std::vector<std::byte> stack_;  ///< for a handler where the thread's own stack is used up
  stack_t stack_before_ = {};
};

/// Whether the work came to its end; of what it throws, `thrown` is told. Nothing here has a destructor: it may be left by a jump.
bool ends(const std::function<void()>& work, Landing& own, std::exception_ptr& thrown) {
  if (sigsetjmp(own.place, 1) != 0) {
    return false;
  }
  try {
    work();
  } catch (...) {
    thrown = std::current_exception();
  }
  return true;
}

}  // namespace

std::optional<Failure> failure_of(const std::function<void()>& work) {
  const Handlers handlers;
  Landing own;
  std::exception_ptr thrown;
  Landing* const outer = landing;
  landing = &own;
  const bool ended = ends(work, own, thrown);
  landing = outer;
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  if (ended) {
    return std::nullopt;
  }
  if (own.signal == 0) {
    return Failure{fmt::format("LLVM cannot compile this for the target: {}", own.sentence.data()), false};
  }
  return Failure{fmt::format("LLVM {} was ended by signal {} ({}) while it compiled this: a fault of LLVM, not of the kernel",
                             llvm_version(), own.signal, sigdescr_np(own.signal)),
                 true};
}

}  // namespace lockstep::emit_llvm
