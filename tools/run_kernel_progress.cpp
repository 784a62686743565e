#include "tools/run_kernel_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "semantics/base/counted.hpp"
#include "tools/command.hpp"

namespace lockstep::tools {

ShownProgress::ShownProgress(std::uint64_t groups) : groups_(groups) {
  if (isatty(STDERR_FILENO) != 0) {
    watcher_ = std::jthread([this](std::stop_token stop) { show(std::move(stop)); });
  }
}

ShownProgress::~ShownProgress() {
  watcher_.request_stop();
  if (watcher_.joinable()) {
    watcher_.join();
  }
}

void ShownProgress::show(std::stop_token stop) {
  bool is_shown = false;
  std::unique_lock lock(mutex_);
  std::chrono::milliseconds pause = std::chrono::seconds(1);
  while (!over_.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
    const double steps = static_cast<double>(progress_.steps) / 1e6;
    fmt::print(stderr, "\r{} of {}, {:.1f} million steps\033[K", progress_.groups.load(), counted(groups_, "group"), steps);
    std::fflush(stderr);
    is_shown = true;
    pause = std::chrono::milliseconds(250);
  }
  if (is_shown) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }
}

}  // namespace lockstep::tools
