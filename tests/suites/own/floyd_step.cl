// One round of all shortest paths: over node k.
#define INF 10000
__kernel void floyd_step(__global uint *distance, __global uint *path, const uint n, const uint k) {
  int x = get_global_id(0), y = get_global_id(1);
  uint direct = distance[y * n + x];
  if (x == k || y == k) return;
  uint around = distance[y * n + k] + distance[k * n + x];
  if (around < direct) {
    distance[y * n + x] = around;
    path[y * n + x] = k;
  }
}
