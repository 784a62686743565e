// opencl: race of 'out' in lines 4 and 4; pirch: race of 'out' in lines 4 and 4
// Two items write one cell.
__kernel void k(__global int *out) {
  out[get_global_id(0) / 2] = get_global_id(0);
}
