// Two sorted halves become one: each number finds its place by a search in the other half.
int below(__global const int *v, int n, int x, bool or_equal) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) >> 1;
    if (v[middle] < x || (or_equal && v[middle] == x)) low = middle + 1;
    else high = middle;
  }
  return low;
}
__kernel void merge_ranks(__global const int *in, __global int *out, int half_n) {
  int i = get_global_id(0);
  bool left = i < half_n;
  int place = left ? i + below(in + half_n, half_n, in[i], false) : i - half_n + below(in, half_n, in[i], true);
  out[place] = in[i];
}
