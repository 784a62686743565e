// The sum of a cell and its six neighbours in a box of numbers, of which the outermost layer is copied.
__kernel void stencil3d(__global const int *in, __global int *out) {
  const size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  const size_t nx = get_global_size(0), ny = get_global_size(1), nz = get_global_size(2);
  const size_t i = (z * ny + y) * nx + x;
  int sum = in[i];
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
    sum += in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny];
  out[i] = sum;
}
