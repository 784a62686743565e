// refused: this is const and cannot be changed; the type is 'const __global int *' in line 3
// A constant is written.
__kernel void k(__global const int *x, __global int *out) { x[0] = 1;
  out[0] = x[0];
}
