#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <iostream>

#include "tests/analyses/analysis.hpp"

namespace lockstep::analyses {

using prove::Answer;

void Proved::ask(const std::string& name, const std::vector<prove::Truth>& premises, const prove::Truth& claim, const prove::Truth& twin) {
  constexpr unsigned timeout_ms = 600'000;  // of a busy machine; the hardest question takes about two seconds of a processor
  prove::Solver solver(timeout_ms);
  for (const prove::Truth& premise : premises) {
    solver.assume(premise);
  }
  ++questions;
  if (const Answer answer = solver.possible(!claim); answer != Answer::Unsatisfiable) {
    failures.push_back(name + (answer == Answer::Unknown ? ": unknown" : ": not so"));
  }
  if (solver.possible(!twin) != Answer::Satisfiable) {
    failures.push_back(name + ": the twin is not refuted");
  }
}

namespace {

/// Of all families; told when the program ends.
struct Tally {
  std::size_t functions = 0;
  std::size_t proved = 0;
  std::uint64_t cases = 0;
  unsigned questions = 0;

  ~Tally() {
    std::cout << "transfer functions: " << proved << " of " << functions << " proved, with " << questions << " questions to Z3 and "
              << cases << " cases at small widths\n";
  }
};

void check(const std::vector<TransferFunction>& family) {
  static Tally tally;
  for (const TransferFunction& function : family) {
    INFO(function.name);
    const auto begin = std::chrono::steady_clock::now();
    const Exhausted tried = function.exhaust();
    const auto middle = std::chrono::steady_clock::now();
    INFO(tried.first_wrong);
    CHECK(tried.wrong == 0);
    CHECK(tried.cases > 0);
    const Proved proof = function.prove();
    CHECK(proof.failures == std::vector<std::string>{});
    CHECK(proof.questions > 0);
    const auto seconds = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
    std::cout << fmt::format("{:36} {:>9} cases in {:4.1f} s, {:>3} questions in {:4.1f} s\n", function.name, tried.cases,
                             seconds(begin, middle), proof.questions, seconds(middle, std::chrono::steady_clock::now()));
    ++tally.functions;
    tally.proved += static_cast<std::size_t>(tried.wrong == 0 && proof.failures.empty());
    tally.cases += tried.cases;
    tally.questions += proof.questions;
  }
}

}  // namespace

TEST_CASE("ranges", "[analyses]") { check(of_ranges()); }
TEST_CASE("polynomials", "[analyses]") { check(of_polynomials()); }
TEST_CASE("distances of indices", "[analyses]") { check(of_distances()); }
TEST_CASE("counted loops", "[analyses]") { check(of_counted_loops()); }
TEST_CASE("facts of single operations", "[analyses]") { check(of_facts()); }

}  // namespace lockstep::analyses
