// Control that differs from item to item: else-if, continue, break, nested loops, early return, && and ||.
int grade(int x) {
  if (x < 0) return -1;
  return x < 10 ? 0 : x < 50 ? 1 : x < 90 ? 2 : 3;
}
__kernel void ternary_chain(__global const int *x, __global int *out) {
  int i = get_global_id(0);
  int sum = 0;
  if (x[i] == 13) {
    out[i] = -13;
    return;
  }
  for (int a = 1; a <= 6; ++a) {
    if (a == 3 || (x[i] & 1 && a == 5)) continue;
    for (int b = a; b > 0; b -= 2) {
      if (a * b > x[i]) break;
      sum += a * b;
    }
    if (sum > 60)
      break;
    else if (sum % 2)
      sum ^= a;
    else
      sum += grade(x[i]);
  }
  out[i] = sum;
}
