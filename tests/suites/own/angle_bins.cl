// How many pairs of directions fall between which products: a search in borders in constant memory.
#define BINS 6
__kernel void angle_bins(__global const float4 *stars, int n, __constant float *borders, volatile __global int *hist) {
  int i = get_global_id(0);
  for (int j = i + 1; j < n; ++j) {
    float d = stars[i].x * stars[j].x + stars[i].y * stars[j].y + stars[i].z * stars[j].z;
    int low = 0, high = BINS;
    while (high > low + 1) {
      int k = (low + high) / 2;
      if (d >= borders[k])
        high = k;
      else
        low = k;
    }
    atomic_inc(hist + high - 1);
  }
}
