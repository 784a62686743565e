#pragma once
// How far a long launch has come, for somebody at a terminal.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "interpreter/launch/launch.hpp"

namespace lockstep::tools {

/// While it lives: one line on standard error, if that is a terminal and a second has gone by. In the end the line is gone.
class ShownProgress {
 public:
  explicit ShownProgress(std::uint64_t groups);
  ShownProgress(const ShownProgress&) = delete;
  ShownProgress& operator=(const ShownProgress&) = delete;
  ~ShownProgress();

  /// Where the launch writes; null if nobody would see it.
  launch::Progress* progress() { return watcher_.joinable() ? &progress_ : nullptr; }

 private:
  void show(std::stop_token stop);

  std::uint64_t groups_;
  launch::Progress progress_;
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread watcher_;
};

}  // namespace lockstep::tools
