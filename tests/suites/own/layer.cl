// Partial sums of one layer of a network: inputs by rows, hidden units by columns, a tree over the rows of a tile.
#define HEIGHT 4
#define WIDTH 4
__kernel void layer(__global const float *input, __global float *weights, __global float *partial, __local float *node, __local float *matrix, int hid) {
  int by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  int index = (hid + 1) * HEIGHT * by + (hid + 1) * ty + tx + 1 + (hid + 1);
  int index_in = HEIGHT * by + ty + 1;
  if (tx == 0) node[ty] = input[index_in];
  barrier(CLK_LOCAL_MEM_FENCE);
  matrix[ty * WIDTH + tx] = weights[index] * node[ty];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 1; i <= 2; i++) {
    int power_two = 1 << i;
    if (ty % power_two == 0) matrix[ty * WIDTH + tx] = matrix[ty * WIDTH + tx] + matrix[(ty + power_two / 2) * WIDTH + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  weights[index] = matrix[ty * WIDTH + tx];
  if (tx == 0) partial[by * hid + ty] = matrix[tx * WIDTH + ty];
}
