// How many steps each number takes to 1: loops of different lengths.
__kernel void collatz(__global const uint *start, __global uint *steps, __global ulong *highest) {
  uint i = get_global_id(0);
  ulong n = start[i], top = n;
  uint count = 0;
  while (n != 1) {
    n = (n & 1) ? 3 * n + 1 : n / 2;
    if (n > top) top = n;
    if (++count == 500) break;
  }
  steps[i] = count;
  highest[i] = top;
}
