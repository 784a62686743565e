// GEMM: C = A B for a batch of square matrices, as a sum of outer products. Group g works on matrix g, its size is WG_SIZE; item i
// holds row i of A, B and C, and row k of B goes round by shuffle.
#ifndef REAL
#define REAL double
#endif

__kernel void gemm(__global const REAL *a, __global const REAL *b, __global REAL *c) {
  const size_t row = (get_group_id() * get_local_size() + get_local_id()) * get_local_size();
  REAL row_a[get_local_size()];
  REAL row_b[get_local_size()];
  REAL row_c[get_local_size()];

  for (int j = 0; j < get_local_size(); j += 1) {
    row_a[j] = a[row + j];
    row_b[j] = b[row + j];
    row_c[j] = 0;
  }

  for (int k = 0; k < get_local_size(); k += 1)
    for (int j = 0; j < get_local_size(); j += 1)
      row_c[j] = row_c[j] + row_a[k] * shuffle(row_b[j], k);

  for (int j = 0; j < get_local_size(); j += 1)
    c[row + j] = row_c[j];
}
