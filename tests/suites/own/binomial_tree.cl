// The value of an American put by a tree of prices that are given, backwards in local memory.
__kernel void binomial_tree(__global const float *strikes, __global const float *prices, __global float *values, int steps, float up, float down,
                            __local float *now) {
  int j = get_local_id(0), g = get_group_id(0);
  float strike = strikes[g];
  now[j] = max(strike - prices[steps * (steps + 1) / 2 + j], 0.0f);
  for (int t = steps - 1; t >= 0; --t) {
    barrier(CLK_LOCAL_MEM_FENCE);
    float held = 0.0f;
    if (j <= t) held = up * now[j + 1] + down * now[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (j <= t) now[j] = fmax(held, strike - prices[t * (t + 1) / 2 + j]);
  }
  if (j == 0) values[g] = now[0];
}
