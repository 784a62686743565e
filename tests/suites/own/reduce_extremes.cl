// The least number and where it stands, the greatest, in one tree; of equal ones the first.
typedef struct { int value; int place; } candidate;
candidate better(candidate a, candidate b) { return (b.value < a.value || (b.value == a.value && b.place < a.place)) ? b : a; }
__kernel void reduce_extremes(__global const int *in, __global candidate *least, __global int *greatest) {
  __local candidate best[16];
  __local int most;
  int lid = get_local_id(0), gid = get_global_id(0);
  candidate own;
  own.value = in[gid];
  own.place = gid;
  best[lid] = own;
  if (lid == 0) most = INT_MIN;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_max(&most, in[gid]);
  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (lid < s) best[lid] = better(best[lid], best[lid + s]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0) {
    least[get_group_id(0)] = best[0];
    greatest[get_group_id(0)] = most;
  }
}
