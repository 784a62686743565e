// Compiled kernels on disk: they are found again, by exactly the same request, and nothing else that lies there does any harm.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "tests/unit/compile_kernels.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

namespace fs = std::filesystem;

CompileOptions in_folder(const TemporaryFolder& folder) {
  CompileOptions options = without_cache(2, 1);
  options.cache = true;
  options.cache_directory = folder.path();
  return options;
}

/// Compiles and calls; whether it came from the cache.
bool is_cached(const CompileOptions& options, const SourceFile& source = scaled_sum) {
  const auto kernel = compile(source, options);
  REQUIRE(kernel);
  const std::vector<float> in = {1, 2, 3, 4};
  std::vector<float> out(4);
  REQUIRE((*kernel)(1, 2, in, in, out));
  CHECK(out == std::vector<float>{3, 6, 9, 12});
  CHECK(kernel->parameters().size() == 4);
  CHECK(kernel->parameters()[3].footprint.block == std::optional<std::uint64_t>(4));
  // Items 0 and 1 of group g touch elements 4g + j and 4g + 2 + j in round j.
  CHECK(kernel->parameters()[3].footprint.certain == std::vector<CertainAccess>{{4, 0, 2}, {4, 1, 3}});
  return kernel->is_from_cache();
}

std::string only_file(const TemporaryFolder& folder) {
  const std::vector<std::string> names = folder.files();
  REQUIRE(names.size() == 1);
  return folder.path() + "/" + names.front();
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

TEST_CASE("compile cache: the same request finds it, any other does not", "[compile]") {
  const TemporaryFolder folder;
  const CompileOptions options = in_folder(folder);
  CHECK(!is_cached(options));
  CHECK(is_cached(options));
  const auto differs = [&](const std::function<void(CompileOptions&)>& change) {
    CompileOptions changed = options;
    change(changed);
    return !is_cached(changed) && is_cached(changed);
  };
  CHECK(differs([](CompileOptions& o) { o.kernel = "scaled_sum"; }));
  CHECK(differs([](CompileOptions& o) { o.wg_pack = 2; }));
  CHECK(differs([](CompileOptions& o) { o.level = 0; }));
  CHECK(differs([](CompileOptions& o) { o.fp_contract = false; }));
  CHECK(differs([](CompileOptions& o) { o.defines = {{"X", "1"}}; }));
  CHECK(differs([](CompileOptions& o) { o.defines = {{"X1", ""}}; }));
  CHECK(!is_cached(options, SourceFile("other.cl", scaled_sum.text() + "\n")));
  CHECK(is_cached(options, SourceFile("other name.cl", scaled_sum.text())));  // what the text is called does not matter
  CompileOptions off = options;
  off.cache = false;
  CHECK(!is_cached(off));
}

TEST_CASE("compile cache: warnings are kept", "[compile]") {
  const TemporaryFolder folder;
  CompileOptions options = in_folder(folder);
  const SourceFile source("w.cl", "__kernel void k(__global int *x) { x[0] = 1 << 40; }");
  const auto first = compile(source, options);
  const auto second = compile(source, options);
  REQUIRE((first && second));
  CHECK(second->is_from_cache());
  CHECK(!first->warnings().empty());
  CHECK(render(source, first->warnings()) == render(source, second->warnings()));
}

TEST_CASE("compile cache: damaged files are replaced", "[compile]") {
  const TemporaryFolder folder;
  CompileOptions options = in_folder(folder);
  options.level = 0;
  CHECK(!is_cached(options));
  const std::string path = only_file(folder);
  const std::string good = content(path);
  const auto is_replaced = [&](const std::string& bytes) {
    write(path, bytes);
    return !is_cached(options) && content(path) == good;
  };
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, std::size_t{20}, std::size_t{40}, good.size() / 2, good.size() - 1}) {
    INFO("the first " << length << " bytes");
    CHECK(is_replaced(good.substr(0, length)));
  }
  for (std::size_t place = 0; place < good.size(); place += good.size() / 23) {
    INFO("byte " << place);
    std::string bytes = good;
    bytes[place] = static_cast<char>(bytes[place] ^ 4);
    CHECK(is_replaced(bytes));
  }
  CHECK(is_replaced(good + "x"));
  CHECK(is_replaced("something else"));
  write(path, good);
  CHECK(is_cached(options));
}

