// Keys with values, sorted by a group in local memory.
void ComparatorPrivate(uint *keyA, uint *valA, uint *keyB, uint *valB, uint dir) {
  if ((*keyA > *keyB) == dir) {
    uint t;
    t = *keyA; *keyA = *keyB; *keyB = t;
    t = *valA; *valA = *valB; *valB = t;
  }
}
void ComparatorLocal(__local uint *keyA, __local uint *valA, __local uint *keyB, __local uint *valB, uint dir) {
  uint a = *keyA, b = *keyB, va = *valA, vb = *valB;
  ComparatorPrivate(&a, &va, &b, &vb, dir);
  *keyA = a; *keyB = b; *valA = va; *valB = vb;
}
#define LIMIT 16
__kernel __attribute__((reqd_work_group_size(LIMIT / 2, 1, 1))) void bitonic_local(__global uint *keys, __global uint *values, uint dir) {
  __local uint l_key[LIMIT], l_val[LIMIT];
  uint base = get_group_id(0) * LIMIT, lid = get_local_id(0);
  for (uint k = lid; k < LIMIT; k += LIMIT / 2) {
    l_key[k] = keys[base + k];
    l_val[k] = values[base + k];
  }
  for (uint size = 2; size < LIMIT; size <<= 1) {
    uint ddd = dir ^ ((lid & (size / 2)) != 0);
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint pos = 2 * lid - (lid & (stride - 1));
      ComparatorLocal(&l_key[pos + 0], &l_val[pos + 0], &l_key[pos + stride], &l_val[pos + stride], ddd);
    }
  }
  for (uint stride = LIMIT / 2; stride > 0; stride >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint pos = 2 * lid - (lid & (stride - 1));
    ComparatorLocal(&l_key[pos], &l_val[pos], &l_key[pos + stride], &l_val[pos + stride], dir);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = lid; k < LIMIT; k += LIMIT / 2) {
    keys[base + k] = l_key[k];
    values[base + k] = l_val[k];
  }
}
