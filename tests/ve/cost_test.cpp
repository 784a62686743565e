// The model of time (docs/ve-model.md): what it says of small functions, computed by hand from the page.

#include <catch2/catch.hpp>

#include "tests/ve/support.hpp"

namespace lockstep::test {

namespace {

using ve_machine::Cycles;
using Bound = Cycles::Bound;

// 600 elements: vectors of 256, 256 and 88, which take a pipe 8, 8 and 3 cycles.
constexpr const char* functions = R"(
#include <velintrin.h>
void scaled(double *x, double *y, long stride) {
  for (long k = 0; k < 600; k += 256) {
    unsigned vl = k + 256 < 600 ? 256 : 600 - k;
    __vr a = _vel_vld_vssl(stride, x + k, vl);
    _vel_vst_vssl(_vel_vfmuld_vsvl(3.0, a, vl), 8, y + k, vl);
  }
}
void divided(double *x, double *y) {
  __vr a = _vel_vld_vssl(8, x, 100);
  a = _vel_vfdivd_vsvl(3.0, a, 100);
  a = _vel_vfsqrtd_vvl(a, 100);
  _vel_vst_vssl(a, 8, y, 100);
}
void gathered(unsigned long *where, unsigned long *out) {
  _vel_vst_vssl(_vel_vgt_vvssl(_vel_vld_vssl(8, where, 200), 0, 0, 200), 8, out, 200);
}
void again(unsigned long *memory) {
  for (volatile long k = 0; k < 10; ++k) _vel_vst_vssl(_vel_vaddul_vsvl(1, _vel_vld_vssl(8, memory, 256), 256), 8, memory, 256);
}
void twice_gathered(unsigned long *x, unsigned long *y) {
  __vr a = _vel_vsfa_vvssl(_vel_vseq_vl(200), 3, (unsigned long)x, 200);
  _vel_vst_vssl(_vel_vgt_vvssl(a, 0, 0, 200), 8, y, 200);
  _vel_vst_vssl(_vel_vaddul_vvvl(_vel_vgt_vvssl(a, 0, 0, 200), a, 200), 8, y, 200);
}
void scattered(unsigned long *x) {
  __vr a = _vel_vsfa_vvssl(_vel_vseq_vl(100), 4, (unsigned long)x, 100);
  _vel_vsc_vvssl(a, a, 0, 0, 100);
}
void masked(unsigned long *x, unsigned long *y) {
  __vr a = _vel_vld_vssl(8, x, 256);
  __vm256 m = _vel_vfmklgt_mvl(a, 256);
  _vel_vst_vssl(_vel_vmrg_vvvml(_vel_vseq_vl(256), _vel_vseq_vl(256), m, 256), 8, y, 256);
}
void kept(unsigned long *x) {
  __vm256 m = _vel_vfmklgt_mvl(_vel_vseq_vl(256), 256);
  __vr old = _vel_vld_vssl(8, x, 256);
  _vel_vst_vssl(_vel_vaddul_vvvmvl(_vel_vseq_vl(256), _vel_vseq_vl(256), m, old, 256), 8, x, 256);
}
long waiting(long *x) { return x[0] + x[1] + x[2] + x[3]; }
)";

std::vector<std::uint64_t> words(std::size_t count) { return std::vector<std::uint64_t>(count, 0); }

}  // namespace

