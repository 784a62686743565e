#pragma once
// Being asked to end, by Ctrl-C and its like, in the middle of something that has to be cleaned up.

#include <csignal>
#include <utility>
#include <vector>

namespace lockstep::differential {

/// While one lives, SIGINT, SIGTERM and SIGHUP are counted, and end this process only when they come for the third time. Those that were
/// ignored before stay so.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

/// How often this process has been asked to end: once means to come to an end, twice at once. Several signals within a third of a second
/// are one: who stops a command, such as timeout(1), may tell the process and then its group.
unsigned interrupts();

/// Has this process count the signal from now on, as while an Interrupts lives. System calls that wait are interrupted by it.
void count_interrupts_by(int signal);

}  // namespace lockstep::differential
