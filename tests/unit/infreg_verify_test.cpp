// The verifier of InfReg-IR and the typing rules behind it.

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/same.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/infreg/walk.hpp"
#include "tests/unit/infreg_parsed.hpp"
#include "tests/unit/infreg_random.hpp"

namespace lockstep::infreg {
namespace {

/// What a body of operations may use.
const std::string head = R"(kernel @k(%a: ptr<f64>, %b: ptr<i32> const, %n: i64, %i: i32, %f: f64) wg_size 4 wg_pack 2 {
  private %p : f64[8]
  local %l : f64[8]
  constant %c : i32[2] = [1, 2]
  %yes : i1 = constant 1
  %all : i1[wg 2 x wi 4 x ix 1] = mask { }
  %all2 : i1[wg 2 x wi 4 x ix 2] = mask { }
  %d : f64[wg 2 x wi 4 x ix 1] = constant 0.5
  %d2 : f64[wg 2 x wi 4 x ix 2] = constant 0.5
  %g3 : f64[wg 2 x ix 3] = constant 0.5
  %j : i64[wg 2 x wi 4 x ix 1] = index { wi }
  %q : ptr = address %a
  %q1 : ptr[wg 2 x wi 4 x ix 1] = spread %q
)";

/// The sentences of the faults of a kernel with this body.
std::vector<std::string> sentences(const std::string& body) {
  const Kernel kernel = parsed(head + body + "\n}\n");
  std::vector<std::string> result;
  for (const Fault& fault : verify(kernel)) {
    result.push_back(fault.sentence);
  }
  return result;
}

using Sentences = std::vector<std::string>;

TEST_CASE("what the typing rules allow", "[infreg]") {
  for (const std::string body : {
           "%x : f64[wg 2 x wi 4 x ix 1] = fma %d, %d, %d",
           "%x : i1[wg 2 x wi 4 x ix 1] = flt %d, %d",
           "%x : u32 = abs %i",
           "%x : i32 = popcount %i",
           "%x : i1 = xor %yes, %yes",
           "%x : f64[wg 2 x wi 4 x ix 2] = spread %d",
           "%x : f64[wg 2 x wi 4 x ix 5] = spread %f",
           "%x : f64[wg 2 x ix 5] = spread %f",
           "%x : ptr[wg 2 x wi 4 x ix 1] = select %all, %q1, %q1",
           "%x : f64[wg 2 x ix 8] = reorder %d2 { [0 x 7, _] }",
           "%x : f64[wg 2 x wi 4 x ix 1] = reorder %g3 { (wi, ix) <- (wi + %n) }",
           "%x : f64[wg 2 x wi 4 x ix 2] = shuffle %d2, %j, %all",
           "%x : i1[wg 2 x ix 1] = any.group %all2, %all2",
           "%x : u64 = popcount.pack %all, %all",
           "%x : u64[wg 2 x ix 1] = ballot.group %all, %all",
           "%x : ptr[wg 2 x wi 4 x ix 1] = address %p",
           "%x : ptr[wg 2 x ix 1] = address %l",
           "%x : ptr = address %c",
           "%x : ptr[wg 2 x wi 4 x ix 1] = offset f64 %q1, %j",
           "%x : i64[wg 2 x wi 4 x ix 1] = distance f64 %q1, %q1",
           "%x : i1 = plt %q, %q",
           "%x : i32 = load %c [%n] contiguous",
           "%x : f64[wg 2 x wi 4 x ix 1] = load %q [wi*2] strided, %all",
           "%x : f64[wg 2 x wi 4 x ix 1] = load %q1 [0, lanes %j] gather",
           "store %a [wi] contiguous, %d, %all",
           "store %p [ix] gather, %d2",
           "%x : ptr = constant null",
           "%x : u64 = num_groups",
           "%x : i64[wg 2 x wi 4 x ix 2] = bitcast %d2",
           "%x : f32 = bitcast %i",
       }) {
    INFO(body);
    CHECK(sentences(body) == Sentences{});
  }
}

TEST_CASE("what the typing rules refuse, and how", "[infreg]") {
  const auto check = [](const std::string& body, const std::string& sentence) {
    INFO(body);
    CHECK(sentences(body) == Sentences{sentence});
  };
  check("%x : f64 = fadd %f, %d", "the operand %d must be f64, not f64[wg 2 x wi 4 x ix 1]");
  check("%x : i64 = add %n, %i", "the operand %i must be i64, not i32");
  check("%x : i32 = eq %i, %i", "the result %x is i1, not i32");
  check("%x : i1 = add %yes, %yes", "there is no Add of i1");
  check("%x : i32 = abs %i", "the result %x is u32, not i32");
  check("%x : i32[wg 2 x ix 4] = lanes [1, 2, 3]", "there must be a number for each of the 4 lanes of a group, not 3");
  check("%x : i32 = lanes [1]", "the numbers of lanes need a layout of groups or items, not of the pack");
  check("%x : f64 = index { 1 }", "index gives integers, not f64");
  check("%x : i64 = index { wg.ix }", "wg.ix stands in a polynomial for the whole pack, whose groups differ in it");
  check("%x : i64[wg 2 x ix 1] = index { wi }", "wi stands in a polynomial for [wg 2 x ix 1], which has no items");
  check("%x : i64 = index { ix }", "ix stands in a polynomial for the whole pack, which has no elements");
  check("%x : i64[wg 2 x ix 1] = index { %i }", "in a polynomial %i must be i64 or u64, not i32");
  check("%x : i64[wg 2 x wi 4 x ix 1] = index { %j }", "in a polynomial %j must be i64 or u64, not i64[wg 2 x wi 4 x ix 1]");
  check("%x : i32 = mask { 1 < 2 }", "the result %x is i1, not i32");
  check("%x : f64[wg 2 x wi 4 x ix 4] = spread %d2",
        "spread cannot go from [wg 2 x wi 4 x ix 2] to [wg 2 x wi 4 x ix 4]: it goes from one number of the pack to groups or items, from "
        "one "
        "of a group to its items, or from one of an item to its elements");
  check("%x : f64 = select %yes, %f, %d", "the second arm %d must be f64, not f64[wg 2 x wi 4 x ix 1]");
  check("%x : f64 = select %i, %f, %f", "the condition %i must be i1, not i32");
  check("%x : i64 = convert %q", "a pointer cannot be converted");
  check("%x : i64 = bitcast %q", "bitcast goes between numbers of the same size, not from ptr to i64");
  check("%x : u8 = bitcast %yes", "bitcast goes between numbers of the same size, not from i1 to u8");
  check("%y : i8 = constant 1\n %x : i1 = bitcast %y", "bitcast goes between numbers of the same size, not from i8 to i1");
  check("%x : f64 = bitcast %i", "bitcast goes between numbers of the same size, not from i32 to f64");
  check("%x : i64 = bitcast %d", "the result %x is i64[wg 2 x wi 4 x ix 1], not i64");
  check("%x : f64[wg 2 x ix 2] = reorder %f { (ix) <- (ix) }",
        "reorder moves between lanes of a group; spread brings a number of the pack to groups and items");
  check("%x : f64[wg 2 x wi 4 x ix 1] = reorder %d { (wi, ix) <- (wg.ix, 0) }",
        "a reordering is the same for all groups: it must not mention wg.ix");
  check("%x : f64[wg 2 x ix 2] = reorder %d { (ix) <- (wi, 0) }", "wi stands in a polynomial for [wg 2 x ix 2], which has no items");
  check("%x : f64[wg 2 x ix 2] = reorder %d { [0] }", "the reordering must say a lane for each of the 2 lanes of a group, not 1");
  check("%x : f64[wg 2 x ix 2] = reorder %d { [0, 4] }", "the reordering takes lane 4 of a group, but the source has 4");
  check("%x : f64[wg 2 x ix 3] = shuffle %g3, %j, %all", "shuffle takes a value of items, not [wg 2 x ix 3]");
  check("%x : f64[wg 2 x wi 4 x ix 2] = shuffle %d2, %n, %all", "the lane %n must be i64[wg 2 x wi 4 x ix 1], not i64");
  check("%x : f64[wg 2 x wi 4 x ix 2] = shuffle %d2, %j, %all2",
        "the mask %all2 must be i1[wg 2 x wi 4 x ix 1], not i1[wg 2 x wi 4 x ix 2]");
  check("%x : i1[wg 2 x ix 1] = any.group %yes, %yes", "a vote is over lanes of groups; %yes has one lane for the whole pack");
  check("%x : i1[wg 2 x ix 1] = all.group %d, %all", "the value voted on %d must be i1[wg 2 x wi 4 x ix 1], not f64[wg 2 x wi 4 x ix 1]");
  check("%x : u64[wg 2 x ix 1] = ballot.group %all2, %all2",
        "ballot has a bit for each item of a group: at most 64 items with one element each, and not of the whole pack");
  check("%x : i1[wg 2 x ix 1] = any.pack %all, %all", "the result %x is i1, not i1[wg 2 x ix 1]");
  check("%x : ptr = offset f64 %q, %i", "the index %i must be i64, not i32");
  check("%x : ptr = offset f64 %n, %n", "the operand %n must be ptr, not i64");
  check("%x : i1 = peq %q, %q1", "the operand %q1 must be ptr, not ptr[wg 2 x wi 4 x ix 1]");
  check("%x : i64 = load %a [0] contiguous", "the memory holds f64, not i64");
  check("%x : f64 = load %p [0] contiguous", "%p is private to each item: the whole pack cannot say whose");
  check("%x : f64 = load %l [0] contiguous", "%l is local to each group: the whole pack cannot say whose");
  check("%x : ptr = load %q [0] contiguous", "memory holds numbers, not pointers");
  check("%x : f64 = load %n [0] contiguous", "the base %n must be ptr, or of the whole pack, not i64");
  check("%x : f64 = load %q1 [0] contiguous", "the base %q1 must be ptr, or of the whole pack, not ptr[wg 2 x wi 4 x ix 1]");
  check("%x : f64 = load %a [lanes %j] gather", "the index %j must be i64, or unsigned, not i64[wg 2 x wi 4 x ix 1]");
  check("%x : f64 = load %a [0] gather, %all", "the mask %all must be i1, not i1[wg 2 x wi 4 x ix 1]");
  check("%x : f64[wg 2 x wi 4 x ix 1] = load %a [wi*2] contiguous",
        "the access is said to be contiguous, but no more than strided is certain");
  check("%x : f64[wg 2 x wi 4 x ix 1] = load %a [lanes %j] strided",
        "the access is said to be strided, but no more than gather is certain");
  check("%x : f64[wg 2 x wi 4 x ix 1] = load %q1 [wi] contiguous",
        "the access is said to be contiguous, but no more than gather is certain");
  check("store %b [0] contiguous, %i", "nothing is stored through %b: it is const");
  check("store %c [0] contiguous, %i", "nothing is stored in %c: it is constant");
  check("if %i {\n}", "the condition %i must be i1, not i32");
  check("%x : f64 = if %yes {\nyield %f\n}", "the regions of an if yield 1 and 0 values; it must be as many");
  check("%x : f64 = if %yes {\nyield %f\n} else {\nyield %i\n}", "what else yields %i must be f64, not i32");
  check("for %s = 0 to 4 step 0 {\n}", "the step of a loop must not be 0");
  check("for %s = 0 to wg.ix step 1 {\n}", "wg.ix stands in a polynomial for the whole pack, whose groups differ in it");
  check("for %s = 0 to 4 step 1 {\nyield %n\n}", "the loop carries 0 values, but yields 1");
  check("%x : i32 = for %s = 0 to 4 step 1 (%t = %i) {\nyield %s\n}", "the next value %s must be i32, not i64");
  check("%x : i32 = loop while %t = %i {\nyield %t\n}", "the condition %i must be i1, not i32");
  check("for %s = 0 to 4 step 1 (%t = %i) {\nyield %t\n}", "the operation has 1 results, not 0");
}

TEST_CASE("pointers count the elements of what they point to", "[infreg]") {
  const auto check = [](const std::string& body, const Sentences& wanted) {
    INFO(body);
    CHECK(sentences(body) == wanted);
  };
  const std::string element = ", but %q may point to f64: pointers count the elements of what they point to";
  check("%x : ptr = offset i8 %q, %n", {"the offset is in units of i8" + element});
  check("%x : i64 = distance u64 %q, %q", {"the distance is in units of u64" + element, "the distance is in units of u64" + element});
  check("%x : i64 = load %q [0] contiguous", {"the access is one of i64" + element});
  check("%z : i64 = constant 1\nstore %q [0] contiguous, %z", {"the access is one of i64" + element});
  check("%r : ptr = address %b\n%x : i1 = peq %q, %r", {"%q may point to f64, %r to i32: pointers to different types are not compared"});
  check("%r : ptr = address %b\n%x : i1 = plt %r, %q", {"%r may point to i32, %q to f64: pointers to different types are not compared"});
  // The null pointer is of any type; what is never made a pointer to anything as well.
  check("%r : ptr = constant null\n%x : i1 = peq %q, %r\n%y : ptr = offset i8 %r, %n", {});
  // By way of selects, branches, and a loop whose first round is fine.
  const std::string both = "%r : ptr = address %b\n";
  check(both + "%s : ptr = select %yes, %q, %r\n%x : f64 = load %s [0] contiguous",
        {"the access is one of f64, but %s may point to i32: pointers count the elements of what they point to"});
  check(both + "%s : ptr = if %yes {\n yield %q\n} else {\n yield %r\n}\n%x : f64 = load %s [0] contiguous",
        {"the access is one of f64, but %s may point to i32: pointers count the elements of what they point to"});
  check(both + "%s : ptr = for %k = 0 to %n step 1 (%t = %q) {\n %x : f64 = load %t [0] contiguous\n yield %r\n}",
        {"the access is one of f64, but %t may point to i32: pointers count the elements of what they point to"});
  // What is const stays so.
  check(both + "%r1 : ptr = offset i32 %r, %n\nstore %r1 [0] contiguous, %i",
        {"nothing is stored through %r1: it may point to what is const"});
  check("%r : ptr = address %c\nstore %r [0] contiguous, %i", {"nothing is stored through %r: it may point to what is const"});
}

TEST_CASE("values are used behind their definition, in regions that it reaches", "[infreg]") {
  CHECK(sentences("%x : i32 = add %y, %i\n%y : i32 = constant 1") ==
        Sentences{"%y is not defined yet, or in a region that does not reach here"});
  CHECK(sentences("if %yes {\n%y : i32 = constant 1\n}\n%x : i32 = add %y, %i") ==
        Sentences{"%y is not defined yet, or in a region that does not reach here"});
  CHECK(sentences("if %yes {\n%y : i32 = constant 1\n} else {\n%x : i32 = add %y, %i\n}") ==
        Sentences{"%y is not defined yet, or in a region that does not reach here"});
  CHECK(sentences("%x : i32 = add %x, %i") == Sentences{"%x is not defined yet, or in a region that does not reach here"});
  CHECK(sentences("for %s = 0 to %s step 1 {\n}") == Sentences{"%s is not defined yet, or in a region that does not reach here"});
  CHECK(sentences("%x : i64 = if %yes {\nif %yes {\n%y : i64 = index { 3 }\n}\nyield %y\n} else {\nyield %n\n}") ==
        Sentences{"%y is not defined yet, or in a region that does not reach here"});
  CHECK(sentences("for %s = 0 to 3 step 1 {\nif %yes {\n%x : i64 = index { %s + %n }\n}\n}") == Sentences{});
}

TEST_CASE("all faults are collected, and each is marked below its line", "[infreg]") {
  const Kernel kernel = parsed(R"(kernel @k(%i: i32) wg_size 4 wg_pack 1 {
  %x : i64 = add %i, %i
  if %i {
    %y : i32 = add %z, %x
  }
  %z : i64 = constant 1
  yield %i
}
)");
  CHECK(print_marked(kernel, verify(kernel)) == R"(kernel @k(%i: i32) wg_size 4 wg_pack 1 {
; ^ the kernel's body has neither arguments nor yields
  %x : i64 = add %i, %i
; ^ the result %x is i32, not i64
  if %i {
; ^ the condition %i must be i1, not i32
    %y : i32 = add %z, %x
; ^ %z is not defined yet, or in a region that does not reach here
; ^ the result %y is i64, not i32
  }
  %z : i64 = constant 1
  yield %i
}
)");
  CHECK(print(parsed(print_marked(kernel, verify(kernel)))) == print(kernel));
}

