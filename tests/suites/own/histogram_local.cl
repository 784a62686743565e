// Counts in local memory by atomic functions, added up in global memory.
#define BINS 16
__kernel void histogram_local(__global const uchar4 *data, __global uint *histogram, uint quads) {
  __local uint counts[BINS];
  for (int b = get_local_id(0); b < BINS; b += get_local_size(0)) counts[b] = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < quads; i += get_global_size(0)) {
    uchar4 v = data[i] >> (uchar)4;
    atomic_inc(counts + v.x);
    atomic_inc(counts + v.y);
    (void)atomic_add(&counts[v.z], 1u);
    atom_inc(&counts[v.w]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int b = get_local_id(0); b < BINS; b += get_local_size(0))
    if (counts[b]) atomic_add(&histogram[b], counts[b]);
}
