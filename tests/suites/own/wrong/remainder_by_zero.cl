// opencl: division-by-zero in line 4; pirch: division-by-zero in line 4
// The same of a remainder by a scalar.
__kernel void k(__global uint *out, uint n) {
  out[get_global_id(0)] = get_global_id(0) % n;
}
