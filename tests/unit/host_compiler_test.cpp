// codegen/host: the C++ compiler of this machine is found and run, and what it makes is called; compilers that go wrong are shell scripts.

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

#include "codegen/host/compiler.hpp"
#include "tests/unit/compile_kernels.hpp"

using namespace lockstep;
using namespace lockstep::host;
using lockstep::test::TemporaryFolder;

namespace {

/// A variable of the environment, which has its old value again when this goes.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) {
      before_ = before;
    }
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(before_); }

 private:
  void set(const std::optional<std::string>& value) const {
    if (value) {
      setenv(name_, value->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

  const char* name_;
  std::optional<std::string> before_;
};

/// Makes an executable of the lines; its path.
std::string script(const TemporaryFolder& folder, const std::string& name, const std::string& lines) {
  std::string path = folder.path() + "/" + name;
  std::ofstream(path) << "#!/bin/sh\n" << lines;
  REQUIRE(chmod(path.c_str(), 0700) == 0);
  return path;
}

Compiler usual() {
  const Variable unset("CXX", std::nullopt);
  const auto compiler = find_compiler();
  REQUIRE(compiler);
  return *compiler;
}

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

/// What the compiler says to `text`, in a folder in which nothing is left.
std::expected<Library, CompileFailure> compiled(const Compiler& compiler, const std::string& text, CompileRequest request = {}) {
  const TemporaryFolder scratch;
  request.source = {"code.cpp", text};
  request.scratch = scratch.path();
  auto library = compile_library(compiler, request);
  CHECK(files_in(scratch) == 0);
  return library;
}

CompileFailure failure(const Compiler& compiler, const CompileRequest& request = {}) {
  const auto library = compiled(compiler, "int x;\n", request);
  REQUIRE_FALSE(library);
  return library.error();
}

}  // namespace

TEST_CASE("host compiler: the one that is asked for, then CXX, then what is there", "[host]") {
  const TemporaryFolder folder;
  const std::string one = script(folder, "one", "exit 1\n");
  const std::string gxx = script(folder, "g++", "exit 1\n");
  const Variable path("PATH", folder.path());
  {
    const Variable unset("CXX", std::nullopt);
    CHECK(find_compiler().value().command == std::vector<std::string>{gxx});
    CHECK(find_compiler("one").value().command == std::vector<std::string>{one});
    CHECK(find_compiler(" one  -O1 -DX=1 ").value().command == std::vector<std::string>{one, "-O1", "-DX=1"});
    CHECK(find_compiler(one).value().command == std::vector<std::string>{one});
    CHECK(find_compiler("two").error() == "there is no program 'two' to compile C++ with");
    CHECK(find_compiler(folder.path()).error() == "there is no program '" + folder.path() + "' to compile C++ with");
    CHECK(find_compiler("  ").error() == "the command of the C++ compiler is empty");
  }
  {
    const Variable cxx("CXX", "one -flag");
    CHECK(find_compiler().value().command == std::vector<std::string>{one, "-flag"});
    CHECK(find_compiler("g++").value().command == std::vector<std::string>{gxx});
  }
  {
    const Variable cxx("CXX", "two");
    CHECK(find_compiler().error() == "there is no program 'two', which CXX in the environment names, to compile C++ with");
  }
  {
    const Variable cxx("CXX", " ");
    CHECK(find_compiler().value().command == std::vector<std::string>{gxx});
  }
  std::filesystem::remove(gxx);
  const Variable unset("CXX", std::nullopt);
  CHECK_THAT(find_compiler().error(), Catch::StartsWith("there is no C++ compiler on this machine"));
}

TEST_CASE("host compiler: what it makes is called", "[host]") {
  const TemporaryFolder scratch;
  CompileRequest request;
  request.source = {"code.cpp", "#include \"seven.h\"\nextern \"C\" int add(int x) { return x + seven + EIGHT; }\n"};
  request.headers = {{"seven.h", "constexpr int seven = 7;\n"}};
  request.options = {"-std=c++17", "-O1", "-DEIGHT=8"};
  request.scratch = scratch.path();
  const auto library = compile_library(usual(), request);
  REQUIRE(library);
  CHECK(files_in(scratch) == 0);
  const Library copy = *library;
  auto* add = reinterpret_cast<int (*)(int)>(copy.find("add"));
  REQUIRE(add != nullptr);
  CHECK(add(100) == 115);
  CHECK(copy.find("subtract") == nullptr);
}

TEST_CASE("host compiler: two libraries with the same symbols do not meet", "[host]") {
  const auto text = [](const char* number) {
    return std::string("extern \"C\" int inner() { return ") + number + "; }\nextern \"C\" int outer() { return inner(); }\n";
  };
  const auto one = compiled(usual(), text("1"));
  const auto two = compiled(usual(), text("2"));
  REQUIRE(one);
  REQUIRE(two);
  const auto call = [](const Library& library) { return reinterpret_cast<int (*)()>(library.find("outer"))(); };
  CHECK(call(*one) == 1);
  CHECK(call(*two) == 2);
}

TEST_CASE("host compiler: what it says is passed on, without the folder that is gone", "[host]") {
  const auto library = compiled(usual(), "int x = 1;\nint y = nothing;\n");
  REQUIRE_FALSE(library);
  CHECK(library.error().kind == CompileFailure::Kind::Refused);
  CHECK_THAT(library.error().sentence, Catch::StartsWith("the compiler ended with status 1:\ncode.cpp:2:9: error: ") &&
                                           Catch::Contains("nothing") && !Catch::Contains("lockstep-"));
  const auto unresolved = compiled(usual(), "int elsewhere();\nint x = elsewhere();\n");
  REQUIRE_FALSE(unresolved);
  CHECK(unresolved.error().kind == CompileFailure::Kind::Refused);
  CHECK_THAT(unresolved.error().sentence, Catch::StartsWith("what the compiler made cannot be loaded: "));
}

TEST_CASE("host compiler: compilers that go wrong", "[host]") {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& lines) { return Compiler{{script(folder, "compiler", lines)}}; };
  const CompileFailure silent = failure(with("exit 3\n"));
  CHECK(silent.kind == CompileFailure::Kind::Refused);
  CHECK(silent.sentence == "the compiler ended with status 3, and says nothing");
  const CompileFailure killed = failure(with("echo far; kill -SEGV $$\n"));
  CHECK(killed.kind == CompileFailure::Kind::Refused);
  CHECK(killed.sentence == "the compiler was ended by signal 11 (Segmentation fault):\nfar\n");
  const CompileFailure garbage = failure(with("echo garbage >code.so\n"));
  CHECK(garbage.kind == CompileFailure::Kind::Refused);
  CHECK_THAT(garbage.sentence, Catch::StartsWith("what the compiler made cannot be loaded: "));
  CHECK(failure(with("exit 0\n")).kind == CompileFailure::Kind::Refused);
  CHECK(failure(with("yes error | head -c 1000000\nexit 1\n")).sentence.size() < 10'000);
  CHECK(failure(Compiler{{folder.path() + "/none"}}).kind == CompileFailure::Kind::Broken);

  // What it gets: no input, a folder of its own, and the source as the last argument. (It has no quotes from a shell.)
  const CompileFailure told = failure(with("cat; ls; test \"$TMPDIR\" = \"$PWD\" && echo at home; printf '%s\\n' \"$@\"; exit 1\n"),
                                      {{}, {{"a.h", ""}}, {"-D A='\"b\"'"}, "", 600, nullptr});
  CHECK_THAT(told.sentence,
             Catch::Contains("\na.h\ncode.cpp\nmessages\nat home\n-D A='\"b\"'\n") && Catch::EndsWith("-o\ncode.so\ncode.cpp\n"));
}

TEST_CASE("host compiler: it is ended when it takes too long, with all that it has started", "[host]") {
  const TemporaryFolder folder;
  const Compiler slow{{script(folder, "compiler", "sleep 1000 &\necho $! >" + folder.path() + "/started\nwait\n")}};
  const auto start = std::chrono::steady_clock::now();
  CompileRequest request;
  request.seconds = 1;
  const CompileFailure late = failure(slow, request);
  CHECK(late.kind == CompileFailure::Kind::Endless);
  CHECK(late.sentence == "the compiler had not ended after 1 second");
  unsigned asked = 0;
  request.seconds = 600;
  request.is_cancelled = [&] { return ++asked > 3; };
  CHECK(failure(slow, request).kind == CompileFailure::Kind::Cancelled);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(100));

  pid_t process = 0;
  std::ifstream(folder.path() + "/started") >> process;
  if (process > 0) {  // cancelled before it had started, there is no number
    const std::string status = "/proc/" + std::to_string(process) + "/stat";
    const auto is_gone = [&] {
      std::string number;
      std::string name;
      std::string state;
      std::ifstream(status) >> number >> name >> state;
      return state.empty() || state == "Z";
    };
    // A signal takes its time to arrive.
    for (int i = 0; i < 1000 && !is_gone(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(is_gone());
  }
}

TEST_CASE("host compiler: no folder, no files", "[host]") {
  CompileRequest request;
  request.source = {"code.cpp", ""};
  request.scratch = "/no/such/folder";
  const auto library = compile_library(usual(), request);
  REQUIRE_FALSE(library);
  CHECK(library.error().kind == CompileFailure::Kind::Broken);
}
