// opencl: out-of-bounds of 't' in line 6; pirch: out-of-bounds of 't' in line 6
// A column beyond its row, though inside of the array.
__kernel void k(__global int *out) {
  int t[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int column = get_global_id(0);
  out[get_global_id(0)] = t[0][column];
}
