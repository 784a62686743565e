// Eigen with sizes that the compiler knows.
#include "bench/suite/peers/peer.hpp"

#ifdef LOCKSTEP_HAS_EIGEN
#include <fmt/format.h>

#include <Eigen/Dense>
#endif

namespace lockstep::bench {

#ifdef LOCKSTEP_HAS_EIGEN
namespace {

template <class T, int N>
using Square = Eigen::Matrix<T, N, N, Eigen::RowMajor>;

/// `solve` gets the maps of a problem's arrays, of which there are `parameters`.
template <class T, unsigned N>
void add_eigen_of(KernelId kernel, std::vector<Contestant>& into) {
  using Matrix = Square<T, static_cast<int>(N)>;
  using Vector = Eigen::Matrix<T, static_cast<int>(N), 1>;
  const auto add = [&](Agreement agreement, auto solve) {
    into.push_back(peer("Eigen", agreement, [solve](void* const* arrays, std::uint64_t first, std::uint64_t last, std::uint64_t) {
      for (std::uint64_t g = first; g < last; ++g) {
        solve(arrays, g);
      }
    }));
  };
  const auto matrix = [](void* const* arrays, std::size_t k, std::uint64_t g) {
    return Eigen::Map<Matrix>(static_cast<T*>(arrays[k]) + g * N * N);
  };
  if (kernel == KernelId::Gema) {
    add(Agreement::Bits,
        [matrix](void* const* arrays, std::uint64_t g) { matrix(arrays, 2, g) = matrix(arrays, 0, g) + matrix(arrays, 1, g); });
  } else if (kernel == KernelId::Gemm) {
    add(Agreement::Bound,
        [matrix](void* const* arrays, std::uint64_t g) { matrix(arrays, 2, g).noalias() = matrix(arrays, 0, g) * matrix(arrays, 1, g); });
  } else if (kernel == KernelId::Trsv) {
    add(Agreement::Bound, [matrix](void* const* arrays, std::uint64_t g) {
      const auto m = matrix(arrays, 0, g);
      Eigen::Map<Vector> b(static_cast<T*>(arrays[1]) + g * N);
      m.template triangularView<Eigen::UnitLower>().solveInPlace(b);
      b.array() /= m.diagonal().array();
      m.template triangularView<Eigen::UnitUpper>().solveInPlace(b);
    });
  } else {
    add(Agreement::UnitLower, [matrix](void* const* arrays, std::uint64_t g) {
      auto m = matrix(arrays, 0, g);
      Eigen::Ref<Matrix> in_place(m);
      const Eigen::PartialPivLU<Eigen::Ref<Matrix>> factors(in_place);
    });
    into.back().note = "pivots, and leaves U unscaled";
  }
}

void add_eigen(const Task& task, std::vector<Contestant>& into) {
  with_size(task.n, [&]<unsigned n>(std::integral_constant<unsigned, n>) {
    task.real == ScalarType::Double ? add_eigen_of<double, n>(task.kernel, into) : add_eigen_of<float, n>(task.kernel, into);
  });
}

}  // namespace

const PeerSource eigen = {[] {
                            return PeerPresence{"Eigen", true,
                                                fmt::format("{}.{}.{}, {}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION,
                                                            Eigen::SimdInstructionSetsInUse())};
                          },
                          add_eigen};
#else
const PeerSource eigen = {[] { return PeerPresence{"Eigen", false, "not found when this was built"}; },
                          [](const Task&, std::vector<Contestant>&) {}};
#endif

}  // namespace lockstep::bench
