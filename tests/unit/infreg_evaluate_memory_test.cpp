// Memory and pointers of InfReg-IR, and everything that is undefined.

#include <catch2/catch.hpp>
#include <functional>

#include "tests/unit/infreg_evaluate.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;

namespace {

const Layout items = Layout::item();

/// Runs on buffers of ints that hold 0, 1, 2, …
struct OnInts {
  std::vector<Buffer> memory;
  Ran ran;

  std::vector<std::int32_t> ints(std::size_t buffer) const { return numbers_of<std::int32_t>(memory[buffer]); }
};
OnInts run_on_ints(const Sketch& s, const std::vector<Argument>& arguments, std::vector<std::size_t> sizes, std::uint64_t groups = 1) {
  OnInts result;
  for (const std::size_t count : sizes) {
    std::vector<std::int32_t> numbers(count);
    for (std::size_t k = 0; k < count; ++k) {
      numbers[k] = static_cast<std::int32_t>(k);
    }
    result.memory.push_back(buffer_of(ScalarType::Int, numbers));
  }
  result.ran = run(s.kernel, arguments, result.memory, {.groups = groups, .limits = {}, .observer = {}});
  return result;
}

ValueId load(Sketch& s, decltype(infreg::Place::base) base, const Polynomial& place, Layout layout, ScalarType type = ScalarType::Int,
             std::optional<ValueId> mask = {}, std::optional<ValueId> lanes = {}) {
  return s.add(Load{typed(type, layout), {base, place, lanes}, Access::Gather, mask});
}

const Undefined& undefined(const Ran& ran) {
  REQUIRE(std::holds_alternative<Undefined>(ran.outcome.end));
  return std::get<Undefined>(ran.outcome.end);
}

}  // namespace

TEST_CASE("infreg evaluate: a kernel copies cells of every type") {
  for (const ScalarInfo& type : scalar_table) {
    Sketch s(3, 2);
    const ParameterId from = s.pointer(type.type, "from");
    const ParameterId to = s.pointer(type.type, "to");
    const Polynomial place = Polynomial(wg) * 6 + Polynomial(wi) * 2 + ix;
    s.store(to, Polynomial(23) - place, load(s, parameter(from), place, Layout::item(2), type.type));
    std::vector<Buffer> memory = {make_buffer(type.type, 24), make_buffer(type.type, 24)};
    for (std::size_t k = 0; k < memory[0].bytes.size(); ++k) {
      memory[0].bytes[k] = static_cast<std::byte>(type.type == ScalarType::Bool ? k % 2 : (k * 37 + 200) % 251);
    }
    memory[0].poison[5] = 1;
    const Ran ran = run(s.kernel, buffers({0, 1}), memory, {.groups = 4, .limits = {}, .observer = {}});
    REQUIRE(std::holds_alternative<Finished>(ran.outcome.end));
    for (std::size_t k = 0; k < 24; ++k) {
      INFO(type.name << " " << k);
      CHECK(memory[1].poison[23 - k] == (k == 5 ? 1 : 0));
      CHECK((k == 5 || std::memcmp(&memory[0].bytes[k * type.size], &memory[1].bytes[(23 - k) * type.size], type.size) == 0));
    }
  }
}

TEST_CASE("infreg evaluate: of two lanes that meet in a cell the higher one wins, and a load sees memory before its own store") {
  Sketch s(4, 2);
  const ParameterId a = s.pointer(ScalarType::Int, "a");
  const ValueId next = load(s, parameter(a), Polynomial(wi) + 1, items);
  s.store(a, wi, next);
  s.store(a, 5, s.index(Polynomial(wg) * 10 + wi, items, ScalarType::Int));
  CHECK(run_on_ints(s, buffers({0}), {6}, 2).ints(0) == std::vector<std::int32_t>{1, 2, 3, 4, 4, 13});
}

