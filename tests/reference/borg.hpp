#pragma once
// The seven batched kernels of the borG paper in plain scalar C++, one item after the other, with the order of operations that their
// definition gives. They are what the interpreted kernels of examples/borg are compared with, so they share nothing with
// the rest of the project, and must be compiled without contraction (-ffp-contract=off): `contract` says which operations fuse.
//
// T is float or double. Matrices of n x n lie one after the other, row by row; vectors of n too (group-wise kernels). Scalar number k of
// item g of an item-wise kernel is element k * batch + g.

#include <cstdint>
#include <vector>

namespace lockstep::reference {

/// C = A + B, element by element.
template <class T>
std::vector<T> gema(const std::vector<T>& a, const std::vector<T>& b);

/// C = A B for every n x n matrix of the batch; sums start at +0 and grow with k ascending.
template <class T>
std::vector<T> gemm(unsigned n, const std::vector<T>& a, const std::vector<T>& b, bool contract);

/// A = L D U without pivoting: L's strict lower triangle, D's diagonal and U's strict upper triangle packed into one matrix.
template <class T>
std::vector<T> ldus(unsigned n, std::vector<T> a, bool contract);

/// Solves L D U x = b with the packed factors m of ldus.
template <class T>
std::vector<T> trsv(unsigned n, const std::vector<T>& m, std::vector<T> b, bool contract);

template <class T>
struct Pade {
  std::vector<T> dx;  ///< batch elements
  std::vector<T> da;  ///< 6 * batch
  std::vector<T> db;  ///< 4 * batch
};
/// The backward pass of the safe Padé unit of order (5,4): 6 coefficients a, 4 coefficients b, inputs x and upstream gradients g.
template <class T>
Pade<T> pade(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& x, const std::vector<T>& g, bool contract);

template <class T>
struct Enumeration {
  std::vector<T> best;            ///< the largest objective, -infinity where no candidate is feasible
  std::vector<std::int32_t> arg;  ///< the first candidate that has it, -1 where there is none
};
/// max c^T x subject to D x <= b over x in {0,1}^10: d has 8 rows of 10, c 10 elements, b 8 * batch.
template <class T>
Enumeration<T> enumerate(const std::vector<std::int32_t>& d, const std::vector<T>& c, const std::vector<T>& b, bool contract);

template <class T>
struct Points {
  std::vector<T> x;
  std::vector<T> y;
};
/// 20 Fletcher-Reeves steps on (a-x)^2 + b (y-x^2)^2 from the points given, each with ten trial lengths.
template <class T>
Points<T> frcg(const std::vector<T>& a, const std::vector<T>& b, Points<T> start, bool contract);

}  // namespace lockstep::reference
