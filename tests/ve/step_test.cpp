// Going through object code step by step ends where a run ends, and every step backwards leads to the state that was there before.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "interpreter/debug/ve/history.hpp"
#include "tests/ve/support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Case {
  const char* name;
  const char* text;
};

/// Vectors, masks and gathers; the stack and a library function; a call, and data of the object's own; a fault in the middle.
const Case cases[] = {
    {"vectors",
     "#include <velintrin.h>\n"
     "void f(double *x, long *y, long n) {\n"
     "  for (long i = 0; i < n; i += 256) {\n"
     "    int vl = n - i < 256 ? n - i : 256;\n"
     "    __vr a = _vel_vld_vssl(8, x + i, vl);\n"
     "    __vm256 m = _vel_vfmkdgt_mvl(a, vl);\n"
     "    __vr b = _vel_vfaddd_vvvmvl(a, a, m, a, vl);\n"
     "    _vel_vst_vssml(b, 8, y + i, m, vl);\n"
     "    __vr at = _vel_vsfa_vvssl(_vel_vand_vsvl(63, _vel_vseq_vl(vl), vl), 3, (unsigned long)x, vl);\n"
     "    _vel_vsc_vvssl(_vel_vgt_vvssl(at, 0, 0, vl), at, 0, 0, vl);\n"
     "  }\n"
     "}\n"},
    {"stack",
     "double sqrt(double);\n"
     "void f(double *x, long *y, long n) {\n"
     "  double kept[40];\n"
     "  for (long i = 0; i < 40; ++i) kept[i] = sqrt(x[i] * x[i]);\n"
     "  for (volatile long i = 0; i < 40; ++i) y[i] = (long)(16 * kept[(7 * i + n) % 40]);\n"
     "}\n"},
    {"calls",
     "static long table[8] = {3, 1, 4, 1, 5, 9, 2, 6};\n"
     "__attribute__((noinline)) static long next(long k) { table[k & 7] += k; return table[(k + 3) & 7]; }\n"
     "void f(double *x, long *y, long n) { for (long i = 0; i < 30; ++i) y[i] = next(next(i + n)) + (long)x[i]; }\n"},
    {"fault", "void f(double *x, long *y, long n) { for (volatile long i = 0; i < 3000; ++i) { y[i % 200] += 3; x[i] = y[i % 7]; } }\n"},
};

ve_machine::Arguments arguments() {
  ve_machine::Arguments given;
  for (std::size_t k = 0; k < 2; ++k) {
    launch::Buffer buffer;
    buffer.type = k == 0 ? ScalarType::Double : ScalarType::Long;
    buffer.count = 600;
    for (int i = 0; i < 600; ++i) {
      const double real = i % 7 - 3;
      const std::int64_t whole = 100 - i;
      std::array<std::byte, 8> bytes{};
      std::memcpy(bytes.data(), k == 0 ? static_cast<const void*>(&real) : &whole, 8);
      buffer.bytes.insert(buffer.bytes.end(), bytes.begin(), bytes.end());
    }
    given.values.emplace_back(BufferNumber{k});
    given.buffers.push_back(std::move(buffer));
  }
  given.values.emplace_back(std::uint64_t{550});
  return given;
}

constexpr ve_machine::LaunchOptions options = {1'000'000, 1 << 13};

std::shared_ptr<const VeProgram> program_of(const Case& c, const std::vector<std::string>& flags = {"-O2", "-g"}) {
  ve::Object object = object_of(c.text, flags);
  const auto kernel = ve_machine::find_kernel(object, "f");
  REQUIRE(kernel.has_value());
  const auto number = static_cast<std::size_t>(*kernel - object.symbols.data());
  ve::Lines lines = ve::read_lines(object);
  VeProgram::Texts texts(lines.files.size());
  auto own = ve::Decoder::make();
  REQUIRE(own.has_value());
  return std::make_shared<const VeProgram>(std::move(object), std::move(*own), number, std::move(lines), std::move(texts));
}

VeHistory history_of(const Case& c, std::size_t budget = VeHistory::default_budget_bytes) {
  return VeHistory(program_of(c), arguments(), {options}, budget);
}

