// Typed programs that pun memory, on the machine, against a dictionary of bytes: random loads and stores of all types in buffers and local
// arrays, with poison, bytes that nobody has written, places outside and between; and races, which are between bytes.

#include <fmt/format.h>

#include <random>

#include "semantics/typed/parse.hpp"
#include "tests/unit/byte_model.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using launch::FaultKind;
using tests::ByteModel;
using Wrong = ByteModel::Wrong;

namespace {

std::shared_ptr<const typed::Program> parsed(const std::string& text) {
  auto program = typed::parse(std::make_shared<SourceFile>("k.mus", text));
  if (!program) {
    FAIL(text << render(SourceFile("k.mus", text), program.error()));
  }
  return std::make_shared<const typed::Program>(std::move(*program));
}

constexpr int items = 4;
constexpr int object_bytes = 48;

struct Expected {
  FaultKind fault = FaultKind::Stuck;  ///< Stuck: none
  int item = 0;
};

/// A random program, its instructions done to the model as they are written.
class Trial {
 public:
  explicit Trial(std::uint64_t seed) : random_(seed), global_(object_bytes, true, true), local_(object_bytes, true, true) {
    for (int k = 0; k < object_bytes; ++k) {
      input_.push_back(static_cast<unsigned char>(random_()));
      global_.set(k, input_.back());
    }
    const int count = 1 + static_cast<int>(below(24));
    for (int k = 0; k < count && expected_.fault == FaultKind::Stuck; ++k) {
      below(2) == 0 ? store() : load();
    }
  }

  void check() const {
    const std::string text =
        ".typed\n.wg_size 4\n.local int t[12]\n.kernel k(global int* g, global ulong* out)\n" + declarations() + body_ + "  stop\n";
    INFO(text);
    std::vector<int> ints(object_bytes / 4);
    std::memcpy(ints.data(), input_.data(), input_.size());
    launch::Arguments a =
        launch_text::arguments({launch_text::buffer(ScalarType::Int, ints),
                                launch_text::buffer(ScalarType::ULong, std::vector<std::uint64_t>(items * loads_.size()))});
    launch::LaunchOptions options;
    options.threads = 1;
    const launch::Outcome outcome = launch_text::run(parsed(text), a, options);
    if (expected_.fault != FaultKind::Stuck) {
      REQUIRE(outcome.fault);
      INFO(outcome.fault->message);
      CHECK(outcome.fault->kind == expected_.fault);
      CHECK(static_cast<int>(outcome.fault->party.item) == expected_.item);
      return;
    }
    if (outcome.fault) {
      FAIL(outcome.fault->message);
    }
    for (int k = 0; k < object_bytes; ++k) {
      const ByteModel::Cell& cell = global_.cells().at(k);
      if (!cell.poison) {
        CHECK(static_cast<unsigned char>(a.buffers[0].bytes[static_cast<std::size_t>(k)]) == cell.value);
      }
    }
    std::vector<std::uint64_t> poison;
    for (int element = 0; element < object_bytes / 4; ++element) {
      bool is_poison = false;
      for (int k = 0; k < 4; ++k) {
        is_poison = is_poison || global_.cells().at(4 * element + k).poison;
      }
      if (is_poison) {
        poison.push_back(static_cast<std::uint64_t>(element));
      }
    }
    CHECK(a.buffers[0].poison == poison);
    for (std::size_t k = 0; k < loads_.size(); ++k) {
      for (std::size_t t = 0; t < items; ++t) {
        const std::size_t at = k * items + t;
        const bool is_poison = std::ranges::find(a.buffers[1].poison, at) != a.buffers[1].poison.end();
        CHECK(is_poison == loads_[k][t].poison);
        if (!is_poison) {
          CHECK(launch_text::numbers<std::uint64_t>(a.buffers[1])[at] == loads_[k][t].bits);
        }
      }
    }
  }

  bool has_fault() const { return expected_.fault != FaultKind::Stuck; }
  FaultKind fault() const { return expected_.fault; }

 private:
  struct Loaded {
    bool poison = false;
    std::uint64_t bits = 0;
  };

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  static std::string declarations() {
    std::string text = ".var ulong u\n";
    for (const ScalarInfo& row : scalar_table) {
      text += fmt::format(".var {0} v_{0}\n", row.name);
    }
    return text;
  }

