// refused: __constant memory cannot be written in line 4
// Constant memory is written.
__kernel void k(__constant int *x, __global int *out) {
  x[get_global_id(0)] = 1;
  out[0] = x[0];
}
