// The file tests: every `.mus` file below the given folders and files against its own directives (docs/file-tests.md).
//   file_tests [--bless] PATH…
// A file below a folder named must-fail must not pass, and its first line `;; must fail: TEXT` says with which message.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/runner/file_test.hpp"

namespace {

namespace fs = std::filesystem;
using lockstep::SourceFile;
using lockstep::runner::Report;

std::vector<fs::path> files_below(const fs::path& path) {
  std::vector<fs::path> files;
  if (!fs::is_directory(path)) {
    return {path};
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.path().extension() == ".mus") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

SourceFile read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error(path.string() + ": cannot be read");
  }
  return {path.string(), std::string(std::istreambuf_iterator<char>(in), {})};
}

/// A test of the runner itself: the file's failures contain the text that its first line names.
std::vector<std::string> must_fail(const SourceFile& source, const Report& report) {
  constexpr std::string_view head = ";; must fail: ";
  const std::string_view first = source.line_text(1);
  if (!first.starts_with(head)) {
    return {source.name() + ": the first line must be ';; must fail: TEXT'"};
  }
  const std::string_view text = first.substr(head.size());
  const bool found =
      std::any_of(report.failures.begin(), report.failures.end(), [&](const std::string& f) { return f.find(text) != std::string::npos; });
  if (found) {
    return {};
  }
  return {fmt::format("{}: fails {}with '{}'", source.name(), report.failures.empty() ? "not, and should " : "otherwise than ", text)};
}

std::vector<std::string> failures_of(const fs::path& path, bool bless) {
  try {
    const SourceFile source = read(path);
    const bool inverted = path.parent_path().filename() == "must-fail";
    const Report report = lockstep::runner::run_file_test(source, bless && !inverted);
    if (inverted) {
      return must_fail(source, report);
    }
    if (bless && report.blessed) {
      std::ofstream(path, std::ios::binary) << *report.blessed;
      fmt::print("blessed {}\n", path.string());
    }
    return report.failures;
  } catch (const std::exception& error) {
    return {fmt::format("{}: {}", path.string(), error.what())};
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool bless = false;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--bless") {
      bless = true;
    } else {
      const std::vector<fs::path> more = files_below(argv[i]);
      files.insert(files.end(), more.begin(), more.end());
    }
  }
  std::size_t passed = 0;
  for (const fs::path& file : files) {
    const std::vector<std::string> failures = failures_of(file, bless);
    passed += failures.empty() ? 1U : 0U;
    for (const std::string& failure : failures) {
      fmt::print("FAIL {}\n", failure);
    }
  }
  if (files.empty()) {
    fmt::print("FAIL there are no .mus files\n");
  }
  const std::size_t failed = files.size() - passed + (files.empty() ? 1U : 0U);
  fmt::print("counts: {} passed, {} failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
