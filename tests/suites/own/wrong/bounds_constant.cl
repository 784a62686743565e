// opencl: out-of-bounds of 'table' in line 5; pirch: out-of-bounds of 'table' in line 5
// A table is too short.
__constant int table[3] = {1, 2, 3};
__kernel void k(__global int *out) {
  out[get_global_id(0)] = table[get_global_id(0)];
}
