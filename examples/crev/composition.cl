// Examples 3.3 and 3.6 of the CREV paper: three nested r-function calls. With W items main's crev makes W activations of foo, each of
// them W of bar, each of those W of baz, and all W items take part in each: W^4 tasks for baz alone. Run it as one group.
// What is not declared uniform is varying: every item has its own a, b and d.
//   calls[i]   how many activations of baz item i has taken part in (given as zeros)
//   seen[i]    the sum of what baz got in them (given as zeros)

void baz(uniform int c, __global uint *calls, __global int *seen) {
  int d = c;
  calls[get_local_id()] += 1;
  seen[get_local_id()] += d;
}

// Every caller passes the same value.
void bar(uniform int b, __global uint *calls, __global int *seen) { crev baz(2, calls, seen); }

void foo(uniform int a, __global uint *calls, __global int *seen) {
  int b = a + get_local_id();
  crev bar(b, calls, seen);
}

__kernel void composition(__global uint *calls, __global int *seen) {
  int a = get_local_id();
  crev foo(a, calls, seen);
}
