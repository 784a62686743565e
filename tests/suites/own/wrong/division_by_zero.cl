// opencl: division-by-zero in line 4; pirch: division-by-zero in line 4
// A divisor that may be 0.
__kernel void k(__global const int *x, __global int *out) {
  out[get_global_id(0)] = 100 / x[get_global_id(0)];
}
