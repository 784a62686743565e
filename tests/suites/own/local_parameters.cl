// Two __local parameters of different types, and an array beside them.
__kernel void local_parameters(__global const int *in, __global float *out, __local float2 *points, __local uchar *flags) {
  __local int total;
  int i = get_local_id(0), n = get_local_size(0);
  points[i] = (float2)(in[get_global_id(0)], i);
  flags[i] = in[get_global_id(0)] > 0;
  if (i == 0) total = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (flags[(i + 1) % n]) atomic_add(&total, 1 << i);
  barrier(CLK_LOCAL_MEM_FENCE);
  float2 next = points[(i + n - 1) % n];
  out[get_global_id(0)] = next.x - next.y + total;
}
