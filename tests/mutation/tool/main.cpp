// make_faults ROOT BUILD OUT RESOURCES FAULTS [--only-by-hand] FILE... [-- PROGRAM...]
// Copies the sources FILE... from below ROOT into OUT, with faults in them that a number switches on at run time: those of all kinds
// (kinds.hpp), and those that the lists FAULTS/*.faults plant by hand ("-": none). PROGRAM...: .cpp files beside those among the sources in
// which the copies have to compile; with --only-by-hand nothing is read, and no other fault is made. How each is compiled stands in
// BUILD/compile_commands.json; RESOURCES is clang's own folder. Which faults there are is written to OUT/faults.list.

#include <clang/Tooling/JSONCompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "tests/mutation/faults/fault.hpp"
#include "tests/mutation/tool/check.hpp"
#include "tests/mutation/tool/find.hpp"

using namespace lockstep;
using namespace lockstep::mutate;

namespace {

struct Request {
  std::string root;
  std::string build;
  std::string out;
  std::vector<std::string> arguments;
  std::string faults;
  Sources sources;
  std::vector<std::string> programs;
  bool only_by_hand = false;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error(path + " cannot be read");
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Request request_of(const std::vector<std::string>& words) {
  Request request{words[0], words[1], words[2], {"-resource-dir=" + words[3], "-w", "-ferror-limit=0"}, words[4], {}, {}, false};
  bool are_sources = true;
  for (std::size_t k = 5; k < words.size(); ++k) {
    if (words[k] == "--only-by-hand") {
      request.only_by_hand = true;
      continue;
    }
    if (words[k] == "--") {
      are_sources = false;
      continue;
    }
    if (are_sources) {
      request.sources[words[k]] = read(request.root + "/" + words[k]);
    }
    if (words[k].ends_with(".cpp") && !request.only_by_hand) {
      request.programs.push_back(words[k]);
    }
  }
  return request;
}

/// Whether a fault's text is statements, and no expression: no lambda, in which some may stand.
bool are_statements(std::string_view text) {
  return text.ends_with(';') || (text.ends_with('}') && !text.starts_with('[') && text.find(';') != std::string_view::npos);
}

Edit edit_of(const test::Fault& fault, const test::Found& at) {
  return are_statements(fault.text) ? Edit{at.begin, at.end, fmt::format("if (\1) {{ {} }} else {{ ", fault.replacement), " }"}
                                    : Edit{at.begin, at.end, fmt::format("(\1 ? ({}) : (", fault.replacement), "))"};
}

std::vector<Fault> planted_by_hand(const Request& request) {
  if (request.faults == "-") {
    return {};
  }
  const auto lists = test::read_faults(request.faults);
  if (!lists) {
    throw std::runtime_error(lists.error());
  }
  std::vector<Fault> result;
  for (const test::Fault& fault : *lists) {
    const auto source = request.sources.find(fault.file);
    if (source == request.sources.end()) {
      throw std::runtime_error(fmt::format("'{}': no such file is copied: '{}'", fault.name, fault.file));
    }
    const auto at = test::find(fault, source->second);
    if (!at) {
      throw std::runtime_error(at.error());
    }
    const auto line = 1 + std::count(source->second.begin(), source->second.begin() + static_cast<std::ptrdiff_t>(at->begin), '\n');
    result.push_back({"text",
                      fault.name,
                      fault.file,
                      static_cast<unsigned>(line),
                      fmt::format("{}", fmt::join(fault.noticing, ",")),
                      fault.sentence,
                      {edit_of(fault, *at)}});
  }
  return result;
}

Found found_in(const clang::tooling::CompilationDatabase& commands, const Request& request) {
  Found found;
  if (request.programs.empty()) {
    return found;
  }
  const Commands originals(commands, request.root, request.out, false);
  const auto factory = finder(request.root, request.sources, found);
  for (const std::string& program : request.programs) {
    clang::tooling::ClangTool tool(originals, {request.root + "/" + program});
    tool.appendArgumentsAdjuster(
        clang::tooling::getInsertArgumentAdjuster(request.arguments, clang::tooling::ArgumentInsertPosition::BEGIN));
    if (tool.run(factory.get()) != 0) {
      throw std::runtime_error(program + " does not compile");
    }
  }
  std::ranges::stable_sort(found.faults, {}, [](const Fault& fault) { return std::pair(fault.file, fault.edits.front().begin); });
  return found;
}

void write_list(const Request& request, const std::vector<Fault>& faults, const std::set<unsigned>& dropped, Counts left_out) {
  left_out[LeftOut::NotCompiled] = dropped.size();
  std::ofstream out(request.out + "/faults.list");
  out << fmt::format("# left out: {} at compile time, {} before main, {} in macros, {} that do not compile\n",
                     left_out[LeftOut::CompileTime], left_out[LeftOut::BeforeMain], left_out[LeftOut::InMacro],
                     left_out[LeftOut::NotCompiled]);
  for (unsigned number = 1; number <= faults.size(); ++number) {
    const Fault& fault = faults[number - 1];
    if (!dropped.contains(number)) {
      out << fmt::format("{}\t{}\t{}\t{}:{}\t{}\t{}\n", number, fault.kind, fault.name, fault.file, fault.line, fault.was, fault.becomes);
    }
  }
}

void run(const Request& request) {
  std::string problem;
  const auto commands = clang::tooling::JSONCompilationDatabase::loadFromFile(request.build + "/compile_commands.json", problem,
                                                                              clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (commands == nullptr) {
    throw std::runtime_error(problem);
  }
  std::vector<Fault> faults = planted_by_hand(request);
  Found found = found_in(*commands, request);
  std::ranges::move(found.faults, std::back_inserter(faults));
  drop_crossing(faults);
  std::set<unsigned> dropped;
  write_what_compiles(*commands, request.arguments, request.root, request.out, request.sources, request.programs, faults, dropped);
  write_list(request, faults, dropped, found.left_out);
}

}  // namespace

int main(int count, char** words) {
  if (count < 7) {
    fmt::print(stderr, "usage: make_faults ROOT BUILD OUT RESOURCES FAULTS [--only-by-hand] FILE... [-- PROGRAM...]\n");
    return 2;
  }
  try {
    run(request_of({words + 1, words + count}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