TEST_CASE("infreg evaluate: inactive lanes touch nothing, and what they load is poison") {
  Sketch s(4);
  const ParameterId a = s.pointer(ScalarType::Int, "a");
  const ValueId even = s.mask(Polynomial(wi) * wi - Polynomial(wi) * 2, Op::Eq, 0, items);  // 0 and 2
  const ValueId bad = s.add(infreg::Poison{i64(items)});
  const ValueId lanes = s.add(Select{even, s.index(wi, items), bad});
  const ValueId far = s.index(Polynomial(wi) * (std::int64_t{1} << 62), items);  // 0, 2^62, 2^63, 3 * 2^62
  const ValueId loaded = load(s, parameter(a), 0, items, ScalarType::Int, even, lanes);
  const ValueId first = s.mask(Polynomial(wi), Op::Eq, 0, items);
  const ValueId outside = load(s, parameter(a), 0, items, ScalarType::Int, first, far);
  s.effect(Store{{parameter(a), 3, lanes}, Access::Gather, s.constant(ScalarType::Int, items, 77), even});
  const OnInts result = run_on_ints(s, buffers({0}), {6});
  REQUIRE(std::holds_alternative<Finished>(result.ran.outcome.end));
  CHECK(result.ran.last(loaded).lanes() == std::vector<std::optional<std::uint64_t>>{0, std::nullopt, 2, std::nullopt});
  CHECK(result.ran.last(outside).poison == std::vector<std::uint8_t>{0, 1, 1, 1});
  CHECK(result.ints(0) == std::vector<std::int32_t>{0, 1, 2, 77, 4, 77});
}

TEST_CASE("infreg evaluate: two parameters may share a buffer") {
  Sketch s(2);
  const ParameterId a = s.pointer(ScalarType::Int, "a");
  const ParameterId b = s.pointer(ScalarType::Int, "b");
  s.store(a, wi, s.constant(ScalarType::Int, items, 9));
  const ValueId seen = load(s, parameter(b), wi, items);
  const ValueId equal = s.add(PointerCompare{Op::Eq, s.add(address_of_parameter(a)), s.add(address_of_parameter(b))});
  const Ran shared = run_on_ints(s, buffers({0, 0}), {2}).ran;
  CHECK(shared.last(seen).bits == std::vector<std::uint64_t>{9, 9});
  CHECK(shared.last(equal).bits[0] == 1);
  const Ran apart = run_on_ints(s, buffers({0, 1}), {2, 2}).ran;
  CHECK(apart.last(seen).bits == std::vector<std::uint64_t>{0, 1});
  CHECK(apart.last(equal).bits[0] == 0);
}

