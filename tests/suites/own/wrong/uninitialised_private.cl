// opencl: uninitialised-variable of 'best' in line 6; pirch: uninitialised-variable of 'best' in line 6
// A variable that only some ways give a value.
__kernel void k(__global const int *x, __global int *out) {
  int i = get_global_id(0), best;
  if (x[i] > 0) best = x[i];
  out[i] = best;
}
