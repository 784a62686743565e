// LDUS: A = L D U in place, without pivoting (Example 3 of the borG paper): L is unit lower, D diagonal, U unit upper triangular.
// Group g works on matrix g, its size is WG_SIZE; item i holds row i. The paper prints the index of an element without its
// group's offset multiplied out; here group g begins at g * n * n.
#ifndef REAL
#define REAL double
#endif

__kernel void ldus(__global REAL *a) {
  const size_t row = (get_group_id() * get_local_size() + get_local_id()) * get_local_size();
  REAL row_a[get_local_size()];
  REAL pivot[get_local_size()];

  for (int j = 0; j < get_local_size(); j += 1)
    row_a[j] = a[row + j];

  for (int s = 0; s < get_local_size(); s += 1) {
    // Everyone gets the pivot row, unscaled.
    for (int j = s; j < get_local_size(); j += 1)
      pivot[j] = shuffle(row_a[j], s);

    // Scale the pivot column.
    if (get_local_id() > s)
      row_a[s] = row_a[s] / pivot[s];

    // Scale the pivot row, and take its share from the rows below (the Schur complement).
    for (int j = s + 1; j < get_local_size(); j += 1)
      if (get_local_id() >= s)
        row_a[j] = get_local_id() == s ? row_a[j] / pivot[s] : row_a[j] - row_a[s] * pivot[j];
  }

  for (int j = 0; j < get_local_size(); j += 1)
    a[row + j] = row_a[j];
}
