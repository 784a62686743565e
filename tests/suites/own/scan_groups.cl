// Prefix sums of more than a group: the sums of the groups in front are added up by each group, once.
inline uint of_groups(__global const uint *totals, uint group) {
  uint sum = 0;
  while (group-- > 0) sum += totals[group];
  return sum;
}
__kernel void scan_groups(__global uint4 *data, __global const uint *totals) {
  __local uint base;
  if (get_local_id(0) == 0) base = of_groups(totals, get_group_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] += base;
}
