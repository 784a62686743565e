// opencl: out-of-bounds of 'x' in line 5; pirch: out-of-bounds of 'x' in line 5
// One number too early.
__kernel void k(__global const int *x, __global int *out) {
  int i = get_global_id(0);
  out[i] = x[i - 1];
}
