// opencl: out-of-bounds of 'v' in line 6; pirch: out-of-bounds of 'v' in line 6
// An index that comes from a buffer leaves a private array.
__kernel void k(__global const int *x, __global int *out) {
  int v[4];
  for (int k = 0; k < 4; ++k) v[k] = k;
  out[get_global_id(0)] = v[x[get_global_id(0)]];
}