// ---- what no text can say ------------------------------------------------------------------------------------------------------

Kernel small() {
  Kernel kernel;
  kernel.name = "k";
  kernel.shape = {4, 1};
  Builder builder(kernel);
  kernel.body = builder.new_region();
  builder.enter(kernel.body);
  return kernel;
}

Sentences faults_of(const Kernel& kernel) {
  Sentences result;
  for (const Fault& fault : verify(kernel)) {
    result.push_back(fault.sentence);
  }
  CHECK(!print_marked(kernel, verify(kernel)).empty());
  return result;
}

constexpr Type an_int{Element::of(ScalarType::Int), Layout::pack()};

TEST_CASE("faults of the head", "[infreg]") {
  Kernel kernel = small();
  kernel.shape = {0, 1};
  CHECK(faults_of(kernel) == Sentences{"a group has at least one item, and a pack at least one group"});
  kernel.shape = {1U << 20U, 1U << 20U};
  CHECK(faults_of(kernel) == Sentences{"a pack has at most 2147483648 items"});
  kernel = small();
  kernel.name = "a b";
  CHECK(faults_of(kernel) == Sentences{"the kernel has the name 'a b', which is no word of letters, digits, '_' and '.'"});
  kernel = small();
  kernel.parameters.push_back({"p", ScalarType::Int, true, false, false, 0});
  kernel.parameters.push_back({"p", ScalarType::Int, true, false, false, 0});
  CHECK(faults_of(kernel) == Sentences{"the name 'p' is given twice"});
  kernel.parameters = {{"n", ScalarType::Int, false, false, false, 7}};
  CHECK(faults_of(kernel) == Sentences{"the parameter %n has no value"});
  kernel.values.push_back({{truth, Layout::group()}, "m"});
  kernel.parameters = {{"n", ScalarType::Int, false, false, 0}};
  CHECK(faults_of(kernel) == Sentences{"the value of the parameter %n has the name %m", "the parameter %n must be i32, not i1[ix 1]"});
  kernel = small();
  kernel.objects = {{"o", ScalarType::Char, AddressSpace::Global, 0, {1}}};
  CHECK(faults_of(kernel) == Sentences{"%o is global: that memory is the launch's, not the kernel's",
                                       "%o must have 1 to 2147483648 elements, not 0",
                                       "%o has 0 elements, but 1 values: only a constant object has values, one for each element"});
  kernel.objects = {{"o", ScalarType::Char, AddressSpace::Constant, 2, {1, 128}}};
  CHECK(faults_of(kernel) == Sentences{"the bits 0x80 in %o are no number of i8"});
}

