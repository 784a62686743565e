// Leader election: leader[v] becomes the smallest node of v's connected component. The graph is undirected: each edge is listed with both of
// its nodes; the neighbours of node u are target[first[u] … first[u+1]). One group of any size.
#define NONE (-1)

void forget(__global int *leader, uint nodes) {
  for (uint v = get_local_id(); v < nodes; v += get_local_size())
    leader[v] = NONE;
}

// All items spread a leader to one node, and from there to its neighbours.
void spread(__global const uint *first, __global const uint *target, __global int *leader, uniform uint node, uniform int chosen) {
  if (leader[node] != NONE)
    return;
  leader[node] = chosen;
  for (uint e = first[node] + get_local_id(); e < first[node + 1]; e += get_local_size())
    if (leader[target[e]] == NONE)
      crev spread(first, target, leader, target[e], chosen);
}

// Each item has the task of finding the components of some nodes. Calls are served in the order of the items, so a component is found from
// its smallest node.
__kernel void leader_crev(__global const uint *first, __global const uint *target, uint nodes, __global int *leader) {
  forget(leader, nodes);
  for (uint v = get_local_id(); v < nodes; v += get_local_size())
    if (leader[v] == NONE)
      crev spread(first, target, leader, v, v);
}

// Warp-synchronous: everyone takes the smallest leader among its node's neighbours until nothing changes any more.
__kernel void leader_par(__global const uint *first, __global const uint *target, uint nodes, __global int *leader) {
  for (uint v = get_local_id(); v < nodes; v += get_local_size())
    leader[v] = v;
  bool changed = true;
  while (any(changed)) {
    changed = false;
    for (uint v = get_local_id(); v < nodes; v += get_local_size()) {
      int smallest = leader[v];
      for (uint e = first[v]; e < first[v + 1]; e += 1)
        smallest = min(smallest, leader[target[e]]);
      if (smallest != leader[v]) {
        leader[v] = smallest;
        changed = true;
      }
    }
  }
}

// Item 0 alone, recursive.
void spread_alone(__global const uint *first, __global const uint *target, __global int *leader, uint node, int chosen) {
  leader[node] = chosen;
  for (uint e = first[node]; e < first[node + 1]; e += 1)
    if (leader[target[e]] == NONE)
      spread_alone(first, target, leader, target[e], chosen);
}

__kernel void leader_seq(__global const uint *first, __global const uint *target, uint nodes, __global int *leader) {
  if (get_local_id() == 0) {
    for (uint v = 0; v < nodes; v += 1)
      leader[v] = NONE;
    for (uint v = 0; v < nodes; v += 1)
      if (leader[v] == NONE)
        spread_alone(first, target, leader, v, v);
  }
}
