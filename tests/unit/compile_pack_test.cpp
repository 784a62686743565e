// How many groups a pack has when nobody says it.

#include <catch2/catch.hpp>

#include "codegen/compile/pack_choice.hpp"
#include "codegen/emit/llvm/emit.hpp"
#include "tests/unit/compile_kernels.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

/// A chain of operations on one number an item.
std::string chain(const std::string& type, int length) {
  std::string body = type + " y = x[get_global_id()];";
  for (int k = 0; k < length; ++k) {
    body += " y = y * y + 1;";
  }
  return "__kernel void k(__global " + type + " *x) {" + body + " x[get_global_id()] = y; }";
}

constexpr unsigned avx512 = 64;

}  // namespace

TEST_CASE("compile: the model counts chunks, rounds and what waits", "[compile]") {
  // By hand, with a vector of 8 doubles. Eight items: a load, 10 fma and a store, each of one chunk, are 12; the chain is the same 12, of
  // which 2 * 12 * 12 / 400 is waited for.
  CHECK(modelled_cost(lowered(chain("double", 10), 8), 1, avx512) == Approx(12 + 2 * 12 * 12.0 / 400));
  // Two groups: twice the work, the same chain.
  CHECK(modelled_cost(lowered(chain("double", 10), 8), 2, avx512) == Approx((24 + 2 * 12 * 24.0 / 400) / 2));
  // A vector of 2 doubles has four times the chunks. Twenty items of vectors of 8: the last chunk is not full, so that load and store are
  // masked.
  CHECK(modelled_cost(lowered(chain("double", 10), 8), 1, 16) == Approx(48 + 2 * 12 * 48.0 / 400));
  CHECK(modelled_cost(lowered(chain("double", 10), 20), 1, avx512) == Approx(36 + 8 + 2 * 12 * 44.0 / 400));
}

TEST_CASE("compile: no pack is chosen that cannot be emitted", "[compile]") {
  // 400 MB of a group: two groups have not enough of the 1 GiB, nor do four.
  const std::string text =
      "__kernel void k(__global int *a) { __local int l[100000000]; l[get_local_id()] = 1; a[get_global_id()] = l[0]; }";
  const infreg::Kernel kernel = lowered(text, 4);
  CHECK(modelled_cost(kernel, 4, 16) < modelled_cost(kernel, 1, 16));  // it would be, if it fitted
  CHECK(emit_llvm::fits(kernel, 2, {}));
  CHECK(!emit_llvm::fits(kernel, 4, {}));
  CHECK(choose_pack(kernel) == 2);
  CHECK(lockstep::compile(SourceFile("k.cl", text), without_cache(4)));
  // A value of an item that lies in memory: 2^24 items with 16 numbers are 1 GiB of float, without what lies around them.
  infreg::Kernel wide = lowered(
      "__kernel void k(__global float *a) { float x[16]; for (int i = 0; i < 16; ++i) x[i] = a[i * 5 + get_global_id()]; "
      "for (int i = 0; i < 16; ++i) a[i + get_global_id() * 16] = x[15 - i]; }",
      64);
  wide.shape.wg_size = 1U << 20;
  CHECK(emit_llvm::fits(wide, 1, {}));
  CHECK(!emit_llvm::fits(wide, 4096, {}));
}

TEST_CASE("compile: packs fill vectors, and go no further", "[compile]") {
  const auto chosen = [](const std::string& text, unsigned wg_size) {
    const infreg::Kernel kernel = lowered(text, wg_size);
    unsigned best = 1;
    for (const unsigned pack : pack_choices) {
      best = modelled_cost(kernel, pack, avx512) < modelled_cost(kernel, best, avx512) ? pack : best;
    }
    CHECK(choose_pack(kernel) <= 8);
    return best;
  };
  CHECK(chosen(chain("double", 3), 1) == 8);
  CHECK(chosen(chain("double", 3), 2) >= 4);
  // A matrix of 32 x 32 doubles lies in memory: nothing is left to fill.
  CHECK(choose_pack(lowered(
            "__kernel void k(__global double *x) { double r[32]; for (int j = 0; j < 32; j += 1) r[j] = x[get_global_id() * 32 + j];"
            " for (int s = 0; s < 32; s += 1) for (int j = 0; j < 32; j += 1) r[j] = r[j] * shuffle(r[j], s);"
            " for (int j = 0; j < 32; j += 1) x[get_global_id() * 32 + j] = r[j]; }",
            32)) == 1);
  // A pack has no more than 2^20 items.
  CHECK(choose_pack(lowered("__kernel void k(__global double *x) { x[get_global_id()] = 1; }", 1U << 20)) == 1);
}

TEST_CASE("compile: the automatic pack is the model's", "[compile]") {
  const std::string text = chain("float", 30);
  const auto kernel = compile(SourceFile("k.cl", text), without_cache(2));
  REQUIRE(kernel);
  CHECK(kernel->wg_pack() == choose_pack(lowered(text, 2)));
  CHECK(kernel->wg_pack() > 1);
}
