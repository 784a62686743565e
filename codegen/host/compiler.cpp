#include "codegen/host/compiler.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

namespace lockstep::host {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> usual_compilers = {"g++", "clang++-19", "clang++"};
constexpr const char* object_name = "code.so";
constexpr const char* message_name = "messages";
constexpr std::size_t most_message = 8000;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// As a shell finds it: a name with a slash is a file, others are looked for in the folders of $PATH.
std::optional<std::string> program_called(const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos) {
    return is_program(name) ? std::optional(fs::absolute(name, error).string()) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path there = fs::absolute(folder.empty() ? "." : folder, error) / name;
    if (is_program(there)) {
      return there.string();
    }
  }
  return std::nullopt;
}

/// A folder of its own, which goes with this.
class Folder {
 public:
  explicit Folder(const std::string& inside) {
    std::error_code error;
    fs::path parent = inside;
    if (inside.empty()) {
      parent = fs::temp_directory_path(error);
    }
    std::string path = (parent / "lockstep-XXXXXX").string();
    if (!error && mkdtemp(path.data()) != nullptr) {
      path_ = path;
    }
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    if (exists()) {
      fs::remove_all(path_, error);
    }
  }

  bool exists() const { return !path_.empty(); }
  std::string file(const std::string& name) const { return (fs::path(path_) / name).string(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool write(const Folder& folder, const TextFile& file) {
  std::ofstream stream(folder.file(file.name), std::ios::binary);
  stream.write(file.content.data(), static_cast<std::streamsize>(file.content.size()));
  stream.close();
  return stream.good();
}

CompileFailure broken(std::string sentence) { return {CompileFailure::Kind::Broken, std::move(sentence)}; }

/// Pointers to the texts, and a null pointer, as C has lists of words.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

/// The environment, with the folder as the one for temporary files, and messages in English.
std::vector<std::string> environment_in(const Folder& folder) {
  std::vector<std::string> result = {"TMPDIR=" + folder.path(), "LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("TMPDIR=") && !text.starts_with("LC_ALL=")) {
      result.emplace_back(text);
    }
  }
  return result;
}

/// What posix_spawn has to be told.
class SpawnSettings {
 public:
  explicit SpawnSettings(const Folder& folder) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, message_name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigset_t none;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
      sigaddset(&defaults, signal);
    }
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);  // so that all that it starts can be ended with it
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

/// Runs a command in the folder, where its messages go to a file: waitpid's status. Nothing of it runs any more then.
std::expected<int, CompileFailure> run(std::vector<std::string> command, const Folder& folder, const CompileRequest& request) {
  const SpawnSettings settings(folder);
  std::vector<std::string> environment = environment_in(folder);
  pid_t child = -1;
  const int failed = posix_spawn(&child, command.front().c_str(), &settings.actions, &settings.attributes, pointers_to(command).data(),
                                 pointers_to(environment).data());
  if (failed != 0) {
    return std::unexpected(broken(fmt::format("{} cannot be run: {}", command.front(), std::strerror(failed))));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(request.seconds);
  std::chrono::milliseconds pause{1};
  std::optional<CompileFailure> given_up;
  bool has_ended = false;
  while (!has_ended && !given_up) {
    siginfo_t ended{};  // it stays a zombie, so that the number of its group is nobody else's
    has_ended = waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == child;
    if (!has_ended) {
      if (request.is_cancelled && request.is_cancelled()) {
        given_up = {CompileFailure::Kind::Cancelled, "compiling was cancelled"};
      } else if (std::chrono::steady_clock::now() > end) {
        given_up = {CompileFailure::Kind::Endless,
                    fmt::format("the compiler had not ended after {} second{}", request.seconds, request.seconds == 1 ? "" : "s")};
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::milliseconds(20));
    }
  }
  kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (given_up) {
    return std::unexpected(std::move(*given_up));
  }
  return status;
}

/// The beginning of what the compiler has said, where it does not name the folder that nobody will find any more.
std::string messages_in(const Folder& folder) {
  std::ifstream stream(folder.file(message_name), std::ios::binary);
  std::string text(most_message, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const std::string prefix = folder.path() + "/";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    text.erase(at, prefix.size());
  }
  return text;
}

/// What a compiler that ended otherwise than with status 0 has to say.
std::string refusal_of(int status, const Folder& folder) {
  const std::string how = WIFSIGNALED(status) ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), sigdescr_np(WTERMSIG(status)))
                                              : fmt::format("ended with status {}", WEXITSTATUS(status));
  const std::string said = messages_in(folder);
  return fmt::format("the compiler {}{}", how, said.empty() ? ", and says nothing" : ":\n" + said);
}

