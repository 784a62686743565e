// Merge sort of a[0 … size). `scratch` is as large as a. One group of any size.

// How many of a[begin … end), which is sorted, come before a value: the smaller ones, and with `or_equal` the equal ones too.
uint rank(__global const int *a, uint begin, uint end, int value, bool or_equal) {
  uint low = begin;
  uint high = end;
  while (low < high) {
    const uint middle = low + (high - low) / 2;
    if (a[middle] < value || (or_equal && a[middle] == value))
      low = middle + 1;
    else
      high = middle;
  }
  return low - begin;
}

// All items sort a[begin … end). Item 0 calls for the first half, item 1 for the second one (a single item for both). Then all items
// merge: each element knows its place, which is the number of elements before it in its own half and in the other one.
void sort(__global int *a, __global int *scratch, uniform uint begin, uniform uint end) {
  if (end - begin < 2)
    return;
  const uint middle = begin + (end - begin) / 2;
  for (uint part = get_local_id(); part < 2; part += get_local_size())
    crev sort(a, scratch, part == 0 ? begin : middle, part == 0 ? middle : end);

  for (uint i = begin + get_local_id(); i < end; i += get_local_size()) {
    if (i < middle)
      scratch[i + rank(a, middle, end, a[i], false)] = a[i];
    else
      scratch[i - middle + begin + rank(a, begin, middle, a[i], true)] = a[i];
  }
  for (uint i = begin + get_local_id(); i < end; i += get_local_size())
    a[i] = scratch[i];
}

__kernel void mergesort_crev(__global int *a, uint size, __global int *scratch) {
  if (get_local_id() == 0)
    crev sort(a, scratch, 0, size);
}

// Item 0 alone.
void sort_alone(__global int *a, __global int *scratch, uint begin, uint end) {
  if (end - begin < 2)
    return;
  const uint middle = begin + (end - begin) / 2;
  sort_alone(a, scratch, begin, middle);
  sort_alone(a, scratch, middle, end);
  uint left = begin;
  uint right = middle;
  for (uint i = begin; i < end; i += 1) {
    if (left < middle && (right == end || a[left] <= a[right]))
      scratch[i] = a[left++];
    else
      scratch[i] = a[right++];
  }
  for (uint i = begin; i < end; i += 1)
    a[i] = scratch[i];
}

__kernel void mergesort_seq(__global int *a, uint size, __global int *scratch) {
  if (get_local_id() == 0)
    sort_alone(a, scratch, 0, size);
}
