// Somebody else's compiler as the target: a command that gets a folder (docs/fuzz.md).

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "interpreter/launch/arguments.hpp"
#include "interpreter/memory/npy.hpp"
#include "tools/fuzz.hpp"

namespace lockstep::tools {

namespace {

using Ending = BackendRan::Ending;

/// The exit status that says: not this kernel. (CTest and automake say it so, too.)
constexpr int refused_status = 77;
constexpr std::size_t most_message = 2000;

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

/// The command with the folder in place of {}, or behind it.
std::string command_for(const std::string& command, const std::string& folder) {
  std::string text = command;
  bool named = false;
  for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}", at)) {
    named = true;
    text.replace(at, 2, shell_quoted(folder));
    at += folder.size() + 2;
  }
  return named ? text : text + " " + shell_quoted(folder);
}

/// In the child process: everything that the command says goes to a file.
[[noreturn]] void run_shell(const std::string& command, const std::string& log) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (nothing < 0 || file < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0) {
    _exit(127);
  }
  alarm(0);
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

/// waitpid's status; nothing if the time was over, and then nothing of the command runs any more.
std::optional<int> run_for(const std::string& command, const std::string& log, unsigned seconds) {
  const pid_t child = fork();
  if (child < 0) {
    throw std::runtime_error(fmt::format("no process could be made: {}", std::strerror(errno)));
  }
  if (child == 0) {
    run_shell(command, log);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::chrono::milliseconds pause{1};
  for (int status = 0;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) {
      return status;
    }
    if (std::chrono::steady_clock::now() > end) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
}

std::string message_of(const std::string& log) {
  const auto text = read_file(log, std::size_t{1} << 20);
  return !text || text->empty() ? "it says nothing" : text->substr(0, most_message);
}

/// The buffers behind the launch: those that the kernel may write from their files.
std::expected<std::vector<launch::Buffer>, std::string> read_outputs(const std::string& folder, const Interpreted& interpreted) {
  std::vector<launch::Buffer> buffers = interpreted.before.buffers;
  for (std::size_t k = 0; k < interpreted.before.values.size(); ++k) {
    const auto* number = std::get_if<BufferNumber>(&interpreted.before.values[k]);
    if (number == nullptr || !interpreted.loaded.writable[k]) {
      continue;
    }
    launch::Buffer& buffer = buffers[number->number];
    const std::string name = launch::parameter_name(*interpreted.loaded.program, k) + ".out.npy";
    const auto file = read_file((std::filesystem::path(folder) / name).string(), std::size_t{1} << 30);
    if (!file) {
      return std::unexpected(fmt::format("it has not written {}", name));
    }
    const auto array = read_npy(*file);
    if (!array) {
      return std::unexpected(fmt::format("{}: {}", name, array.error()));
    }
    if (array->type != buffer.type || array->count != buffer.count) {
      return std::unexpected(fmt::format("{} has {} elements of type {}, instead of {} of {}", name, array->count,
                                         npy_type_text(array->type), buffer.count, npy_type_text(buffer.type)));
    }
    std::memcpy(buffer.bytes.data(), array->data.data(), buffer.bytes.size());
  }
  return buffers;
}

}  // namespace

BackendRan run_backend(const FuzzPlan& plan, const std::string& folder, const Interpreted& interpreted) {
  const std::string log = (std::filesystem::path(folder) / "log.txt").string();
  const auto status = run_for(command_for(plan.backend, folder), log, plan.timeout);
  if (!status) {
    return {Ending::TooLong, "", {}};
  }
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == refused_status) {
    return {Ending::Refused, "", {}};
  }
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    const std::string how =
        WIFSIGNALED(*status) ? fmt::format("signal {}", WTERMSIG(*status)) : fmt::format("status {}", WEXITSTATUS(*status));
    return {Ending::Failed, fmt::format("the command ends with {}:\n{}", how, message_of(log)), {}};
  }
  auto buffers = read_outputs(folder, interpreted);
  if (!buffers) {
    return {Ending::Failed, buffers.error(), {}};
  }
  return {Ending::Ran, "", std::move(*buffers)};
}

FuzzAnswer try_backend(const FuzzPlan& plan, const FuzzCase& fuzz_case) {
  auto interpreted = interpret(fuzz_case, true);
  if (auto* answer = std::get_if<FuzzAnswer>(&interpreted)) {
    return std::move(*answer);
  }
  const Interpreted& made = std::get<Interpreted>(interpreted);
  const TemporaryFolder folder;
  if (const auto problem = write_case(folder.path(), fuzz_case, made)) {
    throw std::runtime_error(*problem);
  }
  const BackendRan ran = run_backend(plan, folder.path(), made);
  switch (ran.ending) {
    case Ending::Refused:
      return {FuzzAnswer::Ending::Refused, "", "", {}};
    case Ending::TooLong:
      return {FuzzAnswer::Ending::Limit, "", "", {}};
    case Ending::Failed:
      return {FuzzAnswer::Ending::Finding, "the back end fails", ran.sentence, {}};
    case Ending::Ran:
      break;
  }
  const Comparison comparison = compare(made.reference(), ran.buffers);
  if (!comparison.first) {
    return {};
  }
  return {FuzzAnswer::Ending::Finding, "the back end differs", text_of(*comparison.first, comparison.different), comparison.buffers};
}

}  // namespace lockstep::tools
