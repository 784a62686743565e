// opencl: race of 'x' in lines 4 and 4; pirch: clean
// The next item's number is read while it is written.
__kernel void k(__global int *x) {
  x[get_global_id(0)] = x[get_global_id(0) + 1] + 1;
}