TEST_CASE("infreg evaluate: private objects belong to items, local ones to groups, and both begin as poison in every pack") {
  Sketch s(2, 2);
  const ObjectId mine = s.object("mine", ScalarType::Short, AddressSpace::Private, 3);
  const ObjectId ours = s.object("ours", ScalarType::Int, AddressSpace::Local, 2);
  const ObjectId table = s.object("table", ScalarType::Int, AddressSpace::Constant, 3, {5, 6, static_cast<std::uint64_t>(-7)});
  const ValueId fresh = load(s, object(mine), ix, Layout::item(3), ScalarType::Short);
  const ValueId fresh_local = load(s, object(ours), ix, Layout::group(2));
  s.effect(Store{{object(mine), ix, {}},
                 Access::Gather,
                 s.index(Polynomial(wg) * 100 + Polynomial(wi) * 10 + ix, Layout::item(3), ScalarType::Short),
                 {}});
  s.effect(Store{{object(ours), wi, {}}, Access::Gather, s.index(Polynomial(wg) * 100 + wi, items, ScalarType::Int), {}});
  const ValueId back = load(s, object(mine), Polynomial(2) - ix, Layout::item(3), ScalarType::Short);
  const ValueId others = load(s, object(ours), Polynomial(1) - wi, items);
  const ValueId constants = load(s, object(table), ix, Layout::group(3));
  const Ran ran = run(s.kernel, {.groups = 5, .limits = {}, .observer = {}});
  REQUIRE(std::holds_alternative<Finished>(ran.outcome.end));
  for (std::size_t pack = 0; pack < 3; ++pack) {
    const std::uint64_t in_pack = pack < 2 ? 2 : 1;
    CHECK(ran.seen.at(fresh)[pack].poison == std::vector<std::uint8_t>(in_pack * 6, 1));
    CHECK(ran.seen.at(fresh_local)[pack].poison == std::vector<std::uint8_t>(in_pack * 2, 1));
    std::vector<std::optional<std::uint64_t>> expected;
    std::vector<std::optional<std::uint64_t>> expected_others;
    std::vector<std::optional<std::uint64_t>> expected_constants;
    for (std::uint64_t g = pack * 2; g < pack * 2 + in_pack; ++g) {
      for (std::uint64_t i = 0; i < 2; ++i) {
        expected.insert(expected.end(), {g * 100 + i * 10 + 2, g * 100 + i * 10 + 1, g * 100 + i * 10});
        expected_others.emplace_back(g * 100 + 1 - i);
      }
      expected_constants.insert(expected_constants.end(), {5, 6, static_cast<std::uint64_t>(-7)});
    }
    CHECK(ran.seen.at(back)[pack].lanes() == expected);
    CHECK(ran.seen.at(others)[pack].lanes() == expected_others);
    CHECK(ran.seen.at(constants)[pack].lanes() == expected_constants);
  }
}

TEST_CASE("infreg evaluate: pointers move, are compared and measured in elements") {
  Sketch s(3);
  const ParameterId a = s.pointer(ScalarType::Int, "a");
  const ParameterId b = s.pointer(ScalarType::Int, "b");
  const ObjectId mine = s.object("mine", ScalarType::Int, AddressSpace::Private, 4);
  const ValueId pa = s.add(Spread{s.add(address_of_parameter(a)), items});
  const ValueId pb = s.add(Spread{s.add(address_of_parameter(b)), items});
  const ValueId moved = s.add(PointerOffset{ScalarType::Int, pa, s.index(Polynomial(wi) - 1, items)});
  const ValueId end = s.add(PointerOffset{ScalarType::Int, pa, s.index(4, items)});
  const ValueId distance = s.add(PointerDistance{ScalarType::Int, moved, end});
  const ValueId before = s.add(PointerCompare{Op::Lt, moved, pa});
  const ValueId no_order = s.add(PointerCompare{Op::Lt, pa, pb});
  const ValueId different = s.add(PointerCompare{Op::Ne, pa, pb});
  const ValueId no_distance = s.add(PointerDistance{ScalarType::Int, pa, pb});
  const ValueId too_far = s.add(PointerOffset{ScalarType::Int, pa, s.index(Polynomial(wi) * (std::int64_t{1} << 62) - 2, items)});
  const ValueId chosen = s.add(Select{s.mask(Polynomial(wi), Op::Eq, 1, items), s.add(address_of_object(mine)), moved});
  s.effect(Store{{object(mine), 1, {}}, Access::Gather, s.index(Polynomial(wi) + 50, items, ScalarType::Int), {}});
  const ValueId loaded = load(s, through(chosen), Polynomial(1), items);
  const ValueId whole = s.add(PointerOffset{ScalarType::Int, s.add(address_of_parameter(b)), s.index(2, Layout::pack())});
  const ValueId from_whole = load(s, through(whole), wi, items);
  const Ran ran = run_on_ints(s, buffers({0, 1}), {4, 5}).ran;
  REQUIRE(std::holds_alternative<Finished>(ran.outcome.end));
  using Expected = std::vector<std::optional<std::uint64_t>>;
  CHECK(ran.last(distance).lanes() ==
        Expected{static_cast<std::uint64_t>(-5), static_cast<std::uint64_t>(-4), static_cast<std::uint64_t>(-3)});
  CHECK(ran.last(before).lanes() == Expected{1, 0, 0});
  CHECK(ran.last(no_order).poison == std::vector<std::uint8_t>{1, 1, 1});
  CHECK(ran.last(different).lanes() == Expected{1, 1, 1});
  CHECK(ran.last(no_distance).poison == std::vector<std::uint8_t>{1, 1, 1});
  CHECK(ran.last(too_far).poison == std::vector<std::uint8_t>{0, 1, 1});
  CHECK(ran.last(loaded).lanes() == Expected{0, 51, 2});
  CHECK(ran.last(from_whole).lanes() == Expected{2, 3, 4});
}

