// What g++ 12.2 makes a trap of with -fwrapv (docs/found.md): a negated quotient of a divisor that is no least number.
kernel void quotients(int a, int b, global const int *x, global const int *y, global int *o) {
  const size_t i = get_global_id();
  o[i] = -(a / ((b & 7) + 1)) + i - -(x[i] / ((y[i] & 7) + 1));
}
