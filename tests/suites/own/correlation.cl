// Mean and deviation of each column, then the correlation of this column with all later ones: a group, three phases.
__kernel void correlation(__global const float *data, __global float *mean, __global float *deviation, __global float *corr, int n, int m, float eps) {
  const int j = get_local_id(0);
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += data[i * m + j];
  sum /= n;
  mean[j] = sum;
  float squares = 0.0f;
  for (int i = 0; i < n; ++i) squares += (data[i * m + j] - sum) * (data[i * m + j] - sum);
  float s = sqrt(squares / (float)n);
  deviation[j] = s <= eps ? 1.0f : s;
  barrier(CLK_GLOBAL_MEM_FENCE);
  corr[j * m + j] = 1.0f;
  for (int k = j + 1; k < m; ++k) {
    float c = 0.0f;
    for (int i = 0; i < n; ++i) c += (data[i * m + j] - mean[j]) * (data[i * m + k] - mean[k]);
    c /= n * deviation[j] * deviation[k];
    corr[j * m + k] = c;
    corr[k * m + j] = c;
  }
}
