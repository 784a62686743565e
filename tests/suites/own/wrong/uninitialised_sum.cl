// opencl: uninitialised-cell of 'total' in line 5; pirch: uninitialised-cell of 'total' in line 5
// Atomic changes of a local number that nobody has set.
__kernel void k(__global const int *x, __global int *out) {
  __local int total;
  atomic_add(&total, x[get_local_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) out[0] = total;
}
