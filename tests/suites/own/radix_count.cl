// The first pass of a radix sort: how many keys of each digit an item has, digits apart.
__kernel void radix_count(__global const uint *keys, __global uint *counts, int part, uint shift) {
  uint own[4] = {0, 0, 0, 0};
  int i = get_global_id(0), all = get_global_size(0);
  for (int k = 0; k < part; ++k) own[(keys[i * part + k] >> shift) & 3]++;
  for (int d = 0; d < 4; ++d) counts[d * all + i] = own[d];
}
