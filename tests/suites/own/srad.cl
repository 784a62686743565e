// The coefficient of diffusion from an image: directional derivatives, a division, a clamp to 0 and 1.
__kernel void srad(__global const float *image, __global float *dN, __global float *dS, __global float *dW, __global float *dE, __global float *c,
                   __global const int *iN, __global const int *iS, __global const int *jE, __global const int *jW, int rows, int elements, float q0sqr) {
  int ei = get_global_id(0);
  if (ei < elements) {
    int row = ei % rows;
    int col = ei / rows;
    float Jc = image[ei];
    float N = image[iN[row] + rows * col] - Jc;
    float S = image[iS[row] + rows * col] - Jc;
    float W = image[row + rows * jW[col]] - Jc;
    float E = image[row + rows * jE[col]] - Jc;
    float G2 = (N * N + S * S + W * W + E * E) / (Jc * Jc);
    float L = (N + S + W + E) / Jc;
    float num = (0.5f * G2) - ((1.0f / 16) * (L * L));
    float den = 1 + (0.25f * L);
    float qsqr = num / (den * den);
    den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
    float v = 1.0f / (1.0f + den);
    if (v < 0)
      v = 0;
    else if (v > 1)
      v = 1;
    dN[ei] = N;
    dS[ei] = S;
    dW[ei] = W;
    dE[ei] = E;
    c[ei] = v;
  }
}
