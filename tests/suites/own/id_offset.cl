// A launch that does not begin with 0.
__kernel void id_offset(__global int *ids, __global int *squares) {
  int i = get_global_id(0);
  int own = i - get_global_offset(0);
  ids[own] = i;
  squares[i] = i * i + (int)get_local_id(0);
}
