// Forward elimination with multipliers that another kernel has left, and the right side with it.
__kernel void gauss_rows(__global const float *m, __global float *a, __global float *b, const int size, const int t) {
  int globalIdx = get_global_id(0), globalIdy = get_global_id(1);
  if (globalIdx < size - 1 - t && globalIdy < size - t) {
    int row = globalIdx + 1 + t, column = globalIdy + t;
    a[row * size + column] -= m[row * size + t] * a[size * t + column];
    if (globalIdy == 0) b[row] -= m[row * size + t] * b[t];
  }
}
