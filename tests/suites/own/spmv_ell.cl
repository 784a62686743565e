// Rows padded to one length, column by column.
__kernel void spmv_ell(__global const float *restrict val, __global const float *restrict vec, __global const int *restrict cols,
                       __global const int *restrict lengths, const int dim, __global float *restrict out) {
  uint t = get_global_id(0);
  if (t < dim) {
    float result = 0.0;
    int max = lengths[t];
    for (int i = 0; i < max; i++) {
      int ind = i * dim + t;
      result += val[ind] * vec[cols[ind]];
    }
    out[t] = result;
  }
}
