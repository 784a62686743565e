// Weights move by their error and by what they moved before, the bias as well.
#define ETA 0.3f
#define MOMENTUM 0.3f
__kernel void adjust_weights(__global const float *delta, int hid, __global const float *ly, __global float *w, __global float *oldw) {
  int y = get_global_id(1) + 1, x = get_global_id(0) + 1;
  int index = (hid + 1) * y + x;
  w[index] += (ETA * delta[x] * ly[y]) + (MOMENTUM * oldw[index]);
  oldw[index] = (ETA * delta[x] * ly[y]) + (MOMENTUM * oldw[index]);
  if (y == 1) {
    w[x] += (ETA * delta[x]) + (MOMENTUM * oldw[x]);
    oldw[x] = (ETA * delta[x]) + (MOMENTUM * oldw[x]);
  }
}
