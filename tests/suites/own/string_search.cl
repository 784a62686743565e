// Where a pattern stands in a text, the pattern in constant memory.
__kernel void string_search(__global const char *text, __constant char *pattern, int length, int size, __global uchar *found) {
  int at = get_global_id(0);
  found[at] = 0;
  if (at + length > size) return;
  int k;
  for (k = 0; k < length && text[at + k] == pattern[k]; k++)
    ;
  found[at] = k == length;
}
