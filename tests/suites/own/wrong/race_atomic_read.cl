// opencl: race of 'count' in lines 4 and 5; pirch: clean
// An atomic change, and a look without one.
__kernel void k(__global int *count, __global int *out) {
  atomic_inc(count);
  out[get_global_id(0)] = *count;
}
