// Sums of absolute differences of a block of pixels with the places around it.
__kernel void sad(__global const uchar *frame, __global const uchar *block, __global ushort *sums, int width, int range) {
  int dx = get_global_id(0), dy = get_global_id(1);
  ushort sum = 0;
  for (int y = 0; y < 4; ++y) {
    uchar4 a = vload4(0, frame + (dy + y) * width + dx);
    uchar4 b = vload4(y, block);
    ushort4 d = convert_ushort4(abs_diff(a, b));
    sum += d.x + d.y + d.z + d.w;
  }
  sums[dy * range + dx] = sum;
}