std::expected<Library, CompileFailure> load(const Folder& folder) {
  void* handle = dlopen(folder.file(object_name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return std::unexpected(CompileFailure{CompileFailure::Kind::Refused,
                                          fmt::format("what the compiler made cannot be loaded: {}", why != nullptr ? why : "no reason")});
  }
  return Library(std::shared_ptr<void>(handle, [](void* library) { dlclose(library); }));
}

/// With options behind those that are asked for; the last one names what is made.
std::vector<std::string> command_for(const Compiler& compiler, const CompileRequest& request, const std::vector<const char*>& more) {
  std::vector<std::string> command = compiler.command;
  command.insert(command.end(), request.options.begin(), request.options.end());
  command.insert(command.end(), more.begin(), more.end());
  command.push_back(request.source.name);
  return command;
}

std::vector<const char*> options_for_library() {
  return {
#if defined(__x86_64__)
      "-march=native",
#endif
      "-fPIC", "-shared", "-o", object_name};
}

/// Runs the compiler on the files, in the folder. Nothing if all went well.
std::optional<CompileFailure> compile_in(const Folder& folder, const Compiler& compiler, const CompileRequest& request,
                                         const std::vector<const char*>& more) {
  if (!folder.exists()) {
    return broken("there is no folder for temporary files");
  }
  std::vector<TextFile> files = request.headers;
  files.push_back(request.source);
  for (const TextFile& file : files) {
    if (!write(folder, file)) {
      return broken(fmt::format("{}: cannot be written", folder.file(file.name)));
    }
  }
  const auto status = run(command_for(compiler, request, more), folder, request);
  if (!status) {
    return status.error();
  }
  return *status != 0 ? std::optional(CompileFailure{CompileFailure::Kind::Refused, refusal_of(*status, folder)}) : std::nullopt;
}

}  // namespace

std::expected<Compiler, std::string> find_compiler(const std::string& wanted) {
  const char* from_environment = std::getenv("CXX");
  const bool is_named = !wanted.empty();
  std::vector<std::string> words = words_of(is_named ? wanted : from_environment != nullptr ? from_environment : "");
  if (!words.empty()) {
    const auto program = program_called(words.front());
    if (!program) {
      return std::unexpected(fmt::format("there is no program '{}'{} to compile C++ with", words.front(),
                                         is_named ? "" : ", which CXX in the environment names,"));
    }
    words.front() = *program;
    return Compiler{std::move(words)};
  }
  if (is_named) {
    return std::unexpected("the command of the C++ compiler is empty");
  }
  for (const char* name : usual_compilers) {
    if (auto program = program_called(name)) {
      return Compiler{{std::move(*program)}};
    }
  }
  return std::unexpected("there is no C++ compiler on this machine: neither g++ nor clang++ is on the PATH, and CXX names none");
}

void* Library::find(const std::string& symbol) const { return dlsym(handle_.get(), symbol.c_str()); }

std::expected<std::string, CompileFailure> compile_text(const Compiler& compiler, const CompileRequest& request) {
  const Folder folder(request.scratch);
  if (auto failure = compile_in(folder, compiler, request, {"-o", object_name})) {
    return std::unexpected(std::move(*failure));
  }
  std::ifstream stream(folder.file(object_name), std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::expected<Library, CompileFailure> compile_library(const Compiler& compiler, const CompileRequest& request) {
  const Folder folder(request.scratch);
  if (auto failure = compile_in(folder, compiler, request, options_for_library())) {
    return std::unexpected(std::move(*failure));
  }
  return load(folder);
}

}  // namespace lockstep::host
