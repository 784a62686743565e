// The three least distances of each point to all others, inserted in order in private memory.
#define K 3
__kernel void k_nearest(__global const int2 *points, __global int *order, int n) {
  int i = get_global_id(0);
  int best[K], who[K], found = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i) continue;
    int2 d = points[j] - points[i];
    int distance = d.x * d.x + d.y * d.y;
    int at = found < K ? found++ : K;
    while (at > 0 && best[at - 1] > distance) {
      if (at < K) {
        best[at] = best[at - 1];
        who[at] = who[at - 1];
      }
      --at;
    }
    if (at < K) {
      best[at] = distance;
      who[at] = j;
    }
  }
  vstore3((int3)(who[0], who[1], who[2]), i, order);
}
