// Control of InfReg-IR: ifs, loops, packs of groups, limits; and that values which share a place do not meet.

#include <catch2/catch.hpp>
#include <functional>

#include "semantics/infreg/evaluate_slots.hpp"
#include "semantics/infreg/with_pack.hpp"
#include "tests/unit/infreg_evaluate.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;

namespace {

using Values = std::vector<ValueId>;
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
const Layout pack = Layout::pack();
const Layout items = Layout::item();

Values none(const Values&) { return {}; }

ValueId plus(Sketch& s, ValueId a, ValueId b) { return s.op(Op::Add, ScalarType::Long, {a, b}); }

/// The values that the variable of `for s = from to limit step k` has.
std::vector<std::int64_t> variables(std::int64_t from, std::int64_t limit, std::int64_t step) {
  Sketch s(1);
  const RegionId body = s.region({i64(pack)}, [&](const Values& arguments) {
    s.index(Symbol::of(arguments[0]), pack);
    return Values{};
  });
  s.effect(For{from, limit, step, {}, body});
  const Ran ran = finish(s);
  std::vector<std::int64_t> result;
  for (const auto& [value, seen] : ran.seen) {
    for (const Seen& one : seen) {
      result.push_back(static_cast<std::int64_t>(one.bits[0]));
    }
  }
  return result;
}

}  // namespace

TEST_CASE("infreg evaluate: a rolled loop counts as C does, and stops before it would wrap") {
  using Counted = std::vector<std::int64_t>;
  CHECK(variables(0, 4, 1) == Counted{0, 1, 2, 3});
  CHECK(variables(0, 5, 2) == Counted{0, 2, 4});
  CHECK(variables(3, 3, 1).empty());
  CHECK(variables(4, 3, 1).empty());
  CHECK(variables(3, -2, -2) == Counted{3, 1, -1});
  CHECK(variables(3, 3, -1).empty());
  CHECK(variables(2, 3, -1).empty());
  CHECK(variables(highest - 2, highest, 1) == Counted{highest - 2, highest - 1});
  CHECK(variables(highest - 3, highest, 2) == Counted{highest - 3, highest - 1});
  CHECK(variables(highest - 3, highest, highest) == Counted{highest - 3});
  CHECK(variables(lowest, highest, highest) == Counted{lowest, -1, highest - 1});
  CHECK(variables(lowest + 2, lowest, -1) == Counted{lowest + 2, lowest + 1});
  CHECK(variables(lowest + 2, lowest, -3) == Counted{lowest + 2});
  CHECK(variables(highest, lowest, lowest) == Counted{highest, -1});
}

TEST_CASE("infreg evaluate: carried values are exchanged at once") {
  Sketch s(3);
  const ValueId a = s.index(Polynomial(wi) + 1, items);
  const ValueId b = s.index(0, items);
  const ValueId outer = s.index(100, items);
  const RegionId body = s.region({i64(pack), i64(items), i64(items), i64(items)}, [&](const Values& x) {
    return Values{x[2], plus(s, x[1], x[2]), outer};  // the second becomes the first, the third an outer value
  });
  const Values results = s.builder.add_many(For{0, 6, 1, {a, b, b}, body}, {});
  const Values empty = s.builder.add_many(
      For{0, 0, 1, {a, b}, s.region({i64(pack), i64(items), i64(items)}, [](const Values& x) { return Values{x[2], x[1]}; })}, {});
  const Ran ran = finish(s);
  // (a, b) -> (b, a + b) six times is (5 a + 8 b, 8 a + 13 b).
  CHECK(ran.last(results[0]).bits == std::vector<std::uint64_t>{5, 10, 15});
  CHECK(ran.last(results[1]).bits == std::vector<std::uint64_t>{8, 16, 24});
  CHECK(ran.last(results[2]).bits == std::vector<std::uint64_t>{100, 100, 100});
  CHECK(ran.last(empty[0]) == ran.last(a));
  CHECK(ran.last(empty[1]) == ran.last(b));
}

