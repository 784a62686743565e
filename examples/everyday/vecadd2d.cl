// c = a + b, of matrices with `width` columns; the items outside of them have nothing to do.
__kernel void vecadd2d(__global const float *a, __global const float *b, __global float *c, int width, int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x < width && y < height)
    c[y * width + x] = a[y * width + x] + b[y * width + x];
}
