// Laws of single instructions, each on random states in which much is undefined:
//   one that is not defined says why, and changes nothing else
//   what is undefined has no influence on what is defined
//   elements that are masked off or lie beyond the length stay as they are, undefined or not

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "semantics/base/files.hpp"
#include "semantics/ve/operations.hpp"
#include "tests/ve/intrinsics.hpp"
#include "tests/ve/support.hpp"
#include "tests/ve/world.hpp"

namespace lockstep::test {
namespace {

using namespace ve_machine;
using ve::Kind;
using ve::Operand;

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}

  std::uint64_t operator()() { return random_(); }
  bool one_of(unsigned n) { return random_() % n == 0; }

  std::uint64_t pointer() { return memory::pointer_to(static_cast<std::uint32_t>(1 + random_() % 3), offset()); }

  std::uint64_t number() {
    switch (random_() % 8) {
      case 0:
      case 1:
      case 2:
        return pointer();
      case 3:
      case 4:
        return 8 * (random_() % 33);
      case 5:
        return random_() % 300;
      case 6:
        return memory::pointer_to(static_cast<std::uint32_t>(4 + random_() % 2), static_cast<std::int64_t>(8 * (random_() % 20)));
      default:
        return random_() >> random_() % 64;
    }
  }

  Word word() { return {number(), one_of(4) ? one_of(2) ? ~std::uint64_t{0} : random_() & random_() : 0}; }

  Lanes lanes() { return {random_(), random_(), random_(), random_()}; }

  Lanes some_lanes(bool rarely) {
    const unsigned how = static_cast<unsigned>(random_() % (rarely ? 8 : 4));
    return how > 1 ? Lanes{} : how == 1 ? lanes() : all_lanes;
  }

 private:
  std::int64_t offset() { return static_cast<std::int64_t>(one_of(8) ? random_() % 1200 : 8 * (random_() % 64)); }

  std::mt19937_64 random_;
};

/// What an instruction works on.
void fill(World& world, const ve::Instruction& instruction, Random& random) {
  State& state = world.machine.state;
  for (Word& word : state.scalars) {
    word = random.word();
  }
  const auto fill_vector = [&](Vector& vector) {
    const bool addresses = random.one_of(2);
    for (std::uint64_t& element : vector.elements) {
      element = addresses ? random.pointer() : random() >> random() % 64;
    }
    vector.undefined = random.some_lanes(false);
  };
  for (const Operand* operand :
       {&instruction.result, &instruction.sources[0], &instruction.sources[1], &instruction.sources[2], &instruction.sources[3]}) {
    if (operand->kind == Operand::Kind::Vector) {
      fill_vector(state.vectors[operand->number]);
    }
  }
  for (Mask& mask : state.masks) {
    mask = {random.lanes(), random.some_lanes(true)};
  }
  state.masks[0] = {all_lanes, Lanes{}};
  state.length = {random.one_of(4) ? 256 : random() % 257, random.one_of(12) ? ~std::uint64_t{0} : 0};
  state.place = {0, random() % instructions_of_code};
  world.machine.next = {0, state.place.index + 1};
  for (std::vector<std::byte>& bytes : world.bytes) {
    for (std::size_t at = 0; at < room; at += 8) {
      const std::uint64_t word = random();
      std::memcpy(bytes.data() + at, &word, sizeof word);
    }
  }
  for (std::uint8_t& one : world.machine.memory.object(2)->states) {
    one = random.one_of(40) ? uninitialised : has_number;
  }
}

/// Other bits wherever they are undefined.
void change_undefined(World& world, Random& random) {
  State& state = world.machine.state;
  for (Word& word : state.scalars) {
    word.bits ^= random() & word.undefined;
  }
  state.length.bits ^= random() % 2 & state.length.undefined;
  for (Vector& vector : state.vectors) {
    for (unsigned i = 0; i < ve::max_length && !is_empty(vector.undefined); ++i) {
      vector.elements[i] ^= has(vector.undefined, i) ? random() : 0;
    }
  }
  for (Mask& mask : state.masks) {
    for (std::size_t k = 0; k < mask.elements.size(); ++k) {
      mask.elements[k] ^= random() & mask.undefined[k];
    }
  }
  const MemoryObject& undefined = *world.machine.memory.object(2);
  for (std::size_t k = 0; k < room; ++k) {
    world.bytes[1][k] ^= undefined.states[k] == has_number ? std::byte{0} : static_cast<std::byte>(random());
  }
}