std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) { return (sum ^ word) * 0x9e3779b97f4a7c15U + (sum >> 29U); }

/// All of the state that a program can tell from another one, and what is counted; large parts as a sum that each bit of them changes.
std::string state_of(const VeRun& run) {
  const ve_machine::Machine& m = run.machine();
  std::uint64_t sum = 0;
  const auto add_lanes = [&](const ve_machine::Lanes& lanes) {
    std::ranges::for_each(lanes, [&](std::uint64_t w) { sum = mixed(sum, w); });
  };
  for (const ve_machine::Word& word : m.state.scalars) {
    sum = mixed(mixed(sum, word.bits), word.undefined);
  }
  for (const ve_machine::Vector& vector : m.state.vectors) {
    std::ranges::for_each(vector.elements, [&](std::uint64_t w) { sum = mixed(sum, w); });
    add_lanes(vector.undefined);
  }
  for (const ve_machine::Mask& mask : m.state.masks) {
    add_lanes(mask.elements);
    add_lanes(mask.undefined);
  }
  for (std::uint32_t k = 1; k <= m.memory.count(); ++k) {
    const ve_machine::MemoryObject& object = *m.memory.object(k);
    for (std::uint64_t b = 0; object.data != nullptr && b < object.bytes; ++b) {
      sum = mixed(sum, static_cast<std::uint64_t>(object.data[b]) + (object.states.empty() ? 0U : 256U * object.states[b]));
    }
  }
  return fmt::format("position {}, at {}:{}, vl {:x} {:x}, halted {}, fault {}, read {}, written {}, elements {}, state {:x}",
                     run.position(), m.state.place.section, m.state.place.index, m.state.length.bits, m.state.length.undefined, m.halted,
                     m.fault ? m.fault->message : "none", m.counters.bytes_read, m.counters.bytes_written, m.counters.elements, sum);
}

}  // namespace

TEST_CASE("stepping through object code to the end is a run", "[ve][step]") {
  if (!has_clang()) {
    return;
  }
  for (const Case& c : cases) {
    INFO(c.name);
    const auto program = program_of(c);
    ve_machine::Arguments passed = arguments();
    const auto outcome = ve_machine::run(program->object(), program->decoder(), program->kernel(), passed, options);
    REQUIRE(outcome.has_value());
    VeHistory history = history_of(c);
    while (history.step()) {
    }
    CHECK(history.at_end());
    CHECK(history.position() == outcome->counters.steps);
    CHECK(history.fault().has_value() == outcome->fault.has_value());
    CHECK(history.fault().has_value() == (std::string_view(c.name) == "fault"));
    CHECK((history.fault() ? history.fault()->message : "") == (outcome->fault ? outcome->fault->message : ""));
    CHECK(history.run().machine().counters.rows == outcome->counters.rows);
    CHECK(history.run().machine().state.scalars[0].bits == outcome->result.bits);
    for (std::size_t k = 0; k < passed.buffers.size(); ++k) {
      CHECK(history.run().arguments().buffers[k].bytes == passed.buffers[k].bytes);
    }
  }
}

TEST_CASE("back in object code is where it was, from every step", "[ve][step]") {
  if (!has_clang()) {
    return;
  }
  constexpr std::size_t most = 120;
  for (const Case& c : cases) {
    INFO(c.name);
    VeHistory history = history_of(c);
    std::vector<std::string> states = {state_of(history.run())};
    while (states.size() < most && history.step()) {
      states.push_back(state_of(history.run()));
    }
    states.back() = state_of(history.run());
    for (std::size_t k = states.size(); k-- > 0;) {
      history.go_to(k);
      INFO("back to " << k);
      REQUIRE(state_of(history.run()) == states[k]);
    }
  }
}

