// How fast PTX is read: the compilers' files of tests/ptx, one after the other until 100,000 lines. Least processor times of several runs
// in this process, from the texts to the trees, and from the trees to what the machine runs.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/common.hpp"
#include "semantics/ptx/parse.hpp"
#include "semantics/ptx/resolve.hpp"

using namespace lockstep;

namespace {

constexpr std::size_t lines_wanted = 100'000;
constexpr int runs = 7;

std::string text_at(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

int main() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(LOCKSTEP_SOURCE_DIR "/tests/ptx")) {
    if (entry.path().extension() == ".ptx") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<std::shared_ptr<const SourceFile>> sources;
  std::size_t lines = 0;
  for (std::size_t i = 0; lines < lines_wanted && !files.empty(); ++i) {
    sources.push_back(std::make_shared<const SourceFile>(files[i % files.size()].string(), text_at(files[i % files.size()])));
    lines += sources.back()->line_count();
  }
  double parse = 1e9;
  double resolve = 1e9;
  for (int run = 0; run < runs; ++run) {
    double parsing = 0;
    double resolving = 0;
    for (const auto& source : sources) {
      const double begin = bench::processor_seconds();
      const auto module = ptx::parse(*source);
      const double parsed = bench::processor_seconds();
      if (!module) {
        bench::give_up("bench_ptx_read: a file cannot be read\n" + render(*source, module.error()));
      }
      const auto resolved = ptx::resolve(*module, source);
      if (!resolved) {
        bench::give_up("bench_ptx_read: a file is not well-formed\n" + render(*source, resolved.error()));
      }
      parsing += parsed - begin;
      resolving += bench::processor_seconds() - parsed;
    }
    parse = std::min(parse, parsing);
    resolve = std::min(resolve, resolving);
  }
  fmt::print("{} lines of PTX: read in {:.3f} s, resolved in {:.3f} s\n", lines, parse, resolve);
}
