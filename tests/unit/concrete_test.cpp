// Every operator of the language on lanes, at extreme values, many widths and partial masks, against plain C++ on unsigned
// and 128-bit words written here.
#include "interpreter/machine/concrete.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "tests/unit/run_text.hpp"

using namespace lockstep;
using namespace lockstep::testing;

namespace {

using I = std::int64_t;
using U = std::uint64_t;
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

constexpr I least = std::numeric_limits<I>::min();
constexpr I most = std::numeric_limits<I>::max();

/// The low 64 bits.
I low(Wide w) { return static_cast<I>(static_cast<U>(static_cast<UnsignedWide>(w))); }

struct Operator {
  const char* text;  ///< with a, b and c for the operands
  I (*expected)(I a, I b, I c);
};

Wide floor_shift(Wide a, U count) {
  const Wide unit = Wide{1} << count;
  return a >= 0 ? a / unit : -((-a + unit - 1) / unit);
}

const std::vector<Operator> operators = {
    {"a + b", [](I a, I b, I) { return low(Wide{a} + b); }},
    {"a - b", [](I a, I b, I) { return low(Wide{a} - b); }},
    {"a * b", [](I a, I b, I) { return low(Wide{a} * b); }},
    {"a / (b == 0 ? 1 : b)", [](I a, I b, I) { return low(Wide{a} / (b == 0 ? 1 : Wide{b})); }},
    {"a % (b == 0 ? 1 : b)", [](I a, I b, I) { return low(Wide{a} % (b == 0 ? 1 : Wide{b})); }},
    {"a << b", [](I a, I b, I) { return static_cast<I>(static_cast<U>(a) << (static_cast<U>(b) % 64)); }},
    {"a >> b", [](I a, I b, I) { return low(floor_shift(a, static_cast<U>(b) % 64)); }},
    {"a < b", [](I a, I b, I) { return I{Wide{a} - b < 0}; }},
    {"a <= b", [](I a, I b, I) { return I{Wide{a} - b <= 0}; }},
    {"a > b", [](I a, I b, I) { return I{Wide{a} - b > 0}; }},
    {"a >= b", [](I a, I b, I) { return I{Wide{a} - b >= 0}; }},
    {"a == b", [](I a, I b, I) { return I{Wide{a} - b == 0}; }},
    {"a != b", [](I a, I b, I) { return I{Wide{a} - b != 0}; }},
    {"a & b", [](I a, I b, I) { return static_cast<I>(static_cast<U>(a) & static_cast<U>(b)); }},
    {"a | b", [](I a, I b, I) { return static_cast<I>(static_cast<U>(a) | static_cast<U>(b)); }},
    {"a ^ b", [](I a, I b, I) { return static_cast<I>(static_cast<U>(a) ^ static_cast<U>(b)); }},
    {"a && b", [](I a, I b, I) { return a != 0 && b != 0 ? I{1} : I{0}; }},
    {"a || b", [](I a, I b, I) { return a != 0 || b != 0 ? I{1} : I{0}; }},
    {"min(a, b)", [](I a, I b, I) { return std::min(a, b); }},
    {"max(a, b)", [](I a, I b, I) { return std::max(a, b); }},
    {"-a", [](I a, I, I) { return low(-Wide{a}); }},
    {"~a", [](I a, I, I) { return low(-Wide{a} - 1); }},
    {"!a", [](I a, I, I) { return a == 0 ? I{1} : I{0}; }},
    {"a ? b : c", [](I a, I b, I c) { return a != 0 ? b : c; }},
    // Two operations, so that an intermediate result is used.
    {"(a - b) * c", [](I a, I b, I c) { return low(Wide{low(Wide{a} - b)} * c); }},
};

/// Values at which operators go wrong, then random ones.
I value(std::mt19937_64& random, U i) {
  static constexpr I extremes[] = {
      0, 1, -1, 2, -2, 63, 64, 65, -63, -64, least, least + 1, most, most - 1, I{1} << 32, -(I{1} << 32), 0xffffffff};
  return i % 3 != 2 ? extremes[random() % std::size(extremes)] : static_cast<I>(random());
}

/// `v = OP` in the threads of `active` (all, if empty), with operands from Σ: a at 0, b at 10000, c at 20000.
void check(const Operator& op, unsigned width, const std::vector<unsigned>& active, std::mt19937_64& random) {
  MachineOptions options;
  options.threads = width;
  auto machine = make_machine(
      std::string("everywhere\na = ld tid\nb = ld tid + 10000\nc = ld tid + 20000\nv = -77\nend_everywhere\nv = ") + op.text + "\nstop",
      [&] {
        options.active = active;
        return options;
      }());
  std::vector<I> a(width);
  std::vector<I> b(width);
  std::vector<I> c(width);
  for (unsigned t = 0; t < width; ++t) {
    a[t] = value(random, random());
    b[t] = value(random, random());
    c[t] = value(random, random());
    REQUIRE(machine->write_cell(t, {CellState::Number, a[t]}));
    REQUIRE(machine->write_cell(t + 10000, {CellState::Number, b[t]}));
    REQUIRE(machine->write_cell(t + 20000, {CellState::Number, c[t]}));
  }
  machine->run(100);
  INFO(op.text << " at width " << width << ": " << ending(*machine));
  REQUIRE(ending(*machine) == "halted");
  const auto& names = machine->program().variables;
  const auto v = static_cast<musimd::VarId>(std::find(names.begin(), names.end(), "v") - names.begin());
  for (unsigned t = 0; t < width; ++t) {
    const bool runs = active.empty() || std::find(active.begin(), active.end(), t) != active.end();
    const I expected = runs ? op.expected(a[t], b[t], c[t]) : -77;
    const Cell got = machine->state().bank.read(v, t);
    if (!(got == Cell{CellState::Number, expected})) {
      INFO("thread " << t << ": " << a[t] << ", " << b[t] << ", " << c[t]);
      REQUIRE(got.number == expected);
      REQUIRE(got.state == CellState::Number);
    }
  }
}

}  // namespace

