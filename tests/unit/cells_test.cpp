// Σ against std::map, and what pages are for: sparseness, limits, cheap copies.
#include "interpreter/store/cells.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <random>

using namespace lockstep;

namespace {

constexpr std::int64_t last_address = std::numeric_limits<std::int64_t>::max();
constexpr auto page = static_cast<std::int64_t>(Cells::page_cells);

Cell number(std::int64_t n) { return {CellState::Number, n}; }
const Cell poison{CellState::Poison, 0};
const Cell nothing{};

std::map<std::int64_t, Cell> contents(const Cells& cells) {
  std::map<std::int64_t, Cell> out;
  std::int64_t last = -1;
  cells.for_each([&](std::int64_t address, const Cell& cell) {
    REQUIRE(address > last);
    last = address;
    out[address] = cell;
  });
  return out;
}

}  // namespace

TEST_CASE("cells: a fresh store holds nothing", "[cells]") {
  const Cells cells;
  for (const std::int64_t address : {std::int64_t{-1}, std::int64_t{0}, page, last_address, std::numeric_limits<std::int64_t>::min()}) {
    CHECK(cells.read(address) == nothing);
  }
  CHECK(cells.page_count() == 0);
  CHECK(contents(cells).empty());
}

TEST_CASE("cells: numbers, poison and erasing, at page borders and far away", "[cells]") {
  Cells cells;
  const std::int64_t dense_end = (std::int64_t{1} << 18) * page;
  for (const std::int64_t a : {std::int64_t{0}, page - 1, page, dense_end - 1, dense_end, std::int64_t{1} << 62, last_address}) {
    INFO(a);
    CHECK(cells.write(a, number(a)));
    CHECK(cells.read(a) == number(a));
    CHECK(cells.write(a, poison));
    CHECK(cells.read(a) == poison);
    CHECK(cells.write(a, number(-7)));
    CHECK(cells.read(a) == number(-7));
    CHECK(cells.write(a, nothing));
    CHECK(cells.read(a) == nothing);
    CHECK(cells.write(a, number(1)));
  }
  CHECK(contents(cells).size() == 7);
  CHECK(cells.read(1) == nothing);
  CHECK(cells.read(last_address - 1) == nothing);
}

TEST_CASE("cells: negative addresses cannot be written", "[cells]") {
  Cells cells;
  CHECK_FALSE(cells.write(-1, number(1)));
  CHECK_FALSE(cells.write(std::numeric_limits<std::int64_t>::min(), number(1)));
  CHECK(cells.page_count() == 0);
}

TEST_CASE("cells: the limit counts pages and changes nothing when it is met", "[cells]") {
  Cells cells(2 * Cells::page_bytes());
  CHECK(cells.write(0, number(1)));
  CHECK(cells.write(last_address, number(2)));
  CHECK_FALSE(cells.write(page, number(3)));
  CHECK(cells.write(1, number(4)));
  CHECK(cells.page_count() == 2);
  const std::int64_t addresses[] = {5, 5 * page};
  const std::int64_t values[] = {10, 11};
  CHECK_FALSE(cells.scatter(addresses, LaneSet::all(2), values, LaneSet(), nullptr));
  CHECK(cells.read(5) == nothing);
  CHECK(cells.scatter(addresses, LaneSet::single(2, 0), values, LaneSet(), nullptr));
  CHECK(cells.read(5) == number(10));
  Cells none(0);
  CHECK_FALSE(none.write(0, number(1)));
  CHECK(none.scatter(addresses, LaneSet(2), values, LaneSet(), nullptr));  // no thread, no cell
}

TEST_CASE("cells: copies share pages until one writes", "[cells]") {
  Cells first;
  for (std::int64_t p = 0; p < 4; ++p) {
    first.write(p * page, number(p));
  }
  first.write(std::int64_t{1} << 60, number(9));
  Cells second = first;
  CHECK(second.pages_not_in(first) == 0);
  CHECK(second.write(page, number(100)));
  CHECK(first.read(page) == number(1));
  CHECK(second.read(page) == number(100));
  CHECK(second.read(2 * page) == number(2));
  CHECK(second.pages_not_in(first) == 1);
  CHECK(first.write(std::int64_t{1} << 60, poison));
  CHECK(second.read(std::int64_t{1} << 60) == number(9));
  CHECK(second.pages_not_in(first) == 2);
  CHECK(second.page_count() == 5);
}

