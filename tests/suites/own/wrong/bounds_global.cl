// opencl: out-of-bounds of 'out' in line 4; pirch: out-of-bounds of 'out' in line 4
// One number too many.
__kernel void k(__global int *out) {
  out[get_global_id(0) + 1] = 1;
}
