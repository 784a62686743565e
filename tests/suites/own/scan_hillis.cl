// Inclusive prefix sums between two halves of local memory.
__kernel void scan_hillis(__global const int *in, __global int *out, __local int *temp) {
  int i = get_local_id(0), n = get_local_size(0);
  int pout = 0, pin = 1;
  temp[i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = 1; offset < n; offset <<= 1) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (i >= offset)
      temp[pout * n + i] = temp[pin * n + i] + temp[pin * n + i - offset];
    else
      temp[pout * n + i] = temp[pin * n + i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = temp[pout * n + i];
}
