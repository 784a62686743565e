// The last pass: keys go to where the prefix sums of the counts say.
__kernel void radix_scatter(__global const uint *keys, __global const uint *starts, __global uint *sorted, int part, uint shift) {
  uint next[4];
  int i = get_global_id(0), all = get_global_size(0);
  for (int d = 0; d < 4; ++d) next[d] = starts[d * all + i];
  for (int k = 0; k < part; ++k) {
    uint key = keys[i * part + k];
    sorted[next[(key >> shift) & 3]++] = key;
  }
}
