// refused: cannot convert '__global int *' to '__local int *' in the initialiser of 'p'; the address spaces differ in line 5
// A local pointer gets a global address.
__kernel void k(__global int *x) {
  __local int t[4];
  __local int *p = x;
  t[get_local_id(0)] = *p;
}
