// Rows sorted by length, diagonals one after the other, results put where the rows were; starts of diagonals in constant memory.
__kernel void spmv_jds(__global float *dst, __global const float *data, __global const int *index, __global const int *perm,
                       __global const float *x, const int dim, __constant int *starts, __constant int *counts) {
  int ix = get_global_id(0);
  if (ix < dim) {
    float sum = 0.0f;
    int bound = counts[ix / 4];
    for (int k = 0; k < bound; k++) {
      int j = starts[k] + ix;
      int in = index[j];
      if (in >= 0) sum += data[j] * x[in];
    }
    dst[perm[ix]] = sum;
  }
}
