// The case corpus: tests/files/ptx has a case of every form in forms.txt that runs, and the machine does what each expects, under all
// schedules.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "semantics/ptx/check.hpp"
#include "semantics/ptx/form.hpp"
#include "tests/ptx/cases/case_file.hpp"
#include "tests/ptx/corpus.hpp"
#include "tests/ptx/machine.hpp"

using namespace lockstep;
using namespace lockstep::test;
using namespace lockstep::ptx_cases;

namespace {

/// A form's name; of a mov that takes a vector apart or puts one together, "mov.v".
std::string form_of(const ptx::Instruction& instruction) {
  const std::string name = name_of(instruction.form, instruction.modifiers, instruction.types);
  const bool has_vector =
      std::ranges::any_of(instruction.operands, [](const ptx::Operand& operand) { return std::holds_alternative<ptx::Vector>(operand); });
  return name == "mov" && has_vector ? "mov.v" : name;
}

/// The forms of all instructions of a module, by name.
std::set<std::string> forms_in(const ptx::Module& module) {
  std::set<std::string> names;
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr) {
      continue;
    }
    for (const ptx::Statement& statement : function->body) {
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
        names.insert(form_of(*instruction));
      }
    }
  }
  return names;
}

/// The forms of the list that run, or those that do not.
std::set<std::string> wanted_forms(bool run) {
  std::set<std::string> forms;
  std::istringstream lines(text_of_file(source_path("tests/ptx/forms.txt")));
  for (std::string line; std::getline(lines, line);) {
    const bool starred = line.starts_with('*');
    if (!line.starts_with('#') && run != starred) {
      forms.insert(starred ? line.substr(2) : line);
    }
  }
  return forms;
}

/// The words of a form, sorted: the list has some modifiers in another order.
std::vector<std::string> words_of(const std::string& form) {
  std::vector<std::string> words;
  std::istringstream text(form);
  for (std::string word; std::getline(text, word, '.');) {
    words.push_back(word);
  }
  std::ranges::sort(words);
  return words;
}

/// Where the file has the text outside of comments: "12:3".
std::string place_of(const std::string& file, const std::string& text) {
  std::istringstream lines(text_of_file(file));
  unsigned number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    if (const std::size_t at = line.find(text); at != std::string::npos && !line.starts_with("//")) {
      return fmt::format("{}:{}", number, at + 1);
    }
  }
  return "nowhere";
}

/// The first element that is not as expected.
std::string difference(const Case& given, const ptx_machine::Arguments& arguments) {
  std::size_t buffer = 0;
  for (const ptx_cases::Argument& argument : given.arguments) {
    if (!argument.is_buffer) {
      continue;
    }
    for (const Expectation& expectation : given.expectations) {
      for (std::size_t k = 0; expectation.name == argument.name && k < expectation.values.size(); ++k) {
        const std::uint64_t bits = element_of(arguments.buffers[buffer], k, argument.type.bytes);
        if (!is_as_expected(argument.type, expectation.values[k], bits)) {
          return fmt::format("{}[{}] is {} (0x{:x}), and should be {}", argument.name, k, text_of(argument.type, bits), bits,
                             text_of(argument.type, expectation.values[k]));
        }
      }
    }
    ++buffer;
  }
  return "";
}

/// What is wrong with a case under one schedule.
std::string trouble(const PtxFile& file, const Case& given, const NamedSchedule& schedule) {
  ptx_machine::Arguments arguments = arguments_of(given);
  try {
    run_ptx(file, given.kernel, arguments, options_of(given, schedule));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return difference(given, arguments);
}

/// How a case ends that does not end well.
std::string ending(const PtxFile& file, const Case& given, const NamedSchedule& schedule) {
  ptx_machine::Arguments arguments = arguments_of(given);
  const auto outcome = ptx_machine::run(file.resolved, file.resolved.functions.front(), arguments, options_of(given, schedule));
  return !outcome                 ? outcome.error()
         : outcome->fault         ? std::string(name_of(outcome->fault->kind))
         : outcome->races.empty() ? "clean"
                                  : "race";
}

}  // namespace

TEST_CASE("every form that runs has a case, which has that form", "[ptx][cases]") {
  std::set<std::string> covered;
  for (const std::string& name : case_files()) {
    INFO(name);
    const Case given = read_case(name);
    const std::set<std::string> present = forms_in(read_ptx_file(name).module);
    for (const std::string& form : given.forms) {
      CHECK(present.contains(form));
      covered.insert(form);
    }
  }
  const std::set<std::string> wanted = wanted_forms(true);
  CHECK(wanted.size() == 176);
  for (const std::string& form : wanted) {
    INFO(form);
    CHECK(covered.contains(form));
  }
}

