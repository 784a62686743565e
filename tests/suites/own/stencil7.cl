// Seven points in three dimensions; an item goes through a column.
#define INDEX(x, y, z) ((x) + nx * ((y) + ny * (z)))
__kernel void stencil7(float c0, float c1, __global float *A0, __global float *Anext, int nx, int ny, int nz) {
  int i = get_global_id(0) + 1;
  int j = get_global_id(1) + 1;
  if (i < nx - 1 && j < ny - 1)
    for (int k = 1; k < nz - 1; k++) {
      Anext[INDEX(i, j, k)] = (A0[INDEX(i, j, k + 1)] + A0[INDEX(i, j, k - 1)] + A0[INDEX(i, j + 1, k)] + A0[INDEX(i, j - 1, k)] +
                               A0[INDEX(i + 1, j, k)] + A0[INDEX(i - 1, j, k)]) * c1 - A0[INDEX(i, j, k)] * c0;
    }
}
