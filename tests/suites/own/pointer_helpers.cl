// Helpers that change what pointers point to: private arrays, parts of buffers.
void exchange(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}
void sort3(int *v) {
  if (v[0] > v[1]) exchange(v, v + 1);
  if (v[1] > v[2]) exchange(&v[1], &v[2]);
  if (v[0] > v[1]) exchange(v, v + 1);
}
int extent(__global const int *row, int n, int *least) {
  int most = row[0];
  *least = row[0];
  for (__global const int *p = row + 1; p != row + n; ++p) {
    most = max(most, *p);
    *least = min(*least, *p);
  }
  return most - *least;
}
__kernel void pointer_helpers(__global int *rows, __global int *medians, __global int *extents) {
  int i = get_global_id(0);
  __global int *row = rows + 3 * i;
  int least;
  extents[2 * i] = extent(row, 3, &least);
  extents[2 * i + 1] = least;
  int v[3];
  for (int k = 0; k < 3; ++k) v[k] = row[k];
  sort3(v);
  medians[i] = v[1];
  *row++ = v[2];
  *row++ = v[0];
  row[0] = v[1];
}
