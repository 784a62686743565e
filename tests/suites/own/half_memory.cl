// Numbers of 16 bits in memory: what is computed is float.
__kernel void half_memory(__global const half *in, __global half *out, __global float *squares) {
  size_t i = get_global_id(0);
  float x = vload_half(i, in);
  squares[i] = x * x;
  vstore_half(x * 1.5f, i, out);
}