  struct Place {
    ByteModel* object = nullptr;
    std::string base;
    std::string index;
    std::array<long long, items> offsets{};
  };

  /// Items access elements of a type at a stride, now and then moved by some bytes.
  Place place(ScalarType type) {
    Place p;
    const bool global = below(2) == 0;
    p.object = global ? &global_ : &local_;
    const std::string name = global ? "g" : "@t";
    const std::string_view space = global ? "global" : "local";
    const auto width = static_cast<long long>(size_of(type));
    const long long moved = below(8) == 0 ? static_cast<long long>(below(9)) : static_cast<long long>(below(3)) * width;
    const long long stride = static_cast<long long>(below(3)) - (below(6) == 0 ? 1 : 0);
    const long long first = below(20) == 0 ? static_cast<long long>(below(object_bytes + 4)) - 2
                                           : static_cast<long long>(below(static_cast<std::uint64_t>(object_bytes / width / 4) + 1));
    p.base = fmt::format("(as.{0}.{1}(as.{0}.char({2}) + {3}))", space, info(type).name, name, moved);
    p.index = fmt::format("long(local_id) * {}l + {}l", stride, first);
    for (long long t = 0; t < items; ++t) {
      p.offsets[static_cast<std::size_t>(t)] = moved + (t * stride + first) * width;
    }
    return p;
  }

  static std::optional<FaultKind> fault_of(Wrong wrong) {
    switch (wrong) {
      case Wrong::Nothing:
        return std::nullopt;
      case Wrong::Outside:
        return FaultKind::OutOfBounds;
      case Wrong::Misaligned:
        return FaultKind::Misaligned;
      case Wrong::Unwritten:
        return FaultKind::UninitialisedCell;
      case Wrong::Forbidden:
        break;
    }
    return FaultKind::Stuck;
  }

  ScalarType any_type() {
    ScalarType type = ScalarType::Bool;
    while (type == ScalarType::Bool) {
      type = scalar_table[below(scalar_table.size())].type;
    }
    return type;
  }

  void fault(FaultKind kind, int item) { expected_ = {kind, item}; }

  /// An address that is wrong ends the program before anybody has stored.
  bool addresses(const Place& p, int width, bool writes) {
    for (int t = 0; t < items; ++t) {
      const long long offset = p.offsets[static_cast<std::size_t>(t)];
      if (const auto kind = fault_of(offset % width != 0 ? Wrong::Misaligned : p.object->wrong(offset, width, width, writes))) {
        fault(*kind, t);
        return false;
      }
    }
    return true;
  }

  void store() {
    const ScalarType type = any_type();
    const int width = static_cast<int>(size_of(type));
    const Place p = place(type);
    const int poisoned = below(4) == 0 ? static_cast<int>(below(items)) : items;  // the item that stores poison
    const std::string v = fmt::format("v_{}", info(type).name);
    // A number that a conversion gives exactly in each type, other for each item.
    const long long number = static_cast<long long>(below(120));
    body_ += fmt::format("  {} = {}(int(local_id) + {})\n", v, info(type).name, number);
    if (poisoned != items) {
      body_ += fmt::format("  {0} = shfl.active({0}, local_id == {1}ul ? 99 : int(local_id))\n", v, poisoned);
    }
    body_ += fmt::format("  st {}[{}] = {}\n", p.base, p.index, v);
    if (!addresses(p, width, true)) {
      return;
    }
    for (int t = 0; t < items; ++t) {
      const auto bytes = with_type(type, [&]<class T>(T) { return tests::bytes_of(static_cast<T>(t + number)); });
      p.object->store(p.offsets[static_cast<std::size_t>(t)], bytes, t == poisoned, width);
    }
  }

