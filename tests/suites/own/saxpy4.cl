// y = alpha x + y, four numbers an item.
__kernel void saxpy4(const float alpha, __global const float4 *restrict x, __global float4 *restrict y) {
  const int i = get_global_id(0);
  y[i] = alpha * x[i] + y[i];
}
