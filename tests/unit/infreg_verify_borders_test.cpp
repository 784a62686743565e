// The verifier of InfReg-IR at its borders: the largest and smallest of what docs/infreg-ir.md allows, one more, and numbers of nothing.

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "semantics/infreg/access.hpp"
#include "semantics/infreg/builder.hpp"
#include "semantics/infreg/limits.hpp"
#include "semantics/infreg/verify.hpp"

namespace lockstep::infreg {
namespace {

using Sentences = std::vector<std::string>;

constexpr Type an_int{Element::of(ScalarType::Int), Layout::pack()};
constexpr Type a_long{Element::of(ScalarType::Long), Layout::pack()};
constexpr Type a_truth{truth, Layout::pack()};

Kernel empty_kernel(Shape shape = {4, 1}) {
  Kernel kernel;
  kernel.name = "k";
  kernel.shape = shape;
  Builder builder(kernel);
  kernel.body = builder.new_region();
  return kernel;
}

Sentences faults_of(const Kernel& kernel) {
  Sentences result;
  for (const Fault& fault : verify(kernel)) {
    result.push_back(fault.sentence);
  }
  return result;
}

/// Appends the operation, whatever the rules say of it, with a new value of each of the types.
std::vector<ValueId> append(Kernel& kernel, RegionId region, Node node, const std::vector<Type>& types) {
  Operation operation{std::move(node), {}, {}};
  for (const Type& type : types) {
    kernel.values.push_back({type, "v" + std::to_string(kernel.values.size())});
    operation.results.push_back(static_cast<ValueId>(kernel.values.size() - 1));
  }
  kernel.regions[region].operations.push_back(operation);
  return operation.results;
}

Sentences faults_with(Node node, const std::vector<Type>& types, Shape shape = {4, 1}) {
  Kernel kernel = empty_kernel(shape);
  append(kernel, kernel.body, std::move(node), types);
  return faults_of(kernel);
}

/// A kernel whose regions lie in each other so deep, and the innermost of them.
std::pair<Kernel, RegionId> nested(std::size_t depth) {
  Kernel kernel = empty_kernel();
  const ValueId yes = append(kernel, 0, Constant{a_truth, 1}, {a_truth}).front();
  RegionId innermost = kernel.body;
  for (std::size_t i = 1; i < depth; ++i) {
    kernel.regions.resize(kernel.regions.size() + 2);
    const auto next = static_cast<RegionId>(kernel.regions.size() - 1);
    kernel.regions[innermost].operations.push_back({If{yes, next, next - 1}, {}, {}});
    innermost = next;
  }
  return {std::move(kernel), innermost};
}

}  // namespace

TEST_CASE("the deepest regions that are allowed are looked at, and none deeper", "[infreg]") {
  auto [deep, innermost] = nested(max_depth);
  CHECK(faults_of(deep) == Sentences{});
  append(deep, innermost, Constant{an_int, 1}, {a_long});
  CHECK(faults_of(deep) == Sentences{"the result %v1 is i32, not i64"});
  CHECK(faults_of(nested(max_depth + 1).first) == Sentences(2, "regions lie in each other at most 256 deep"));
}

TEST_CASE("polynomials of the largest size, wherever they stand", "[infreg]") {
  Polynomial powers(1);
  Polynomial sum;
  Kernel kernel = empty_kernel();
  for (std::size_t i = 0; i < max_terms; ++i) {
    sum += Polynomial(Symbol::of(append(kernel, 0, Constant{a_long, 1}, {a_long}).front()));
  }
  const ValueId one_more = append(kernel, 0, Constant{a_long, 1}, {a_long}).front();
  for (std::size_t i = 0; i < max_factors; ++i) {
    powers = powers * Symbol::of(one_more);
  }
  kernel.objects.push_back({"o", ScalarType::Int, AddressSpace::Local, 1, {}});
  kernel.regions.emplace_back().arguments.push_back(static_cast<ValueId>(kernel.values.size()));
  kernel.values.push_back({a_long, "s"});
  const ValueId lane = append(kernel, 0, Poison{{an_int.element, Layout::item()}}, {{an_int.element, Layout::item()}}).front();

  struct Use {
    Node node;
    std::vector<Type> types;
  };
  const auto uses = [&](const Polynomial& p) {
    const OfObject o{0};
    const Type one{an_int.element, Layout::group()};
    return std::vector<Use>{
        {Index{a_long, p}, {a_long}},
        {Mask{Layout::pack(), {{p, Op::Lt, 2}}}, {a_truth}},
        {Mask{Layout::pack(), {{2, Op::Ge, p}}}, {a_truth}},
        {Reorder{lane, Layout::item(), Reorder::Affine{p, 0}}, {{an_int.element, Layout::item()}}},
        {Reorder{lane, Layout::item(), Reorder::Affine{0, p}}, {{an_int.element, Layout::item()}}},
        {Load{one, {o, p, {}}, Access::Gather, {}}, {one}},
        {For{p, 4, 1, {}, 1}, {}},
        {For{0, p, 1, {}, 1}, {}},
    };
  };
  const auto sentences = [&](const Use& use) {
    Kernel with = kernel;
    append(with, 0, use.node, use.types);
    return faults_of(with);
  };
  const Sentences too_large = {"a polynomial has at most 256 terms of 16 factors"};
  for (const Polynomial& largest : {sum, powers}) {
    for (const Use& use : uses(largest)) {
      CHECK(sentences(use) == Sentences{});
    }
  }
  for (const Polynomial& larger : {sum + Symbol::of(one_more), powers * Symbol::of(one_more)}) {
    for (const Use& use : uses(larger)) {
      CHECK(sentences(use) == too_large);
    }
  }
}

TEST_CASE("as many lanes and items as there may be, and one more", "[infreg]") {
  const auto lanes = [](Layout layout, Shape shape) {
    const Type type{an_int.element, layout};
    return faults_with(Poison{type}, {type}, shape);
  };
  constexpr std::uint32_t half = 1U << 30U;
  CHECK(lanes(Layout::item(half), {2, 1}) == Sentences{});
  CHECK(lanes(Layout::item(half), {1, 2}) == Sentences{});
  CHECK(lanes(Layout::group(2 * half), {4, 1}) == Sentences{});
  const auto too_many = [](std::uint32_t elements) {  // said of the value and of the operation
    const std::string said = "a value of " + std::to_string(elements) + " elements has too many lanes: at most 2147483648 are allowed";
    return Sentences{"%v0: " + said, said};
  };
  CHECK(lanes(Layout::item(half + 1), {2, 1}) == too_many(half + 1));
  CHECK(lanes(Layout::item(half + 1), {1, 2}) == too_many(half + 1));
  CHECK(lanes(Layout::group(2 * half + 1), {4, 1}) == too_many(2 * half + 1));
  CHECK(lanes(Layout::item(1U << 31U), {1U << 30U, 2}).size() == 2);  // times the groups more than 64 bits can count: not checked there

  CHECK(faults_of(empty_kernel({half, 2})) == Sentences{});
  CHECK(faults_of(empty_kernel({2 * half, 1})) == Sentences{});
  const Sentences items = {"a pack has at most 2147483648 items"};
  CHECK(faults_of(empty_kernel({half + 1, 2})) == items);
  CHECK(faults_of(empty_kernel({1, 2 * half + 1})) == items);
  const Sentences none = {"a group has at least one item, and a pack at least one group"};
  CHECK(faults_of(empty_kernel({1, 0})) == none);
  CHECK(faults_of(empty_kernel({0, 1})) == none);
}

TEST_CASE("objects of the largest size", "[infreg]") {
  Kernel kernel = empty_kernel();
  kernel.objects.push_back({"o", ScalarType::Int, AddressSpace::Local, max_lanes, {}});
  CHECK(faults_of(kernel) == Sentences{});
  kernel.objects[0].count = max_lanes + 1;
  CHECK(faults_of(kernel) == Sentences{"%o must have 1 to 2147483648 elements, not 2147483649"});
  kernel.objects[0].count = 0;
  CHECK(faults_of(kernel) == Sentences{"%o must have 1 to 2147483648 elements, not 0"});
}

TEST_CASE("what bits are a number of a type: extended by its sign, to 64", "[infreg]") {
  struct Case {
    ScalarType type;
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint64_t> others;
  };
  const std::uint64_t all = ~std::uint64_t{0};
  const std::vector<Case> cases = {
      {ScalarType::Bool, {0, 1}, {2, 3, all}},
      {ScalarType::Char, {0, 0x7f, all, all - 0x7f}, {0x80, 0xff, all - 0x80, all >> 1U}},
      {ScalarType::UChar, {0, 0x7f, 0x80, 0xff}, {0x100, all}},
      {ScalarType::Short, {0x7fff, all - 0x7fff}, {0x8000, all - 0x8000}},
      {ScalarType::UShort, {0xffff}, {0x10000, all}},
      {ScalarType::Int, {0x7fffffff, all - 0x7fffffff}, {0x80000000, all - 0x80000000}},
      {ScalarType::UInt, {0xffffffff}, {0x100000000, all}},
      {ScalarType::Long, {0, all}, {}},
      {ScalarType::ULong, {0, all}, {}},
      {ScalarType::Float, {0, 0x80000000, 0xffffffff}, {0x100000000, all}},
      {ScalarType::Double, {0, all}, {}},
  };
  for (const Case& one : cases) {
    INFO(info(one.type).name);
    for (const std::uint64_t bits : one.numbers) {
      CHECK(is_number(one.type, bits));
    }
    for (const std::uint64_t bits : one.others) {
      CHECK_FALSE(is_number(one.type, bits));
    }
  }
}

TEST_CASE("a ballot has room for 64 items", "[infreg]") {
  const auto ballot = [](std::uint32_t items, Vote::Kind kind, bool whole_pack) {
    Kernel kernel = empty_kernel({items, 1});
    const Type lanes{truth, Layout::item()};
    const ValueId all = append(kernel, 0, Mask{Layout::item(), {}}, {lanes}).front();
    append(kernel, 0, Vote{kind, whole_pack, all, all}, {{Element::of(ScalarType::ULong), whole_pack ? Layout::pack() : Layout::group()}});
    return faults_of(kernel);
  };
  const Sentences no_room = {
      "ballot has a bit for each item of a group: at most 64 items with one element each, and not of the whole pack"};
  CHECK(ballot(64, Vote::Kind::Ballot, false) == Sentences{});
  CHECK(ballot(65, Vote::Kind::Ballot, false) == no_room);
  CHECK(ballot(64, Vote::Kind::Ballot, true) == no_room);
  CHECK(ballot(65, Vote::Kind::Popcount, true) == Sentences{});
}

TEST_CASE("every operation that names a type or a layout has it looked at", "[infreg]") {
  const Type no_element{{ScalarType::Float, true}, Layout::pack()};
  for (const Node& node : std::vector<Node>{Constant{no_element, 0}, ConstantLanes{no_element, {}}, Poison{no_element},
                                            Index{no_element, 0}, Load{no_element, {OfObject{}, 0, {}}, Access::Gather, {}}}) {
    CHECK(faults_with(node, {}) == Sentences{"a pointer has no scalar type"});
  }
  const Layout no_layout{Layout::Kind::Item, 0};
  for (const Node& node : std::vector<Node>{Mask{no_layout, {}}, Spread{0, no_layout}, Reorder{0, no_layout, Reorder::Table{}}}) {
    Kernel kernel = empty_kernel();
    append(kernel, 0, Poison{{truth, Layout::group()}}, {{truth, Layout::group()}});
    append(kernel, 0, node, {});
    CHECK(faults_of(kernel) == Sentences{"a layout has at least one element"});
  }
  const Type lane{truth, Layout::item()};
  for (const Node& node :
       std::vector<Node>{Reorder{0, Layout::pack(), Reorder::Table{{0}}}, Reorder{0, Layout::pack(), Reorder::Affine{}}}) {
    Kernel kernel = empty_kernel();
    append(kernel, 0, Poison{lane}, {lane});
    append(kernel, 0, node, {a_truth});
    CHECK(faults_of(kernel) == Sentences{"reorder moves between lanes of a group; spread brings a number of the pack to groups and items"});
  }
}

TEST_CASE("where there is one item, or one element, its number is 0 in an index", "[infreg]") {
  const Polynomial product = Polynomial(Symbol::item()) * Symbol::element();
  const auto access = [](Shape shape, const Polynomial& index, Layout layout) {
    Kernel kernel = empty_kernel(shape);
    kernel.objects.push_back({"o", ScalarType::Int, AddressSpace::Local, 1, {}});
    return access_of(kernel, {OfObject{0}, index, {}}, layout);
  };
  CHECK(access({1, 1}, product + Symbol::element(), Layout::item(4)) == Access::Contiguous);
  CHECK(access({4, 1}, product + Symbol::element(), Layout::item(4)) == Access::Gather);
  CHECK(access({4, 1}, product + Symbol::item(), Layout::item(1)) == Access::Contiguous);
  CHECK(access({4, 1}, product + Symbol::item(), Layout::item(2)) == Access::Gather);
}

TEST_CASE("a distance of pointers is a number, whatever they point to", "[infreg]") {
  Kernel kernel = empty_kernel();
  kernel.parameters.push_back({"a", ScalarType::Int, true, false, false, 0});
  kernel.parameters.push_back({"b", ScalarType::Double, true, false, false, 0});
  const Type pointer{Element::pointer(), Layout::pack()};
  const ValueId a = append(kernel, 0, AddressOf{OfParameter{0}}, {pointer}).front();
  const ValueId b = append(kernel, 0, AddressOf{OfParameter{1}}, {pointer}).front();
  const ValueId distance = append(kernel, 0, PointerDistance{ScalarType::Int, a, a}, {a_long}).front();
  const ValueId moved = append(kernel, 0, PointerOffset{ScalarType::Double, b, distance}, {pointer}).front();
  append(kernel, 0, PointerDistance{ScalarType::Double, moved, b}, {a_long});
  CHECK(faults_of(kernel) == Sentences{});
}

TEST_CASE("numbers of no value, region, parameter or object: one past the last, and the largest", "[infreg]") {
  const auto sentence = [](const std::string& what, std::uint32_t number) {
    return "there is no " + what + " number " + std::to_string(number);
  };
  for (const std::uint32_t none : {0U, ~0U}) {  // there are no values, parameters and objects
    const std::string value = sentence("value", none);
    Kernel kernel = empty_kernel();
    kernel.regions[0].operations.push_back({Constant{an_int, 1}, {none}, {}});
    CHECK(faults_of(kernel) == Sentences{value});
    CHECK(faults_with(Convert{none, ScalarType::Int}, {}) == Sentences{value, value});
    CHECK(faults_with(AddressOf{OfParameter{none}}, {}) == Sentences{sentence("parameter", none)});
    CHECK(faults_with(AddressOf{OfObject{none}}, {}) == Sentences{sentence("object", none)});
    CHECK(faults_with(Load{an_int, {OfObject{none}, 0, {}}, Access::Gather, {}}, {}) == Sentences{sentence("object", none)});
    kernel = empty_kernel();
    kernel.parameters.push_back({"n", ScalarType::Int, false, false, false, none});
    CHECK(faults_of(kernel) == Sentences{"the parameter %n has no value"});
  }
  for (const std::uint32_t none : {1U, ~0U}) {  // there is one region
    const std::string region = sentence("region", none);
    Kernel kernel = empty_kernel();
    kernel.body = none;
    CHECK(faults_of(kernel) == Sentences{region});
    kernel = empty_kernel();
    const ValueId yes = append(kernel, 0, Constant{a_truth, 1}, {a_truth}).front();
    append(kernel, 0, Loop{{yes}, none}, {a_truth});
    CHECK(faults_of(kernel) == Sentences{region, region});
  }
}

TEST_CASE("only the regions of loops have arguments", "[infreg]") {
  for (const RegionId with_argument : {1U, 2U}) {
    Kernel kernel = nested(2).first;
    kernel.regions[with_argument].arguments.push_back(static_cast<ValueId>(kernel.values.size()));
    kernel.values.push_back({an_int, "a"});
    CHECK(faults_of(kernel) == Sentences{"the regions of an if have no arguments"});
  }
}

TEST_CASE("values have names of their own, and layouts that there are", "[infreg]") {
  Kernel kernel = empty_kernel();
  kernel.objects.push_back({"o", ScalarType::Int, AddressSpace::Local, 1, {}});
  for (const std::string name : {"o", "v1", "a b"}) {
    Kernel named = kernel;
    append(named, 0, Constant{an_int, 1}, {an_int});
    append(named, 0, Constant{an_int, 2}, {an_int});
    named.values[0].name = name;
    CHECK(faults_of(named) == (name == "a b" ? Sentences{"something has the name 'a b', which is no word of letters, digits, '_' and '.'"}
                                             : Sentences{"the name '" + name + "' is given twice"}));
  }
  const Type no_lanes{an_int.element, {Layout::Kind::Group, 0}};
  append(kernel, 0, Constant{an_int, 1}, {no_lanes});
  CHECK(faults_of(kernel) == Sentences{"%v0: a layout has at least one element", "the result %v0 is i32, not i32[ix 0]"});
}

TEST_CASE("a value that is defined again in a region inside stays visible behind it", "[infreg]") {
  auto [kernel, inner] = nested(2);
  const Operation yes = kernel.regions[0].operations.front();
  kernel.regions[inner].operations.push_back(yes);
  append(kernel, 0, Elementwise{Op::BitAnd, ScalarType::Bool, {0, 0}}, {a_truth});
  CHECK(faults_of(kernel) == Sentences{"%v0 is defined twice"});
}

}  // namespace lockstep::infreg
