// opencl: out-of-bounds of 't' in line 4; pirch: out-of-bounds of 't' in line 4
// The launch gives less local memory than the kernel uses.
__kernel void k(__global int *out, __local int *t) {
  t[2 * get_local_id(0)] = 1;
  out[get_local_id(0)] = t[2 * get_local_id(0)];
}
