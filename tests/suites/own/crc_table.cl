// A check sum of bytes by a table that the group makes first.
__kernel void crc_table(__global const uchar *data, __global uint *crc, int bytes) {
  __local uint table[256];
  for (uint n = get_local_id(0); n < 256; n += get_local_size(0)) {
    uint c = n;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[n] = c;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __global const uchar *p = data + get_global_id(0) * bytes;
  uint c = ~0u;
  for (__global const uchar *end = p + bytes; p < end; ++p) c = table[(c ^ *p) & 0xff] ^ (c >> 8);
  crc[get_global_id(0)] = ~c;
}
