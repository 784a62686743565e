// The table trace against the CREV paper's Fig. 7, typed in from the paper.
#include "interpreter/observe/trace_table.hpp"

#include <fstream>
#include <sstream>

#include "tests/unit/run_text.hpp"

using namespace lockstep;
using namespace lockstep::testing;

namespace {

std::string trace(const std::string& text, MachineOptions options = {}, std::uint64_t steps = 1000) {
  std::ostringstream out;
  TraceTable table(out);
  const auto machine = make_machine(text, std::move(options));
  machine->attach(table);
  machine->run(steps);
  return out.str();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    out.push_back(line);
  }
  return out;
}

/// A row of Fig. 7: instruction as we print it, variable, the four values or T/F, the four marks. `misprint` says why our
/// row must differ; `executed` is false for rows that Fig. 7 lists although its own program does not run them.
struct Row {
  std::string label, instruction, variable, values, active;
  std::string misprint = {};
  bool executed = true;
};

const std::string all = "✓ ✓ ✓ ✓";
const std::string some = "✓ • • ✓";

const std::vector<Row> fig7 = {
    {"", "v0 = ld tid", "v0", "0 1 1 0", all},
    {"", "v1 = v0 == 0", "v1", "1 0 0 1", all},
    {"", "bz v1, Done", "", "F T T F", all},
    {"", "v2 = 4 * (tid + 1)", "v2", "4 * * 16", some},
    {"", "everywhere", "", "", some},
    {"", "v8 = 0", "v8", "0 0 0 0", all},
    {"Loop", "jmp_mask v8, Call", "", "T T T T", all},
    {"", "jmp Next", "", "F F F F", all, "the branch before it is taken", false},
    {"Call", "v3 = shfl(v2, v8)", "v3", "4 4 4 4", all},
    {"", "v4 = v3 + tid", "v4", "4 5 6 7", all},
    {"", "v5 = ld v4", "v5", "2 1 3 4", all},
    {"", "v6 = v5 + 1", "v6", "3 2 4 5", all},
    {"", "st v4 = v6", "", "", all},
    {"Next", "v8 = v8 + 1", "v8", "1 1 1 1", all},
    {"", "v7 = v8 == 4", "v7", "0 0 0 0", all},
    {"", "bz v7, Loop", "", "T T T T", all},
    {"Loop", "jmp_mask v8, Call", "", "F F F F", all},
    {"", "jmp Next", "", "T T T T", all},
    {"Next", "v8 = v8 + 1", "v8", "2 2 2 2", all},
    {"", "v7 = v8 == 4", "v7", "0 0 0 0", all},
    {"", "bz v7, Loop", "", "T T T T", all},
    {"Loop", "jmp_mask v8, Call", "", "F F F F", all},
    {"", "jmp Next", "", "T T T T", all},
    {"Next", "v8 = v8 + 1", "v8", "3 3 3 3", all},
    {"", "v7 = v8 == 4", "v7", "0 0 0 0", all},
    {"", "bz v7, Loop", "", "T T T T", all},
    {"Loop", "jmp_mask v8, Call", "", "F F F F", all, "thread 3 is in the mask, and Call runs next: T"},
    {"", "jmp Next", "", "T T T T", all, "the branch before it is taken", false},
    {"Call", "v3 = shfl(v2, v8)", "v3", "16 16 16 16", all},
    {"", "v4 = v3 + tid", "v4", "16 17 18 19", all},
    {"", "v5 = ld v4", "v5", "1 3 4 0", all},
    {"", "v6 = v5 + 1", "v6", "2 4 5 1", all},
    {"", "st v4 = v6", "", "", all},
    {"Next", "v8 = v8 + 1", "v8", "4 4 4 4", all},
    {"", "v7 = v8 == 4", "v7", "1 1 1 1", all},
    {"", "bz v7, Loop", "", "F F F F", some, "all threads are active inside the block"},
    {"", "end_everywhere", "", "", some, "Θ before it is still Θall, as Θ before `everywhere` is not"},
    {"", "st tid = 1", "", "", some},
    {"Done", "sync", "", "", all, "stands for two steps, SS by threads 0 and 3 and SI.sync by 1 and 2; Θ is whole after them"},
};

