#include "tests/mutation/folders.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace lockstep::test {

namespace {

struct Row {
  const char* name;
  std::vector<std::string> parts;  ///< of the checks; those of the first are asked first. "*": all others
  double killed_at_least;
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"rules", {"rules", "typed", "*"}, 0.8},
      {"operations", {"ops", "*"}, 0.8},
      {"language", {"sema", "translate", "layout", "*"}, 0},
      {"launch", {"launch", "typed", "*"}, 0.5},
      {"verifier", {"verifier", "*"}, 0.75},
      {"passes", {"passes", "evaluate", "emit"}, 0.4},
      {"evaluator", {"evaluate", "passes", "emit"}, 0},
      {"llvm", {"emit"}, 0},
      {"avx512", {"avx512", "emit"}, 0},
      {"ptx", {"*"}, 0.5},
      {"cuda", {"cuda", "CUDA"}, 0.75},
      {"ve", {"ve", "*"}, 0.8},
      {"emitve", {"emitve", "*"}, 0.55},
      {"provers", {"terms", "pairs", "random pairs"}, 0.5},
  };
  return rows;
}

}  // namespace

Folder folder_named(const std::string& name, std::vector<Check> checks) {
  const auto row = std::ranges::find(table(), name, &Row::name);
  if (row == table().end()) {
    throw std::runtime_error("there is no row for the folder " + name);
  }
  Folder folder{{}, row->killed_at_least};
  for (const std::string& part : row->parts) {
    const auto others = std::ranges::stable_partition(
        checks, [&](const Check& check) { return part != "*" && std::ranges::find(check.parts, part) == check.parts.end(); });
    std::ranges::move(others, std::back_inserter(folder.checks));
    checks.erase(others.begin(), others.end());
  }
  if (folder.checks.empty()) {
    throw std::runtime_error("there are no checks for the folder " + name);
  }
  return folder;
}

}  // namespace lockstep::test
