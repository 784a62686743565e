// libxsmm: small matrix products, made at run time for their size.
#include "bench/suite/peers/peer.hpp"

#ifdef LOCKSTEP_HAS_LIBXSMM
#include <fmt/format.h>
#include <libxsmm.h>
#endif

namespace lockstep::bench {

#ifdef LOCKSTEP_HAS_LIBXSMM
namespace {

/// Matrices of libxsmm lie column by column: C = A B row by row is the product of the transposes in the other order. Beta is 0.
template <class T, class Function>
void add_product(Function product, std::vector<Contestant>& into, unsigned n) {
  if (product == nullptr) {
    return;
  }
  into.push_back(
      peer("libxsmm", Agreement::Bound, [product, n](void* const* arrays, std::uint64_t first, std::uint64_t last, std::uint64_t) {
        const std::uint64_t size = std::uint64_t{n} * n;
        const T* const a = static_cast<const T*>(arrays[0]);
        const T* const b = static_cast<const T*>(arrays[1]);
        T* const c = static_cast<T*>(arrays[2]);
        for (std::uint64_t g = first; g < last; ++g) {
          product(b + g * size, a + g * size, c + g * size);
        }
      }));
}

void add_libxsmm(const Task& task, std::vector<Contestant>& into) {
  if (task.kernel != KernelId::Gemm) {
    return;
  }
  libxsmm_init();
  const auto n = static_cast<libxsmm_blasint>(task.n);
  if (task.real == ScalarType::Double) {
    const double alpha = 1;
    const double beta = 0;
    add_product<double>(libxsmm_dmmdispatch(n, n, n, nullptr, nullptr, nullptr, &alpha, &beta, nullptr, nullptr), into, task.n);
  } else {
    const float alpha = 1;
    const float beta = 0;
    add_product<float>(libxsmm_smmdispatch(n, n, n, nullptr, nullptr, nullptr, &alpha, &beta, nullptr, nullptr), into, task.n);
  }
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