namespace {

/// What a case of undefinedness is made of: an int buffer `a` of 4 elements, and the operation that `fill` adds last.
struct Bad {
  std::string sentence;
  std::function<void(Sketch&, ParameterId)> fill;
  std::optional<std::uint32_t> item;
  std::uint32_t element = 0;
  std::uint64_t group = 0;
};

std::vector<Bad> bad_accesses() {
  const auto third = [](Sketch& s) { return s.mask(Polynomial(wi), Op::Eq, 2, items); };
  const auto spoiled = [third](Sketch& s, ValueId value) {
    return s.add(Select{third(s), s.add(infreg::Poison{s.kernel.type_of(value)}), value});
  };
  return {
      {"index 4 lies outside of %a, which has 4 elements",
       [](Sketch& s, ParameterId a) { load(s, parameter(a), Polynomial(wi) + 2, items); }, 2},
      {"index -1 lies outside of %a, which has 4 elements",
       [](Sketch& s, ParameterId a) { load(s, parameter(a), Polynomial(1) - wi, Layout::item(2)); }, 2},
      {"index 4 lies outside of %a, which has 4 elements",
       [](Sketch& s, ParameterId a) { s.store(a, Polynomial(wi) * 2 + ix, s.index(0, Layout::item(2), ScalarType::Int)); }, 2, 0},
      {"index 4 lies outside of %a, which has 4 elements",
       [](Sketch& s, ParameterId a) { load(s, parameter(a), Polynomial(wg) * 2 + ix, Layout::group(2)); }, std::nullopt, 0, 2},
      {"the mask is poison",
       [spoiled](Sketch& s, ParameterId a) { load(s, parameter(a), 0, items, ScalarType::Int, spoiled(s, s.add(Mask{items, {}}))); }, 2},
      {"the address is poison",
       [spoiled](Sketch& s, ParameterId a) { load(s, parameter(a), 0, items, ScalarType::Int, {}, spoiled(s, s.index(wi, items))); }, 2},
      {"the address is poison",
       [](Sketch& s, ParameterId a) { load(s, parameter(a), Symbol::of(s.add(infreg::Poison{i64(Layout::pack())})), items); }, 0},
      {"the address is poison",
       [](Sketch& s, ParameterId) { load(s, through(s.add(infreg::Poison{{Element::pointer(), items}})), 0, items); }, 0},
      {"the mask is poison",
       [spoiled](Sketch& s, ParameterId) {
         const ValueId mask = spoiled(s, s.add(Mask{items, {}}));
         s.add(Shuffle{s.index(wi, items), s.index(0, items), mask});
       },
       2},
      {"the mask is poison",
       [spoiled](Sketch& s, ParameterId) {
         const ValueId all = s.add(Mask{items, {}});
         s.add(Vote{Vote::Kind::Any, false, all, spoiled(s, all)});
       },
       2},
      {"the condition is poison",
       [](Sketch& s, ParameterId) {
         const ValueId condition = s.add(infreg::Poison{i1(Layout::pack())});
         const auto nothing = [](const auto&) { return std::vector<ValueId>{}; };
         const RegionId then = s.region({}, nothing);
         s.effect(If{condition, then, s.region({}, nothing)});
       },
       std::nullopt},
      {"the condition is poison",
       [](Sketch& s, ParameterId) {
         const ValueId yes = s.constant(ScalarType::Bool, Layout::pack(), 1);
         const RegionId body =
             s.region({i1(Layout::pack())}, [&](const auto&) { return std::vector<ValueId>{s.add(infreg::Poison{i1(Layout::pack())})}; });
         s.effect(Loop{{yes}, body});
       },
       std::nullopt},
      {"a bound of the loop is poison",
       [](Sketch& s, ParameterId) {
         const ValueId bound = s.add(infreg::Poison{i64(Layout::pack())});
         s.effect(For{0, Symbol::of(bound), 1, {}, s.region({i64(Layout::pack())}, [](const auto&) { return std::vector<ValueId>{}; })});
       },
       std::nullopt},
      {"the pointer points to nothing",
       [](Sketch& s, ParameterId) { load(s, through(s.add(Constant{{Element::pointer(), Layout::pack()}, 0})), wi, items); }, 0},
      {"%mine belongs to each item: an access for a whole group cannot say whose is meant",
       [](Sketch& s, ParameterId) {
         const ValueId p = s.add(address_of_object(s.object("mine", ScalarType::Int, AddressSpace::Private, 4)));
         load(s, through(s.add(Reorder{p, Layout::group(), Reorder::Affine{0, 0}})), 0, Layout::group());
       },
       std::nullopt},
  };
}

}  // namespace

