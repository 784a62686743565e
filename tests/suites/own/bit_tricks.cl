// Counting, turning, spreading bits.
uint reversed(uint v) {
  v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
  v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
  v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
  v = ((v >> 8) & 0x00ff00ffu) | ((v & 0x00ff00ffu) << 8);
  return (v >> 16) | (v << 16);
}
ulong spread(uint v) {
  ulong w = v;
  w = (w | (w << 16)) & 0x0000ffff0000ffffUL;
  w = (w | (w << 8)) & 0x00ff00ff00ff00ffUL;
  w = (w | (w << 4)) & 0x0f0f0f0f0f0f0f0fUL;
  w = (w | (w << 2)) & 0x3333333333333333UL;
  return (w | (w << 1)) & 0x5555555555555555UL;
}
__kernel void bit_tricks(__global const uint *in, __global uint *out, __global ulong *morton) {
  const int i = get_global_id(0), n = get_global_size(0);
  const uint v = in[i];
  out[i] = popcount(v);
  out[n + i] = clz(v);
  out[2 * n + i] = reversed(v);
  out[3 * n + i] = rotate(v, 7u);
  out[4 * n + i] = v ^ (v >> 1);
  out[5 * n + i] = mul_hi(v, 0x9e3779b9u);
  out[6 * n + i] = hadd(v, 3u) + rhadd(v, 4u);
  out[7 * n + i] = v & (~v + 1);
  morton[i] = spread(v) | (spread(in[(i + 1) % n]) << 1);
}
