// Book filter (Algorithms 1, 2 and 4 of the CREV paper): the lines of a book that contain a pattern are copied out, to the same
// places of another book, which is given as zeros: without them it is what `grep -F` prints. The pattern has at least one byte and no
// line break. `start` is scratch, one cell more than the book has bytes: where the lines begin. One group of any size.

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

// Line k is book[start[k] … start[k+1]), with its line break. Returns the number of lines, to everyone. All items are active.
uint find_lines(__global const uchar *book, uint size, __global uint *start) {
  uint lines = 0;
  for (uint first = 0; first < size; first += get_local_size()) {
    const uint i = first + get_local_id();
    const uint begins = i < size && (i == 0 || book[i - 1] == '\n');
    const uint line = lines + before(begins);
    if (begins)
      start[line] = i;
    lines = shuffle(line + begins, get_local_size() - 1);
  }
  start[lines] = size;
  return lines;
}

// All items compare the pattern with the text at one place.
void compare(__global const uchar *text, __global const uchar *pattern, uniform uint length, __local uchar *found) {
  bool same = true;
  for (uint i = get_local_id(); i < length; i += get_local_size())
    if (pattern[i] != text[i])
      same = false;
  if (all(same))
    found[0] = 1;
}

// All items look for the pattern in one line; who finds its first byte calls the others to compare.
void search(__global const uchar *line, uniform uint size, __global const uchar *pattern, uniform uint length, __local uchar *found) {
  found[0] = 0;
  for (uint i = get_local_id(); i + length <= size; i += get_local_size())
    if (pattern[0] == line[i])
      crev compare(line + i, pattern, length, found);
}

// Algorithm 4: neighbours copy neighbouring bytes.
void copy(__global const uchar *from, __global uchar *to, uniform uint size) {
  for (uint i = get_local_id(); i < size; i += get_local_size())
    to[i] = from[i];
}

// Each item has lines of its own, and calls all others to search and to copy them. r-functions return nothing; `found` brings their answers.
__kernel void bookfilter_crev(__global const uchar *book, uint size, __global const uchar *pattern, uint length, __global uchar *out,
                              __global uint *start) {
  __local uchar found[get_local_size()];
  const uint lines = find_lines(book, size, start);
  for (uint k = get_local_id(); k < lines; k += get_local_size()) {
    const uint begin = start[k];
    const uint line_size = start[k + 1] - begin;
    crev search(book + begin, line_size, pattern, length, found + get_local_id());
    if (found[get_local_id()] != 0)
      crev copy(book + begin, out + begin, line_size);
  }
}

// True if the pattern stands in text[0 … size). Each item for itself.
bool contains(__global const uchar *text, uint size, __global const uchar *pattern, uint length) {
  for (uint i = 0; i + length <= size; i += 1) {
    uint j = 0;
    while (j < length && text[i + j] == pattern[j])
      j += 1;
    if (j == length)
      return true;
  }
  return false;
}

// Warp-synchronous: each item searches a line of its own; then all items copy one item's line after the other (Algorithm 2). All have to be
// active for that, so the loop makes the same rounds for everyone, and an item that has no line to copy has an empty one.
__kernel void bookfilter_par(__global const uchar *book, uint size, __global const uchar *pattern, uint length, __global uchar *out,
                             __global uint *start) {
  const uint lines = find_lines(book, size, start);
  for (uint first = 0; first < lines; first += get_local_size()) {
    const uint k = first + get_local_id();
    uint begin = 0;
    uint line_size = 0;
    if (k < lines && contains(book + start[k], start[k + 1] - start[k], pattern, length)) {
      begin = start[k];
      line_size = start[k + 1] - begin;
    }
    for (uint j = 0; j < get_local_size(); j += 1) {
      const uint its_begin = shuffle(begin, j);
      const uint its_size = shuffle(line_size, j);
      for (uint i = get_local_id(); i < its_size; i += get_local_size())
        out[its_begin + i] = book[its_begin + i];
    }
  }
}

// Item 0 alone, line by line; it needs no table.
__kernel void bookfilter_seq(__global const uchar *book, uint size, __global const uchar *pattern, uint length, __global uchar *out) {
  if (get_local_id() == 0) {
    uint begin = 0;
    while (begin < size) {
      uint end = begin;
      while (end < size && book[end] != '\n')
        end += 1;
      end = min(end + 1, size);
      if (contains(book + begin, end - begin, pattern, length))
        for (uint i = begin; i < end; i += 1)
          out[i] = book[i];
      begin = end;
    }
  }
}
