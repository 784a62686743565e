// Four rows and four columns an item, in registers.
__kernel void matmul_blocks(__global const float4 *A, __global const float4 *B, __global float4 *C, int quads) {
  const int x = get_global_id(0), y = get_global_id(1);
  float4 sums[4];
  for (int r = 0; r < 4; ++r) sums[r] = (float4)(0.0f);
  for (int k = 0; k < quads; ++k) {
    float4 b0 = B[(4 * k + 0) * quads + x], b1 = B[(4 * k + 1) * quads + x];
    float4 b2 = B[(4 * k + 2) * quads + x], b3 = B[(4 * k + 3) * quads + x];
    for (int r = 0; r < 4; ++r) {
      float4 a = A[(4 * y + r) * quads + k];
      sums[r] += a.x * b0;
      sums[r] += a.y * b1;
      sums[r] += a.z * b2;
      sums[r] += a.w * b3;
    }
  }
  for (int r = 0; r < 4; ++r) C[(4 * y + r) * quads + x] = sums[r];
}
