// A sort of neighbours, a round for each item, in local memory.
__kernel void odd_even(__global short *data, __local short *v, int n) {
  int i = get_local_id(0);
  v[2 * i] = data[2 * i];
  v[2 * i + 1] = data[2 * i + 1];
  for (int round = 0; round < n; ++round) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int a = 2 * i + (round & 1), b = a + 1;
    if (b < n && v[a] > v[b]) {
      short t = v[a];
      v[a] = v[b];
      v[b] = t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  data[2 * i] = v[2 * i];
  data[2 * i + 1] = v[2 * i + 1];
}
