// The same with a few items a row, which add what they have in local memory.
#define LANES 4
__kernel void spmv_csr_group(__global const double *val, __global const double *vec, __global const int *cols, __global const int *rows,
                             __global double *out, __local volatile double *partial, int dim) {
  const int t = get_local_id(0);
  const int lane = t & (LANES - 1);
  const int row = get_global_id(0) / LANES;
  double sum = 0;
  if (row < dim)
    for (int j = rows[row] + lane; j < rows[row + 1]; j += LANES) sum += val[j] * vec[cols[j]];
  partial[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = LANES / 2; s > 0; s /= 2) {
    if (lane < s) partial[t] += partial[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0 && row < dim) out[row] = partial[t];
}
