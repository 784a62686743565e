#include "semantics/musimd/directives.hpp"

#include <catch2/catch.hpp>

using namespace lockstep;
using namespace lockstep::musimd;

namespace {

FileDirectives read(const std::string& text) {
  const SourceFile source("t.mus", text);
  auto result = read_directives(source);
  INFO((result ? "" : render(source, result.error())));
  REQUIRE(result);
  return *result;
}

/// line:column: message of the only error.
std::string error(const std::string& text) {
  const SourceFile source("t.mus", text);
  const auto result = read_directives(source);
  REQUIRE_FALSE(result);
  REQUIRE(result.error().size() == 1);
  const LineColumn place = source.place(result.error()[0].span.begin);
  return std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + result.error()[0].message;
}

template <class E>
const E& only(const FileDirectives& file) {
  REQUIRE(file.runs.size() == 1);
  REQUIRE(file.runs[0].expectations.size() == 1);
  return std::get<E>(file.runs[0].expectations[0].expected);
}

}  // namespace

TEST_CASE("a text without directives has one run with the defaults", "[directives]") {
  const FileDirectives file = read("stop\n;; prose\n// comment ;@ halts\n# ;@ halts\n");
  REQUIRE(file.runs.size() == 1);
  CHECK(file.runs[0].expectations.empty());
  CHECK(file.runs[0].settings.threads == 0);
  CHECK(file.runs[0].settings.max_steps == 1'000'000);
  CHECK(file.runs[0].settings.printed.empty());
  CHECK(file.text.empty());
}

TEST_CASE("the keys of machine and run", "[directives]") {
  const FileDirectives file = read(
      ";@ machine threads=8 max-steps=12 order=descending\n;@ halts\n;@ run as-printed=E1,E10 active=0,3\n;@ run threads=3 order=2,0,1\n");
  REQUIRE(file.runs.size() == 3);
  CHECK(file.runs[0].settings.threads == 8);
  CHECK(file.runs[0].settings.max_steps == 12);
  CHECK(thread_order(file.runs[0].settings, 3) == std::vector<unsigned>{2, 1, 0});
  CHECK(file.runs[1].settings.threads == 8);
  CHECK(file.runs[1].settings.printed == AsPrinted{Erratum::E1, Erratum::E10});
  CHECK(file.runs[1].settings.active == std::vector<unsigned>{0, 3});
  CHECK(file.runs[2].settings.threads == 3);
  CHECK(thread_order(file.runs[2].settings, 3) == std::vector<unsigned>{2, 0, 1});
  CHECK(file.runs[2].settings.printed.empty());
}

TEST_CASE("expectations", "[directives]") {
  CHECK(only<ExpectStuck>(read(";@ stuck SS.2 SI.sync.2")).premises == std::vector<PremiseName>{{RuleId::SS, 2}, {RuleId::SI_sync, 2}});
  CHECK(only<ExpectUndefined>(read(";@ undefined LD.2 thread=3")).thread == 3U);
  CHECK(only<ExpectLimit>(read(";@ limit stacks")).what == ExpectLimit::What::Stacks);
  CHECK(only<ExpectCovers>(read(";@ covers BD SI.shfl")).rules == std::vector<RuleId>{RuleId::BD, RuleId::SI_shfl});
  CHECK(only<ExpectTaken>(read("bz v, L ;@ taken T F - | - - T")).visits == std::vector<std::string>{"TF-", "--T"});
  CHECK(only<ExpectTrace>(read(";@ begin trace\n; a  b\n;\n;@ end trace")).lines == std::vector<std::string>{"a  b", ""});

  const auto cells = only<ExpectCells>(read(";@ expect mem[7..12] == -3 * ? \"a\\n\\\"\""));
  CHECK(cells.base == 7);
  REQUIRE(cells.values.size() == 6);
  CHECK(cells.values[0].number == -3);
  CHECK(cells.values[1].kind == ExpectedValue::Kind::Uninitialised);
  CHECK(cells.values[2].kind == ExpectedValue::Kind::Poison);
  CHECK(cells.values[3].number == 97);
  CHECK(cells.values[4].number == 10);
  CHECK(cells.values[5].number == 34);
  CHECK(only<ExpectVariable>(read(";@ expect v3 == 1 2")).name == "v3");
}

