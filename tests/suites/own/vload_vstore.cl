// Rows of three bytes become rows of four, and sums of pairs that begin anywhere.
__kernel void vload_vstore(__global const uchar *rgb, __global uchar *rgba, __global const short *s, __global short *pairs) {
  size_t i = get_global_id(0);
  uchar3 p = vload3(i, rgb);
  vstore4((uchar4)(p.zyx, 255), i, rgba);
  short2 left = vload2(0, s + i), right = vload2(0, s + i + 1);
  vstore2(left + right, i, pairs);
}