/// What differs in what is defined.
std::optional<std::string> difference(const World& a, const World& b) {
  const State& one = a.machine.state;
  const State& other = b.machine.state;
  const auto differ = [](const Word& x, const Word& y) { return x.undefined != y.undefined || ((x.bits ^ y.bits) & ~x.undefined) != 0; };
  for (std::size_t k = 0; k < one.scalars.size(); ++k) {
    if (differ(one.scalars[k], other.scalars[k])) {
      return "%s" + std::to_string(k);
    }
  }
  if (differ(one.length, other.length)) {
    return "the length";
  }
  for (std::size_t k = 0; k < one.vectors.size(); ++k) {
    if (one.vectors[k].undefined != other.vectors[k].undefined) {
      return "which elements of %v" + std::to_string(k) + " are undefined";
    }
    for (unsigned i = 0; i < ve::max_length; ++i) {
      if (one.vectors[k].elements[i] != other.vectors[k].elements[i] && !has(one.vectors[k].undefined, i)) {
        return "element " + std::to_string(i) + " of %v" + std::to_string(k);
      }
    }
  }
  for (std::size_t k = 0; k < one.masks.size(); ++k) {
    for (std::size_t word = 0; word < one.masks[k].elements.size(); ++word) {
      if (differ({one.masks[k].elements[word], one.masks[k].undefined[word]},
                 {other.masks[k].elements[word], other.masks[k].undefined[word]})) {
        return "%vm" + std::to_string(k);
      }
    }
  }
  const std::vector<std::uint8_t>& states = a.machine.memory.object(2)->states;
  if (states != b.machine.memory.object(2)->states) {
    return "which bytes are undefined";
  }
  for (std::size_t k = 0; k < a.bytes.size(); ++k) {
    for (std::size_t n = 0; n < room; ++n) {
      if (a.bytes.at(k)[n] != b.bytes.at(k)[n] && (k != 1 || states[n] == has_number)) {
        return "a byte";
      }
    }
  }
  const Counters& counts = a.machine.counters;
  return counts.bytes_read != b.machine.counters.bytes_read || counts.bytes_written != b.machine.counters.bytes_written
             ? std::optional<std::string>("the bytes that are counted")
             : std::nullopt;
}

/// Instructions with operands of every kind: what clang makes of scalar C and of its vector intrinsics, and what random words are; few of
/// each shape.
std::vector<ve::Instruction> corpus() {
  constexpr unsigned most_of_a_shape = 2;
  constexpr std::size_t functions_per_object = 200;
  std::map<std::string, unsigned> shapes;
  std::vector<ve::Instruction> found;
  const auto add = [&](const ve::Instruction& one) {
    const ve::RowInfo& row = ve::info(one.row);
    const bool rounds = row.kind == Kind::Scalar || row.kind == Kind::Vector;
    const bool has_condition = row.operands.find('c') != std::string_view::npos;
    REQUIRE((!has_condition || (rounds ? ve::is_rounding_mode(one.condition) : one.condition < ve::condition_count)));
    std::string shape = std::to_string(static_cast<unsigned>(one.row));
    for (const Operand& operand : one.sources) {
      shape += static_cast<char>('a' + static_cast<int>(operand.kind));
    }
    shape += static_cast<char>('a' + static_cast<int>(one.mask.kind));
    if (shapes[shape]++ < most_of_a_shape) {
      found.push_back(one);
    }
  };
  const auto add_object = [&](const std::string& text, const std::vector<std::string>& options) {
    const auto code = ve::decode(decoder(), object_of(text, options));
    REQUIRE(code.has_value());
    for (const std::vector<ve::Instruction>& section : *code) {
      std::ranges::for_each(section, add);
    }
  };
  const auto scalar = read_file(LOCKSTEP_SOURCE_DIR "/tests/ve/scalar.c");
  REQUIRE(scalar.has_value());
  add_object(*scalar, {"-O0"});
  add_object(*scalar, {"-O2"});
  std::string text(wrapper_head);
  std::size_t count = 0;
  for (const Intrinsic& intrinsic : header_intrinsics()) {
    const std::string& stem = intrinsic.stem;
    const bool is_store = stem.starts_with("vst") || stem.starts_with("vsc");
    const bool has_no_result =
        is_store || stem.starts_with("pfchv") || stem.starts_with("fence") || stem == "svob" || stem == "lvm" || stem == "svm";
    if (!has_no_result && !stem.ends_with("cr")) {
      text += wrapper(intrinsic);
      if (++count % functions_per_object == 0) {
        add_object(text, {"-O2"});
        text = wrapper_head;
      }
    }
  }
  add_object(text, {"-O2"});
  std::mt19937_64 random(17);
  for (std::uint64_t k = 0; k < 600 * std::uint64_t{256}; ++k) {
    std::uint64_t word = k % 256;
    for (int byte = 0; byte < 7; ++byte) {
      const std::uint64_t any = random();
      word = word << 8U | (any % 5 < 2 ? 0 : any % 5 < 4 ? any >> 58U : any >> 56U);
    }
    if (const auto made = decoder().decode(std::as_bytes(std::span<const std::uint64_t, 1>(&word, 1)))) {
      add(*made);
    }
  }
  return found;
}

