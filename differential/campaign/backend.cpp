// Somebody else's compiler as the target: a command that gets a folder (docs/fuzz.md).

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "differential/campaign/folder.hpp"
#include "differential/campaign/try.hpp"
#include "differential/compare/compare.hpp"
#include "differential/compare/interrupts.hpp"
#include "interpreter/launch/arguments.hpp"
#include "interpreter/store/npy.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/files.hpp"

namespace lockstep::differential {

namespace {

namespace fs = std::filesystem;
using Ending = FuzzAnswer::Ending;

/// The exit status that says: not this kernel. (CTest and automake say it so, too.)
constexpr int refused_status = 77;
/// The exit status that says: something is missing here, no kernel can be done. (EX_UNAVAILABLE of sysexits.h.)
constexpr int missing_status = 69;
/// How the shell says that it cannot execute a command, that there is none, and that one was ended by a signal.
constexpr int not_executable_status = 126;
constexpr int not_found_status = 127;
constexpr int signal_status = 128;
constexpr int most_signals = 64;
constexpr std::string_view nothing_said = "it says nothing";
constexpr std::size_t most_message = 2000;
constexpr std::size_t most_gist = 100;

/// What belongs to one run of the command; all of it goes when the run is over.
struct Places {
  explicit Places(const std::string& scratch) : whole(scratch), folder(fs::path(whole.path()) / "case"), temporary(whole.path()) {
    fs::create_directory(folder);
  }
  TemporaryFolder whole;
  std::string folder;     ///< what the command gets
  std::string temporary;  ///< TMPDIR for it
  std::string said(const char* stream) const { return (fs::path(temporary) / stream).string(); }
};

/// In the child process: what the command says goes to files, and what comes with Lockstep is found.
[[noreturn]] void run_shell(const std::string& command, const Places& places) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  const int nothing = open("/dev/null", O_RDONLY);
  const int out = open(places.said("out").c_str(), flags, 0666);
  const int err = open(places.said("err").c_str(), flags, 0666);
  if (nothing < 0 || out < 0 || err < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
      dup2(err, STDERR_FILENO) < 0) {
    _exit(not_found_status);
  }
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, SIG_DFL);
  }
  alarm(0);
  const char* path = std::getenv("PATH");
  setenv("PATH", fmt::format("{}:{}", path != nullptr ? path : "/usr/bin:/bin", folder_of_program()).c_str(), 1);
  setenv("TMPDIR", places.temporary.c_str(), 1);
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(not_found_status);
}

struct TooLong {};
struct Stopped {};

/// waitpid's status. Nothing of the command runs any more then.
std::variant<int, TooLong, Stopped> run_for(const std::string& command, const Places& places, unsigned seconds) {
  const pid_t child = fork();
  if (child < 0) {
    throw std::runtime_error(fmt::format("no process could be made: {}", std::strerror(errno)));
  }
  if (child == 0) {
    run_shell(command, places);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::chrono::milliseconds pause{1};
  bool has_ended = false;
  bool is_late = false;
  while (!has_ended && !is_late && interrupts() == 0) {
    siginfo_t ended{};  // it stays a zombie, so that the number of its group is nobody else's
    has_ended = waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == child;
    if (!has_ended) {
      is_late = std::chrono::steady_clock::now() > end;
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::milliseconds(20));
    }
  }
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (has_ended) {
    return status;
  }
  return is_late ? std::variant<int, TooLong, Stopped>(TooLong()) : Stopped();
}

std::string beginning_of(const std::string& file) {
  auto text = read_file(file, std::size_t{1} << 26);
  return text ? text->substr(0, most_message) : "";
}

/// What the command says on standard error, or else on standard output.
std::string message_in(const Places& places) {
  for (const char* stream : {"err", "out"}) {
    std::string text = beginning_of(places.said(stream));
    if (text.find_first_not_of(" \n") != std::string::npos) {
      return text;
    }
  }
  return std::string(nothing_said);
}

/// The first line of a message without what changes from kernel to kernel: names in the folders that it was run with, and digits.
std::string gist_of(const std::string& message, const Places& places) {
  std::string line = message.substr(std::min(message.find_first_not_of(" \n"), message.size()));
  line = line.substr(0, line.find('\n'));
  for (std::size_t at = line.find(places.temporary); at != std::string::npos; at = line.find(places.temporary, at)) {
    line.erase(at, std::min(line.find_first_of(" :,;'\"`()", at), line.size()) - at);
  }
  for (std::size_t at = line.find("0x"); at != std::string::npos; at = line.find("0x", at)) {
    line.erase(at, std::min(line.find_first_not_of("0123456789abcdefABCDEF", at + 2), line.size()) - at);
  }
  std::erase_if(line, [](char c) { return (c >= '0' && c <= '9') || static_cast<unsigned char>(c) < ' '; });
  return line.substr(0, most_gist);
}

