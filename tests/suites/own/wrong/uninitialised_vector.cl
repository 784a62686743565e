// opencl: uninitialised-variable of 'v_w' in line 5; pirch: uninitialised-variable of 'v_w' in line 5
// Three components of four.
__kernel void k(__global float4 *out, __global const float *x) {
  float4 v; v.xyz = vload3(0, x);
  out[get_global_id(0)] = v;
}
