#pragma once
// The processes of `lockstep fuzz`: those that try kernels, how they answer, and how all of them come to an end.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "differential/campaign/answer.hpp"
#include "differential/campaign/case.hpp"

namespace lockstep::differential {

// ---- child processes --------------------------------------------------------------------------------------------------------------

/// A process that answers through a pipe, which nothing that it starts itself inherits.
struct Child {
  pid_t process = -1;
  int pipe = -1;                                               ///< to read from; -1 when it is closed
  std::optional<std::chrono::steady_clock::time_point> asked;  ///< to end
};

/// Makes one that calls work(the pipe's other end), which does not return. Throws std::runtime_error if none can be made.
Child begin_child(const std::function<void(int pipe)>& work);

/// Asks the process to end, and ends it if it is still there some seconds after that: to be called now and then until the pipe is at its
/// end.
void end_child(Child& child);

/// In a child that was asked to end: ends it so that its parent knows why.
[[noreturn]] void end_as_asked();

/// Whether that is how a process ended, from waitpid's status.
bool was_asked_to_end(int status);

/// Closes the pipe and waits for the end of the process: waitpid's status.
int wait_for(Child& child);

/// In the child, before each kernel: as prepare_for_crashes(). Whoever has a back end or a compiler running is told of the end, so that
/// nothing of it stays behind.
void prepare_child(const FuzzPlan& plan, unsigned seconds);

/// In the child: writes all of it. If nobody listens any more, the process ends.
void say_to(int pipe, const std::string& text);

// ---- messages -----------------------------------------------------------------------------------------------------------------------

/// Texts as one that can be taken apart, each behind its length, and all behind theirs.
std::string message_of(const std::vector<std::string>& texts);

/// Takes the first message from the beginning of what has been read; nothing if it is not there as a whole yet.
std::optional<std::vector<std::string>> take_message(std::string& unread);

/// An answer as texts, and back; `first` is where it begins among them.
std::vector<std::string> texts_of(const FuzzAnswer& answer);
FuzzAnswer answer_of(const std::vector<std::string>& texts, std::size_t first = 0);

}  // namespace lockstep::differential
