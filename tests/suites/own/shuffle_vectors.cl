// Components by numbers.
__kernel void shuffle_vectors(__global const uint4 *in, __global const uint4 *order, __global uint4 *out, __global uint8 *both) {
  const int i = get_global_id(0);
  out[i] = shuffle(in[i], order[i]);
  both[i] = shuffle2(in[i], out[i], (uint8)(7, 0, 6, 1, 5, 2, 4, 3));
}