TEST_CASE("cells: scatter writes in thread order, the last one stays", "[cells]") {
  Cells cells;
  const std::int64_t addresses[] = {7, 7, 7, 8};
  const std::int64_t values[] = {1, 2, 3, 4};
  CHECK(cells.scatter(addresses, LaneSet::all(4), values, LaneSet(), nullptr));
  CHECK(cells.read(7) == number(3));
  const std::vector<unsigned> order = {3, 2, 0, 1};
  CHECK(cells.scatter(addresses, LaneSet::all(4), values, LaneSet(), &order));
  CHECK(cells.read(7) == number(2));
  CHECK(cells.scatter(addresses, LaneSet::all(4), values, LaneSet::single(4, 2), nullptr));
  CHECK(cells.read(7) == poison);
  CHECK(cells.scatter(addresses, LaneSet::all(4) - LaneSet::single(4, 2), values, LaneSet::single(4, 2), nullptr));
  CHECK(cells.read(7) == number(2));
}

TEST_CASE("cells: contiguous blocks at every offset of a page and many widths", "[cells]") {
  for (const unsigned width : {1U, 2U, 63U, 64U, 65U, 100U, 512U, 513U, 1024U}) {
    for (std::int64_t base = page - 130; base <= page + 2; base += 3) {
      Cells cells;
      std::vector<std::int64_t> addresses(width);
      std::vector<std::int64_t> values(width);
      LaneSet bad(width);
      for (unsigned t = 0; t < width; ++t) {
        addresses[t] = base + t;
        values[t] = 1000 + t;
        if (t % 7 == 3) {
          bad.insert(t);
        }
      }
      REQUIRE(cells.write(base - 1, number(5)));
      REQUIRE(cells.write(base + width, poison));
      REQUIRE(cells.scatter(addresses.data(), LaneSet::all(width), values.data(), bad, nullptr));
      std::vector<std::int64_t> back(width, -1);
      LaneSet uninitialised(width);
      LaneSet poisoned(width);
      cells.gather(addresses.data(), LaneSet::all(width), back.data(), uninitialised, poisoned);
      REQUIRE(uninitialised.empty());
      REQUIRE(poisoned == bad);
      for (unsigned t = 0; t < width; ++t) {
        REQUIRE(cells.read(base + t) == (bad.contains(t) ? poison : number(1000 + t)));
        REQUIRE((bad.contains(t) || back[t] == 1000 + t));
      }
      REQUIRE(cells.read(base - 1) == number(5));
      REQUIRE(cells.read(base + width) == poison);
      REQUIRE(contents(cells).size() == width + 2);
    }
  }
}

TEST_CASE("cells: random operations agree with a map", "[cells]") {
  std::mt19937_64 random(20240717);
  const std::int64_t bases[] = {0, page - 40, 3 * page, (std::int64_t{1} << 27) - 50, last_address - 200};
  for (int round = 0; round < 40; ++round) {
    Cells cells;
    Cells kept;
    std::map<std::int64_t, Cell> model;
    std::map<std::int64_t, Cell> kept_model;
    const unsigned width = std::vector<unsigned>{1, 4, 63, 64, 65, 130}[random() % 6];
    for (int i = 0; i < 60; ++i) {
      const std::int64_t base = bases[random() % 5];
      std::vector<std::int64_t> addresses(width);
      std::vector<std::int64_t> values(width);
      LaneSet active(width);
      LaneSet bad(width);
      const bool block = random() % 3 == 0;
      for (unsigned t = 0; t < width; ++t) {
        addresses[t] = base + (block ? t : static_cast<std::int64_t>(random() % 150));
        values[t] = static_cast<std::int64_t>(random());
        if (block || random() % 2 == 0) {
          active.insert(t);
        }
        if (random() % 5 == 0) {
          bad.insert(t);
        }
      }
      if (random() % 2 == 0) {
        REQUIRE(cells.scatter(addresses.data(), active, values.data(), bad & active, nullptr));
        active.for_each([&](unsigned t) { model[addresses[t]] = bad.contains(t) ? poison : number(values[t]); });
      } else {
        LaneSet uninitialised(width);
        LaneSet poisoned(width);
        cells.gather(addresses.data(), active, values.data(), uninitialised, poisoned);
        active.for_each([&](unsigned t) {
          const auto found = model.find(addresses[t]);
          const Cell cell = found == model.end() ? nothing : found->second;
          REQUIRE(uninitialised.contains(t) == (cell.state == CellState::Uninitialised));
          REQUIRE(poisoned.contains(t) == (cell.state == CellState::Poison));
          REQUIRE((cell.state != CellState::Number || values[t] == cell.number));
        });
        REQUIRE((uninitialised - active).empty());
        REQUIRE((poisoned - active).empty());
      }
      if (i == 30) {
        kept = cells;
        kept_model = model;
      }
    }
    REQUIRE(contents(cells) == model);
    REQUIRE(contents(kept) == kept_model);
  }
}
