#include "differential/campaign/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "differential/compare/guarded.hpp"
#include "differential/compare/interrupts.hpp"

namespace lockstep::differential {

namespace {

/// What a process that was asked to end may take to clean up.
constexpr std::chrono::seconds grace{5};

std::string with_length(const std::string& text) { return fmt::format("{:08x}", text.size()) + text; }
constexpr std::size_t length_digits = 8;

/// The text behind its length at `at`, which moves behind it; nothing if it is cut short.
std::optional<std::string> text_at(const std::string& bytes, std::size_t& at) {
  if (bytes.size() < at + length_digits) {
    return std::nullopt;
  }
  const std::size_t size = std::stoul(bytes.substr(at, length_digits), nullptr, 16);
  if (bytes.size() < at + length_digits + size) {
    return std::nullopt;
  }
  std::string text = bytes.substr(at + length_digits, size);
  at += length_digits + size;
  return text;
}

}  // namespace

Child begin_child(const std::function<void(int pipe)>& work) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("no pipe could be made: {}", std::strerror(errno)));
  }
  std::fflush(stdout);
  Child child{fork(), ends[0], std::nullopt};
  if (child.process < 0) {
    throw std::runtime_error(fmt::format("no process could be made: {}", std::strerror(errno)));
  }
  if (child.process == 0) {
    close(ends[0]);
    work(ends[1]);
  }
  close(ends[1]);
  return child;
}

void end_child(Child& child) {
  const auto now = std::chrono::steady_clock::now();
  if (!child.asked) {
    child.asked = now;
    kill(child.process, SIGTERM);
  } else if (now - *child.asked > grace) {
    kill(child.process, SIGKILL);
  }
}

void end_as_asked() {
  std::signal(SIGTERM, SIG_DFL);
  static_cast<void>(std::raise(SIGTERM));
  _exit(1);
}

bool was_asked_to_end(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM; }

int wait_for(Child& child) {
  close(child.pipe);
  child.pipe = -1;
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void prepare_child(const FuzzPlan& plan, unsigned seconds) {
  prepare_for_crashes(seconds);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);  // a terminal tells all processes, but it is their parent who decides
  std::signal(SIGHUP, SIG_IGN);
  if (plan.subject == FuzzPlan::Subject::Backend || is_batched(plan)) {
    count_interrupts_by(SIGTERM);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
  } else {
    std::signal(SIGTERM, SIG_DFL);
  }
}

void say_to(int pipe, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t n = write(pipe, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      _exit(0);
    }
    written += static_cast<std::size_t>(n);
  }
}

std::string message_of(const std::vector<std::string>& texts) {
  std::string whole;
  for (const std::string& text : texts) {
    whole += with_length(text);
  }
  return with_length(whole);
}

std::optional<std::vector<std::string>> take_message(std::string& unread) {
  std::size_t end = 0;
  const auto whole = text_at(unread, end);
  if (!whole) {
    return std::nullopt;
  }
  unread.erase(0, end);
  std::vector<std::string> texts;
  for (std::size_t at = 0; auto text = text_at(*whole, at);) {
    texts.push_back(std::move(*text));
  }
  return texts;
}

std::vector<std::string> texts_of(const FuzzAnswer& answer) {
  std::vector<std::string> texts = {std::to_string(static_cast<unsigned>(answer.ending)), answer.kind, answer.sentence,
                                    answer.first ? fmt::format("{} {}", answer.first->buffer, answer.first->index) : ""};
  texts.insert(texts.end(), answer.buffers.begin(), answer.buffers.end());
  return texts;
}

FuzzAnswer answer_of(const std::vector<std::string>& texts, std::size_t first) {
  FuzzAnswer answer;
  answer.ending = static_cast<FuzzAnswer::Ending>(std::stoul(texts.at(first)));
  answer.kind = texts.at(first + 1);
  answer.sentence = texts.at(first + 2);
  if (const std::string& element = texts.at(first + 3); !element.empty()) {
    answer.first = Element{std::stoul(element), std::stoull(element.substr(element.find(' ')))};
  }
  answer.buffers.assign(texts.begin() + static_cast<std::ptrdiff_t>(first) + 4, texts.end());
  return answer;
}

}  // namespace lockstep::differential
