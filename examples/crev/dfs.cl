// Depth-first search of a whole graph. The neighbours of node u are target[first[u] … first[u+1]). number[u] becomes u's place in the order of
// visits (from 0), parent[u] the node that it was visited from, or u itself for the first node of a tree. The order is the one of the
// textbook: roots ascending, neighbours as they are listed. number is given as -1 everywhere. `count` is scratch, one cell. One group of any
// size.

// All items visit one node: they look at its neighbours together, each calls for the one that it has found, and the calls are served in
// the order of the items, so in the order of the list. What a neighbour is worth is known only when its call is served: another one may have
// come there first.
void visit(__global const uint *first, __global const uint *target, __global int *number, __global uint *parent, __global int *count,
           uniform uint node, uniform uint from) {
  if (number[node] >= 0)
    return;
  number[node] = count[0];
  parent[node] = from;
  count[0] = number[node] + 1;
  for (uint e = first[node] + get_local_id(); e < first[node + 1]; e += get_local_size())
    if (number[target[e]] < 0)
      crev visit(first, target, number, parent, count, target[e], node);
}

__kernel void dfs_crev(__global const uint *first, __global const uint *target, uint nodes, __global int *number, __global uint *parent,
                       __global int *count) {
  count[0] = 0;
  for (uint root = get_local_id(); root < nodes; root += get_local_size())
    if (number[root] < 0)
      crev visit(first, target, number, parent, count, root, root);
}

// Warp-synchronous: no recursion but a stack of tasks (a node and where it was seen from) that all items fill together. It needs a cell for each
// edge, and one more.
__kernel void dfs_par(__global const uint *first, __global const uint *target, uint nodes, __global int *number, __global uint *parent,
                      __global int *count, __global uint *stack_node, __global uint *stack_from) {
  count[0] = 0;
  for (uint root = 0; root < nodes; root += 1) {
    uint height = 1;
    stack_node[0] = root;
    stack_from[0] = root;
    while (height > 0) {
      height -= 1;
      const uint node = stack_node[height];
      if (number[node] < 0) {
        number[node] = count[0];
        parent[node] = stack_from[height];
        count[0] = number[node] + 1;
        const uint degree = first[node + 1] - first[node];
        // The last neighbour goes in first.
        for (uint i = get_local_id(); i < degree; i += get_local_size()) {
          stack_node[height + degree - 1 - i] = target[first[node] + i];
          stack_from[height + degree - 1 - i] = node;
        }
        height += degree;
      }
    }
  }
}

// Item 0 alone, recursive.
void visit_alone(__global const uint *first, __global const uint *target, __global int *number, __global uint *parent,
                 __global int *count, uint node, uint from) {
  number[node] = count[0];
  parent[node] = from;
  count[0] += 1;
  for (uint e = first[node]; e < first[node + 1]; e += 1)
    if (number[target[e]] < 0)
      visit_alone(first, target, number, parent, count, target[e], node);
}

__kernel void dfs_seq(__global const uint *first, __global const uint *target, uint nodes, __global int *number, __global uint *parent,
                      __global int *count) {
  if (get_local_id() == 0) {
    count[0] = 0;
    for (uint root = 0; root < nodes; root += 1)
      if (number[root] < 0)
        visit_alone(first, target, number, parent, count, root, root);
  }
}
