// 64 bits: products, remainders, shifts, comparisons of signs.
__kernel void long_arithmetic(__global const long *a, __global const long *b, __global long *out, __global ulong *u) {
  size_t i = get_global_id(0), n = get_global_size(0);
  out[i] = a[i] * b[i];
  out[n + i] = b[i] != 0 ? a[i] / b[i] : 0;
  out[2 * n + i] = b[i] != 0 ? a[i] % b[i] : a[i];
  out[3 * n + i] = a[i] >> (b[i] & 63);
  out[4 * n + i] = add_sat(a[i], b[i]) - sub_sat(b[i], a[i]);
  u[i] = mul_hi((ulong)a[i], (ulong)b[i]);
  u[n + i] = upsample((uint)a[i], (uint)b[i]) + (a[i] < b[i]) + 2 * ((ulong)a[i] < (ulong)b[i]);
}
