// What clang calls of its own accord, called without an object: registers as VE's ABI has them, memory against std::memmove, room on the
// stack; and places that nothing can go to.

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "tests/ve/world.hpp"

namespace lockstep::test {

namespace {

using namespace ve_machine;

constexpr unsigned link = 10;
constexpr unsigned stack_pointer = 11;

std::uint64_t place_of(Routine routine, const Machine& machine) {
  return memory::pointer_to(machine.routines, 16 * static_cast<std::int64_t>(routine));
}

/// Ready to call the library: all registers are defined, and it returns to instruction 7.
void prepare(World& world) {
  State& state = world.machine.state;
  for (std::size_t k = 0; k < state.scalars.size(); ++k) {
    state.scalars[k] = defined(1000 + k);
  }
  for (Vector& vector : state.vectors) {
    vector.undefined = {};
  }
  for (Mask& mask : state.masks) {
    mask.undefined = {};
  }
  state.masks[0].elements = all_lanes;
  state.length = defined(5);
  state.scalars[link] = defined(memory::pointer_to(world.machine.sections[0], 7 * 8));
}

std::uint64_t called(Routine routine, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  World world;
  prepare(world);
  world.machine.state.scalars[0] = defined(a);
  world.machine.state.scalars[1] = defined(b);
  world.machine.state.scalars[2] = defined(c);
  REQUIRE(world.machine.jump(defined(place_of(routine, world.machine))));
  REQUIRE(world.machine.state.scalars[0].undefined == 0);
  return world.machine.state.scalars[0].bits;
}

std::uint64_t bits(double d) { return std::bit_cast<std::uint64_t>(d); }
std::uint64_t upper(float f) { return std::uint64_t{std::bit_cast<std::uint32_t>(f)} << 32U; }

}  // namespace

TEST_CASE("the library computes what C says", "[ve]") {
  CHECK(called(Routine::Fma, bits(0x1p-30 + 1), bits(1 - 0x1p-30), bits(-1)) == bits(-0x1p-60));
  CHECK(called(Routine::FmaFloat, upper(0x1p-15F + 1), upper(1 - 0x1p-15F), upper(-1)) == upper(-0x1p-30F));
  CHECK(called(Routine::SquareRoot, bits(2)) == bits(std::sqrt(2.0)));
  CHECK(called(Routine::SquareRootFloat, upper(2)) == upper(std::sqrt(2.0F)));
  CHECK(called(Routine::SquareRoot, bits(-1)) == 0x7fffffffffffffffU);
  CHECK(called(Routine::SquareRootFloat, upper(-1)) >> 32U == 0x7fffffffU);
}

TEST_CASE("a call keeps the registers of the ABI", "[ve]") {
  // Stack limit, frame, link and stack pointers, thread, tables of addresses, information; and %s18 to %s33, which callees save.
  std::set<std::size_t> kept = {8, 9, 10, 11, 14, 15, 16, 17};
  for (std::size_t k = 18; k <= 33; ++k) {
    kept.insert(k);
  }
  World world;
  prepare(world);
  REQUIRE(world.machine.jump(defined(place_of(Routine::SquareRoot, world.machine))));
  const State& state = world.machine.state;
  for (std::size_t k = 1; k < state.scalars.size(); ++k) {
    CAPTURE(k);
    CHECK((state.scalars[k].undefined == 0) == kept.contains(k));
    CHECK((state.scalars[k].undefined == 0 || state.scalars[k].undefined == ~std::uint64_t{0}));
    CHECK((!kept.contains(k) || k == link || state.scalars[k].bits == 1000 + k));
  }
  CHECK(std::ranges::all_of(state.vectors, [](const Vector& vector) { return vector.undefined == all_lanes; }));
  CHECK(std::all_of(state.masks.begin() + 1, state.masks.end(), [](const Mask& mask) { return mask.undefined == all_lanes; }));
  CHECK(is_empty(state.masks[0].undefined));
  CHECK(state.masks[0].elements == all_lanes);
  CHECK(state.length.undefined != 0);
  CHECK(world.machine.next.section == 0);
  CHECK(world.machine.next.index == 7);
}

TEST_CASE("what is undefined goes through the library", "[ve]") {
  for (unsigned k = 0; k < 3; ++k) {
    for (const Routine routine : {Routine::Fma, Routine::FmaFloat, Routine::SquareRoot, Routine::SquareRootFloat}) {
      const bool single = routine == Routine::FmaFloat || routine == Routine::SquareRootFloat;
      const bool is_read = k == 0 || routine == Routine::Fma || routine == Routine::FmaFloat;
      for (const std::uint64_t undefined : {std::uint64_t{1}, std::uint64_t{1} << 31U, std::uint64_t{1} << 32U, std::uint64_t{1} << 63U}) {
        World world;
        prepare(world);
        world.machine.state.scalars[k].undefined = undefined;
        REQUIRE(world.machine.jump(defined(place_of(routine, world.machine))));
        CAPTURE(k, static_cast<int>(routine), undefined);
        CHECK((world.machine.state.scalars[0].undefined != 0) == (is_read && (!single || undefined >> 32U != 0)));
      }
    }
  }
}

TEST_CASE("bytes are moved as std::memmove moves them", "[ve]") {
  std::mt19937_64 random(3);
  unsigned works = 0;
  for (int k = 0; k < 600; ++k) {
    World world;
    prepare(world);
    Machine& machine = world.machine;
    const auto routine = std::array{Routine::MemoryCopy, Routine::MemoryMove, Routine::MemorySet}.at(random() % 3);
    const bool sets = routine == Routine::MemorySet;
    for (std::vector<std::byte>& bytes : world.bytes) {
      std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
    }
    std::vector<std::uint8_t>& states = machine.memory.object(2)->states;
    std::ranges::generate(states, [&] { return random() % 400 == 0 ? uninitialised : has_number; });
    const std::size_t to = random() % 3;
    const std::size_t from = random() % 3;
    const std::uint64_t count = random() % 4 == 0 ? 0 : random() % 200;
    const auto offset = [&] { return random() % 8 == 0 ? room - count : random() % (room + 40); };
    const std::uint64_t begin = offset();
    const std::uint64_t source = offset();
    const std::uint64_t byte = random();
    const auto pointer = [](std::size_t object, std::uint64_t at) {
      return memory::pointer_to(static_cast<std::uint32_t>(object + 1), static_cast<std::int64_t>(at));
    };
    machine.state.scalars[0] = defined(pointer(to, begin));
    machine.state.scalars[1] = defined(sets ? byte : pointer(from, source));
    machine.state.scalars[2] = defined(count);

    std::array<std::vector<std::byte>, 3> expected = world.bytes;
    std::vector<std::uint8_t> expected_states = states;
    const bool is_inside = count == 0 || (begin + count <= room && to != 2 && (sets || source + count <= room));
    std::vector<std::uint8_t> moved(count, has_number);
    if (is_inside && count != 0 && !sets && from == 1) {
      std::copy_n(states.begin() + static_cast<std::ptrdiff_t>(source), count, moved.begin());
    }
    const bool is_undefined = std::ranges::find(moved, uninitialised) != moved.end();
    const bool is_right = is_inside && (!is_undefined || to == 1);
    if (is_right && count != 0) {
      if (sets) {
        std::memset(expected.at(to).data() + begin, static_cast<int>(byte & 0xffU), count);
      } else {
        std::vector<std::byte> taken(expected.at(from).begin() + static_cast<std::ptrdiff_t>(source),
                                     expected.at(from).begin() + static_cast<std::ptrdiff_t>(source + count));
        std::memcpy(expected.at(to).data() + begin, taken.data(), count);
      }
      if (to == 1) {
        std::ranges::copy(moved, expected_states.begin() + static_cast<std::ptrdiff_t>(begin));
      }
    }
    CAPTURE(k, static_cast<int>(routine), to, from, count, begin, source);
    const bool worked = machine.jump(defined(place_of(routine, machine)));
    CHECK(worked == is_right);
    works += worked && count != 0 ? 1 : 0;
    for (std::size_t n = 0; n < room; ++n) {
      for (std::size_t object = 0; object < 3; ++object) {
        if (world.bytes.at(object)[n] != expected.at(object)[n] && (object != 1 || expected_states[n] == has_number)) {
          FAIL("byte " << n << " of " << object);
        }
      }
    }
    CHECK(states == expected_states);
    CHECK(machine.counters.bytes_written == (worked ? count : 0));
    CHECK(machine.counters.bytes_read == (worked && !sets ? count : 0));
  }
  CHECK(works > 100);
}

TEST_CASE("moving bytes needs to know which", "[ve]") {
  for (unsigned k = 0; k < 3; ++k) {
    for (const Routine routine : {Routine::MemoryCopy, Routine::MemoryMove, Routine::MemorySet}) {
      World world;
      prepare(world);
      world.machine.state.scalars[0] = defined(memory::pointer_to(1));
      world.machine.state.scalars[1] = defined(memory::pointer_to(1, 100));
      world.machine.state.scalars[2] = defined(4);
      world.machine.state.scalars[k].undefined = 1;
      CAPTURE(k, static_cast<int>(routine));
      REQUIRE_FALSE(world.machine.jump(defined(place_of(routine, world.machine))));
      const bool is_byte = k == 1 && routine == Routine::MemorySet;
      CHECK((world.machine.fault->kind == (is_byte ? FaultKind::UndefinedStored : FaultKind::UndefinedPassed)));
    }
  }
  // Of a byte only the low bits are looked at.
  World world;
  prepare(world);
  world.machine.state.scalars[0] = defined(memory::pointer_to(1));
  world.machine.state.scalars[1] = {7, 0x100};
  world.machine.state.scalars[2] = defined(4);
  CHECK(world.machine.jump(defined(place_of(Routine::MemorySet, world.machine))));
  // More than any object has.
  world.machine.state.scalars[0] = defined(memory::pointer_to(1));
  world.machine.state.scalars[1] = defined(memory::pointer_to(1));
  world.machine.state.scalars[2] = defined(std::uint64_t{1} << 62U);
  CHECK_FALSE(world.machine.jump(defined(place_of(Routine::MemoryCopy, world.machine))));
}

TEST_CASE("the stack grows down to its limit", "[ve]") {
  const std::uint64_t limit = memory::pointer_to(2, 64);
  for (const auto& [top, bytes, expected] : std::vector<std::array<std::uint64_t, 3>>{
           {512, 16, 496}, {512, 1, 496}, {512, 17, 480}, {512, 448, 64}, {512, 449, 0}, {64, 0, 64}, {48, 0, 0}}) {
    World world;
    prepare(world);
    State& state = world.machine.state;
    state.scalars[0] = defined(bytes);
    state.scalars[8] = defined(limit);
    state.scalars[stack_pointer] = defined(memory::pointer_to(2, static_cast<std::int64_t>(top)));
    CAPTURE(top, bytes);
    const bool works = world.machine.jump(defined(place_of(Routine::GrowStack, world.machine)));
    CHECK(works == (expected != 0));
    if (works) {
      CHECK(state.scalars[stack_pointer].bits == memory::pointer_to(2, static_cast<std::int64_t>(expected)));
      CHECK(state.scalars[1].undefined == 0);  // it changes nothing else
      CHECK(is_empty(state.vectors[3].undefined));
    } else {
      CHECK((world.machine.fault->kind == FaultKind::StackLimit));
    }
  }
  World world;
  prepare(world);
  world.machine.state.scalars[0].undefined = 1;
  CHECK_FALSE(world.machine.jump(defined(place_of(Routine::GrowStack, world.machine))));
}

TEST_CASE("there are places that nothing goes to", "[ve]") {
  const auto goes = [](std::uint32_t object, std::int64_t offset, std::uint64_t undefined = 0) {
    World world;
    prepare(world);
    const bool works = world.machine.jump({memory::pointer_to(object, offset), undefined});
    CHECK((works || world.machine.fault->kind == (undefined != 0 ? FaultKind::UndefinedAddress : FaultKind::BadJump)));
    return works;
  };
  CHECK(goes(4, 0));
  CHECK(goes(4, 8 * 20));
  CHECK_FALSE(goes(4, 4));
  CHECK_FALSE(goes(4, -8));
  CHECK_FALSE(goes(4, 8, 1));
  CHECK_FALSE(goes(1, 0));
  CHECK_FALSE(goes(0, 0));
  CHECK(goes(5, 0));  // the end
  CHECK(goes(5, 16));
  CHECK_FALSE(goes(5, 8));
  CHECK_FALSE(goes(5, -16));
  CHECK_FALSE(goes(5, 16 * 9));
  // Nothing of the library calls the library: it returns to the object, or ends the run.
  for (const auto& [place, works] : std::vector<std::pair<std::int64_t, bool>>{{0, true}, {16, false}, {32, false}}) {
    World world;
    prepare(world);
    world.machine.state.scalars[link] = defined(memory::pointer_to(5, place));
    CHECK(world.machine.jump(defined(place_of(Routine::SquareRoot, world.machine))) == works);
    CHECK(world.machine.halted == works);
  }
  // From an instruction on, backwards and forwards.
  for (const auto& [from, bytes, to] :
       std::vector<std::array<std::int64_t, 3>>{{7, 8, 8}, {7, -56, 0}, {7, -64, -1}, {7, 4, -1}, {7, 0, 7}}) {
    World world;
    world.machine.state.place = {0, static_cast<std::size_t>(from)};
    CHECK(world.machine.jump_relative(bytes) == (to >= 0));
    CHECK((to < 0 || world.machine.next.index == static_cast<std::size_t>(to)));
  }
}

}  // namespace lockstep::test
