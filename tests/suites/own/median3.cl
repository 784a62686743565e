// The median of nine by a network of exchanges, of four pixels at a time.
#define ORDER(a, b) { uchar4 t = min(a, b); b = max(a, b); a = t; }
__kernel void median3(__global const uchar4 *in, __global uchar4 *out, int width) {
  int x = get_global_id(0), y = get_global_id(1) + 1;
  uchar4 v[9];
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++) v[3 * dy + dx] = in[(y + dy - 1) * width + x + dx];
  ORDER(v[1], v[2]) ORDER(v[4], v[5]) ORDER(v[7], v[8])
  ORDER(v[0], v[1]) ORDER(v[3], v[4]) ORDER(v[6], v[7])
  ORDER(v[1], v[2]) ORDER(v[4], v[5]) ORDER(v[7], v[8])
  ORDER(v[0], v[3]) ORDER(v[5], v[8]) ORDER(v[4], v[7])
  ORDER(v[3], v[6]) ORDER(v[1], v[4]) ORDER(v[2], v[5])
  ORDER(v[4], v[7]) ORDER(v[4], v[2]) ORDER(v[6], v[4])
  ORDER(v[4], v[2])
  out[(y - 1) * (width - 2) + x] = v[4];
}
