// OpenBLAS, a call for each problem.
#include "bench/suite/peers/peer.hpp"

#ifdef LOCKSTEP_HAS_OPENBLAS
#include <cblas.h>
#include <fmt/format.h>

#include <array>

// LAPACK's LU factorisation, which OpenBLAS has; columns first.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
extern "C" void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* pivots, int* info);
// NOLINTEND(readability-identifier-naming)
#endif

namespace lockstep::bench {

#ifdef LOCKSTEP_HAS_OPENBLAS
namespace {

void multiply(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void multiply(int n, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void solve(CBLAS_UPLO half, int n, const double* m, double* b) { cblas_dtrsv(CblasRowMajor, half, CblasNoTrans, CblasUnit, n, m, n, b, 1); }
void solve(CBLAS_UPLO half, int n, const float* m, float* b) { cblas_strsv(CblasRowMajor, half, CblasNoTrans, CblasUnit, n, m, n, b, 1); }
void factorise(int n, double* a, int* pivots) {
  int problem = 0;
  dgetrf_(&n, &n, a, &n, pivots, &problem);
}
void factorise(int n, float* a, int* pivots) {
  int problem = 0;
  sgetrf_(&n, &n, a, &n, pivots, &problem);
}

template <class T>
void add_openblas_of(KernelId kernel, unsigned n, std::vector<Contestant>& into) {
  const int rows = static_cast<int>(n);
  const std::uint64_t size = std::uint64_t{n} * n;
  const auto add = [&](Agreement agreement, auto solve_one) {
    into.push_back(peer("OpenBLAS", agreement, [solve_one](void* const* arrays, std::uint64_t first, std::uint64_t last, std::uint64_t) {
      for (std::uint64_t g = first; g < last; ++g) {
        solve_one(arrays, g);
      }
    }));
  };
  if (kernel == KernelId::Gemm) {
    add(Agreement::Bound, [rows, size](void* const* arrays, std::uint64_t g) {
      multiply(rows, static_cast<const T*>(arrays[0]) + g * size, static_cast<const T*>(arrays[1]) + g * size,
               static_cast<T*>(arrays[2]) + g * size);
    });
  } else if (kernel == KernelId::Trsv) {
    add(Agreement::Bound, [n, rows, size](void* const* arrays, std::uint64_t g) {
      const T* const m = static_cast<const T*>(arrays[0]) + g * size;
      T* const b = static_cast<T*>(arrays[1]) + g * n;
      solve(CblasLower, rows, m, b);
      for (unsigned i = 0; i < n; ++i) {
        b[i] /= m[i * n + i];
      }
      solve(CblasUpper, rows, m, b);
    });
  } else if (kernel == KernelId::Ldus) {
    // Of the transpose, which is what a matrix is that lies row by row.
    add(Agreement::UnitUpper, [rows, size](void* const* arrays, std::uint64_t g) {
      std::array<int, 32> pivots{};
      factorise(rows, static_cast<T*>(arrays[0]) + g * size, pivots.data());
    });
    into.back().note = "pivots, and leaves L unscaled";
  }
}

void add_openblas(const Task& task, std::vector<Contestant>& into) {
  openblas_set_num_threads(1);
  task.real == ScalarType::Double ? add_openblas_of<double>(task.kernel, task.n, into) : add_openblas_of<float>(task.kernel, task.n, into);
}

}  // namespace

const PeerSource openblas = {
    [] { return PeerPresence{"OpenBLAS", true, fmt::format("{}, kernels for {}", openblas_get_config(), openblas_get_corename())}; },
    add_openblas};
#else
const PeerSource openblas = {[] { return PeerPresence{"OpenBLAS", false, "not found when this was built"}; },
                             [](const Task&, std::vector<Contestant>&) {}};
#endif

}  // namespace lockstep::bench
