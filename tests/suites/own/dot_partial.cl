// A dot product: each item strides over both vectors, each group adds what its items have.
__kernel void dot_partial(__global const float *x, __global const float *y, __global float *partial, __local float *cache, uint n) {
  uint lid = get_local_id(0);
  float sum = 0.0f;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    sum += x[i] * y[i];
  cache[lid] = sum;
  for (uint s = get_local_size(0) >> 1; s > 0; s >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < s)
      cache[lid] += cache[lid + s];
  }
  if (lid == 0)
    partial[get_group_id(0)] = cache[0];
}
