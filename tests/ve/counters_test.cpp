// What is said of counters: the words of docs/ve.md, for people and as JSON; and what is counted.

#include <catch2/catch.hpp>

#include "interpreter/ve/counters_text.hpp"
#include "tests/ve/support.hpp"

namespace lockstep::test {

namespace {

using ve_machine::Cycles;
using ve_machine::Outcome;

std::size_t row_named(std::string_view name) {
  for (const ve::RowInfo& row : ve::rows()) {
    if (row.name == name) {
      return static_cast<std::size_t>(row.row);
    }
  }
  FAIL(name);
  return 0;
}

/// 3 sums of scalars, 2 of them unsigned; a load; 4 vector loads, sums and stores.
Outcome some_outcome() {
  Outcome outcome;
  outcome.counters.rows.resize(ve::rows().size());
  for (const auto& [name, count] :
       std::vector<std::pair<const char*, std::uint64_t>>{{"ADDSL", 1}, {"ADDUL", 2}, {"LD", 1}, {"VLD", 4}, {"VFADDD", 4}, {"VST", 4}}) {
    outcome.counters.rows[row_named(name)] = count;
  }
  outcome.counters.steps = 16;
  outcome.counters.elements = 1500;
  outcome.counters.lengths[7] = 3;
  outcome.counters.lengths[256] = 6;
  outcome.counters.lengths[100] = 3;
  outcome.counters.bytes_read = 1;
  outcome.counters.bytes_written = 20;
  outcome.cycles.least = {4, 12, 1, 2, 3, 5, 6, 7};
  outcome.cycles.lengths = 2;
  return outcome;
}

}  // namespace

TEST_CASE("counters for people", "[ve]") {
  Outcome outcome = some_outcome();
  CHECK(ve_machine::counters_text(outcome) ==
        "steps:   scalar 3, memory 1, vector-float 4, vector-load 4, vector-store 4\n"
        "vectors: 12 instructions with 1500 elements; lengths 256 (6), 7 (3), 100 (3)\n"
        "memory:  1 byte read, 20 bytes written\n"
        "modelled: 14 cycles, 0.01 us on a core of VE 10B, most for vector instructions\n");
  outcome.counters.approximations = 9;
  for (unsigned k = 20; k < 27; ++k) {
    outcome.counters.lengths.at(k) = 1;
  }
  const std::string text = ve_machine::counters_text(outcome);
  CHECK(text.find("lengths 256 (6), 7 (3), 100 (3), 20 (1), 21 (1), 22 (1), 23 (1), 24 (1), …\n") != std::string::npos);
  CHECK(text.find("open:    9 elements approximated, which hardware may give other last bits\n") != std::string::npos);
  outcome.counters.lengths.at(26) = 0;
  outcome.counters.lengths.at(25) = 0;
  CHECK(ve_machine::counters_text(outcome).find("24 (1)\n") != std::string::npos);
  Outcome nothing;
  nothing.counters.rows.resize(ve::rows().size());
  CHECK(ve_machine::counters_text(nothing).starts_with("steps:   none\nmemory:  0 bytes read, 0 bytes written\nmodelled: 0 cycles"));
}

TEST_CASE("counters as JSON", "[ve]") {
  CHECK(ve_machine::counters_json(some_outcome()) ==
        R"("steps":16,"instructions":{"scalar":3,"memory":1,"vector-float":4,"vector-load":4,"vector-store":4},"elements":1500,)"
        R"("lengths":{"7":3,"100":3,"256":6},"bytes_read":1,"bytes_written":20,"approximations":0,)"
        R"("modelled":{"cycles":14,"most":"vector instructions","instructions":4,"vector instructions":12,"floats":1,"integers":2,)"
        R"("quotients":3,"the cache":5,"memory":6,"dependences":7,"lengths":2})");
}

TEST_CASE("each bound has its name", "[ve]") {
  Cycles cycles;
  const std::vector<std::string_view> names = {"instructions", "vector instructions", "floats", "integers",
                                               "quotients",    "the cache",           "memory", "dependences"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    cycles.least.at(k) = static_cast<double>(k + 1);
    CHECK(ve_machine::name_of(cycles.largest()) == names[k]);
    CHECK(cycles.total() == static_cast<double>(k + 1));
  }
}

TEST_CASE("bytes and elements are counted", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const ve::Object object = object_of(R"(
#include <velintrin.h>
long scalar(long *x, int *y, short *z, char *w) { x[1] = x[0] + y[0]; z[1] = z[0]; w[1] = w[0]; return y[1]; }
void vector(unsigned long *x) {
  __vr a = _vel_vldlzx_vssl(4, x, 10);
  __vm256 m = _vel_vfmklgt_mvl(_vel_vcmpul_vsvl(3, _vel_vseq_vl(10), 10), 10);
  _vel_vstu_vssml(a, 8, x, m, 10);
  _vel_vst_vssml(a, 8, x + 20, m, 7);
}
void atomic(long *x, int *y) { __atomic_fetch_add(x, 1, 5); __atomic_exchange_n(y, 3, 5); }
void counted(double *x) { _vel_vst_vssl(_vel_vrcpd_vvl(_vel_vld_vssl(8, x, 12), 12), 8, x, 12); }
)");
  const auto counters = [&](const char* name, std::size_t buffers) {
    return call(object, name, std::vector<Given>(buffers, std::vector<std::uint64_t>(40, 1))).outcome.counters;
  };
  const auto scalar = counters("scalar", 4);
  CHECK(scalar.bytes_read == 8 + 4 + 2 + 1 + 4);
  CHECK(scalar.bytes_written == 8 + 2 + 1);
  CHECK(scalar.elements == 0);
  const auto vector = counters("vector", 1);
  CHECK(vector.bytes_read == 10 * 4);
  CHECK(vector.bytes_written == 3 * 4 + 3 * 8);  // the mask has 0, 1 and 2
  CHECK(vector.lengths[10] == 5);
  CHECK(vector.lengths[7] == 1);
  CHECK(vector.elements == 57);
  const auto atomic = counters("atomic", 2);
  CHECK(atomic.bytes_read == 8 + 8 + 4);  // what was there is loaded before it is compared
  CHECK(atomic.bytes_written == 8 + 4);
  CHECK(counters("counted", 1).approximations == 12);
}

}  // namespace lockstep::test
