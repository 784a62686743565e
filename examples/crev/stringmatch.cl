// String matching (Algorithm 6 of the CREV paper): found[k] becomes 1 where the pattern begins at text[k]; found is given as zeros, one for
// each byte of the text. The pattern has at least one byte. One group of any size.

// All items together compare the pattern with the text at k. (The paper's loop lacks the step, and runs one too far.)
void compare(__global const uchar *text, __global const uchar *pattern, uniform uint length, __global uchar *found, uniform uint k) {
  bool same = true;
  for (uint i = get_local_id(); i < length; i += get_local_size())
    if (pattern[i] != text[k + i])
      same = false;
  if (all(same))
    found[k] = 1;
}

// An item whose place begins like the pattern calls all others to help.
__kernel void stringmatch_crev(__global const uchar *text, uint size, __global const uchar *pattern, uint length, __global uchar *found) {
  for (uint k = get_local_id(); k + length <= size; k += get_local_size())
    if (pattern[0] == text[k])
      crev compare(text, pattern, length, found, k);
}

// Each item compares for itself, and waits for the one that has the longest match.
__kernel void stringmatch_par(__global const uchar *text, uint size, __global const uchar *pattern, uint length, __global uchar *found) {
  for (uint k = get_local_id(); k + length <= size; k += get_local_size()) {
    uint i = 0;
    while (i < length && pattern[i] == text[k + i])
      i += 1;
    if (i == length)
      found[k] = 1;
  }
}

// Item 0 alone, after Knuth, Morris and Pratt. border[i] is scratch, one for each byte of the pattern: the length of the longest proper
// prefix of the pattern that is also a suffix of pattern[0 … i].
__kernel void stringmatch_seq(__global const uchar *text, uint size, __global const uchar *pattern, uint length, __global uchar *found,
                              __global uint *border) {
  if (get_local_id() == 0) {
    border[0] = 0;
    for (uint i = 1, matched = 0; i < length; i += 1) {
      while (matched > 0 && pattern[i] != pattern[matched])
        matched = border[matched - 1];
      if (pattern[i] == pattern[matched])
        matched += 1;
      border[i] = matched;
    }
    for (uint k = 0, matched = 0; k < size; k += 1) {
      while (matched > 0 && text[k] != pattern[matched])
        matched = border[matched - 1];
      if (text[k] == pattern[matched])
        matched += 1;
      if (matched == length) {
        found[k + 1 - length] = 1;
        matched = border[matched - 1];
      }
    }
  }
}
