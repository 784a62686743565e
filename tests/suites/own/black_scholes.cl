// Prices of options; what mathematical functions give is kept, since the reference takes it from there.
#define A1 0.31938153f
#define A2 -0.356563782f
#define A3 1.781477937f
#define A4 -1.821255978f
#define A5 1.330274429f
#define RSQRT2PI 0.39894228040143267793994605993438f
float CND(float d, float gauss) {
  float K = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float cnd = RSQRT2PI * gauss * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  if (d > 0) cnd = 1.0f - cnd;
  return cnd;
}
__kernel void black_scholes(__global float *d_Call, __global float *d_Put, __global float *d_S, __global float *d_X, __global float *d_T, float R, float V,
                            __global float4 *kept, unsigned int optN) {
  for (unsigned int opt = get_global_id(0); opt < optN; opt += get_global_size(0)) {
    float S = d_S[opt], X = d_X[opt], T = d_T[opt];
    float sqrtT = sqrt(T);
    float ratio = log(S / X);
    float d1 = (ratio + (R + 0.5f * V * V) * T) / (V * sqrtT);
    float d2 = d1 - V * sqrtT;
    float gauss1 = exp(-0.5f * d1 * d1), gauss2 = exp(-0.5f * d2 * d2);
    float discount = exp(-R * T);
    kept[opt] = (float4)(ratio, gauss1, gauss2, discount);
    float CNDD1 = CND(d1, gauss1), CNDD2 = CND(d2, gauss2);
    d_Call[opt] = S * CNDD1 - X * discount * CNDD2;
    d_Put[opt] = X * discount * (1.0f - CNDD2) - S * (1.0f - CNDD1);
  }
}
