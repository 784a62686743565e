// The mean of 3 x 3 pixels of four bytes, each side of the image as its own neighbour.
int at(int x, int y, int width, int height) { return clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1); }

__kernel void blur(__global const uchar4 *image, __global uchar4 *blurred, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) {
    return;
  }
  int4 sum = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      sum += convert_int4(image[at(x + dx, y + dy, width, height)]);
    }
  }
  blurred[y * width + x] = convert_uchar4((sum + 4) / 9);
}
