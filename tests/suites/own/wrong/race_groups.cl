// opencl: race of 'sum' in lines 6 and 6; pirch: race of 'sum' in lines 6 and 6
// Each group's first item adds to one sum.
__kernel void k(__global int *sum, __global const int *x) {
  int i = get_global_id(0);
  if (get_local_id(0) == 0) {
    *sum += x[i];
  }
}