TEST_CASE("garbage in operations is a fault each", "[infreg]") {
  const auto with = [](Node node, std::vector<Type> results) {
    Kernel kernel = small();
    Operation operation{std::move(node), {}, {}};
    for (const Type& type : results) {
      kernel.values.push_back({type, "v" + std::to_string(kernel.values.size())});
      operation.results.push_back(static_cast<ValueId>(kernel.values.size() - 1));
    }
    kernel.regions[0].operations.push_back(std::move(operation));
    return faults_of(kernel);
  };
  CHECK(with(Constant{an_int, 0x80000000}, {an_int}) == Sentences{"the bits 0x80000000 are no number of i32"});
  CHECK(with(Constant{{truth, Layout::pack()}, 2}, {{truth, Layout::pack()}}) == Sentences{"the bits 0x2 are no number of i1"});
  CHECK(with(Constant{{Element::pointer(), Layout::pack()}, 1}, {{Element::pointer(), Layout::pack()}}) ==
        Sentences{"the only constant pointer is the null pointer"});
  CHECK(with(Poison{{{ScalarType::Float, true}, Layout::pack()}}, {}) == Sentences{"a pointer has no scalar type"});
  CHECK(with(Poison{{truth, {Layout::Kind::Pack, 3}}}, {}) == Sentences{"the layout of the whole pack has one element"});
  CHECK(with(Poison{{truth, {Layout::Kind::Group, 0}}}, {}) == Sentences{"a layout has at least one element"});
  CHECK(with(Poison{{truth, {Layout::Kind::Item, 1U << 30U}}}, {}) ==
        Sentences{"a value of 1073741824 elements has too many lanes: at most 2147483648 are allowed"});
  CHECK(with(Convert{99, ScalarType::Int}, {an_int}) == Sentences{"there is no value number 99", "there is no value number 99"});
  CHECK(with(Index{an_int, Polynomial(Symbol::of(99))}, {an_int}).size() == 2);
  CHECK(with(Elementwise{Op::LogicalAnd, ScalarType::Int, {}}, {}) == Sentences{"LogicalAnd is no elementwise operation"});
  CHECK(with(Elementwise{Op::Add, ScalarType::Int, {}}, {}) == Sentences{"add takes 2 operands, not 0"});
  CHECK(with(Elementwise{Op::Fma, ScalarType::Int, {}}, {}) == Sentences{"there is no Fma of i32"});
  CHECK(with(Mask{Layout::pack(), {{1, Op::Add, 2}}}, {}) == Sentences{"a mask compares by <, <=, >, >=, == or !=, not by '+'"});
  CHECK(with(AddressOf{OfParameter{5}}, {}) == Sentences{"there is no parameter number 5"});
  CHECK(with(AddressOf{OfObject{5}}, {}) == Sentences{"there is no object number 5"});
  Load load{an_int, {}, Access::Gather, {}};
  load.place.base = OfObject{9};
  CHECK(with(load, {an_int}) == Sentences{"there is no object number 9"});
  CHECK(with(Loop{{}, 0}, {}).size() == 2);  // the body again, and no condition
  CHECK(with(If{0, 8, 8}, {}).size() == 4);
}

