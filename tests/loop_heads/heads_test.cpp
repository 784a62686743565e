// Every loop head of docs/loop-heads.md: what it is lowered to against the interpreter.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "semantics/generate/choices.hpp"
#include "tests/campaign/run.hpp"
#include "tests/loop_heads/apart.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

/// Of all heads, one in so many is tried without LOCKSTEP_FULL.
constexpr unsigned one_in = 8;
/// A line says how far it is after so many heads.
constexpr std::size_t told_every = 2'000;
/// Mismatches that are printed; all are in the file.
constexpr std::size_t most_printed = 3;

std::string page_text() {
  std::ifstream stream(std::string(LOCKSTEP_SOURCE_DIR) + "/docs/loop-heads.md");
  std::ostringstream text;
  text << stream.rdbuf();
  REQUIRE(stream);
  return text.str();
}

/// Whether a head is in this run: all are if everything is asked for, or their family by LOCKSTEP_HEADS.
bool is_tried(const Head& head, std::size_t number) {
  const std::string family = environment("LOCKSTEP_HEADS");
  if (!family.empty()) {
    return head.family == family;
  }
  generate::Choices choices = generate::from_seed(run_seed() * 1'000'003 + number);
  return full_run() || choices(one_in) == 0;
}

struct Tally {
  std::size_t tried = 0;
  std::map<HeadAnswer::Ending, std::size_t> endings;
};

}  // namespace

TEST_CASE("The grammar says what the page says", "[heads]") {
  const Grammar grammar = read_grammar(
      "\n## The grammar\n\n```text\nT = char | ulong\nC = < | MAX <\n\n"
      "one(T n = 300): for (T i = 0; i C n; T) { U }\nU = T | m\n\ntwo: T MIN MAX\nthree(int m = -1): m\n```\n");
  std::vector<std::string> texts;
  for (const Head& head : expand(grammar)) {
    texts.push_back(head.family + ": " + head.statement);
    for (const Scalar& scalar : head.scalars) {
      texts.back() += fmt::format("; {} {:#x}", scalar.name, scalar.bits);
    }
  }
  CHECK(texts == std::vector<std::string>{
                     "one: for (char i = 0; i < n; char) { char }; n 0x2c", "one: for (char i = 0; i < n; char) { m }; n 0x2c",
                     "one: for (char i = 0; i 127 < n; char) { char }; n 0x2c", "one: for (char i = 0; i 127 < n; char) { m }; n 0x2c",
                     "one: for (ulong i = 0; i < n; ulong) { ulong }; n 0x12c", "one: for (ulong i = 0; i < n; ulong) { m }; n 0x12c",
                     "one: for (ulong i = 0; i 18446744073709551615ul < n; ulong) { ulong }; n 0x12c",
                     "one: for (ulong i = 0; i 18446744073709551615ul < n; ulong) { m }; n 0x12c", "two: char (-127 - 1) 127",
                     "two: ulong 0 18446744073709551615ul", "three: m; m 0xffffffffffffffff"});
  CHECK_THROWS(read_grammar("\n## The grammar\n```text\nno line\n```\n"));
  CHECK_THROWS(read_grammar("no page"));
  CHECK_THROWS(expand(read_grammar("\n## The grammar\n```text\none: U\n```\n")));
}

TEST_CASE("Every loop head runs as the interpreter runs it", "[heads]") {
  const std::string page = page_text();
  const std::vector<Head> heads = expand(read_grammar(page));
  CHECK(page.find(fmt::format("{} heads", heads.size())) != std::string::npos);
  std::map<std::string, Tally> tallies;
  std::vector<std::string> mismatches;
  const std::string folder = environment("LOCKSTEP_REPRO_DIR");
  const std::string file = (folder.empty() ? "." : folder) + "/loop-heads-mismatches.txt";
  std::remove(file.c_str());
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < heads.size(); ++number) {
    if (is_tried(heads[number], number)) {
      numbers.push_back(number);
    }
  }
  std::size_t tried = 0;
  try_apart(heads, numbers, [&](std::size_t number, const HeadAnswer& answer) {
    const Head& head = heads[number];
    ++tallies[head.family].tried;
    ++tallies[head.family].endings[answer.ending];
    if (answer.ending == HeadAnswer::Ending::Wrong) {
      mismatches.push_back(
          fmt::format("{}// head {}, {}, {}: {}\n", kernel_text(head, number), number, head.family, answer.kind, answer.sentence));
      std::ofstream(file, std::ios::app) << mismatches.back() << "\n";
    }
    if (++tried % told_every == 0) {
      fmt::print("{} of {} heads, {} mismatches\n", tried, numbers.size(), mismatches.size());
      std::fflush(stdout);
    }
  });
  for (const auto& [family, tally] : tallies) {
    using Ending = HeadAnswer::Ending;
    const auto of = [&](Ending ending) { return tally.endings.contains(ending) ? tally.endings.at(ending) : 0; };
    fmt::print("{:<10} {:>6} heads: {:>6} equal, {:>5} long in both, {:>4} undefined, {:>4} wrong\n", family, tally.tried,
               of(Ending::Equal), of(Ending::Long), of(Ending::Undefined), of(Ending::Wrong));
    CHECK(3 * of(Ending::Equal) > tally.tried);
  }
  for (std::size_t k = 0; k < std::min(mismatches.size(), most_printed); ++k) {
    fmt::print("{}", mismatches[k]);
  }
  fmt::print("{} heads, {} mismatches\n", tried, mismatches.size());
  CHECK(tried == numbers.size());
  CHECK(mismatches.empty());
}