TEST_CASE("operators on all threads, at extreme values", "[concrete]") {
  std::mt19937_64 random(4);
  for (const Operator& op : operators) {
    for (const unsigned width : {1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 1000U, 1024U}) {
      check(op, width, {}, random);
    }
  }
}

TEST_CASE("operators on some threads: the others keep what they have", "[concrete]") {
  std::mt19937_64 random(5);
  for (const Operator& op : operators) {
    for (const unsigned width : {2U, 63U, 64U, 65U, 1000U, 1024U}) {
      std::vector<unsigned> active;
      for (unsigned t = 0; t < width; ++t) {
        if (random() % 2 == 0 || t == width - 1) {
          active.push_back(t);
        }
      }
      check(op, width, active, random);
      check(op, width, {width - 1}, random);
      check(op, width, {0}, random);
    }
  }
}

TEST_CASE("every pair of extreme operands", "[concrete]") {
  static constexpr I extremes[] = {0, 1, -1, 2, 63, 64, -64, least, least + 1, most, most - 1};
  for (const Operator& op : operators) {
    auto machine = make_machine(std::string(".threads 128\na = ld tid\nb = ld tid + 10000\nc = 3\nv = ") + op.text + "\nstop");
    for (unsigned t = 0; t < 128; ++t) {
      machine->write_cell(t, {CellState::Number, extremes[t % 11]});
      machine->write_cell(t + 10000, {CellState::Number, extremes[t / 11 % 11]});
    }
    machine->run(100);
    INFO(op.text);
    REQUIRE(ending(*machine) == "halted");
    for (unsigned t = 0; t < 128; ++t) {
      INFO(extremes[t % 11] << " and " << extremes[t / 11 % 11]);
      const auto& names = machine->program().variables;
      const auto v = static_cast<musimd::VarId>(std::find(names.begin(), names.end(), "v") - names.begin());
      REQUIRE(machine->state().bank.read(v, t) == Cell{CellState::Number, op.expected(extremes[t % 11], extremes[t / 11 % 11], 3)});
    }
  }
}

TEST_CASE("poison goes through operations, and through ?: by the arm that is chosen", "[concrete]") {
  // p is poison in threads 1 and 3, tid in 0 and 2.
  const std::string start = "p = shfl(tid, tid % 2 == 0 ? tid : 99)\n";
  const auto v = [&](const std::string& e) {
    const auto machine = run_text(start + "v = " + e + "\nstop");
    return ending(*machine) == "halted" ? local(*machine, "v") : ending(*machine);
  };
  CHECK(v("p") == "0 ? 2 ?");
  CHECK(v("p * 0") == "0 ? 0 ?");
  CHECK(v("0 && p") == "0 ? 0 ?");
  CHECK(v("1 || p") == "1 ? 1 ?");
  CHECK(v("!p") == "1 ? 0 ?");
  CHECK(v("p == p") == "1 ? 1 ?");
  CHECK(v("min(p, -5)") == "-5 ? -5 ?");
  CHECK(v("p ? 5 : 6") == "6 ? 5 ?");
  CHECK(v("tid % 2 ? 5 : p") == "0 5 2 5");
  CHECK(v("tid % 2 ? p : 5") == "5 ? 5 ?");
  CHECK(v("(tid % 2 ? 5 : p) + 1") == "1 6 3 6");
  CHECK(v("8 / p").starts_with("error: undefined behaviour in thread 0: BP.2"));
  CHECK(v("8 / (p + 1)") == "8 ? 2 ?");
  CHECK(v("p / 2") == "0 ? 1 ?");
  // A zero divisor that is a number is undefined, whatever is divided and whether its result is chosen.
  CHECK(v("p / 0").starts_with("error: undefined behaviour in thread 0: BP.2"));
  CHECK(v("1 ? 4 : 4 / tid").starts_with("error: undefined behaviour in thread 0: BP.2"));
}
