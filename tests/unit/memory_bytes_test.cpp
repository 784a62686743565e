// Objects of bytes against a dictionary: random accesses of all types, offsets and rights, poison and bytes that nobody has written; and
// when an access is none at all, exhaustively for small objects.

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "semantics/memory/machine_bytes.hpp"
#include "semantics/ops/bits.hpp"
#include "tests/unit/byte_model.hpp"

using namespace lockstep;
using tests::ByteModel;
using Wrong = ByteModel::Wrong;

namespace {

Wrong kind_of(const memory::Misaccess<bool>& wrong) {
  if (wrong.outside) {
    return Wrong::Outside;
  }
  if (wrong.misaligned) {
    return Wrong::Misaligned;
  }
  return wrong.forbidden ? Wrong::Forbidden : Wrong::Nothing;
}

/// The number that these bytes are, as C has it, in 64 bits.
std::uint64_t number_of(ScalarType type, const std::vector<unsigned char>& bytes) {
  return with_type(type, [&]<class T>(T) -> std::uint64_t {
    if constexpr (std::is_same_v<T, bool>) {
      return bytes[0] != 0 ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes.data(), sizeof(T));
      return bits;
    } else {
      T number{};
      std::memcpy(&number, bytes.data(), sizeof(T));
      return type == ScalarType::Bool ? (number != 0 ? 1U : 0U) : static_cast<std::uint64_t>(number);
    }
  });
}

}  // namespace

TEST_CASE("an access is wrong exactly where a byte of it is, or its place", "[memory]") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> offsets = {least, least + 1, least + 8, most, most - 1, most - 7};
  for (std::int64_t offset = -20; offset <= 40; ++offset) {
    offsets.push_back(offset);
  }
  for (std::uint64_t size = 0; size <= 20; ++size) {
    for (const std::int64_t offset : offsets) {
      for (const unsigned width : {1U, 2U, 4U, 8U, 16U}) {
        for (unsigned alignment = 1; alignment <= width; alignment *= 2) {
          for (const unsigned rights : {0U, 1U, 2U, 3U}) {
            for (const bool writes : {false, true}) {
              const ByteModel model(static_cast<long long>(size), (rights & 1U) != 0, (rights & 2U) != 0);
              const auto wrong = memory::misaccess<bool>(offset, width, alignment, size, {(rights & 1U) != 0, (rights & 2U) != 0}, writes);
              const Wrong expected = model.wrong(offset, static_cast<int>(width), static_cast<int>(alignment), writes);
              if (kind_of(wrong) != expected || wrong.any() != (expected != Wrong::Nothing)) {
                FAIL("size " << size << ", offset " << offset << ", width " << width << ", alignment " << alignment);
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("loads and stores of all types are those of a dictionary of bytes", "[memory]") {
  std::mt19937_64 random(20781);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::uint64_t poison_loads = 0;
  std::uint64_t unwritten_loads = 0;
  std::uint64_t numbers = 0;
  for (int object = 0; object < 500; ++object) {
    const std::uint64_t size = 1 + below(40);
    const bool has_states = below(8) != 0;
    std::vector<std::byte> values(size);
    std::vector<std::uint8_t> states(size, static_cast<std::uint8_t>(memory::CellState::Uninitialised));
    ByteModel model(static_cast<long long>(size), true, true);
    for (std::uint64_t k = 0; !has_states && k < size; ++k) {
      values[k] = static_cast<std::byte>(below(256));
      model.set(static_cast<long long>(k), static_cast<unsigned char>(values[k]));
    }
    const memory::ByteRow row{values.data(), has_states ? states.data() : nullptr};
    for (int access = 0; access < 200; ++access) {
      const ScalarType type = scalar_table[below(scalar_table.size())].type;
      const unsigned width = size_of(type);
      const auto offset = static_cast<std::int64_t>(below(size + 12)) - 6;
      if (memory::misaccess<bool>(offset, width, 1, size, {}, false).any()) {
        CHECK(model.load(offset, static_cast<int>(width), 1).wrong == Wrong::Outside);
        continue;
      }
      if (below(2) == 0) {
        const bool is_poison = has_states && below(6) == 0;
        const std::uint64_t raw = below(4) == 0 ? ~std::uint64_t{0} >> below(64) : random();
        std::vector<unsigned char> bytes(width);
        std::memcpy(bytes.data(), &raw, width);
        const std::uint64_t word = number_of(type, bytes);
        std::memcpy(bytes.data(), &word, width);
        memory::store(row, static_cast<std::uint64_t>(offset), type, {word, is_poison, true});
        CHECK(model.store(offset, bytes, is_poison, 1) == Wrong::Nothing);
        continue;
      }
      const auto found = memory::load(row, static_cast<std::uint64_t>(offset), type);
      const auto expected = model.load(offset, static_cast<int>(width), 1);
      REQUIRE(found.written == (expected.wrong != Wrong::Unwritten));
      unwritten_loads += found.written ? 0U : 1U;
      if (found.written) {
        REQUIRE(found.poison == expected.poison);
        poison_loads += found.poison ? 1U : 0U;
        if (!found.poison) {
          REQUIRE(found.value == number_of(type, expected.bytes));
          ++numbers;
        }
      }
    }
  }
  CHECK(numbers > 5000);
  CHECK(poison_loads > 500);
  CHECK(unwritten_loads > 500);
}
