// Cross products of int3, which take the place of four numbers.
int3 crossed(int3 a, int3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }

kernel void int3_cross(global const int3 *a, global const int3 *b, global int3 *c) {
  int i = get_global_id(0);
  c[i] = crossed(a[i], b[i]);
}