TEST_CASE("regions form a tree, and values have one definition", "[infreg]") {
  Kernel kernel = small();
  Builder builder(kernel);
  builder.enter(kernel.body);
  const ValueId yes = builder.add(Constant{{truth, Layout::pack()}, 1}, {}, "yes");
  const RegionId then = builder.new_region();
  builder.add_many(If{yes, then, builder.new_region()}, {});
  CHECK(faults_of(kernel) == Sentences{});

  Kernel twice = kernel;
  twice.regions[0].operations.push_back(twice.regions[0].operations[1]);
  CHECK(faults_of(twice) == Sentences{"region number 1 is used more than once", "region number 2 is used more than once"});
  Kernel cycle = kernel;
  cycle.regions[then].operations.push_back(cycle.regions[0].operations[1]);
  CHECK(faults_of(cycle) == Sentences{"region number 1 is used more than once", "region number 2 is used more than once"});
  Kernel redefined = kernel;
  redefined.regions[then].operations.push_back(redefined.regions[0].operations[0]);
  CHECK(faults_of(redefined) == Sentences{"%yes is defined twice"});
  Kernel nowhere = kernel;
  nowhere.regions[0].operations.erase(nowhere.regions[0].operations.begin());
  CHECK(faults_of(nowhere) == Sentences{"%yes is defined nowhere"});
  Kernel bodiless = kernel;
  bodiless.body = 77;
  CHECK(faults_of(bodiless) == Sentences{"there is no region number 77"});
  Kernel left_over = kernel;
  left_over.regions[0].operations.pop_back();
  left_over.values.push_back({an_int, "%%"});
  CHECK(faults_of(left_over) == Sentences{});

  Kernel deep = kernel;
  RegionId innermost = then;
  for (int i = 0; i < 5000; ++i) {
    deep.regions.resize(deep.regions.size() + 2);
    const auto next = static_cast<RegionId>(deep.regions.size() - 1);
    deep.regions[innermost].operations.push_back({If{yes, next, next - 1}, {}, {}});
    innermost = next;
  }
  CHECK(faults_of(deep) == Sentences{"regions lie in each other at most 256 deep", "regions lie in each other at most 256 deep"});
}

