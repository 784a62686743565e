// The second of two products, D = (A B) C + beta D; the first one's kernel stands in front.
__kernel void first_product(__global float *tmp, __global float *A, __global float *B, int n, float alpha) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < n && j < n) {
    tmp[i * n + j] = 0;
    for (int k = 0; k < n; k++) tmp[i * n + j] += alpha * A[i * n + k] * B[k * n + j];
  }
}
__kernel void second_product(__global float *tmp, __global float *C, __global float *D, int n, float beta) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < n && j < n) {
    D[i * n + j] *= beta;
    for (int k = 0; k < n; k++) D[i * n + j] += tmp[i * n + k] * C[k * n + j];
  }
}
