// Digests of short messages, one block an item.
#define F(x, y, z) bitselect((z), (y), (x))
#define G(x, y, z) bitselect((y), (x), (z))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define STEP(f, a, b, c, d, k, i, s) a = b + rotate(a + f(b, c, d) + w[k] + sines[i], (uint)(s));
__kernel void md5(__constant uint *sines, __global const uchar *messages, __global const int *lengths, __global uint4 *digests) {
  const int gid = get_global_id(0), length = lengths[gid];
  uint w[16];
  for (int k = 0; k < 16; ++k) w[k] = 0;
  for (int k = 0; k < length; ++k) w[k / 4] |= (uint)messages[32 * gid + k] << (8 * (k % 4));
  w[length / 4] |= 0x80u << (8 * (length % 4));
  w[14] = 8 * length;
  uint4 h = (uint4)(0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u);
  uint a = h.s0, b = h.s1, c = h.s2, d = h.s3;
  for (int i = 0; i < 64; i += 4) {
    switch (i >> 4) {
      case 0:
        STEP(F, a, b, c, d, i, i, 7) STEP(F, d, a, b, c, i + 1, i + 1, 12) STEP(F, c, d, a, b, i + 2, i + 2, 17) STEP(F, b, c, d, a, i + 3, i + 3, 22)
        break;
      case 1:
        STEP(G, a, b, c, d, (5 * i + 1) & 15, i, 5) STEP(G, d, a, b, c, (5 * i + 6) & 15, i + 1, 9)
        STEP(G, c, d, a, b, (5 * i + 11) & 15, i + 2, 14) STEP(G, b, c, d, a, (5 * i + 16) & 15, i + 3, 20)
        break;
      case 2:
        STEP(H, a, b, c, d, (3 * i + 5) & 15, i, 4) STEP(H, d, a, b, c, (3 * i + 8) & 15, i + 1, 11)
        STEP(H, c, d, a, b, (3 * i + 11) & 15, i + 2, 16) STEP(H, b, c, d, a, (3 * i + 14) & 15, i + 3, 23)
        break;
      default:
        STEP(I, a, b, c, d, (7 * i) & 15, i, 6) STEP(I, d, a, b, c, (7 * i + 7) & 15, i + 1, 10)
        STEP(I, c, d, a, b, (7 * i + 14) & 15, i + 2, 15) STEP(I, b, c, d, a, (7 * i + 21) & 15, i + 3, 21)
    }
  }
  digests[gid] = h + (uint4)(a, b, c, d);
}
