// Shortest paths from one node (Bellman and Ford). The edges of node u are edge[first[u] … first[u+1]): `target` and `weight`; they lead
// to different nodes. Weights may be negative, but no cycle's sum is. distance[v] becomes the length of a shortest path from the source
// to v, FAR where there is none. `changed` is scratch, one cell. One group of any size.
#define FAR 0x7fffffff

// All items set out: nothing is reached but the source.
void begin(__global int *distance, uint nodes, uint source) {
  for (uint v = get_local_id(); v < nodes; v += get_local_size())
    distance[v] = v == source ? 0 : FAR;
}

// All items together relax the edges of one node.
void relax(__global const uint *first, __global const uint *target, __global const int *weight, __global int *distance,
           __global int *changed, uniform uint u) {
  const int here = distance[u];
  for (uint e = first[u] + get_local_id(); e < first[u + 1]; e += get_local_size())
    if (here + weight[e] < distance[target[e]]) {
      distance[target[e]] = here + weight[e];
      changed[0] = 1;
    }
}

// Each item has nodes of its own, and calls all others to relax the edges of those that are reached.
__kernel void bellmanford_crev(__global const uint *first, __global const uint *target, __global const int *weight, uint nodes,
                               uint source, __global int *distance, __global int *changed) {
  begin(distance, nodes, source);
  changed[0] = 1;
  while (changed[0] != 0) {
    changed[0] = 0;
    for (uint u = get_local_id(); u < nodes; u += get_local_size())
      if (distance[u] != FAR)
        crev relax(first, target, weight, distance, changed, u);
  }
}

// Warp-synchronous: all items go through all nodes together, and share the edges of each.
__kernel void bellmanford_par(__global const uint *first, __global const uint *target, __global const int *weight, uint nodes,
                              uint source, __global int *distance, __global int *changed) {
  begin(distance, nodes, source);
  changed[0] = 1;
  while (changed[0] != 0) {
    changed[0] = 0;
    for (uint u = 0; u < nodes; u += 1) {
      const int here = distance[u];
      if (here != FAR)
        for (uint e = first[u] + get_local_id(); e < first[u + 1]; e += get_local_size())
          if (here + weight[e] < distance[target[e]]) {
            distance[target[e]] = here + weight[e];
            changed[0] = 1;
          }
    }
  }
}

// Item 0 alone.
__kernel void bellmanford_seq(__global const uint *first, __global const uint *target, __global const int *weight, uint nodes,
                              uint source, __global int *distance, __global int *changed) {
  if (get_local_id() == 0) {
    for (uint v = 0; v < nodes; v += 1)
      distance[v] = FAR;
    distance[source] = 0;
    changed[0] = 1;
    while (changed[0] != 0) {
      changed[0] = 0;
      for (uint u = 0; u < nodes; u += 1) {
        const int here = distance[u];
        if (here != FAR)
          for (uint e = first[u]; e < first[u + 1]; e += 1)
            if (here + weight[e] < distance[target[e]]) {
              distance[target[e]] = here + weight[e];
              changed[0] = 1;
            }
      }
    }
  }
}