TEST_CASE("compile cache: another kernel's file under this name is not believed", "[compile]") {
  const TemporaryFolder folder;
  const CompileOptions options = in_folder(folder);
  CHECK(!is_cached(options));
  const std::string path = only_file(folder);
  const TemporaryFolder elsewhere;
  CompileOptions other = options;
  other.cache_directory = elsewhere.path();
  other.defines = {{"MORE", "1"}};
  CHECK(!is_cached(other));
  fs::copy_file(only_file(elsewhere), path, fs::copy_options::overwrite_existing);
  CHECK(!is_cached(options));
  CHECK(is_cached(options));
}

TEST_CASE("compile cache: files that others may write are not believed", "[compile]") {
  const TemporaryFolder folder;
  const CompileOptions options = in_folder(folder);
  CHECK(!is_cached(options));
  const std::string path = only_file(folder);
  CHECK((fs::status(path).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
  fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
  CHECK(!is_cached(options));
  CHECK(is_cached(options));
  fs::rename(path, path + ".moved");
  fs::create_symlink(path + ".moved", path);
  CHECK(!is_cached(options));
  CHECK(is_cached(options));
  fs::remove(path);
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);  // reading it would wait for ever
  CHECK(!is_cached(options));
}

TEST_CASE("compile cache: a folder that cannot be used costs time only", "[compile]") {
  const TemporaryFolder folder;
  CompileOptions options = in_folder(folder);
  write(folder.path() + "/file", "");
  options.cache_directory = folder.path() + "/file/below";
  CHECK(!is_cached(options));
  CHECK(!is_cached(options));
  options.cache_directory = folder.path() + "/made/at/once";
  CHECK(!is_cached(options));
  CHECK(is_cached(options));
  CHECK((fs::status(options.cache_directory).permissions() & fs::perms::all) == fs::perms::owner_all);
}

TEST_CASE("compile cache: what was not used for longest goes first", "[compile]") {
  const TemporaryFolder folder;
  CompileOptions options = in_folder(folder);
  const auto with = [&](const char* number) {
    options.defines = {{"NUMBER", number}};
    return is_cached(options);
  };
  CHECK(!with("1"));
  const std::uint64_t size = fs::file_size(only_file(folder));
  options.cache_bytes = 3 * size + size / 2;
  const auto make_older = [&] {
    for (const std::string& name : folder.files()) {
      const fs::path path = folder.path() + "/" + name;
      fs::last_write_time(path, fs::last_write_time(path) - std::chrono::minutes(1));
    }
  };
  make_older();
  CHECK(!with("2"));
  make_older();
  CHECK(!with("3"));
  make_older();
  CHECK(with("1"));  // now 2 is the one that was not used for longest
  CHECK(!with("4"));
  CHECK(folder.files().size() == 3);
  CHECK(with("1"));
  CHECK(with("3"));
  CHECK(with("4"));
  CHECK(!with("2"));

  // What somebody left unfinished long ago goes too, but nothing that was not ours.
  write(folder.path() + "/.unfinished-old", "x");
  write(folder.path() + "/.unfinished-new", "x");
  write(folder.path() + "/letter.txt", "x");
  fs::last_write_time(folder.path() + "/.unfinished-old", fs::file_time_type::clock::now() - std::chrono::hours(2));
  fs::last_write_time(folder.path() + "/letter.txt", fs::file_time_type::clock::now() - std::chrono::hours(2));
  CHECK(!with("5"));
  CHECK(!fs::exists(folder.path() + "/.unfinished-old"));
  CHECK(fs::exists(folder.path() + "/.unfinished-new"));
  CHECK(fs::exists(folder.path() + "/letter.txt"));
}

TEST_CASE("compile cache: the default folder", "[compile]") {
  const TemporaryFolder folder;
  CompileOptions options = in_folder(folder);
  options.cache_directory.clear();
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  CHECK(!is_cached(options));
  CHECK(is_cached(options));
  CHECK(fs::is_directory(folder.path() + "/lockstep"));
  before == nullptr ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", kept.c_str(), 1);
}

TEST_CASE("compile cache: processes and threads at the same time", "[compile]") {
  const TemporaryFolder folder;
  CompileOptions options = in_folder(folder);
  options.level = 0;
  const std::vector<float> in = {1, 2, 3, 4};
  const auto works = [&](int number) {
    CompileOptions mine = options;
    mine.defines = {{"NUMBER", std::to_string(number % 2)}};
    const auto kernel = compile(scaled_sum, mine);
    std::vector<float> out(4);
    return kernel && (*kernel)(1, 2, in, in, out) && out == std::vector<float>{3, 6, 9, 12};
  };
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    const pid_t id = fork();
    REQUIRE(id >= 0);
    if (id == 0) {
      _exit(works(child) && works(child + 1) ? 0 : 1);
    }
    children.push_back(id);
  }
  std::array<bool, 3> is_right{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < is_right.size(); ++k) {
      threads.emplace_back([&, k] { is_right[k] = works(static_cast<int>(k)) && works(static_cast<int>(k) + 1); });
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(std::ranges::all_of(is_right, [](bool right) { return right; }));
  CHECK(folder.files().size() == 2);
}

namespace {

unsigned asked = 0;
LoweringTask last_task;
LoweringVerdict next_verdict;

/// Answers what the test wants, and counts.
LoweringVerdict planted_prover(const LoweringTask& task) {
  ++asked;
  last_task = task;
  LoweringVerdict verdict = next_verdict;
  verdict.level = task.level;
  return verdict;
}

}  // namespace

TEST_CASE("compile: a verdict is kept with the kernel, and counts for those who ask for less", "[compile]") {
  using Kind = LoweringVerdict::Kind;
  const TemporaryFolder folder;
  CompileOptions options = in_folder(folder);
  const auto asks = [&](VerifyLevel level) {
    options.verify = level;
    options.prover = level == VerifyLevel::Off ? nullptr : planted_prover;
    const unsigned before = asked;
    const auto kernel = compile(scaled_sum, options);
    REQUIRE(kernel);
    return std::pair(kernel->verdict().sentence, asked - before);
  };
  asked = 0;
  next_verdict = {Kind::Unknown, VerifyLevel::Off, "InfReg-IR not proved: planted"};
  CHECK(asks(VerifyLevel::Off) == std::pair(std::string(), 0U));
  CHECK(asks(VerifyLevel::Auto) == std::pair(std::string("InfReg-IR not proved: planted"), 1U));
  CHECK(last_task.options.wg_size == 2);
  CHECK(last_task.wg_pack == 1);
  CHECK(last_task.level == VerifyLevel::Auto);
  CHECK(asks(VerifyLevel::Auto).second == 0);
  CHECK(asks(VerifyLevel::Off) == std::pair(std::string("InfReg-IR not proved: planted"), 0U));  // what is known counts
  next_verdict = {Kind::Proved, VerifyLevel::Off, "InfReg-IR proved: planted"};
  CHECK(asks(VerifyLevel::Full) == std::pair(std::string("InfReg-IR proved: planted"), 1U));
  CHECK(asks(VerifyLevel::Full).second == 0);
  CHECK(asks(VerifyLevel::Auto).second == 0);
}

TEST_CASE("compile: a counterexample is an error, and nothing is kept of it", "[compile]") {
  const TemporaryFolder folder;
  CompileOptions options = in_folder(folder);
  options.verify = VerifyLevel::Auto;
  const auto without = compile(scaled_sum, options);
  REQUIRE_FALSE(without);
  CHECK(without.error().front().message == "verify: without a prover nothing is proved; there is lockstep::prove_lowering");
  options.prover = planted_prover;
  next_verdict = {LoweringVerdict::Kind::Refuted, VerifyLevel::Off, "InfReg-IR refuted: planted"};
  const auto kernel = compile(scaled_sum, options);
  REQUIRE_FALSE(kernel);
  CHECK(kernel.error().front().message == "InfReg-IR refuted: planted");
  CHECK(folder.files().empty());
}
