// ENUM: max c^T x subject to D x <= b over x in {0,1}^10, by trying all of them. D (8 x 10) and c are shared, each item has a b of its own.
// Candidate number X stands for x_j = bit j of X; of equally good candidates the first one is kept. Scalar r of item i is element
// r * batch + i.
#ifndef REAL
#define REAL double
#endif

#define VARIABLES 10
#define CONSTRAINTS 8

__kernel void enumerate(__global const int *d, __global const REAL *c, __global const REAL *b, __global REAL *best, __global int *arg,
                        uint batch) {
  const size_t item = get_global_id();
  if (item < batch) {
    REAL limit[CONSTRAINTS];
    for (int r = 0; r < CONSTRAINTS; r += 1)
      limit[r] = b[r * batch + item];

    REAL best_value = -INFINITY;
    int best_candidate = -1;
    for (int candidate = 0; candidate < (1 << VARIABLES); candidate += 1) {
      REAL objective = 0;
      for (int j = 0; j < VARIABLES; j += 1)
        objective = objective + c[j] * (REAL)((candidate >> j) & 1);

      bool better = objective > best_value;
      for (int r = 0; r < CONSTRAINTS; r += 1) {
        REAL left = 0;
        for (int j = 0; j < VARIABLES; j += 1)
          left = left + (REAL)d[r * VARIABLES + j] * (REAL)((candidate >> j) & 1);
        better = better & (left <= limit[r]);
      }

      if (better) {
        best_value = objective;
        best_candidate = candidate;
      }
    }

    best[item] = best_value;
    arg[item] = best_candidate;
  }
}
