// Rows are brought to local memory by the group, turned round, and brought back; every second number of another buffer as well.
__kernel void async_copy(__global const int *in, __global int *out, __global const short *pairs, __local int *row) {
  __local short firsts[8];
  const int n = get_local_size(0), i = get_local_id(0), g = get_group_id(0);
  event_t copied = async_work_group_copy(row, in + g * n, n, 0);
  copied = async_work_group_strided_copy(firsts, pairs + g * 2 * n, n, 2, copied);
  wait_group_events(1, &copied);
  const int other = row[n - 1 - i];
  barrier(CLK_LOCAL_MEM_FENCE);
  row[i] = other * 10 + firsts[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t back = async_work_group_copy(out + g * n, row, n, 0);
  wait_group_events(1, &back);
}
