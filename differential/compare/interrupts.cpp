#include "differential/compare/interrupts.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace lockstep::differential {

namespace {

std::atomic<unsigned> interrupt_count{0};
std::atomic<std::int64_t> interrupted_at{0};  ///< milliseconds of a clock that only goes forward
static_assert(std::atomic<unsigned>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

/// In a signal handler: what it calls is safe there.
void interrupt(int signal) {
  constexpr std::int64_t one_and_the_same = 333;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t milliseconds = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  if (interrupt_count > 0 && milliseconds - interrupted_at < one_and_the_same) {
    return;
  }
  interrupted_at = milliseconds;
  if (++interrupt_count == 2) {
    std::signal(signal, SIG_DFL);
  }
}

}  // namespace

Interrupts::Interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {
      count_interrupts_by(signal);
      before_.emplace_back(signal, before);
    }
  }
}

Interrupts::~Interrupts() {
  for (const auto& [signal, before] : before_) {
    sigaction(signal, &before, nullptr);
  }
}

unsigned interrupts() { return interrupt_count; }

void count_interrupts_by(int signal) {
  struct sigaction action = {};
  action.sa_handler = interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace lockstep::differential
