// libxsmm: small matrix products, made at run time for their size; with and without asking for the next problem's matrices ahead.
#include "bench/suite/peers/peer.hpp"

#ifdef LOCKSTEP_HAS_LIBXSMM
#include <fmt/format.h>
#include <libxsmm.h>
#endif

namespace lockstep::bench {

#ifdef LOCKSTEP_HAS_LIBXSMM
namespace {

auto dispatched(libxsmm_blasint n, double beta, int prefetch) {
  const double alpha = 1;
  return libxsmm_dmmdispatch(n, n, n, nullptr, nullptr, nullptr, &alpha, &beta, nullptr, &prefetch);
}
auto dispatched(libxsmm_blasint n, float beta, int prefetch) {
  const float alpha = 1;
  return libxsmm_smmdispatch(n, n, n, nullptr, nullptr, nullptr, &alpha, &beta, nullptr, &prefetch);
}

/// Matrices of libxsmm lie column by column: C = A B row by row is the product of the transposes in the other order. Beta is 0.
template <class T>
void add_products(std::vector<Contestant>& into, unsigned n) {
  const std::uint64_t size = std::uint64_t{n} * n;
  const auto add = [&](const char* name, int prefetch, auto solve) {
    if (const auto product = dispatched(static_cast<libxsmm_blasint>(n), T{0}, prefetch)) {
      into.push_back(peer(name, Agreement::Bound, [=](void* const* arrays, std::uint64_t first, std::uint64_t last, std::uint64_t) {
        const T* const a = static_cast<const T*>(arrays[0]);
        const T* const b = static_cast<const T*>(arrays[1]);
        T* const c = static_cast<T*>(arrays[2]);
        for (std::uint64_t g = first; g < last; ++g) {
          solve(product, b + g * size, a + g * size, c + g * size, g + 1 < last ? size : 0);
        }
      }));
    }
  };
  add("libxsmm", LIBXSMM_GEMM_PREFETCH_NONE,
      [](auto product, const T* left, const T* right, T* out, std::uint64_t) { product(left, right, out); });
  add("libxsmm ahead", LIBXSMM_GEMM_PREFETCH_AL2BL2_VIA_C, [](auto product, const T* left, const T* right, T* out, std::uint64_t next) {
    product(left, right, out, left + next, right + next, out + next);
  });
}

void add_libxsmm(const Task& task, std::vector<Contestant>& into) {
  if (task.kernel != KernelId::Gemm) {
    return;
  }
  libxsmm_init();
  task.real == ScalarType::Double ? add_products<double>(into, task.n) : add_products<float>(into, task.n);
}

}  // namespace

const PeerSource libxsmm = {[] {
                              libxsmm_init();
                              return PeerPresence{"libxsmm", true,
                                                  fmt::format("{}, code for {}", LIBXSMM_VERSION, libxsmm_get_target_arch())};
                            },
                            add_libxsmm};
#else
const PeerSource libxsmm = {[] { return PeerPresence{"libxsmm", false, "not found when this was built"}; },
                            [](const Task&, std::vector<Contestant>&) {}};
#endif

}  // namespace lockstep::bench
