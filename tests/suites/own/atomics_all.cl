// Each atomic function of integers on a place of its own, in global and local memory; what they return is not kept.
__kernel void atomics_all(__global const int *in, __global int *out, __global uint *u) {
  __local int l[2];
  if (get_local_id(0) < 2) l[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = in[get_global_id(0)];
  atomic_add(&out[0], v);
  atomic_sub(&out[1], v);
  atomic_inc(&out[2]);
  atomic_dec(&out[3]);
  atomic_min(&out[4], v);
  atomic_max(&out[5], v);
  atomic_and(&u[0], (uint)v | 0xff0000ffu);
  atomic_or(&u[1], 1u << (v & 31));
  atomic_xor(&u[2], (uint)v * 2654435761u);
  atomic_max(&u[3], (uint)v);
  atomic_add(l, v);
  atomic_max(l + 1, v);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    out[6 + 2 * get_group_id(0)] = l[0];
    out[7 + 2 * get_group_id(0)] = l[1];
  }
}
