// How often each number of 0 to 15 stands in `x`: a group counts in __local memory, and adds what it has to what all have.
__kernel void histogram(__global const uchar *x, __global uint *bins, uint n) {
  __local uint own[16];
  for (uint bin = get_local_id(0); bin < 16; bin += get_local_size(0)) own[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&own[x[i] & 15]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bin = get_local_id(0); bin < 16; bin += get_local_size(0)) atomic_add(&bins[bin], own[bin]);
}
