#pragma once
// Memory for machine code that nobody trusts: what touches anything but the kernel's own is found out.

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include "differential/compare/execute.hpp"

namespace lockstep::differential {

/// Memory that a child process shares, which ends right before a page that nobody may touch and has another one in front.
class Guarded {
 public:
  /// `gap`: bytes between its end and the page behind.
  explicit Guarded(std::size_t size, std::size_t gap = 0);
  Guarded(Guarded&& other) noexcept;
  Guarded& operator=(Guarded&&) = delete;
  ~Guarded();

  std::byte* data() const { return begin_ + (inner_ - gap_ - size_); }
  /// Whether what lies between it and the pages is as it was.
  bool is_slack_untouched() const;
  void forbid_writing() const;

 private:
  std::size_t size_;
  std::size_t gap_;
  std::size_t inner_ = 0;
  std::size_t total_ = 0;
  std::byte* whole_ = nullptr;
  std::byte* begin_ = nullptr;
};

/// The arguments of a launch as compiled kernels take them (MachineCode), its buffers in guarded memory; those that the kernel may not
/// write cannot be written.
class GuardedArguments {
 public:
  /// Keeps the reference.
  explicit GuardedArguments(const Reference& reference, Alignment alignment = Alignment::Elements);

  const void* const* pointers() const { return pointers_.data(); }
  /// The buffers as they are now; a sentence if something was written beside one.
  std::expected<std::vector<launch::Buffer>, std::string> buffers() const;

 private:
  const Reference& reference_;
  std::vector<Guarded> memory_;
  std::vector<const void*> pointers_;
};

/// In a child process, before it runs code that may do anything: it ends with its parent, leaves no core, dies of signals as if nobody had
/// handlers for them, and of SIGALRM after so many seconds.
void prepare_for_crashes(unsigned seconds);

}  // namespace lockstep::differential
