// The least and the greatest number, a sum of floats by comparison and exchange, and who was there: what OpenCL 1.2 and 2.0 have for it.
float add(volatile __global uint *sum, float x) {
  uint before = atomic_or(sum, 0), seen;
  while ((seen = atomic_cmpxchg(sum, before, as_uint(as_float(before) + x))) != before) before = seen;
  return as_float(before);
}

__kernel void extremes(__global const int *x, __global int *least, __global int *greatest, __global ulong *seen) {
  const int mine = x[get_global_id(0)];
  atomic_min(least, mine);
  atomic_fetch_max_explicit(greatest, mine, memory_order_relaxed, memory_scope_device);
  atomic_fetch_or(seen, (ulong)1 << (mine & 63));
}

__kernel void sums(__global const float *x, volatile __global uint *sum) {
  if (get_local_id(0) == 0) add(sum, x[get_group_id(0)]);
}
