// Edges of an image of bytes, both directions, in whole numbers.
__kernel void sobel(__global const uchar *in, __global uchar *out) {
  uint x = get_global_id(0), y = get_global_id(1);
  uint width = get_global_size(0), height = get_global_size(1);
  int c = x + y * width;
  if (x >= 1 && x < (width - 1) && y >= 1 && y < height - 1) {
    int i00 = in[c - 1 - width], i10 = in[c - width], i20 = in[c + 1 - width];
    int i01 = in[c - 1], i21 = in[c + 1];
    int i02 = in[c - 1 + width], i12 = in[c + width], i22 = in[c + 1 + width];
    int gx = i00 + 2 * i10 + i20 - i02 - 2 * i12 - i22;
    int gy = i00 - i20 + 2 * i01 - 2 * i21 + i02 - i22;
    out[c] = convert_uchar_sat((abs(gx) + abs(gy)) / 2);
  } else {
    out[c] = 0;
  }
}