  /// What is loaded is made visible as a ulong: by its bytes, in which all items store it and load it again as another type.
  void load() {
    const ScalarType type = any_type();
    const int width = static_cast<int>(size_of(type));
    const Place p = place(type);
    const std::string v = fmt::format("v_{}", info(type).name);
    body_ += fmt::format("  {} = ld {}[{}]\n", v, p.base, p.index);
    if (!addresses(p, width, false)) {
      return;
    }
    std::array<Loaded, items> loaded;
    for (int t = 0; t < items; ++t) {
      const auto found = p.object->load(p.offsets[static_cast<std::size_t>(t)], width, width);
      if (const auto kind = fault_of(found.wrong)) {
        return fault(*kind, t);
      }
      Loaded& each = loaded[static_cast<std::size_t>(t)];
      each.poison = found.poison;
      std::memcpy(&each.bits, found.bytes.data(), found.bytes.size());
    }
    const std::size_t first = items * loads_.size();
    body_ += fmt::format("  st (as.global.{0}(out + (long(local_id) + {1}l)))[0] = {2}\n", info(type).name, first, v);
    loads_.push_back(loaded);
  }

  std::mt19937_64 random_;
  std::vector<unsigned char> input_;
  ByteModel global_;
  ByteModel local_;
  std::string body_;
  Expected expected_;
  std::vector<std::array<Loaded, items>> loads_;
};

launch::Outcome run(const std::string& body, unsigned groups, unsigned pack) {
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(8))});
  launch::LaunchOptions options;
  options.groups = groups;
  options.pack = pack;
  return launch_text::run(
      parsed(".typed\n.wg_size 2\n.local int t[2]\n.kernel k(global int* g)\n.var char c\n.var int x\n.var long l\n" + body + "  stop\n"),
      a, options);
}

}  // namespace

TEST_CASE("random programs that pun memory do what a dictionary of bytes does", "[launch][bytes]") {
  std::map<FaultKind, int> ends;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    INFO("seed " << seed);
    const Trial trial(seed);
    ++ends[trial.fault()];
    trial.check();
  }
  CHECK(ends[FaultKind::Stuck] > 150);
  CHECK(ends[FaultKind::OutOfBounds] > 100);
  CHECK(ends[FaultKind::Misaligned] > 100);
  CHECK(ends[FaultKind::UninitialisedCell] > 100);
}

TEST_CASE("bytes of one element are apart, for races as well", "[launch][bytes]") {
  for (const unsigned pack : {1U, 2U}) {
    // Each item of each group has a byte of its own.
    const auto apart = run("  st (as.global.char(g))[group_id * 2ul + local_id] = 1c\n", 2, pack);
    CHECK(apart.race_count == 0);
    const auto together = run("  st (as.global.char(g))[local_id] = char(group_id)\n", 2, pack);
    CHECK(together.race_count == 2);
    REQUIRE(together.races.size() == 1);
    CHECK(together.races[0].index == 0);
    CHECK(together.races[0].object == "g");
    CHECK(together.races[0].first_value == "0");
    CHECK(together.races[0].second_value == "1");
    // A byte of what the other group reads as a whole: element 1.
    const auto part =
        run("  bz group_id == 0ul, Read\n  st (as.global.char(g))[6] = 1c\n  jmp End\nRead: x = ld g[1]\nEnd: sync\n", 2, pack);
    CHECK(part.race_count == 2);  // two items read
    REQUIRE(part.races.size() == 1);
    CHECK(part.races[0].index == 1);
  }
  // Two items store different numbers to one place in one instruction.
  const auto clash = run("  st (as.global.char(g))[3] = char(local_id)\n", 1, 1);
  CHECK(clash.race_count == 1);
  const auto equal = run("  st (as.global.char(g))[3] = 7c\n", 1, 1);
  CHECK(equal.race_count == 0);
}

TEST_CASE("each group of a pack has its own bytes of a local array", "[launch][bytes]") {
  const std::string body =
      "  st (as.local.char(@t))[local_id * 4ul] = char(group_id + 1ul)\n"
      "  st (as.local.char(@t))[local_id * 4ul + 1ul] = 0c\n"
      "  st (as.local.short(@t))[local_id * 2ul + 1ul] = 0s\n"
      "  x = ld @t[local_id]\n"
      "  st g[group_id * 2ul + local_id] = x\n";
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(6))});
  launch::LaunchOptions options;
  options.groups = 3;
  options.pack = 3;
  const auto outcome = launch_text::run(
      parsed(".typed\n.wg_size 2\n.local int t[2]\n.kernel k(global int* g)\n.var int x\n" + body + "  stop\n"), a, options);
  CHECK_FALSE(outcome.fault);
  CHECK(launch_text::numbers<int>(a.buffers[0]) == std::vector<int>{1, 1, 2, 2, 3, 3});
  CHECK(outcome.race_count == 0);
}

