// Sums of the members of each cluster, a group a cluster, a feature an item.
__kernel void kmeans_centres(__global const float *feature, __global const int *membership, __global float *centres, int npoints, int nfeatures) {
  int c = get_group_id(0), k = get_local_id(0);
  float sum = 0.0f;
  int members = 0;
  for (int p = 0; p < npoints; p++) {
    if (membership[p] != c) continue;
    sum += feature[k * npoints + p];
    ++members;
  }
  centres[c * nfeatures + k] = members ? sum / (float)members : 0.0f;
}