TEST_CASE("infreg evaluate: what is undefined is reported with its operation and its lane") {
  for (const Bad& bad : bad_accesses()) {
    for (const std::uint32_t pack : {1U, 2U, 3U}) {
      Sketch s(3, pack);
      const ParameterId a = s.pointer(ScalarType::Int, "a");
      bad.fill(s, a);
      s.kernel.regions[s.kernel.body].operations.back().span = {7, 9};
      INFO(print_marked(s.kernel, {}));
      const OnInts result = run_on_ints(s, buffers({0}), {4}, 3);
      const Undefined& found = undefined(result.ran);
      CHECK(found.sentence == bad.sentence);
      CHECK(found.item == bad.item);
      CHECK(found.element == bad.element);
      CHECK(found.group == bad.group);
      CHECK(found.operation ==
            OperationId{s.kernel.body, static_cast<std::uint32_t>(s.kernel.regions[s.kernel.body].operations.size() - 1)});
      CHECK(found.span == SourceSpan{7, 9});
    }
  }
}

TEST_CASE("infreg evaluate: poison that decides nothing is defined") {
  Sketch s(2);
  const ParameterId a = s.pointer(ScalarType::Int, "a");
  const ValueId poison = s.add(infreg::Poison{typed(ScalarType::Int, items)});
  const ValueId none = s.mask(Polynomial(wi), Op::Lt, 0, items);
  const ValueId lanes = s.add(infreg::Poison{i64(items)});
  load(s, parameter(a), 0, items, ScalarType::Int, none, lanes);
  s.effect(Store{{parameter(a), 100, lanes}, Access::Gather, poison, none});
  s.store(a, wi, poison, s.mask(Polynomial(wi), Op::Eq, 1, items));
  const ValueId quotient = s.op(Op::Div, ScalarType::Int, {s.index(1, items, ScalarType::Int), s.index(0, items, ScalarType::Int)});
  const ValueId mask = s.add(Mask{items, {}});
  const ValueId vote = s.add(Vote{Vote::Kind::Any, false, s.op(Op::Lt, ScalarType::Int, {quotient, poison}), mask});
  const OnInts result = run_on_ints(s, buffers({0}), {2});
  REQUIRE(std::holds_alternative<Finished>(result.ran.outcome.end));
  CHECK(result.memory[0].poison == std::vector<std::uint8_t>{0, 1});
  CHECK(result.ran.last(vote).poison[0] == 1);
}
