// One step of the electric field in y, whose first row is a source.
__kernel void fdtd(__global const float *fict, __global float *ey, __global const float *hz, int t, int nx, int ny) {
  int j = get_global_id(0), i = get_global_id(1);
  if ((i < nx) && (j < ny)) {
    int tid = i * ny + j;
    if (i == 0)
      ey[i * ny + j] = fict[t];
    else
      ey[i * ny + j] = ey[i * ny + j] - 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
  }
}
