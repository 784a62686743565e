// What `normalise` knows of registers: a branch's knowledge goes with the branch, and nothing else does.

#include <catch2/catch.hpp>

#include "codegen/passes/knowledge.hpp"

using namespace lockstep::passes;

namespace {

Known number(std::int64_t n) { return {Symbolic{Polynomial(n), Range{n, n}}, std::nullopt}; }

/// The number that is known of the register; -1 if nothing is.
std::int64_t known_of(const Knowledge& knowledge, VarId var) {
  const Known* known = knowledge.find(var);
  return known == nullptr ? -1 : known->symbolic->value.constant();
}

}  // namespace

TEST_CASE("knowledge: what was learnt, changed and forgotten since a moment is taken back", "[passes]") {
  Knowledge knowledge;
  knowledge.learn(1, number(10));
  knowledge.learn(2, number(20));
  const Knowledge::Moment before = knowledge.now();
  knowledge.learn(1, number(11));
  knowledge.learn(1, number(12));
  knowledge.forget(2);
  knowledge.learn(3, number(30));
  CHECK(known_of(knowledge, 1) == 12);
  CHECK(known_of(knowledge, 2) == -1);
  CHECK(known_of(knowledge, 3) == 30);
  knowledge.go_back(before);
  CHECK(known_of(knowledge, 1) == 10);
  CHECK(known_of(knowledge, 2) == 20);
  CHECK(known_of(knowledge, 3) == -1);
}

TEST_CASE("knowledge: moments lie in each other, and a branch costs its own changes", "[passes]") {
  Knowledge knowledge;
  knowledge.learn(1, number(1));
  const Knowledge::Moment outer = knowledge.now();
  knowledge.learn(1, number(2));
  const Knowledge::Moment inner = knowledge.now();
  knowledge.forget(1);
  knowledge.forget(1);  // twice is once
  CHECK(knowledge.now() == inner + 1);
  knowledge.go_back(inner);
  CHECK(known_of(knowledge, 1) == 2);
  knowledge.go_back(outer);
  CHECK(known_of(knowledge, 1) == 1);
  CHECK(knowledge.now() == outer);
}
