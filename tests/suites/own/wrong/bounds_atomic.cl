// opencl: out-of-bounds of 'bins' in line 4; pirch: out-of-bounds of 'bins' in line 4
// A bin that is not there.
__kernel void k(__global const uint *x, __global uint *bins) {
  atomic_inc(&bins[x[get_global_id(0)]]);
}
