// One step of a breadth-first search; several items may find the same node, and say so by an atomic function.
typedef struct { int starting; int no_of_edges; } Node;
__kernel void bfs_step(__global const Node *g_graph_nodes, __global int *g_graph_edges, __global char *g_graph_mask, __global int *g_updating,
                       __global char *g_graph_visited, __global int *g_cost, int no_of_nodes) {
  int tid = get_global_id(0);
  if (tid < no_of_nodes && g_graph_mask[tid]) {
    g_graph_mask[tid] = false;
    for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
      int id = g_graph_edges[i];
      if (!g_graph_visited[id]) {
        atomic_xchg(&g_cost[id], g_cost[tid] + 1);
        atomic_or(&g_updating[id], 1);
      }
    }
  }
}
