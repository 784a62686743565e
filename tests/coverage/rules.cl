// Every rule that kernels have, and what their programs can meet of the typed premises. `lockstep rules --coverage` runs it as the
// last lines say.
void each(uniform int who, __global int *a) { a[get_local_id(0)] += who; }

int halved(int n) { return n / 2; }

__kernel void rules(__global int *a, int shift) {
  const int i = get_local_id(0);
  __local int turned[get_local_size()];
  int own[2] = {i, shuffle(i, i ^ 1)};
  turned[i] = halved(a[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < i; k += 1)
    own[k % 2] += turned[(i + k) % get_local_size()];
  if (i > 1 && any(own[1] > 0))
    crev each(i, a);
  atomic_max(&turned[0], atomic_add(&turned[1], 2));
  a[i + shift] = (int)(own[0] * 1.5f);
}

__kernel void faults(__global int *a, int which) {
  const int i = get_local_id(0);
  int unset[4];
  if (which == 0)
    a[0] = a[i + 6];
  if (which == 1)
    a[i - 1] = 0;
  if (which == 2)
    a[0] = any(shuffle(i, i + 1));
  if (which == 3)
    a[0] = unset[i];
  if (which == 4)
    a[0] = 7 / i;
  __local int nothing[4];
  if (which == 5)
    atomic_inc(a + 6 + i);
  if (which == 6)
    atomic_inc(&nothing[i]);
  if (shuffle(i, i + which))
    a[0] = 1;
}
//@ run --kernel rules --wg-size 4 --arg a=[8,7,6,5,4,3,2,1] --arg shift=0
//@ run --kernel rules --wg-size 4 --warp-size 2 --arg a=[8,7,6,5,4,3,2,1] --arg shift=4
//@ run --kernel faults --wg-size 4 --arg a=8:iota --arg which=0
//@ run --kernel faults --wg-size 4 --arg a=8:iota --arg which=1
//@ run --kernel faults --wg-size 4 --arg a=8:iota --arg which=2
//@ run --kernel faults --wg-size 4 --arg a=8:iota --arg which=3
//@ run --kernel faults --wg-size 4 --arg a=8:iota --arg which=4
//@ run --kernel faults --wg-size 4 --arg a=8:iota --arg which=5
//@ run --kernel faults --wg-size 4 --arg a=8:iota --arg which=5
//@ run --kernel faults --wg-size 4 --arg a=8:iota --arg which=6
