// Quicksort of a[0 … size). `scratch` is as large as a. One group of any size.

// The sum of the `count`s of the items before this one. All items are active.
uint before(uint count) {
  uint sum = count;
  for (uint distance = 1; distance < get_local_size(); distance *= 2) {
    const uint other = shuffle(sum, (long)get_local_id() - distance);
    if (get_local_id() >= distance)
      sum += other;
  }
  return sum - count;
}

// All items sort a[begin … end): they count and move together what is smaller than the pivot, equal to it, and larger. Then item 0 calls for
// the smaller ones and item 1 for the larger ones (a single item for both, one after the other).
void sort(__global int *a, __global int *scratch, uniform uint begin, uniform uint end) {
  if (end - begin < 2)
    return;
  const int pivot = a[begin + (end - begin) / 2];

  uint smaller = 0;
  uint equal = 0;
  uint larger = 0;
  for (uint i = begin + get_local_id(); i < end; i += get_local_size()) {
    smaller += a[i] < pivot;
    equal += a[i] == pivot;
    larger += a[i] > pivot;
    scratch[i] = a[i];
  }

  uint next_smaller = begin + before(smaller);
  const uint last = get_local_size() - 1;
  const uint begin_equal = shuffle(next_smaller + smaller, last);
  uint next_equal = begin_equal + before(equal);
  const uint begin_larger = shuffle(next_equal + equal, last);
  uint next_larger = begin_larger + before(larger);

  for (uint i = begin + get_local_id(); i < end; i += get_local_size()) {
    const int value = scratch[i];
    if (value < pivot)
      a[next_smaller++] = value;
    else if (value == pivot)
      a[next_equal++] = value;
    else
      a[next_larger++] = value;
  }

  for (uint part = get_local_id(); part < 2; part += get_local_size())
    crev sort(a, scratch, part == 0 ? begin : begin_larger, part == 0 ? begin_equal : end);
}

__kernel void quicksort_crev(__global int *a, uint size, __global int *scratch) {
  if (get_local_id() == 0)
    crev sort(a, scratch, 0, size);
}

// Item 0 alone, in place: Hoare's partition.
void sort_alone(__global int *a, int low, int high) {
  if (low >= high)
    return;
  const int pivot = a[low + (high - low) / 2];
  int i = low;
  int j = high;
  while (i <= j) {
    while (a[i] < pivot)
      i += 1;
    while (a[j] > pivot)
      j -= 1;
    if (i <= j) {
      const int value = a[i];
      a[i] = a[j];
      a[j] = value;
      i += 1;
      j -= 1;
    }
  }
  sort_alone(a, low, j);
  sort_alone(a, i, high);
}

__kernel void quicksort_seq(__global int *a, uint size) {
  if (get_local_id() == 0)
    sort_alone(a, 0, (int)size - 1);
}
