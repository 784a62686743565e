// opencl: uninitialised-cell of 'x[0]' in line 4; pirch: uninitialised-cell of 'x[0]' in line 4
// A buffer that the host has not filled.
__kernel void k(__global int *x) {
  x[get_global_id(0)] += 1;
}
