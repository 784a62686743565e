// GEMA five times over: C = 5 (A + B) as additions, of which `times` holds the number, 5 for each item. NAME is what the kernel is called,
// BOUND what its loop goes to: 5, times[0], or times[get_local_id()].
#ifndef REAL
#define REAL double
#endif

__kernel void NAME(__global const REAL *a, __global const REAL *b, __global REAL *c, __global const int *times) {
  const size_t row = (get_group_id() * get_local_size() + get_local_id()) * get_local_size();
  REAL row_a[get_local_size()];
  REAL row_b[get_local_size()];
  REAL row_c[get_local_size()];
  for (int j = 0; j < get_local_size(); j += 1) {
    row_a[j] = a[row + j];
    row_b[j] = b[row + j];
    row_c[j] = 0;
  }
  for (int t = 0; t < BOUND; t += 1)
    for (int j = 0; j < get_local_size(); j += 1)
      row_c[j] = row_c[j] + (row_a[j] + row_b[j]);
  for (int j = 0; j < get_local_size(); j += 1)
    c[row + j] = row_c[j];
}
