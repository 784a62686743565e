// GEMA: C = A + B for a batch of square matrices. Group g works on matrix g, its size is WG_SIZE; item i holds row i.
#ifndef REAL
#define REAL double
#endif

__kernel void gema(__global const REAL *a, __global const REAL *b, __global REAL *c) {
  const size_t row = (get_group_id() * get_local_size() + get_local_id()) * get_local_size();
  REAL row_a[get_local_size()];
  REAL row_b[get_local_size()];

  for (int j = 0; j < get_local_size(); j += 1) {
    row_a[j] = a[row + j];
    row_b[j] = b[row + j];
  }

  for (int j = 0; j < get_local_size(); j += 1)
    c[row + j] = row_a[j] + row_b[j];
}
