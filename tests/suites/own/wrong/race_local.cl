// opencl: race of 't' in lines 6 and 8; pirch: clean
// A tree without barriers.
__kernel void k(__global const int *x, __global int *out) {
  __local int t[8];
  int i = get_local_id(0);
  t[i] = x[i];
  for (int s = 4; s > 0; s /= 2)
    if (i < s) t[i] += t[i + s];
  if (i == 0) out[0] = t[0];
}
