// opencl: out-of-bounds in line 4; pirch: out-of-bounds in line 4
// A pointer that points to nothing.
__kernel void k(__global int *x) {
  x[get_global_id(0)] = 1;
}
