// Sums of groups of numbers, as a tree: the memory in which they are added is a parameter, whose length the launch gives.
__kernel void reduce(__global const float *in, __global float *out, __local float *tmp) {
  const size_t i = get_local_id(0);
  tmp[i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (i < s)
      tmp[i] += tmp[i + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0)
    out[get_group_id(0)] = tmp[0];
}
