// Random points in a square, by xorshift: how many lie in the circle, whole numbers alone.
uint next_random(uint *s) {
  *s ^= *s << 13;
  *s ^= *s >> 17;
  *s ^= *s << 5;
  return *s;
}
__kernel void monte_carlo(__global const uint *seeds, __global uint *hits, __global ulong *total, uint rounds) {
  uint s = seeds[get_global_id(0)], inside = 0;
  for (uint r = 0; r < rounds; ++r) {
    ulong x = next_random(&s) >> 16, y = next_random(&s) >> 16;
    inside += x * x + y * y < (1UL << 32);
  }
  hits[get_global_id(0)] = inside;
  atom_add(total, (ulong)inside);
}
