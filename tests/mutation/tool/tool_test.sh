#!/bin/sh
# tool_test.sh MAKE_FAULTS SOURCE_DIR CLANG_RESOURCES CXX: what faults the tool makes of a small program, by hand; what each does when it is
# switched on; and which lists of faults planted by hand it refuses.
set -eu
tool=$1 source=$2 resources=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root/part" "$work/faults"
cat >"$work/root/part/small.hpp" <<'END'
#pragma once
template <class T>
T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T, class U>
bool are_alike(T, U) {
  return sizeof(T) == sizeof(U);
}
template <class T>
T same(T a) {
  return a;
}
template <class T, class U>
bool fit(T a, U b) {
  return are_alike(same(a), same(b));
}
END
cat >"$work/root/part/small.cpp" <<'END'
#include "part/small.hpp"
#define TWICE(x) ((x) + (x))
constexpr int limit = 3 + 4;
static_assert(limit == 7);
int calls = 0;
int minus(int a, int b) { return a - b; }
int f(int a, int b) {
  ++calls;
  if (a == b) {
    return TWICE(a);
  }
  return minus(a, b) + smaller(a, b);
}
bool g(short a, long b) { return fit(a, b); }
END
cat >"$work/root/compile_commands.json" <<END
[{"directory": "$work/root", "file": "$work/root/part/small.cpp", "command": "$cxx -std=c++20 -I$work/root -I$source -c $work/root/part/small.cpp"}]
END
printf '== no-twice: not twice\nfile: part/small.cpp\nbehind: if (a == b)\n- return\n-   TWICE(a);\n+ return a;\n' >"$work/faults/some.faults"

"$tool" "$work/root" "$work/root" "$work/copies/out" "$resources" "$work/faults" part/small.hpp part/small.cpp
cut -f 2- "$work/copies/out/faults.list" | sed "s/$(printf '\t')/|/g" >"$work/list"
cat >"$work/expected" <<'END'
# left out: 8 at compile time, 1 before main, 1 in macros, 0 that do not compile
text|no-twice|part/small.cpp:10||not twice
arithmetic||part/small.cpp:6|a - b|a + b
statement||part/small.cpp:8|++calls;|
arithmetic||part/small.cpp:8|++calls|--calls
condition||part/small.cpp:9|a == b|true
condition||part/small.cpp:9|a == b|false
comparison||part/small.cpp:9|a == b|a != b
arithmetic||part/small.cpp:12|minus(a, b) + smaller(a, b)|minus(a, b) - smaller(a, b)
arguments||part/small.cpp:12|a, b|b, a
arguments||part/small.cpp:12|a, b|b, a
condition||part/small.hpp:4|b < a|!(b < a)
comparison||part/small.hpp:4|b < a|b <= a
comparison||part/small.hpp:4|b < a|b > a
comparison||part/small.hpp:8|sizeof(T) == sizeof(U)|sizeof(T) != sizeof(U)
arguments||part/small.hpp:16|same(a), same(b)|same(b), same(a)
END
diff "$work/expected" "$work/list"

# Each fault alone, on f(1, 2), f(2, 1) and f(2, 2), how often f was called, and whether a short and a long are alike.
cat >"$work/main.cpp" <<'END'
#include <cstdio>
#include <cstdlib>
#include "tests/mutation/tool/planted.hpp"
extern int calls;
int f(int, int);
bool g(short, long);
int main(int, char** words) {
  lockstep::planted::fault = std::atoi(words[1]);
  const int a = f(1, 2), b = f(2, 1), c = f(2, 2);
  std::printf("%d %d %d %d%s\n", a, b, c, calls, g(1, 2) ? " alike" : "");
}
END
"$cxx" -std=c++20 -w -I"$work/copies/out" -I"$work/root" -I"$source" "$work/main.cpp" "$work/copies/out/part/small.cpp" -o "$work/program"
for number in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do "$work/program" $number; done >"$work/results"
cat >"$work/expected" <<'END'
0 2 4 3
0 2 2 3
4 4 4 3
0 2 4 0
0 2 4 -3
2 4 4 3
0 2 2 3
2 4 2 3
-2 0 4 3
2 0 4 3
0 2 4 3
1 3 4 3
0 2 4 3
1 3 4 3
0 2 4 3 alike
0 2 4 3
END
diff "$work/expected" "$work/results"

# A text that is not there, or twice, is an error.
refused() {
  printf '== wrong: wrong\nfile: part/small.cpp\n- %s\n+ 0\n' "$1" >"$work/faults/some.faults"
  if "$tool" "$work/root" "$work/root" "$work/copies/out" "$resources" "$work/faults" part/small.hpp part/small.cpp 2>"$work/said"; then
    echo "'$1' is not refused"
    exit 1
  fi
  grep -q "$2" "$work/said" || { cat "$work/said"; exit 1; }
}
refused "a * b" "not found"
refused "a" "found more than once"
