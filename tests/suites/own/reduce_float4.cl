// Sums in float4, component by component, each item over a part of its own.
__kernel void reduce_float4(__global const float4 *in, __global float *out, int part) {
  int i = get_global_id(0);
  float4 sum = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  __global const float4 *p = in + i * part;
  int k = part;
  do {
    sum += *p++;
  } while (--k);
  out[i] = (sum.x + sum.y) + (sum.z + sum.w);
}
