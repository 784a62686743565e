// What a problem costs, counted by going through the kernels' loops; and the roofline.
#include <catch2/catch.hpp>

#include "bench/suite/kernels.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::bench;

/// Counts what the loops of a matrix kernel do, as examples/borg has them.
Cost counted(KernelId kernel, unsigned n) {
  Cost cost;
  switch (kernel) {
    case KernelId::Gema:
      cost.operations = n * n;
      cost.bytes = 3 * n * n * 8;
      break;
    case KernelId::Gemm:
      for (unsigned k = 0; k < n * n * n; ++k) {
        cost.operations += 2;
      }
      cost.bytes = 3 * n * n * 8;
      break;
    case KernelId::Trsv:
      for (unsigned s = 0; s < n; ++s) {
        for (unsigned i = s + 1; i < n; ++i) {
          cost.operations += 2;
        }
        for (unsigned i = 0; i < s; ++i) {
          cost.operations += 2;
        }
        cost.operations += 1;
        cost.divisions += 1;
      }
      cost.bytes = (n * n + n + n) * 8;
      break;
    default:
      for (unsigned s = 0; s < n; ++s) {
        for (unsigned i = s + 1; i < n; ++i) {
          cost.operations += 1;
          cost.divisions += 1;
          for (unsigned j = s + 1; j < n; ++j) {
            cost.operations += 2;
          }
        }
        for (unsigned j = s + 1; j < n; ++j) {
          cost.operations += 1;
          cost.divisions += 1;
        }
      }
      cost.bytes = 2 * n * n * 8;
  }
  return cost;
}

}  // namespace

TEST_CASE("bench: a matrix kernel costs what its loops do") {
  for (const KernelId kernel : {KernelId::Gema, KernelId::Gemm, KernelId::Trsv, KernelId::Ldus}) {
    for (const unsigned n : sizes) {
      INFO(title({kernel, ScalarType::Double, n}));
      const Cost cost = cost_of({kernel, ScalarType::Double, n});
      const Cost expected = counted(kernel, n);
      CHECK(cost.bytes == expected.bytes);
      CHECK(cost.operations == expected.operations);
      CHECK(cost.divisions == expected.divisions);
      CHECK(cost.compares == 0);
      CHECK(cost_of({kernel, ScalarType::Float, n}).bytes == expected.bytes / 2);
    }
  }
}

TEST_CASE("bench: item-wise kernels") {
  // Two inputs and eleven outputs; eight limits, a value and an int; four inputs of which two are written.
  CHECK(cost_of({KernelId::Pade, ScalarType::Double, 0}) == Cost{104, 55, 1, 0});
  CHECK(cost_of({KernelId::Enumerate, ScalarType::Float, 0}) == Cost{40, 9216, 0, 9216});
  CHECK(cost_of({KernelId::Frcg, ScalarType::Float, 0}) == Cost{24, 3040, 20, 220});
}

TEST_CASE("bench: the roofline is the greatest of four times") {
  const Cost cost{1536, 1024, 10, 100};
  const Rates rates{5e-9, 1e-12, 2e-12, 3e-12};  // traffic 5 ns, 512 fma 0.512 ns, divisions 0.02 ns, comparisons 0.3 ns
  CHECK(roofline(cost, rates).limit == LimitKind::Traffic);
  CHECK(roofline(cost, rates).seconds == Approx(5e-9));
  const Roofline by_fma = roofline(cost, {0.1e-9, 1e-12, 2e-12, 3e-12});
  CHECK(by_fma.limit == LimitKind::Fma);
  CHECK(by_fma.seconds == Approx(0.512e-9));
  const Roofline by_division = roofline(cost, {0.1e-9, 1e-12, 2e-10, 3e-12});
  CHECK(by_division.limit == LimitKind::Divide);
  CHECK(by_division.seconds == Approx(2e-9));
  const Roofline by_compare = roofline(cost, {0.1e-9, 1e-12, 2e-12, 3e-11});
  CHECK(by_compare.limit == LimitKind::Compare);
  CHECK(by_compare.seconds == Approx(3e-9));
}

TEST_CASE("bench: names") {
  for (const KernelInfo& kernel : kernel_table) {
    CHECK(kernel_named(kernel.name) == kernel.id);
    CHECK(info(kernel.id).name == kernel.name);
  }
  CHECK_FALSE(kernel_named("gemv"));
  CHECK(title({KernelId::Gemm, ScalarType::Double, 8}) == "gemm 8 double");
  CHECK(title({KernelId::Pade, ScalarType::Float, 0}) == "pade float");
}