/// The fields of one of our rows, found by the header's columns. Columns are counted in characters.
std::string field(const std::string& line, std::size_t begin, std::size_t end) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(line[i]) & 0xc0) != 0x80;
    column += static_cast<std::size_t>(i > 0 && starts_character);
    if (column >= begin && column < end && (line[i] != ' ' || (!out.empty() && out.back() != ' '))) {
      out += line[i];
    }
  }
  while (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  return out;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("trace table: Fig. 7, its misprints excepted", "[trace_table]") {
  REQUIRE(fig7.size() == 39);
  const std::vector<std::string> table = lines(trace(read_file(LOCKSTEP_SOURCE_DIR "/examples/musimd/fig6.mus")));
  // First line, header, 39 steps, last line.
  REQUIRE(table.size() == 42);
  const std::string& header = table[1];
  const std::size_t instruction = header.find("instruction");
  const std::size_t rule = header.find("rule");
  const std::size_t variable = header.find("var");
  const std::size_t active = header.find("active");
  std::size_t next = 2;
  for (const Row& row : fig7) {
    if (!row.executed) {
      continue;
    }
    const std::string& ours = table[next++];
    INFO(ours << "\n" << row.instruction << " " << row.misprint);
    CHECK(field(ours, 0, instruction) == row.label);
    CHECK(field(ours, instruction, rule) == row.instruction);
    CHECK(field(ours, variable, variable + 4) == row.variable);
    const bool same = field(ours, variable + 4, active) == row.values && field(ours, active, 99) == row.active;
    CHECK(same == row.misprint.empty());
  }
  // What the misprinted rows are instead, and the two rows that Fig. 7 lacks.
  CHECK(field(table[2 + 25], variable, active) == "T T T T");
  CHECK(field(table[2 + 33], active, 99) == all);
  CHECK(field(table[2 + 34], active, 99) == all);
  CHECK(table[next - 1] == table[2 + 36]);
  CHECK(field(table[2 + 36], rule, variable) == "SS");
  CHECK(field(table[2 + 36], active, 99) == some);
  CHECK(field(table[2 + 37], rule, variable) == "SI.sync");
  CHECK(field(table[2 + 37], active, 99) == "• ✓ ✓ •");
  CHECK(field(table[2 + 38], instruction, rule) == "stop");
  CHECK(field(table[2 + 38], active, 99) == all);
}

TEST_CASE("trace table: the first line says under which rules, the last how it ended", "[trace_table]") {
  CHECK(lines(trace("stop")).front() == "# reference semantics 1, 4 threads, order ascending");
  CHECK(lines(trace("stop")).back() == "# halted after 1 step");
  MachineOptions options;
  options.printed = {musimd::Erratum::E10, musimd::Erratum::E3};
  options.threads = 3;
  options.order = {1, 0, 2};
  CHECK(lines(trace("stop", options)).front() == "# semantics 1 as printed in E3, E10, 3 threads, order 1 0 2");
  options.order = {2, 1, 0};
  CHECK(lines(trace("stop", options)).front() == "# semantics 1 as printed in E3, E10, 3 threads, order descending");
  CHECK(lines(trace("sync\nstop")).back().starts_with("# stuck after 0 steps: no rule applies: "));
}

TEST_CASE("trace table: poison, uninitialised values, wide numbers, threads that take no part", "[trace_table]") {
  const auto table = lines(trace("a = shfl(tid, tid - 1)\nbz tid & 1, L\nb = 1000000 * tid\nbz tid == 1, M\nM: sync\nL: sync\nstop"));
  REQUIRE(table.size() > 8);
  const auto has = [](const std::string& line, const std::string& part) {
    INFO(line);
    CHECK(line.find(part) != std::string::npos);
  };
  has(table[2], "SV       a    ?  0  1  2  ✓ ✓ ✓ ✓");
  has(table[3], "BD            T  F  T  F  ✓ ✓ ✓ ✓");
  has(table[4], "BP       b         * 1000000       * 3000000  • ✓ • ✓");
  has(table[5], "BD                 •       F       •       T  • ✓ • ✓");
}

TEST_CASE("trace table: wide machines have rows of bounded length", "[trace_table]") {
  const auto table = lines(trace(".threads 1024\na = tid < 512\nbz tid % 2, L\nb = tid\nL: sync\nstop"));
  const auto has = [](const std::string& line, const std::string& part) {
    INFO(line);
    CHECK(line.find(part) != std::string::npos);
  };
  has(table[2], "0-511:1 512-1023:0");
  has(table[2], "  0-1023");
  has(table[3], "0:T 1:F 2:T 3:F …");
  has(table[4], "0:* 1:1 2:* 3:3 …");
  has(table[4], "1,3,5,7,9,11,… (512 of 1024)");
  for (const std::string& line : table) {
    CHECK(line.size() < 160);
  }
  // Long names and long instructions are cut.
  std::string name(1000, 'n');
  for (const std::string& line : lines(trace(name + " = 1\n" + name + ": " + name + " = " + name + " + " + name + "\nstop"))) {
    CHECK(line.size() < 160);
  }
}

TEST_CASE("trace table: sets as ranges", "[trace_table]") {
  LaneSet set(100);
  CHECK(ranges_text(set) == "none");
  set.insert(0);
  set.insert(1);
  set.insert(2);
  set.insert(64);
  set.insert(99);
  CHECK(ranges_text(set) == "0-2,64,99");
  CHECK(ranges_text(set, 2) == "0-2,64,… (5 of 100)");
  CHECK(ranges_text(LaneSet::all(1024)) == "0-1023");
}