TEST_CASE("states of object code that are kept lead to the same states", "[ve][step]") {
  if (!has_clang()) {
    return;
  }
  const Case& c = cases[3];  // beyond several states that are kept
  VeHistory roomy = history_of(c);
  VeHistory tight = history_of(c, 1);
  roomy.go_to(UINT64_MAX);
  tight.go_to(UINT64_MAX);
  REQUIRE(roomy.position() > 3 * 4096);
  CHECK(roomy.kept_count() == roomy.position() / 4096 + 1);
  CHECK(tight.kept_count() == 1);
  CHECK(state_of(roomy.run()) == state_of(tight.run()));
  CHECK(roomy.fault().has_value());
  for (std::uint64_t k = 40; k-- > 0;) {
    const std::uint64_t there = k * 1637 % (roomy.position() + 1);  // forwards and backwards
    roomy.go_to(there);
    tight.go_to(there);
    INFO("at " << there);
    REQUIRE(state_of(roomy.run()) == state_of(tight.run()));
  }
}

TEST_CASE("instructions have the lines that the compiler says", "[ve][step]") {
  if (!has_clang()) {
    return;
  }
  const auto program = program_of(cases[0]);
  REQUIRE(program->places() > 0);
  // What loads, compares and scatters stands in one line of the text each.
  for (const auto& [mnemonic, line] : {std::pair("vld", "case.c:5"), std::pair("vfmk.d.gt", "case.c:6"), std::pair("vsc", "case.c:10")}) {
    INFO(mnemonic);
    const auto places = program->places_named(mnemonic);
    REQUIRE(places.size() == 1);
    CHECK(program->line_name(places.front()) == line);
    const auto of_line = program->places_named(line);
    CHECK(std::ranges::any_of(of_line, [&](VeProgram::Place p) { return p <= places.front(); }));
    for (const VeProgram::Place place : of_line) {
      CHECK(program->line_name(place) == line);
      CHECK(program->is_beginning(place));
    }
  }
  CHECK(program->places_named("5") == program->places_named("case.c:5"));
  CHECK(program->places_named("f") == std::vector<VeProgram::Place>{0});
  CHECK(program->places_named("f+0x10") == std::vector<VeProgram::Place>{2});
  CHECK(program->places_named("0x10") == std::vector<VeProgram::Place>{2});
  for (const char* none : {"f+0x11", "f+16", "0x100000", "case.c:99", "other.c:5", "99", "g", "", "f+", "+0x10", ":", "0x"}) {
    INFO(none);
    CHECK(program->places_named(none).empty());
  }
  const auto bare = program_of(cases[0], {"-O2"});
  CHECK(bare->line_name(0).empty());
  CHECK(bare->places_named("5").empty());
  CHECK(bare->is_beginning(3));
  // Another version of the format; relative directories.
  const auto old = program_of(cases[0], {"-O2", "-gdwarf-4"});
  for (VeProgram::Place place = 0; place < program->places(); ++place) {
    CHECK(old->line_name(place) == program->line_name(place));
  }
  // Functions in sections of their own.
  const auto apart = program_of(cases[2], {"-O2", "-g", "-ffunction-sections"});
  CHECK(apart->line_name(apart->places_named("next").front()) == "case.c:2");
  CHECK(apart->line_name(apart->places_named("f").front()) == "case.c:3");
}

TEST_CASE("debug information that is wrong does no harm", "[ve][step]") {
  if (!has_clang()) {
    return;
  }
  const ve::Object object = object_of(cases[0].text, {"-O2", "-g"});
  REQUIRE(!object.debug.line.empty());
  std::uint64_t random = 1;
  const auto next = [&random] { return (random = random * 6364136223846793005U + 1442695040888963407U) >> 33U; };
  for (int k = 0; k < 2000; ++k) {
    ve::Object changed = object;
    std::string& line = changed.debug.line;
    for (std::uint64_t changes = 1 + next() % 4; changes-- > 0;) {
      line[next() % line.size()] = static_cast<char>(next());
    }
    line.resize(k % 5 == 0 ? next() % line.size() : line.size());
    const ve::Lines lines = ve::read_lines(changed);
    CHECK(lines.at.size() == object.sections.size());
    for (const auto& section : lines.at) {
      CHECK(std::ranges::all_of(section, [&](const ve::Line& l) { return l.number == 0 || l.file < lines.files.size(); }));
    }
  }
}
