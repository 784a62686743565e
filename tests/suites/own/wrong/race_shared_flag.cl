// opencl: race of 'done' in lines 5 and 6; pirch: clean
// A flag that one item raises while the others look.
__kernel void k(__global int *out) {
  __local int done[1];
  if (get_local_id(0) == 0) done[0] = 1;
  out[get_local_id(0)] = done[0];
}
