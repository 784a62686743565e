// Sums of groups: two numbers an item first, then a tree whose last rounds are written out.
__kernel void reduce_tree(__global const int *g_idata, __global int *g_odata, unsigned int n, __local int *sdata) {
  unsigned int tid = get_local_id(0);
  unsigned int blockSize = get_local_size(0);
  unsigned int i = get_group_id(0) * blockSize * 2 + tid;
  sdata[tid] = (i < n) ? g_idata[i] : 0;
  if (i + blockSize < n) sdata[tid] += g_idata[i + blockSize];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (blockSize >= 16) { if (tid < 8) { sdata[tid] += sdata[tid + 8]; } barrier(CLK_LOCAL_MEM_FENCE); }
  if (blockSize >= 8) { if (tid < 4) { sdata[tid] += sdata[tid + 4]; } barrier(CLK_LOCAL_MEM_FENCE); }
  if (blockSize >= 4) { if (tid < 2) { sdata[tid] += sdata[tid + 2]; } barrier(CLK_LOCAL_MEM_FENCE); }
  if (tid == 0) g_odata[get_group_id(0)] = sdata[0] + sdata[1];
}