bool execute(World& world, const ve::Instruction& instruction) {
  return executes()[static_cast<std::size_t>(instruction.row)](world.machine, instruction);
}

/// Rows whose elements are independent of one another: each is written where the mask says.
bool is_by_elements(Kind kind) {
  return kind == Kind::Vector || kind == Kind::Sequence || kind == Kind::VectorLoad || kind == Kind::VectorLoad2D || kind == Kind::Gather;
}

/// Of a row whose elements are independent of one another.
void check_elements(const World& before, const World& after, const ve::Instruction& instruction) {
  const Vector& old = before.machine.state.vectors[instruction.result.number];
  const Vector& made = after.machine.state.vectors[instruction.result.number];
  const auto& masks = before.machine.state.masks;
  const Operand& mask = instruction.mask;
  const bool has_mask = mask.kind != Operand::Kind::None;
  const bool is_pair = mask.kind == Operand::Kind::MaskPair;
  for (unsigned i = 0; i < ve::max_length; ++i) {
    const auto of = [&](unsigned half) { return !has_mask || has(masks[mask.number + (is_pair ? half : 0)].elements, i); };
    const auto unknown = [&](unsigned half) { return has_mask && has(masks[mask.number + (is_pair ? half : 0)].undefined, i); };
    const bool is_below = i < before.machine.state.length.bits;
    const std::uint64_t kept = is_below && of(0) ? 0 : 0xffffffff00000000U;
    const std::uint64_t kept_low = is_below && of(1) ? 0 : 0xffffffffU;
    CAPTURE(i);
    if (((made.elements[i] ^ old.elements[i]) & (kept | kept_low)) != 0) {
      FAIL("what is not written changes");
    }
    if (!is_below && has(made.undefined, i) != has(old.undefined, i)) {
      FAIL("beyond the length");
    }
    if (is_below && !unknown(0) && !unknown(1) && !of(0) && !of(1) && has(made.undefined, i) != has(old.undefined, i)) {
      FAIL("masked off");
    }
    if (is_below && (unknown(0) || unknown(1)) && !has(made.undefined, i)) {
      FAIL("nobody knows what is written");
    }
  }
}

}  // namespace

TEST_CASE("instructions keep the laws of what is undefined", "[ve]") {
  std::vector<unsigned> succeeded(ve::rows().size());
  std::uint64_t seed = 0;
  unsigned failed = 0;
  for (const ve::Instruction& instruction : corpus()) {
    const ve::RowInfo& row = ve::info(instruction.row);
    for (int k = 0; k < (row.kind == Kind::Scalar ? 12 : 4) || (k < 60 && succeeded[static_cast<std::size_t>(instruction.row)] == 0); ++k) {
      ++seed;
      const auto made = [&](bool is_other) {
        auto world = std::make_unique<World>();
        Random random(seed);
        fill(*world, instruction, random);
        if (is_other) {
          change_undefined(*world, random);
        }
        return world;
      };
      const auto before = made(false);
      const auto one = made(false);
      const auto other = made(true);
      const bool works = execute(*one, instruction);
      const bool also_works = execute(*other, instruction);
      CAPTURE(row.name, seed, works, also_works);
      if (one->machine.fault) {
        CAPTURE(one->machine.fault->message);
      }
      REQUIRE(works != one->machine.fault.has_value());
      if (!works) {
        ++failed;
        REQUIRE(difference(*before, *one).value_or("") == "");
      }
      // A divisor that is not known may be 0, and is told only then.
      const auto divides = [](const World& world) { return world.machine.fault && world.machine.fault->kind == FaultKind::DivisionByZero; };
      if (divides(*one) || divides(*other)) {
        continue;
      }
      REQUIRE(works == also_works);
      if (!works) {
        REQUIRE(one->machine.fault->kind == other->machine.fault->kind);
        continue;
      }
      ++succeeded[static_cast<std::size_t>(instruction.row)];
      REQUIRE(difference(*one, *other).value_or("") == "");
      REQUIRE(one->machine.halted == other->machine.halted);
      REQUIRE(one->machine.next.index == other->machine.next.index);
      if (is_by_elements(row.kind)) {
        check_elements(*before, *one, instruction);
      }
    }
  }
  for (const ve::RowInfo& row : ve::rows()) {
    // What is not met here does the same as another row of its kind, with another function.
    CAPTURE(row.name);
    CHECK((row.kind == Kind::MonitorCall || std::ranges::any_of(ve::rows(), [&](const ve::RowInfo& other) {
             return other.kind == row.kind && succeeded[static_cast<std::size_t>(other.row)] > 0;
           })));
  }
  CHECK(std::ranges::count(succeeded, 0U) < 100);
  CHECK(failed > 100);
}

