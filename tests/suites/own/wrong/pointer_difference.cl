// opencl: pointer-mismatch in line 4; pirch: pointer-mismatch in line 4
// A difference of pointers into two buffers.
__kernel void k(__global int *x, __global int *y) {
  x[get_global_id(0)] = y - x;
}
