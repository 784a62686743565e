// The positive numbers of `x`, in any order: each gets a place of its own by a ticket.
__kernel void compact(__global const int *x, __global int *positive, __global volatile int *count) {
  const int mine = x[get_global_id(0)];
  if (mine > 0) {
    const int place = atomic_inc(count);
    positive[place] = mine;
  }
}
