#include "tests/loop_heads/apart.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

namespace lockstep::test {

namespace {

/// Seconds of the clock that a head may take; most take milliseconds.
constexpr unsigned most_seconds = 60;

/// An answer through a pipe: three strings that end with 0, the first one being the ending.
void say(std::FILE* pipe, const HeadAnswer& answer) {
  const std::string text = std::to_string(static_cast<int>(answer.ending)) + '\0' + answer.kind + '\0' + answer.sentence + '\0';
  std::fwrite(text.data(), 1, text.size(), pipe);
  std::fflush(pipe);
}

/// The next string; false: the pipe has ended.
bool read_string(std::FILE* pipe, std::string& text) {
  text.clear();
  for (int c = std::getc(pipe); c != EOF; c = std::getc(pipe)) {
    if (c == 0) {
      return true;
    }
    text += static_cast<char>(c);
  }
  return false;
}

HeadAnswer ended_with(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return {HeadAnswer::Ending::Wrong, "hangs", fmt::format("it had not ended after {} seconds", most_seconds)};
  }
  return {HeadAnswer::Ending::Wrong, "crash",
          WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), sigdescr_np(WTERMSIG(status)))
                              : fmt::format("the process ended with status {}", WEXITSTATUS(status))};
}

}  // namespace

void try_apart(const std::vector<Head>& heads, const std::vector<std::size_t>& numbers,
               const std::function<void(std::size_t number, const HeadAnswer&)>& told) {
  for (std::size_t next = 0; next < numbers.size();) {
    int ends[2] = {};
    std::fflush(nullptr);
    const pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0) {
      throw std::runtime_error("no process can be started");
    }
    if (child == 0) {
      close(ends[0]);
      for (const int signal : {SIGFPE, SIGSEGV, SIGABRT, SIGBUS, SIGILL}) {
        std::signal(signal, SIG_DFL);  // Catch's handlers would tell of a failure here
      }
      std::FILE* const pipe = fdopen(ends[1], "w");
      for (std::size_t k = next; k < numbers.size(); ++k) {
        alarm(most_seconds);
        say(pipe, try_head(heads[numbers[k]], numbers[k]));
      }
      _exit(0);
    }
    close(ends[1]);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(fdopen(ends[0], "r"), std::fclose);
    HeadAnswer answer;
    std::string ending;
    while (next < numbers.size() && read_string(pipe.get(), ending) && read_string(pipe.get(), answer.kind) &&
           read_string(pipe.get(), answer.sentence)) {
      answer.ending = static_cast<HeadAnswer::Ending>(std::stoi(ending));
      told(numbers[next++], answer);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (next < numbers.size()) {
      told(numbers[next++], ended_with(status));
    }
  }
}

}  // namespace lockstep::test
