// plant_faults SOURCE_DIR OUT_DIR FAULTS FILE...: copies the files, the faults planted in them, each of which a number switches on
// (semantics/prove is small enough for one build with all of them). A text with a ; in it is statements, any other an expression. A
// text may contain others, or be that of several faults.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/mutation/faults/fault.hpp"

using namespace lockstep;

namespace {

struct Planted {
  const test::Fault* fault = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_if_changed(const std::string& path, const std::string& text) {
  if (std::filesystem::exists(path) && read(path) == text) {
    return;
  }
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

bool are_statements(const std::string& text) { return text.find(';') != std::string::npos; }

/// The text from `begin` to `end` with the faults that lie in it; `next` is the first of them, and becomes the first behind.
/// NOLINTNEXTLINE(misc-no-recursion)
std::string with_faults(const std::string& text, std::size_t begin, std::size_t end, const std::vector<Planted>& planted,
                        std::size_t& next) {
  std::string result;
  while (next < planted.size() && planted[next].begin < end) {
    const Planted& here = planted[next++];
    result += text.substr(begin, here.begin - begin);
    const std::string right = with_faults(text, here.begin, here.end, planted, next);
    const std::string is_on = fmt::format("::lockstep::planted::is_on({}U)", test::number_of(here.fault->name));
    result += are_statements(here.fault->text) ? fmt::format("if ({}) {{ {} }} else {{ {} }}", is_on, here.fault->replacement, right)
                                               : fmt::format("({} ? ({}) : ({}))", is_on, here.fault->replacement, right);
    begin = here.end;
  }
  return result + text.substr(begin, end - begin);
}

/// Where the file's faults are; throws std::runtime_error.
std::vector<Planted> places(const std::string& file, const std::string& text, const std::vector<test::Fault>& faults) {
  std::vector<Planted> planted;
  for (const test::Fault& fault : faults) {
    if (fault.file != file) {
      continue;
    }
    const std::size_t at = text.find(fault.text);
    if (at == std::string::npos || text.find(fault.text, at + 1) != std::string::npos) {
      throw std::runtime_error(fmt::format("the text of '{}' is {} in {}:\n{}", fault.name,
                                           at == std::string::npos ? "not found" : "found more than once", file, fault.text));
    }
    planted.push_back({&fault, at, at + fault.text.size()});
  }
  std::ranges::stable_sort(planted,
                           [](const Planted& a, const Planted& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  for (std::size_t k = 1; k < planted.size(); ++k) {
    if (planted[k].begin < planted[k - 1].end && planted[k].end > planted[k - 1].end) {
      throw std::runtime_error(fmt::format("'{}' and '{}' overlap", planted[k - 1].fault->name, planted[k].fault->name));
    }
  }
  return planted;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    fmt::print(stderr, "usage: plant_faults SOURCE_DIR OUT_DIR FAULTS FILE...\n");
    return 2;
  }
  const std::string source_dir = words[1];
  const std::string out_dir = words[2];
  const auto faults = test::read_faults(words[3]);
  if (!faults) {
    fmt::print(stderr, "{}\n", faults.error());
    return 1;
  }
  const std::vector<std::string> files(words + 4, words + count);
  try {
    for (const test::Fault& fault : *faults) {
      if (std::ranges::find(files, fault.file) == files.end()) {
        throw std::runtime_error(fmt::format("'{}': no such file is copied: '{}'", fault.name, fault.file));
      }
    }
    for (const std::string& file : files) {
      const std::string text = read(source_dir + "/" + file);
      const std::vector<Planted> planted = places(file, text, *faults);
      std::size_t next = 0;
      std::string copy = with_faults(text, 0, text.size(), planted, next);
      if (!planted.empty()) {
        const bool is_header = copy.starts_with("#pragma once\n");
        copy.insert(is_header ? std::string_view("#pragma once\n").size() : 0, "#include \"tests/mutation/faults/planted.hpp\"\n");
      }
      write_if_changed(out_dir + "/" + file, copy);
    }
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 1;
  }
  return 0;
}