TEST_CASE("a bit of a word is undefined where its value depends on what is", "[ve]") {
  const auto row_named = [](std::string_view name) { return std::ranges::find(ve::rows(), name, &ve::RowInfo::name)->row; };
  struct Case {
    const char* name;
    bool (*value)(bool a, bool b);
  };
  for (const auto& [name, value] : std::vector<Case>{{"AND", [](bool a, bool b) { return a && b; }},
                                                     {"OR", [](bool a, bool b) { return a || b; }},
                                                     {"XOR", [](bool a, bool b) { return a != b; }},
                                                     {"EQV", [](bool a, bool b) { return a == b; }},
                                                     {"NND", [](bool a, bool b) { return !a && b; }}}) {
    // Of 16 bits, each combination of two bits and of whether they are undefined.
    Word a = defined(0);
    Word b = defined(0);
    std::uint64_t expected = 0;
    for (unsigned k = 0; k < 16; ++k) {
      const std::array<bool, 4> is = {(k & 1U) != 0, (k & 2U) != 0, (k & 4U) != 0, (k & 8U) != 0};
      a.bits |= std::uint64_t{is[0]} << k;
      b.bits |= std::uint64_t{is[1]} << k;
      a.undefined |= std::uint64_t{is[2]} << k;
      b.undefined |= std::uint64_t{is[3]} << k;
      const bool made = value(is[0], is[1]);
      const bool depends = (is[2] && value(!is[0], is[1]) != made) || (is[3] && value(is[0], !is[1]) != made) ||
                           (is[2] && is[3] && value(!is[0], !is[1]) != made);
      expected |= std::uint64_t{depends} << k;
    }
    World world;
    world.machine.state.scalars[1] = a;
    world.machine.state.scalars[2] = b;
    const auto scalar = [](std::uint8_t number) { return Operand{Operand::Kind::Scalar, number, 0}; };
    const ve::Instruction instruction{row_named(name), scalar(3), {scalar(1), scalar(2), {}, {}}, {}, 0};
    REQUIRE(execute(world, instruction));
    CAPTURE(name);
    CHECK((world.machine.state.scalars[3].undefined & 0xffffU) == expected);
  }
}

TEST_CASE("there are 256 elements, and 4 words of a mask", "[ve]") {
  const auto row_named = [](std::string_view name) { return std::ranges::find(ve::rows(), name, &ve::RowInfo::name)->row; };
  const auto scalar = [](std::uint8_t number) { return Operand{Operand::Kind::Scalar, number, 0}; };
  const Operand vector{Operand::Kind::Vector, 1, 0};
  const Operand mask{Operand::Kind::Mask, 1, 0};
  const std::vector<std::pair<ve::Instruction, std::uint64_t>> all = {
      {{row_named("LSV"), vector, {scalar(1), scalar(2), {}, {}}, {}, 0}, 256},
      {{row_named("LVS"), scalar(3), {vector, scalar(1), {}, {}}, {}, 0}, 256},
      {{row_named("LVM"), mask, {scalar(1), scalar(2), {}, {}}, {}, 0}, 4},
      {{row_named("SVM"), scalar(3), {mask, scalar(1), {}, {}}, {}, 0}, 4}};
  for (const auto& [instruction, count] : all) {
    for (const std::uint64_t position : {std::uint64_t{0}, count - 1, count, ~std::uint64_t{0}}) {
      World world;
      world.machine.state.scalars[1] = defined(position);
      CAPTURE(ve::info(instruction.row).name, position);
      CHECK(execute(world, instruction) == (position < count));
      CHECK((position < count || world.machine.fault->kind == FaultKind::BadElement));
    }
  }
}

}  // namespace lockstep::test