TEST_CASE("modelled cycles are those of the page", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const ve::Object object = object_of(functions);
  {
    const Cycles c = call(object, "scaled", {words(600), words(600), std::uint64_t{8}}).outcome.cycles;
    REQUIRE((c[Bound::VectorSteps] == 9));
    REQUIRE((c[Bound::Floats] == Approx(19.0 / 3)));
    REQUIRE((c[Bound::Integers] == 0));
    // 32 elements a cycle are fewer bytes than the cache has.
    REQUIRE((c[Bound::Cache] == Approx(2 * 19)));
    // 4800 bytes are 38 lines, read and written; 108.93 bytes a cycle.
    REQUIRE((c[Bound::Memory] == Approx(76 * 128 / (1.22e12 / 8 / 1.4e9))));
    REQUIRE((c.lengths == 2));
    // Load, product, store, and 8 cycles for the last element; a few scalar instructions in front.
    REQUIRE((c[Bound::Chain] >= 100 + 8 + 8 + 8));
    REQUIRE((c[Bound::Chain] <= 100 + 8 + 8 + 8 + 12));
    REQUIRE((c.largest() == Bound::Chain));
    REQUIRE((c.total() == Approx(c[Bound::Chain] + 2)));
  }
  {
    // Each element of a vector is in a line of its own.
    const Cycles c = call(object, "scaled", {words(600 * 16), words(600), std::uint64_t{128}}).outcome.cycles;
    REQUIRE((c[Bound::Cache] == Approx(2 * 19)));
    REQUIRE((c[Bound::Memory] > (256 + 38) * 128 / (1.22e12 / 8 / 1.4e9)));
  }
  {
    const Cycles c = call(object, "divided", {words(100), words(100)}).outcome.cycles;
    REQUIRE((c[Bound::Quotients] == 4 + 4));
    REQUIRE((c[Bound::Floats] == 0));
    REQUIRE((c[Bound::Chain] >= 100 + 32 + 32 + 8 + 4));
    REQUIRE((c.largest() == Bound::Chain));
  }
  {
    // Read where it was written: ten times a load, a sum and a store.
    const Cycles c = call(object, "again", {words(256)}).outcome.cycles;
    REQUIRE((c[Bound::Integers] == Approx(10 * 8 / 2)));
    REQUIRE((c[Bound::Memory] == Approx(2 * 16 * 128 / (1.22e12 / 8 / 1.4e9))));
    REQUIRE((c[Bound::Chain] >= 10 * (100 + 8 + 8)));
    REQUIRE((c[Bound::Chain] <= 10 * (100 + 8 + 8) + 30));
  }
  {
    // Each line once, however often; 200 elements take a pipe 7 cycles.
    const auto called = call(object, "twice_gathered", {words(200), words(200)});
    const Cycles c = called.outcome.cycles;
    REQUIRE_FALSE(called.outcome.fault.has_value());
    REQUIRE((c[Bound::Cache] == Approx(2 * 200 * 0.2 + 2 * 7)));
    REQUIRE((c[Bound::Integers] == Approx(3 * 7.0 / 2)));
    REQUIRE((c[Bound::Memory] == Approx((13 + 13) * 128 / (1.22e12 / 8 / 1.4e9))));
    REQUIRE((c[Bound::Chain] >= 8 + 8 + 100 + 8 + 8 + 7));
    REQUIRE((c[Bound::Chain] <= 8 + 8 + 100 + 8 + 8 + 7 + 10));
    REQUIRE((c[Bound::Steps] == Approx(static_cast<double>(called.outcome.counters.steps) / 4)));
  }
  {
    // 16 bytes apart: 1592 bytes. A scatter is done as soon as a store.
    const Cycles c = call(object, "scattered", {words(200)}).outcome.cycles;
    REQUIRE((c[Bound::Cache] == Approx(100 * 0.2)));
    REQUIRE((c[Bound::Memory] == Approx(13 * 128 / (1.22e12 / 8 / 1.4e9))));
    REQUIRE((c[Bound::Chain] >= 8 + 8 + 8 + 4));
    REQUIRE((c[Bound::Chain] <= 8 + 8 + 8 + 4 + 10));
  }
  for (const char* name : {"masked", "kept"}) {
    // One waits for a mask of what is loaded, the other for what the mask leaves as it is.
    const bool is_masked = name == std::string("masked");
    const Cycles c = call(object, name, std::vector<Given>(is_masked ? 2 : 1, words(256))).outcome.cycles;
    const double least = is_masked ? 100 + 8 + 8 + 8 + 8 : 100 + 8 + 8 + 8;
    REQUIRE((c[Bound::Chain] >= least));
    REQUIRE((c[Bound::Chain] <= least + 10));
    REQUIRE((c[Bound::Integers] == Approx(3 * 8.0 / 2)));
  }
  {
    // Scalar accesses are no lines; each instruction waits a cycle for the one before.
    const auto called = call(object, "waiting", {words(4)});
    const Cycles c = called.outcome.cycles;
    REQUIRE((c[Bound::Memory] == 0));
    REQUIRE((c[Bound::VectorSteps] == 0));
    REQUIRE((c[Bound::Chain] >= 3));
    REQUIRE((c[Bound::Chain] <= static_cast<double>(called.outcome.counters.steps)));
    REQUIRE((c[Bound::Steps] == Approx(static_cast<double>(called.outcome.counters.steps) / 4)));
    REQUIRE((c.lengths == 0));
  }
  {
    // Gathers are by elements. The addresses are no places here, so that the load is all that is executed, and the gather is what fails.
    const auto called = call(object, "gathered", {words(200), words(200)});
    REQUIRE((called.outcome.fault.has_value()));
    REQUIRE((called.outcome.cycles[Bound::Cache] == Approx(7 + 200 * 0.2)));
  }
}

}  // namespace lockstep::test