TEST_CASE("forms that do not run are read, and it is said where they stand", "[ptx][cases]") {
  std::set<std::vector<std::string>> covered;
  for (const std::string& name : ptx_files_in("tests/files/ptx/refused")) {
    INFO(name);
    const Case given = read_case(name);
    const PtxFile file = read_ptx_file(name);
    std::set<std::vector<std::string>> present;
    for (const std::string& form : forms_in(file.module)) {
      present.insert(words_of(form));
    }
    for (const std::string& form : given.forms) {
      CHECK(present.contains(words_of(form)));
      covered.insert(words_of(form));
    }
    const std::string place = place_of(name, given.refused);
    const Diagnostics found = ptx::check(file.module);
    REQUIRE(found.size() == 1);
    CHECK(found.front().severity == Severity::Warning);
    CHECK(render(*file.source, found).starts_with(fmt::format("{}:{}: warning: '", name, place)));
    CHECK(found.front().message.ends_with("' is read, but does not run"));
    const std::string end = trouble(file, given, schedules().front());
    INFO(end);
    CHECK(end.starts_with(fmt::format("{}:{}: ", name, place)));
    CHECK(end.find("' is read, and does not run here") != std::string::npos);
  }
  CHECK(covered.size() == 13);
  for (const std::string& form : wanted_forms(false)) {
    INFO(form);
    CHECK(covered.contains(words_of(form)));
  }
}

TEST_CASE("cases end as they expect under all schedules", "[ptx][cases]") {
  std::vector<std::string> files = case_files();
  std::ranges::copy(ptx_files_in("tests/ptx/steps"), std::back_inserter(files));
  for (const std::string& name : files) {
    const Case given = read_case(name);
    const PtxFile file = read_ptx_file(name);
    for (const NamedSchedule& schedule : schedules()) {
      INFO(name << " under " << schedule.name);
      CHECK(trouble(file, given, schedule) == "");
    }
  }
}

TEST_CASE("programs whose results depend on the schedule are found out under each", "[ptx][cases]") {
  const std::vector<std::string> files = ptx_files_in("tests/ptx/faults");
  CHECK(files.size() == 12);
  for (const std::string& name : files) {
    const Case given = read_case(name);
    const PtxFile file = read_ptx_file(name);
    for (const NamedSchedule& schedule : schedules()) {
      const std::string found = ending(file, given, schedule);
      INFO(name << " under " << schedule.name << ": " << found);
      CHECK(std::ranges::find(given.faults, found) != given.faults.end());
    }
  }
}

TEST_CASE("a case with another number somewhere fails", "[ptx][cases]") {
  const std::string name = source_path("tests/files/ptx/add.sat.i.ptx");
  const PtxFile file = read_ptx_file(name);
  Case given = read_case(name);
  auto& expected = std::get<ExpectedBits>(given.expectations.front().values.at(3));
  expected.bits ^= 1U;
  CHECK(trouble(file, given, schedules().front()) == "d[3] is 2147483647 (0x7fffffff), and should be 2147483646");
}

TEST_CASE("directives of cases that are not understood are errors", "[ptx][cases]") {
  const std::string good = "//@ form mov\n//@ run block=2\n//@ buffer a s8 -1 0x7f\n//@ output out f32 2\n//@ expect out == 1.5 nan\n";
  REQUIRE(parse_case(good));
  const auto sentence = [&](const std::string& more) {
    const auto read = parse_case(good + more + "\n");
    return read ? "" : fmt::format("{}: {}", read.error().line, read.error().sentence);
  };
  CHECK(sentence("//@ expects a == 1") == "6: there is no directive 'expects'");
  CHECK(sentence("//@") == "6: a directive is missing behind //@");
  CHECK(sentence("//@ run block=0") == "6: run: 'block=0' is not understood");
  CHECK(sentence("//@ run blocks=1") == "6: run: 'blocks=1' is not understood");
  CHECK(sentence("//@ run block=1,2,3,4") == "6: run: 'block=1,2,3,4' is not understood");
  CHECK(sentence("//@ buffer a s8 1") == "6: buffer: there are two arguments 'a'");
  CHECK(sentence("//@ buffer b i32 1") == "6: buffer: a name and a type, such as u32, are missing");
  CHECK(sentence("//@ buffer b u8 256") == "6: '256' is no number of type u8");
  CHECK(sentence("//@ buffer b s8 -129") == "6: '-129' is no number of type s8");
  CHECK(sentence("//@ buffer b f32 1.5x") == "6: '1.5x' is no number of type f32");
  CHECK(sentence("//@ scalar b u8") == "6: scalar: one number is missing");
  CHECK(sentence("//@ output b u8") == "6: output: the number of elements is missing");
  CHECK(sentence("//@ expect b == 1") == "6: expect: there is no buffer 'b'");
  CHECK(sentence("//@ expect a 1") == "6: expect: the name of a buffer and == are missing");
  CHECK(sentence("//@ expect a == 1") == "1: expect a: there are 1 values, and 2 elements");
  CHECK(sentence("//@ expect a == 1 nan") == "6: 'nan' is no number of type s8");
  CHECK(parse_case("//@ run block=1\n").error().sentence == "there is no directive form");
  CHECK(sentence("//@ fault") == "6: fault: the name of a fault is missing");
  CHECK(sentence("//@ fault race") == "1: numbers, a fault and a refusal exclude each other");
  CHECK(sentence("//@ refused") == "6: refused: one instruction, without its operands, is missing");
  CHECK(sentence("//@ refused mma") == "1: numbers, a fault and a refusal exclude each other");
  CHECK(parse_case("//@ form mov\n").error().sentence == "nothing is expected");
  CHECK(parse_case("//@ form mov\n//@ .. 1\n").error().sentence == "'..' goes on with a list, and there is none");
}