TEST_CASE("infreg evaluate: a loop runs while any item wants to") {
  // Collatz: each item goes on until it comes to 1, the others wait.
  Sketch s(7, 2);
  const ValueId n = s.index(Polynomial(wi) + Polynomial(wg) * 7 + 1, items);
  const ValueId zero = s.index(0, items);
  const ValueId one = s.index(1, items);
  const auto wants = [&](ValueId x) { return s.op(Op::Ne, ScalarType::Long, {x, one}); };
  const auto any = [&](ValueId x) { return s.add(Vote{Vote::Kind::Any, true, wants(x), s.add(Mask{items, {}})}); };
  const RegionId body = s.region({i1(pack), i64(items), i64(items)}, [&](const Values& x) {
    const ValueId odd = s.op(Op::Ne, ScalarType::Long, {s.op(Op::BitAnd, ScalarType::Long, {x[1], one}), zero});
    const ValueId tripled = plus(s, s.op(Op::Mul, ScalarType::Long, {x[1], s.index(3, items)}), one);
    const ValueId halved = s.op(Op::Shr, ScalarType::Long, {x[1], one});
    const ValueId active = wants(x[1]);
    const ValueId next = s.add(Select{active, s.add(Select{odd, tripled, halved}), x[1]});
    const ValueId steps = s.add(Select{active, plus(s, x[2], one), x[2]});
    return Values{any(next), next, steps};
  });
  const Values results = s.builder.add_many(Loop{{any(n), n, zero}, body}, {});
  const Ran ran = run(s.kernel, {.groups = 2, .limits = {}, .observer = {}});
  CHECK(ran.last(results[0]).bits[0] == 0);
  CHECK(ran.last(results[1]).bits == std::vector<std::uint64_t>(14, 1));
  CHECK(ran.last(results[2]).bits == std::vector<std::uint64_t>{0, 1, 7, 2, 5, 8, 16, 3, 19, 6, 14, 9, 9, 17});
}

TEST_CASE("infreg evaluate: a loop whose condition is false runs no round") {
  Sketch s(1);
  const ValueId no = s.constant(ScalarType::Bool, pack, 0);
  const ValueId x = s.index(5, pack);
  const RegionId body = s.region({i1(pack), i64(pack)}, [&](const Values& a) { return Values{a[0], s.index(9, pack)}; });
  const Values results = s.builder.add_many(Loop{{no, x}, body}, {});
  CHECK(finish(s).last(results[1]).bits[0] == 5);
}

TEST_CASE("infreg evaluate: an if runs one of its regions, nested in any way") {
  Sketch s(1);
  const ParameterId trace = s.pointer(ScalarType::Int, "trace");
  const ValueId n = s.scalar(ScalarType::Long, "n");
  // A tree of ifs on the bits of n; each leaf writes its number, and the tree gives it back.
  const std::function<Values(int, int)> tree = [&](int bit, int so_far) -> Values {
    if (bit < 0) {
      s.store(trace, so_far, s.constant(ScalarType::Int, pack, 1));
      return {s.index(so_far, pack)};
    }
    const ValueId shifted = s.op(Op::Shr, ScalarType::Long, {n, s.index(bit, pack)});
    const ValueId set = s.add(Convert{s.op(Op::BitAnd, ScalarType::Long, {shifted, s.index(1, pack)}), ScalarType::Bool});
    const RegionId then = s.region({}, [&](const Values&) { return tree(bit - 1, so_far + (1 << bit)); });
    const RegionId otherwise = s.region({}, [&](const Values&) { return tree(bit - 1, so_far); });
    return s.builder.add_many(If{set, then, otherwise}, {});
  };
  const ValueId result = tree(3, 0).front();
  for (std::uint64_t number = 0; number < 16; ++number) {
    std::vector<Buffer> memory = {make_buffer(ScalarType::Int, 16)};
    std::vector<Argument> arguments = buffers({0});
    arguments.push_back(scalar(number).front());
    const Ran ran = run(s.kernel, arguments, memory);
    CHECK(ran.last(result).bits[0] == number);
    std::vector<std::int32_t> expected(16);
    expected[number] = 1;
    CHECK(numbers_of<std::int32_t>(memory[0]) == expected);
  }
}

TEST_CASE("infreg evaluate: loops in loops in ifs") {
  // The sum over i < 5, j from i down to 0 of 10 i + j, where i is not 3.
  Sketch s(2);
  const ValueId zero = s.index(0, items);
  const RegionId outer = s.region({i64(pack), i64(items)}, [&](const Values& o) {
    const ValueId take = s.mask(Symbol::of(o[0]), Op::Ne, 3, pack);
    const RegionId then = s.region({}, [&](const Values&) {
      const RegionId inner = s.region({i64(pack), i64(items)}, [&](const Values& i) {
        return Values{plus(s, i[1], s.index(Polynomial(Symbol::of(o[0])) * 10 + Symbol::of(i[0]), items))};
      });
      return s.builder.add_many(For{Symbol::of(o[0]), -1, -1, {o[1]}, inner}, {});
    });
    const RegionId otherwise = s.region({}, [&](const Values&) { return Values{o[1]}; });
    return s.builder.add_many(If{take, then, otherwise}, {});
  });
  const ValueId sum = s.builder.add_many(For{0, 5, 1, {zero}, outer}, {}).front();
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 5; ++i) {
    for (std::uint64_t j = 0; j <= i && i != 3; ++j) {
      expected += 10 * i + j;
    }
  }
  CHECK(finish(s).last(sum).bits == std::vector<std::uint64_t>{expected, expected});
}

