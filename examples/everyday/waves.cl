// A wave that fades: half as high after each quarter of its length.
__kernel void waves(__global const float *x, __global float *out) {
  size_t i = get_global_id(0);
  out[i] = exp2(-x[i]) * cospi(x[i] / 2);
}
