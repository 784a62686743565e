// Sums over a window, of a part of the numbers that lies in local memory with a halo on both sides.
#define HALO 3
__kernel void halo_sum(__global const int *in, __global int *out, int n) {
  __local int tile[16 + 2 * HALO];
  int gid = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
  for (int k = lid; k < size + 2 * HALO; k += size) {
    int at = (int)get_group_id(0) * size + k - HALO;
    tile[k] = (at >= 0 && at < n) ? in[at] : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (gid >= n) return;
  int sum = 0;
  for (int d = -HALO; d <= HALO; ++d) sum += tile[lid + HALO + d];
  out[gid] = sum;
}