TEST_CASE("the builder refuses what the rules refuse", "[infreg]") {
  Kernel kernel = small();
  Builder builder(kernel);
  builder.enter(kernel.body);
  const ValueId one = builder.add(Constant{an_int, 1}, {}, "one");
  CHECK_THROWS_AS(builder.add(Elementwise{Op::Fma, ScalarType::Float, {one, one, one}}, {}), InternalError);
  const ParameterId n = builder.add_parameter({"one", ScalarType::Int, false, false, 0});
  CHECK(kernel.parameters[n].name == "one.2");
  CHECK(kernel.values[kernel.parameters[n].value].name == "one.2");
  CHECK(kernel.objects[builder.add_object({"one", ScalarType::Int, AddressSpace::Local, 3, {}})].name == "one.3");
  CHECK(faults_of(kernel) == Sentences{});
}

TEST_CASE("no kernel makes the verifier or the printer crash", "[infreg]") {
  const bool holds =
      rc::check("random kernels with random damage", [](const std::vector<std::uint64_t>& seeds, std::vector<std::uint64_t> damage) {
        std::vector<std::uint64_t> choices;
        for (const std::uint64_t seed : seeds) {
          choices.insert(choices.end(), {seed, seed >> 16U, seed >> 32U, seed >> 48U});
        }
        Kernel kernel = RandomKernel(choices).make();
        const auto next = [&]() -> std::uint64_t {
          if (damage.empty()) {
            return 0;
          }
          const std::uint64_t last = damage.back();
          damage.pop_back();
          return last;
        };
        while (!damage.empty()) {
          Region& region = kernel.regions[next() % kernel.regions.size()];
          const auto garbage = [&](std::size_t count) { return static_cast<std::uint32_t>(next() % (count + 2)); };
          if (region.operations.empty()) {
            region.yields.push_back(garbage(kernel.values.size()));
            continue;
          }
          Operation& operation = region.operations[next() % region.operations.size()];
          switch (next() % 5) {
            case 0:
              rename_uses(operation.node, [&](ValueId id) { return next() % 3 == 0 ? garbage(kernel.values.size()) : id; });
              break;
            case 1:
              for_each_region(operation.node, [&](RegionId& id) { id = garbage(kernel.regions.size()); });
              break;
            case 2:
              operation.results.push_back(garbage(kernel.values.size()));
              break;
            case 3:
              kernel.values[next() % kernel.values.size()].type = {
                  Element::of(static_cast<ScalarType>(next() % 11)),
                  {static_cast<Layout::Kind>(next() % 3), static_cast<std::uint32_t>(next() % 4)}};
              break;
            default:
              std::swap(operation, region.operations[next() % region.operations.size()]);
          }
        }
        const std::vector<Fault> faults = verify(kernel);
        const std::string text = print_marked(kernel, faults);
        for (const Fault& fault : faults) {
          RC_ASSERT(text.find(fault.sentence) != std::string::npos || !fault.place || kernel.body >= kernel.regions.size() ||
                    text.find("...") != std::string::npos);
        }
        RC_ASSERT((!faults.empty() || same(kernel, kernel)));
      });
  CHECK(holds);
}

