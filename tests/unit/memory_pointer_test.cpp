// Pointers as numbers, against sums in 128 bits.

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "semantics/memory/pointer.hpp"

using namespace lockstep;

namespace {

__extension__ using Wide = __int128;

const std::vector<std::uint32_t> objects = {1, 2, 77, memory::max_objects - 1, memory::max_objects};

/// Offsets around 0 and both limits, all of them allowed.
std::vector<std::int64_t> offsets() {
  std::vector<std::int64_t> all;
  for (const std::int64_t middle : {-memory::offset_limit, -memory::offset_limit / 2, std::int64_t{0}, memory::offset_limit}) {
    for (std::int64_t near = -17; near <= 17; ++near) {
      if (const std::int64_t offset = middle + near; offset > -memory::offset_limit && offset < memory::offset_limit) {
        all.push_back(offset);
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("pointers keep their object and offset, and are ordered by the offset", "[memory]") {
  CHECK(memory::object_of(0) == 0);
  for (const std::uint32_t object : objects) {
    std::int64_t before = std::numeric_limits<std::int64_t>::min();
    for (const std::int64_t offset : offsets()) {
      const std::uint64_t p = memory::pointer_to(object, offset);
      CHECK(memory::object_of(p) == object);
      CHECK(memory::offset_of(p) == offset);
      CHECK(before < static_cast<std::int64_t>(p));
      before = static_cast<std::int64_t>(p);
    }
  }
}

TEST_CASE("adding to a pointer's number adds to its offset", "[memory]") {
  for (const std::uint32_t object : objects) {
    for (const std::int64_t a : offsets()) {
      for (const std::int64_t b : offsets()) {
        CHECK(memory::pointer_to(object, a) - static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b) ==
              memory::pointer_to(object, b));
      }
    }
  }
}

TEST_CASE("a pointer is moved by whole elements, within its reach", "[memory]") {
  std::vector<std::int64_t> indices = offsets();
  indices.insert(indices.end(), {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 61,
                                 -(std::int64_t{1} << 61), std::int64_t{1} << 40});
  for (const unsigned size : {1U, 2U, 4U, 8U}) {
    for (const std::int64_t from : offsets()) {
      if (from % std::int64_t{size} != 0) {
        continue;
      }
      for (const std::int64_t index : indices) {
        const Wide step = Wide{index} * size;
        const Wide sum = from + step;
        const Wide limit = memory::offset_limit;
        const bool is_defined = step > -limit && step < limit && sum > -limit && sum < limit;
        const std::uint64_t p = memory::pointer_to(3, from);
        const std::optional<std::uint64_t> q = memory::moved(p, index, size);
        INFO(size << ": " << from << " + " << index);
        REQUIRE(q.has_value() == is_defined);
        if (q) {
          CHECK(memory::object_of(*q) == 3);
          CHECK(memory::offset_of(*q) == static_cast<std::int64_t>(sum));
          CHECK(memory::element_of(*q, size) == static_cast<std::int64_t>(sum / size));
          CHECK(memory::distance(*q, p, size) == index);
        }
      }
    }
  }
}

TEST_CASE("pointers into different objects have no order and no distance", "[memory]") {
  const std::uint64_t p = memory::pointer_to(4, 8);
  const std::uint64_t q = memory::pointer_to(5, 8);
  CHECK_FALSE(memory::distance(p, q, 4).has_value());
  for (const Op op : {Op::Lt, Op::Le, Op::Gt, Op::Ge}) {
    CHECK(memory::misordered(op, p, q));
    CHECK_FALSE(memory::misordered(op, p, p));
  }
  CHECK_FALSE(memory::misordered(Op::Eq, p, q));
  CHECK_FALSE(memory::misordered(Op::Ne, p, q));
}