/// Of a status that is not 0: what that says.
FuzzAnswer failed(int status, const Places& places) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  const std::string message = message_in(places);
  if (code == refused_status) {
    return {Ending::Refused, "", "", {}, {}};
  }
  if (code == missing_status || code == not_executable_status || code == not_found_status) {
    return {Ending::Missing, "", fmt::format("the command ends with status {}: {}", code, message), {}, {}};
  }
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : code - signal_status;
  const bool is_signal = signal > 0 && signal <= most_signals;
  const char* name = is_signal ? sigdescr_np(signal) : nullptr;
  const std::string how = is_signal ? fmt::format("signal {}", signal) : fmt::format("status {}", code);
  const std::string gist = message == nothing_said ? "" : ": " + gist_of(message, places);
  return {Ending::Finding,
          fmt::format("the back end ends with {}{}", how, gist),
          fmt::format("the command ends with {}{}:\n{}", how, name != nullptr ? fmt::format(" ({})", name) : "", message),
          {},
          {}};
}

FuzzAnswer wrong_output(std::string kind, std::string sentence) { return {Ending::Finding, std::move(kind), std::move(sentence), {}, {}}; }

/// The buffers behind the launch: those that the kernel may write from their files.
std::expected<std::vector<launch::Buffer>, FuzzAnswer> read_outputs(const std::string& folder, const Interpreted& interpreted) {
  std::vector<launch::Buffer> buffers = interpreted.before.buffers;
  for (std::size_t k = 0; k < interpreted.before.values.size(); ++k) {
    const auto* number = std::get_if<BufferNumber>(&interpreted.before.values[k]);
    if (number == nullptr || !interpreted.loaded.writable[k]) {
      continue;
    }
    launch::Buffer& buffer = buffers[number->number];
    const std::string name = launch::parameter_name(*interpreted.loaded.program, k) + ".out.npy";
    const fs::path path = fs::path(folder) / name;
    std::error_code error;
    if (!fs::exists(path, error)) {
      return std::unexpected(wrong_output("the back end writes nothing", fmt::format("it has not written {}", name)));
    }
    const auto file = fs::is_regular_file(path, error) ? read_file(path.string(), std::size_t{1} << 30)
                                                       : std::unexpected(fmt::format("{} is no file", name));
    const auto array = file ? read_npy(*file) : std::unexpected(file.error());
    if (!array) {
      return std::unexpected(wrong_output("the back end writes no .npy file", fmt::format("{}: {}", name, array.error())));
    }
    if (array->type != buffer.type || array->count != buffer.count) {
      return std::unexpected(
          wrong_output(array->type != buffer.type ? "the back end writes another type" : "the back end writes another shape",
                       fmt::format("{} has {} elements of type {}, instead of {} of {}", name, array->count, npy_type_text(array->type),
                                   buffer.count, npy_type_text(buffer.type))));
    }
    std::memcpy(buffer.bytes.data(), array->data.data(), buffer.bytes.size());
  }
  return buffers;
}

/// What is wrong with the run of a command that has ended with this status of waitpid's: nothing if its buffers are equal.
std::optional<FuzzAnswer> judged(int status, const Places& places, const Interpreted& interpreted) {
  if (status != 0) {
    return failed(status, places);
  }
  auto buffers = read_outputs(places.folder, interpreted);
  if (!buffers) {
    return std::move(buffers.error());
  }
  const Comparison comparison = compare(interpreted.reference(), *buffers);
  if (!comparison.first) {
    return std::nullopt;
  }
  return FuzzAnswer{Ending::Finding, "the back end differs", text_of(*comparison.first, comparison.different), comparison.buffers,
                    Element{comparison.first->number, comparison.first->index}};
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string command_on(const std::string& command, const std::string& word) {
  std::string text = command;
  bool named = false;
  for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}", at + word.size())) {
    named = true;
    text.replace(at, 2, word);
  }
  return named ? text : text + " " + word;
}

std::string folder_of_program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().string();
}

FuzzAnswer try_backend(const FuzzPlan& plan, const FuzzCase& fuzz_case) {
  auto interpreted = interpret(fuzz_case, true);
  if (auto* answer = std::get_if<FuzzAnswer>(&interpreted)) {
    return std::move(*answer);
  }
  const Interpreted& made = std::get<Interpreted>(interpreted);
  const Places places(plan.scratch);
  if (const auto problem = write_case(places.folder, fuzz_case, made)) {
    throw std::runtime_error(*problem);
  }
  const auto ran = run_for(command_on(plan.backend, shell_quoted(places.folder)), places, plan.timeout);
  if (std::holds_alternative<Stopped>(ran)) {
    return {Ending::Stopped, "", "", {}, {}};
  }
  if (std::holds_alternative<TooLong>(ran)) {  // the interpreter has ended
    return {Ending::Finding,
            "the back end is endless",
            fmt::format("the command had not ended after {}", counted(plan.timeout, "second")),
            {},
            {}};
  }
  return judged(std::get<int>(ran), places, made).value_or(FuzzAnswer());
}

}  // namespace lockstep::differential
