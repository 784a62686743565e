// opencl: uninitialised-variable of 'v[3]' in line 6; pirch: uninitialised-variable of 'v[3]' in line 6
// The last element is never written.
__kernel void k(__global int *out) {
  int v[4];
  for (int k = 0; k < 3; ++k) v[k] = k;
  out[get_global_id(0)] = v[get_global_id(0)];
}
