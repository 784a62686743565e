// Counts of bytes that each item keeps apart in local memory, so that no atomic function is needed.
#define BINS 8
__kernel void histogram_private(__global const uchar *data, __local uchar *own, __global uint *out, int part) {
  size_t lid = get_local_id(0), n = get_local_size(0);
  for (int b = 0; b < BINS; ++b) own[lid * BINS + b] = 0;
  for (int k = 0; k < part; ++k) own[lid * BINS + data[get_global_id(0) * part + k] % BINS]++;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int b = lid; b < BINS; b += n) {
    uint count = 0;
    for (int k = 0; k < n; ++k) count += own[k * BINS + b];
    out[get_group_id(0) * BINS + b] = count;
  }
}