TEST_CASE("several directives and prose on one line, attached to it", "[directives]") {
  const FileDirectives file = read("\n  bz v, L ;@ rule BT BF ;; prose ;@ taken T | F\n;@ halts ;; prose");
  REQUIRE(file.runs.size() == 1);
  REQUIRE(file.runs[0].expectations.size() == 3);
  CHECK(file.runs[0].expectations[0].line == 2U);
  CHECK(std::get<ExpectRules>(file.runs[0].expectations[0].expected).visits == std::vector<RuleId>{RuleId::BT, RuleId::BF});
  CHECK(file.runs[0].expectations[1].line == 2U);
  CHECK(file.runs[0].expectations[2].line == std::nullopt);
}

TEST_CASE("expectations about the text", "[directives]") {
  const FileDirectives file = read("jmp X ;@ malformed col=5 \"the label\"\n");
  CHECK(file.runs.empty());
  REQUIRE(file.text.size() == 1);
  CHECK(file.text[0].kind == TextExpectation::Kind::Malformed);
  CHECK(file.text[0].message == "the label");
  CHECK(file.text[0].line == 1U);
  CHECK(file.text[0].column == 5U);
  CHECK(read(";@ wellformed").text[0].kind == TextExpectation::Kind::Wellformed);
  CHECK(read("sync ;@ illformed \"condition 2\"").text[0].kind == TextExpectation::Kind::Illformed);
}

TEST_CASE("mistakes in directives are errors at their place", "[directives]") {
  CHECK(error("stop\n  ;@ holts") == "2:3: unknown directive 'holts'");
  CHECK(error("stop ;@ halts ;@ foo") == "1:15: unknown directive 'foo'");
  CHECK(error(";@") == "1:1: expected a directive behind ';@'");
  CHECK(error(";@ halts now") == "1:1: 'halts' stands alone");
  CHECK(error(";@ machine width=3") == "1:1: unknown key 'width'; there are threads, active, order, as-printed and max-steps");
  CHECK(error(";@ machine threads") == "1:1: expected KEY=VALUE, not 'threads'");
  CHECK(error(";@ machine threads=-1") == "1:1: expected a number, not '-1'");
  CHECK(error(";@ machine threads=99999999999999") == "1:1: expected a number, not '99999999999999'");
  CHECK(error(";@ machine as-printed=E6") == "1:1: 'E6' is no erratum that can be executed");
  CHECK(error(";@ machine order=1,,2") == "1:1: expected a number, not ''");
  CHECK(error(";@ halts\n;@ machine threads=3") == "2:1: 'machine' stands before all runs and their expectations");
  CHECK(error(";@ stuck EE") == "1:1: expected a premise such as EE.3, not 'EE'");
  CHECK(error(";@ stuck EE.9") == "1:1: there is no premise 'EE.9'");
  CHECK(error(";@ covers") == "1:1: expected the names of rules");
  CHECK(error(";@ limit time") == "1:1: expected steps, memory or stacks");
  CHECK(error(";@ undefined LD.2 3") == "1:1: expected thread=N, not '3'");
  CHECK(error(";@ expect v = 3") == "1:1: expected mem[FIRST..LAST] == VALUE… or VARIABLE == VALUE…");
  CHECK(error(";@ expect mem[3] == 3 4") == "1:1: mem[A] is one cell; write mem[A..B] for several");
  CHECK(error(";@ expect mem[5..4] == 3") == "1:1: there are 1 values for the cells 5 to 4");
  CHECK(error(";@ expect mem[3 == 4") == "1:1: expected mem[FIRST..LAST]");
  CHECK(error(";@ taken T") == "1:1: stands behind an instruction, on its line");
  CHECK(error("bz v, L ;@ taken X") == "1:9: expected T, F, - or |, not 'X'");
  CHECK(error(";@ wellformed \"x\"") == "1:1: 'wellformed' stands alone");
  CHECK(error(";@ malformed x") == "1:1: expected the beginning of the message in quotes, before it perhaps col=N");
  CHECK(error(";@ end trace") == "1:1: expected ';@ begin trace'");
  CHECK(error(";@ begin trace\nstop\n;@ end trace") == "2:1: a line of a trace begins with ';'");
}
