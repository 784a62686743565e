// A Mersenne twister an item, with a small state in private memory, seeded by the item's own number.
#define NN 19
#define MM 9
#define SHIFT0 12
#define SHIFTB 7
#define SHIFTC 15
#define SHIFT1 18
__kernel void twister(__global const uint *seeds, __global float *uniform_numbers, __global uint *raw, int per_item) {
  uint mt[NN], x;
  int gid = get_global_id(0), all = get_global_size(0);
  mt[0] = seeds[gid];
  for (int k = 1; k < NN; ++k) mt[k] = 1812433253U * (mt[k - 1] ^ (mt[k - 1] >> 30)) + k;
  int state = 0;
  uint next = mt[0];
  for (int out = 0; out < per_item; ++out) {
    int state1 = state + 1, stateM = state + MM;
    if (state1 >= NN) state1 -= NN;
    if (stateM >= NN) stateM -= NN;
    uint now = next;
    next = mt[state1];
    x = (now & 0xfffffffeU) | (next & 1U);
    x = mt[stateM] ^ (x >> 1) ^ ((x & 1) ? 0x9908b0dfU : 0U);
    mt[state] = x;
    state = state1;
    x ^= x >> SHIFT0;
    x ^= (x << SHIFTB) & 0x9d2c5680U;
    x ^= (x << SHIFTC) & 0xefc60000U;
    x ^= x >> SHIFT1;
    raw[gid + out * all] = x;
    uniform_numbers[gid + out * all] = ((float)x + 1.0f) / 4294967296.0f;
  }
}
