// How many steps of the Collatz iteration (n/2 if n is even, else 3n+1) lead from n to 1, for n = 1, 2, 3, … one an item. Neighbours take
// very different numbers of steps, so a warp waits for its longest. Plain OpenCL C.
__kernel void collatz(__global uint *steps) {
  ulong n = get_global_id(0) + 1;
  uint count = 0;
  while (n != 1) {
    if (n % 2 == 0)
      n = n / 2;
    else
      n = 3 * n + 1;
    count += 1;
  }
  steps[get_global_id(0)] = count;
}
