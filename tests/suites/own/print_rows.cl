// Prints a line an item, and says in a buffer how long the numbers are.
__kernel void print_rows(__global const int *x, __global const float *f, __global int *digits) {
  int i = get_global_id(0);
  printf("row %d: %5d|%-4x|%8.3f|%s\n", i, x[i], x[i] & 0xff, f[i], "end");
  int n = 0;
  for (int v = abs(x[i]); v != 0; v /= 10) ++n;
  digits[i] = n;
}