TEST_CASE("a buffer may be met by way of constant and of global pointers", "[launch][bytes]") {
  const std::string body =
      "  c = ld (as.constant.char(b))[local_id + 4ul]\n"
      "  x = ld a[1]\n"
      "  barrier\n"
      "  st a[local_id] = x + int(c)\n";
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>{1, 0x00000503})});
  a.values.emplace_back(BufferNumber{0});
  const auto outcome = launch_text::run(
      parsed(".typed\n.wg_size 2\n.kernel k(global int* a, constant int* b)\n.var int x\n.var char c\n" + body + "  stop\n"), a, {});
  CHECK_FALSE(outcome.fault);
  CHECK(launch_text::numbers<int>(a.buffers[0]) == std::vector<int>{0x506, 0x508});
}

TEST_CASE("messages about punned memory count in what is accessed", "[launch][bytes]") {
  const auto message = [](const std::string& body) {
    const auto outcome = run(body, 1, 1);
    REQUIRE(outcome.fault);
    return outcome.fault->message;
  };
  CHECK(message("  c = ld (as.global.char(g))[32]\n") == "index 32 is outside of 'g', which has 32 elements as char");
  CHECK(message("  c = ld (as.global.char(g))[-1]\n") == "index -1 is outside of 'g', which has 32 elements as char");
  CHECK(message("  x = ld g[8]\n  c = ld (as.global.char(g))[0]\n") == "index 8 is outside of 'g', which has 8 elements");
  CHECK(message("  x = ld (as.global.int(as.global.char(g) + 30))[0]\n") ==
        "4 bytes are accessed at byte 30 of 'g', which is no multiple of their number");
  CHECK(message("  st @t[0] = 5\n  l = ld (as.local.long(@t))[0]\n") == "'t[1]' is read before anything is stored there");
  CHECK(message("  x = ld (as.global.int(as.global.char(g) + 6))[0]\n") ==
        "4 bytes are accessed at byte 6 of 'g', which is no multiple of their number");
}

TEST_CASE("a bool is 1 in what a run leaves, whatever byte has made it true", "[launch][bytes]") {
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Bool, std::vector<std::uint8_t>{0, 1, 0})});
  const auto outcome = launch_text::run(
      parsed(".typed\n.wg_size 1\n.kernel k(global bool* b)\n  st (as.global.char(b))[0] = 2c\n  st (as.global.char(b))[1] = 0c\n  stop\n"),
      a, {});
  CHECK_FALSE(outcome.fault);
  CHECK(launch_text::numbers<std::uint8_t>(a.buffers[0]) == std::vector<std::uint8_t>{1, 0, 0});
}

TEST_CASE("elements of a buffer to which nothing was stored are listed behind a run, and have no value in it", "[launch]") {
  const auto run = [](const std::string& body, std::vector<std::uint64_t>& missing) {
    launch::Buffer buffer = launch_text::buffer(ScalarType::Int, std::vector<int>(4));
    buffer.uninitialised = {0, 1, 2, 3};
    launch::Arguments a = launch_text::arguments({std::move(buffer)});
    const auto outcome = launch_text::run(launch_text::program("__kernel void k(__global int *x) {\n" + body + "\n}\n", 4), a, {});
    missing = a.buffers[0].uninitialised;
    return outcome;
  };
  std::vector<std::uint64_t> missing;
  CHECK_FALSE(run("if (get_local_id(0) != 2) x[get_local_id(0)] = 7;", missing).fault);
  CHECK(missing == std::vector<std::uint64_t>{2});
  CHECK(run("if (get_local_id(0) == 1) x[0] = x[3];", missing).fault->kind == launch::FaultKind::UninitialisedCell);
  CHECK(missing == std::vector<std::uint64_t>{0, 1, 2, 3});
}