TEST_CASE("infreg evaluate: endless loops and huge memory end with a limit") {
  const auto limit_of = [](const Sketch& s, Limits limits) {
    std::vector<Buffer> memory;
    const Outcome outcome = evaluate(s.kernel, {}, memory, {.groups = s.kernel.shape.wg_pack, .limits = limits, .observer = {}});
    CHECK(outcome.lane_operations <= limits.lane_operations);
    return std::holds_alternative<LimitReached>(outcome.end) ? std::get<LimitReached>(outcome.end).sentence : std::string("none");
  };
  {
    Sketch s(1);
    const ValueId yes = s.constant(ScalarType::Bool, pack, 1);
    s.effect(Loop{{yes}, s.region({i1(pack)}, [](const Values& a) { return a; })});
    CHECK(limit_of(s, {.lane_operations = 1000, .bytes = 1000}) == "more than 1000 operations on lanes");
  }
  {
    Sketch s(1);
    s.effect(For{lowest, highest, 1, {}, s.region({i64(pack)}, none)});
    CHECK(limit_of(s, {.lane_operations = 12345, .bytes = 1000}) == "more than 12345 operations on lanes");
  }
  {
    Sketch s(64, 4);
    s.index(wi, Layout::item(16));
    CHECK(limit_of(s, {.lane_operations = 4095, .bytes = 1 << 20}) == "more than 4095 operations on lanes");
  }
  {
    Sketch s(64, 4);
    s.index(wi, Layout::item(1024));
    CHECK(limit_of(s, {.lane_operations = 1 << 20, .bytes = 1 << 20}) == "the values of one pack need more than 1048576 bytes");
  }
  {
    Sketch s(1, 2);  // no operation at all, but endlessly many groups
    std::vector<Buffer> memory;
    const Limits limits{.lane_operations = 1000, .bytes = 1000};
    const Outcome outcome = evaluate(s.kernel, {}, memory, {.groups = ~std::uint64_t{0}, .limits = limits, .observer = {}});
    CHECK(std::holds_alternative<LimitReached>(outcome.end));
    CHECK(outcome.lane_operations == 1000);
  }
  for (const AddressSpace space : {AddressSpace::Private, AddressSpace::Local}) {
    for (const std::uint64_t count : {std::uint64_t{1} << 30, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
      Sketch s(4, 4);
      s.object("huge", ScalarType::Double, space, count);
      CHECK(limit_of(s, {.lane_operations = 100, .bytes = 1 << 20}).find("%huge has ") == 0);
    }
  }
  {
    Sketch s(4, 4);
    s.object("fits", ScalarType::Double, AddressSpace::Private, 100);
    CHECK(limit_of(s, {.lane_operations = 1601, .bytes = 9 * 100 * 16}) == "none");
    CHECK(limit_of(s, {.lane_operations = 1600, .bytes = 9 * 100 * 16}) == "more than 1600 operations on lanes");
    CHECK(limit_of(s, {.lane_operations = 1601, .bytes = 9 * 100 * 16 - 1}).find("%fits has ") == 0);
  }
}

TEST_CASE("infreg evaluate: no groups, and fewer than a pack") {
  Sketch s(2, 4);
  const ParameterId a = s.pointer(ScalarType::Int, "a");
  s.store_lanes(a, s.index(Polynomial(wg) * 10 + wi, items, ScalarType::Int));
  for (std::uint64_t groups = 0; groups < 10; ++groups) {
    std::vector<Buffer> memory = {make_buffer(ScalarType::Int, 2 * groups)};
    const Ran ran = run(s.kernel, buffers({0}), memory, {.groups = groups, .limits = {}, .observer = {}});
    REQUIRE(std::holds_alternative<Finished>(ran.outcome.end));
    std::vector<std::int32_t> expected;
    for (std::int32_t g = 0; g < static_cast<std::int32_t>(groups); ++g) {
      expected.insert(expected.end(), {g * 10, g * 10 + 1});
    }
    CHECK(numbers_of<std::int32_t>(memory[0]) == expected);
    CHECK(ran.outcome.lane_operations == groups * 4 + groups / 4 + groups % 4);  // and one for each pack
  }
}

namespace {

/// A kernel of random operations that each group does for itself, on values of its own; all of them are stored. Some are poison.
void fill_randomly(Sketch& s, std::mt19937_64& random, int operations) {
  const ParameterId from = s.pointer(ScalarType::Long, "from");
  std::vector<ValueId> of_items = {s.index(Polynomial(wi) * 3 + Polynomial(wg) * 17, items)};
  std::vector<ValueId> masks = {s.mask(Polynomial(wi), Op::Le, Polynomial(wg) + 1, items)};
  const auto value = [&] { return of_items[random() % of_items.size()]; };
  const auto mask = [&] { return masks[random() % masks.size()]; };
  const std::int64_t size = s.kernel.shape.wg_size;
  for (int k = 0; k < operations; ++k) {
    switch (random() % 8) {
      case 0:
        of_items.push_back(s.op(random() % 2 == 0 ? Op::Mul : Op::Sub, ScalarType::Long, {value(), value()}));
        break;
      case 1:
        of_items.push_back(s.op(Op::Rem, ScalarType::Long, {value(), value()}));
        break;
      case 2:
        masks.push_back(s.op(Op::Lt, ScalarType::Long, {value(), value()}));
        break;
      case 3:
        of_items.push_back(s.add(Select{mask(), value(), value()}));
        break;
      case 4:
        of_items.push_back(
            s.add(Reorder{value(), items, Reorder::Affine{Polynomial(size - 1 - static_cast<std::int64_t>(random() % 2)) - wi, 0}}));
        break;
      case 5:
        of_items.push_back(
            s.add(Shuffle{value(), s.index(Polynomial(wi) * 2 - 1, items), s.mask(Polynomial(wi), Op::Ne, Polynomial(wg), items)}));
        break;
      case 6: {
        const ValueId all = s.add(Mask{items, {}});
        const ValueId sum = s.add(Vote{Vote::Kind::Popcount, false, mask(), all});
        of_items.push_back(s.add(Spread{s.add(Convert{sum, ScalarType::Long}), items}));
        break;
      }
      default:
        of_items.push_back(s.add(Load{i64(items),
                                      {parameter(from), Polynomial(wg) * size + wi, {}},
                                      Access::Gather,
                                      s.mask(Polynomial(wi), Op::Lt, static_cast<std::int64_t>(random() % 5), items)}));
        break;
    }
  }
  for (std::size_t k = 0; k < of_items.size(); ++k) {
    const ParameterId to = s.pointer(ScalarType::Long, "to" + std::to_string(k));
    s.store(to, Polynomial(wg) * size + wi, of_items[k]);
  }
}

}  // namespace

TEST_CASE("infreg evaluate: packs of any size do what single groups do") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 40; ++round) {
    const auto size = static_cast<std::uint32_t>(1 + random() % 5);
    constexpr std::uint64_t groups = 7;
    Sketch s(size);
    fill_randomly(s, random, 30);
    std::vector<Buffer> start;
    std::vector<Argument> arguments;
    for (std::size_t k = 0; k < s.kernel.parameters.size(); ++k) {
      arguments.push_back(buffers({k}).front());
      start.push_back(make_buffer(ScalarType::Long, groups * size));
    }
    for (std::byte& byte : start[0].bytes) {
      byte = static_cast<std::byte>(random());
    }
    std::vector<std::vector<Seen>> results;
    for (const std::uint32_t packed : {1U, 2U, 3U, 7U, 8U}) {
      std::vector<Buffer> memory = start;
      const Kernel kernel = with_pack(s.kernel, packed);
      REQUIRE(verify(kernel).empty());
      const Outcome outcome = evaluate(kernel, arguments, memory, {.groups = groups, .limits = {}, .observer = {}});
      REQUIRE(std::holds_alternative<Finished>(outcome.end));
      std::vector<Seen> now;
      for (const Buffer& buffer : memory) {
        now.push_back({numbers_of<std::uint64_t>(buffer), buffer.poison});
      }
      results.push_back(std::move(now));
      CHECK((results.back() == results.front()));
    }
  }
}

