// The distance of a word from many others: two rows of a table in private memory.
#define MOST 8
__kernel void edit_distance(__constant char *word, int n, __global const char *words, __global int *distances) {
  int i = get_global_id(0);
  __global const char *other = words + MOST * i;
  int row[MOST + 1], next[MOST + 1];
  for (int k = 0; k <= n; ++k) row[k] = k;
  int m = 0;
  while (m < MOST && other[m] != '\0') {
    next[0] = m + 1;
    for (int k = 0; k < n; ++k) {
      int change = row[k] + (word[k] == other[m] ? 0 : 1);
      next[k + 1] = min(change, min(row[k + 1], next[k]) + 1);
    }
    for (int k = 0; k <= n; ++k) row[k] = next[k];
    m++;
  }
  distances[i] = row[n];
}
