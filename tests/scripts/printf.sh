#!/bin/sh
# printf.sh LOCKSTEP SOURCE_DIR
# What kernels print: group after group, of each in the order in which its items do it. The expected lines are computed by awk.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib/command.sh"
cat >p.cl <<'IN'
void each(global const int *x, int i) {
  printf("x[%d] = %d, %.2f\n", i, x[i], x[i] / 4.0f);
}
void quiet(void) {}
kernel void k(global const int *x) {
  int i = get_global_id(0);
  quiet();
  each(x, i);
  if (i % 2 == 0) printf("even %d\n", i);
  else printf("odd %v2d\n", (int2)(i, -i));
}
IN
printed() {
  awk -v groups="$1" -v items="$2" 'BEGIN { for (g = 0; g < groups; ++g) {
    for (k = 0; k < items; ++k) { i = g * items + k; printf "x[%d] = %d, %.2f\n", i, i, i / 4 }
    for (k = 0; k < items; ++k) { i = g * items + k; if (i % 2 == 0) printf "even %d\n", i }
    for (k = 0; k < items; ++k) { i = g * items + k; if (i % 2) printf "odd %d,%d\n", i, -i } } }'
}
for options in '--wg-pack 1 --threads 1' '--wg-pack 3 --threads 2' ''; do
  # shellcheck disable=SC2086
  expect 0 'halted after' run p.cl --wg-size 4 --groups 5 --arg x=20:iota $options
  sed '/^halted/,$d' out >text
  printed 5 4 >wanted
  if cmp -s wanted text; then good; else bad "another text with '$options'"; fi
done
if grep -q __printf out; then bad 'the buffer is shown'; else good; fi
expect 0 '"status":"halted"' run p.cl --wg-size 2 --arg x=2:iota --json
if [ "$(wc -l <out)" -eq 1 ] && grep -q '^x\[1\] = 1, 0.25$' err; then good; else bad 'JSON and what is printed do not go apart'; fi

# A run that ends with a fault has printed what came before.
cat >f.cl <<'IN'
kernel void k(global int *x) {
  printf("before %d\n", (int)get_global_id(0));
  x[get_global_id(0)] = 1;
  printf("behind\n");
}
IN
expect 1 "index 1 is outside of 'x'" run f.cl --wg-size 2 --arg x=1:zeros
says 'before 1'
if grep -q behind out; then bad 'printed behind the fault'; else good; fi

# Strings that stand in the call.
cat >s.cl <<'IN'
kernel void k(global const int *x) {
  printf("[%s] [%8s] [%-8s] [%.2s] [%d] [%5.1s] %s\n", "text", "right", "left", "cut", x[0], "one", "50% \"\x41" "1\"");
  printf("%s%s: %d\n", "a", "b", x[0]);
}
IN
expect 0 'halted' run s.cl --wg-size 1 --arg x=[7]
sed '/^halted/,$d' out >text
printf '[%s] [%8s] [%-8s] [%.2s] [%d] [%5.1s] %s\n' text right left cut 7 one '50% "A1"' >wanted
printf '%s%s: %d\n' a b 7 >>wanted
if cmp -s wanted text; then good; else bad 'other strings'; fi

# More than there is room for.
printf 'kernel void k(int n) { for (int i = 0; i < n; i++) printf("%%d\\n", i); }\n' >many.cl
expect 0 'more was printed than the 262144 words that there are room for' run many.cl --wg-size 1 --arg n=100000
expect 0 'halted' run many.cl --wg-size 1 --arg n=1000
if [ "$(grep -c '^[0-9]*$' out)" -eq 1000 ]; then good; else bad 'not 1000 numbers'; fi

# Elsewhere a call computes its arguments alone, which is said once.
cat >e.cl <<'IN'
kernel void k(global int *x) {
  int i = 0;
  printf("%d\n", i++);
  printf("%d\n", i);
  x[get_global_id(0)] = i;
}
IN
expect 0 'warning: printf prints where `lockstep run` runs a kernel; here it is left out' check e.cl
if [ "$(grep -c warning err)" -eq 1 ]; then good; else bad 'not said once'; fi
expect 0 'equal' diff e.cl --target llvm --wg-size 4 --arg x=4:zeros
if command -v clang-19 >/dev/null; then
  expect 0 ' equal ' diff e.cl --target clang-ptx --wg-size 4 --arg x=4:zeros
else
  skipped=$((skipped + 1))
fi
expect 0 'x: int[2] 1 1' run e.cl --wg-size 2 --arg x=2:zeros
expect 0 ': refines' verify e.cl --wg-size 2
printf 'kernel void k(int n) {\n  printf("%%f", n);\n}\n' >wrong.cl
expect 2 "wrong.cl:2:16: error: '%f' needs a float or double, but this is 'int'; write '%d' for it" check wrong.cl
counts
