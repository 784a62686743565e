// Floats as keys that sort as integers do, and back.
uint key_of(float x) {
  uint bits = as_uint(x);
  return bits ^ ((bits >> 31) ? 0xffffffffu : 0x80000000u);
}
float float_of(uint key) { return as_float(key ^ ((key >> 31) ? 0x80000000u : 0xffffffffu)); }

__kernel void as_type(__global const float *x, __global uint *keys, __global float *back, __global ushort2 *halves) {
  int i = get_global_id(0);
  keys[i] = key_of(x[i]);
  back[i] = float_of(keys[i] + 1);
  halves[i] = as_ushort2(x[i]).yx;
}
