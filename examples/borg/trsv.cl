// TRSV: solves L D U x = b in place on b, for a batch of factors as LDUS leaves them (both unit diagonals are implied). Group g works
// on system g, its size is WG_SIZE; item i holds row i of the factor and element i of the vector.
#ifndef REAL
#define REAL double
#endif

__kernel void trsv(__global const REAL *m, __global REAL *b) {
  const size_t element = get_group_id() * get_local_size() + get_local_id();
  REAL row_m[get_local_size()];
  REAL x = b[element];

  for (int j = 0; j < get_local_size(); j += 1)
    row_m[j] = m[element * get_local_size() + j];

  // The shuffles stand outside of the branches: item s has to be active to be read.
  for (int s = 0; s < get_local_size(); s += 1) {
    const REAL solved = shuffle(x, s);
    if (get_local_id() > s)
      x = x - row_m[s] * solved;
  }

  x = x / row_m[get_local_id()];

  for (int s = get_local_size() - 1; s >= 0; s -= 1) {
    const REAL solved = shuffle(x, s);
    if (get_local_id() < s)
      x = x - row_m[s] * solved;
  }

  b[element] = x;
}
