// Each group turns its part of x round by one: item i gets what item i + 1 had, through local memory. Without a barrier (-D BARRIER) that is
// right only where the two items run in lockstep: see docs/models.md.
__kernel void rotate(__global int *x) {
  __local int t[get_local_size()];
  const size_t i = get_local_id();
  t[i] = x[get_global_id()];
#ifdef BARRIER
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  x[get_global_id()] = t[(i + 1) % get_local_size()];
}