// ---- access kinds ----------------------------------------------------------------------------------------------------------------

/// The cells that the lanes of one group touch, counted in elements, as the definition says.
std::vector<std::uint64_t> cells(const Kernel& kernel, const Place& place, Layout layout, std::uint64_t group, std::uint64_t value) {
  std::vector<std::uint64_t> result;
  const std::uint64_t count = lanes_per_group(layout, kernel.shape);
  for (std::uint64_t k = 0; k < count; ++k) {
    const Lane lane = lane_at(layout, kernel.shape, k);
    auto cell = static_cast<std::uint64_t>(place.index.evaluate([&](Symbol symbol) -> std::uint64_t {
      switch (symbol.kind) {
        case Symbol::Kind::Item:
          return lane.wi;
        case Symbol::Kind::Element:
          return lane.ix;
        case Symbol::Kind::Group:
          return group;
        case Symbol::Kind::Value:
          break;
      }
      return value;
    }));
    if (const auto* of = std::get_if<OfObject>(&place.base); of != nullptr && kernel.objects[of->id].space == AddressSpace::Private) {
      cell += lane.wi * kernel.objects[of->id].count;
    }
    result.push_back(cell);
  }
  return result;
}

TEST_CASE("the access kind that a polynomial shows is certain, and the best for sums of plain terms", "[infreg]") {
  const bool holds = rc::check("access_of against the cells themselves", [](std::vector<std::uint8_t> choices) {
    const auto next = [&](std::uint32_t count) -> std::uint32_t {
      const std::uint32_t choice = choices.empty() ? 0 : choices.back() % count;
      if (!choices.empty()) {
        choices.pop_back();
      }
      return choice;
    };
    Kernel kernel = small();
    kernel.shape.wg_size = 1 + next(4);
    kernel.values.push_back({{index_element, Layout::pack()}, "n"});
    kernel.objects.push_back({"o", ScalarType::Int, AddressSpace::Private, 1 + next(3), {}});
    Place place;
    if (next(3) == 1) {
      place.base = OfObject{0};
    }
    const Layout layout = next(3) == 1 ? Layout::group(1 + next(3)) : Layout::item(1 + next(3));
    bool plain = true;
    const std::vector<Symbol> symbols = {Symbol::item(), Symbol::element(), Symbol::group(), Symbol::of(0)};
    for (std::uint32_t terms = next(5); terms > 0; --terms) {
      Polynomial term = symbols[next(4)] * Polynomial(static_cast<std::int64_t>(next(5)));
      if (next(4) == 1) {
        term = term * symbols[next(4)];
        plain = false;
      }
      place.index += term;
    }
    bool contiguous = true;
    bool strided = true;
    for (const std::uint64_t group : {0U, 5U}) {
      for (const std::uint64_t value : {0U, 7U, 1000U}) {
        const auto touched = cells(kernel, place, layout, group, value);
        for (std::size_t k = 1; k < touched.size(); ++k) {
          contiguous = contiguous && touched[k] == touched[0] + k;
          strided = strided && touched[k] - touched[k - 1] == touched[1] - touched[0];
        }
      }
    }
    const Access shown = access_of(kernel, place, layout);
    RC_ASSERT(shown != Access::Contiguous || contiguous);
    RC_ASSERT(shown != Access::Strided || strided);
    const Access best = contiguous ? Access::Contiguous : strided ? Access::Strided : Access::Gather;
    RC_ASSERT(!plain || shown == best);
  });
  CHECK(holds);
}

}  // namespace
}  // namespace lockstep::infreg
