// Choosing by masks, component by component.
__kernel void select_mask(__global const float4 *a, __global const float4 *b, __global float4 *least, __global int4 *less, __global int *votes) {
  int i = get_global_id(0);
  int4 mask = a[i] < b[i];
  least[i] = select(b[i], a[i], mask);
  less[i] = mask & (int4)(1, 2, 4, 8);
  votes[i] = any(mask) + 2 * all(mask);
  least[i].w = as_float(bitselect(as_int(a[i].w), as_int(b[i].w), 0xffff));
}