TEST_CASE("infreg evaluate: values that share a place are never alive together") {
  // Every value of a long chain is used once more at a random distance. What a lane then holds is known from a plain row of numbers.
  std::mt19937_64 random(12);
  for (int round = 0; round < 20; ++round) {
    Sketch s(2);
    const ParameterId to = s.pointer(ScalarType::Long, "to");
    std::vector<ValueId> values = {s.index(Polynomial(wi) + 1, items)};
    std::vector<std::uint64_t> expected = {1};
    for (int k = 0; k < 200; ++k) {
      const std::size_t a = values.size() - 1 - random() % std::min<std::size_t>(values.size(), 20);
      const std::size_t b = values.size() - 1 - random() % std::min<std::size_t>(values.size(), 5);
      values.push_back(plus(s, values[a], values[b]));
      expected.push_back(expected[a] + expected[b]);
    }
    s.store(to, wi, values.back());
    const std::optional<Slots> slots = place_values(s.kernel, 1 << 20);
    REQUIRE(slots);
    CHECK(slots->lanes <= 2 * 22);
    CHECK_FALSE(place_values(s.kernel, slots->lanes - 1));
    std::vector<Buffer> memory = {make_buffer(ScalarType::Long, 2)};
    REQUIRE(std::holds_alternative<Finished>(run(s.kernel, buffers({0}), memory).outcome.end));
    CHECK(numbers_of<std::uint64_t>(memory[0])[0] == expected.back());
  }
}
