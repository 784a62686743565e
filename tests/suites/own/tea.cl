// Blocks of two words are enciphered, and deciphered again.
uint2 encipher(uint2 v, uint4 k) {
  uint sum = 0;
  for (int i = 0; i < 32; i++) {
    sum += 0x9e3779b9u;
    v.x += ((v.y << 4) + k.x) ^ (v.y + sum) ^ ((v.y >> 5) + k.y);
    v.y += ((v.x << 4) + k.z) ^ (v.x + sum) ^ ((v.x >> 5) + k.w);
  }
  return v;
}
uint2 decipher(uint2 v, uint4 k) {
  for (uint sum = 0xc6ef3720u; sum; sum -= 0x9e3779b9u) {
    v.y -= ((v.x << 4) + k.z) ^ (v.x + sum) ^ ((v.x >> 5) + k.w);
    v.x -= ((v.y << 4) + k.x) ^ (v.y + sum) ^ ((v.y >> 5) + k.y);
  }
  return v;
}
__kernel void tea(__global uint2 *blocks, uint4 key, __global uint2 *again) {
  size_t i = get_global_id(0);
  blocks[i] = encipher(blocks[i], key);
  again[i] = decipher(blocks[i], key);
}
