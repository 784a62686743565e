// The nearest of a few centres, features apart; of centres as near as each other the first.
__kernel void kmeans(__global const float *feature, __global const float *clusters, __global int *membership, int npoints, int nclusters, int nfeatures) {
  unsigned int point_id = get_global_id(0);
  if (point_id < npoints) {
    int index = 0;
    float min_dist = FLT_MAX;
    for (int i = 0; i < nclusters; i++) {
      float dist = 0;
      for (int k = 0; k < nfeatures; k++) {
        float d = feature[k * npoints + point_id] - clusters[i * nfeatures + k];
        dist += d * d;
      }
      if (dist < min_dist) {
        min_dist = dist;
        index = i;
      }
    }
    membership[point_id] = index;
  }
}
