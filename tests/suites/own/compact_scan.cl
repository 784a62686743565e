// Numbers that are kept move together, in order: a scan of flags by one group.
__kernel void compact_scan(__global const int *in, __global int *out, __global int *count, __local int *place, int threshold) {
  int i = get_local_id(0), n = get_local_size(0);
  int keep = in[i] > threshold;
  place[i] = keep;
  for (int d = 1; d < n; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = i >= d ? place[i - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    place[i] += t;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (keep) out[place[i] - 1] = in[i];
  if (i == n - 1) *count = place[i];
}
