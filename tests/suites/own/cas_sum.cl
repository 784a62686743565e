// A sum of floats by comparison and exchange; whole numbers, so that no order matters.
void add_float(volatile __global float *address, float value) {
  volatile __global uint *bits = (volatile __global uint *)address;
  union { uint u; float f; } before, after;
  uint seen = atomic_cmpxchg(bits, 0u, 0u);
  do {
    before.u = seen;
    after.f = before.f + value;
    seen = atomic_cmpxchg(bits, before.u, after.u);
  } while (seen != before.u);
}
__kernel void cas_sum(__global const float *in, volatile __global float *sum) {
  add_float(sum + get_group_id(0), in[get_global_id(0)]);
}
