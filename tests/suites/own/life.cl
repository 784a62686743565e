// Conway's game on a torus, eight cells a byte.
bool alive(__global const uchar *cells, int x, int y, int bytes, int height) {
  x = (x + bytes * 8) % (bytes * 8);
  y = (y + height) % height;
  return (cells[y * bytes + (x >> 3)] >> (x & 7)) & 1;
}
__kernel void life(__global const uchar *cells, __global uchar *next, int height) {
  int b = get_global_id(0), y = get_global_id(1), bytes = get_global_size(0);
  uchar result = 0;
  for (int bit = 0; bit < 8; bit++) {
    int x = 8 * b + bit, count = 0;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++)
        if (dx | dy) count += alive(cells, x + dx, y + dy, bytes, height);
    if (count == 3 || (count == 2 && alive(cells, x, y, bytes, height))) result |= 1 << bit;
  }
  next[y * bytes + b] = result;
}
