// opencl: out-of-bounds of 'x' in line 4; pirch: out-of-bounds of 'x' in line 4
// The last vector has two numbers only.
__kernel void k(__global const float *x, __global float4 *out) {
  out[get_global_id(0)] = vload4(get_global_id(0), x);
}
