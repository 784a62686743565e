#!/bin/sh
# include.sh LOCKSTEP SOURCE_DIR
# Kernels of several files: run, checked, lowered, compiled, compared, proved and stepped through. What is expected is counted in the files.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib/command.sh"
mkdir -p in/deep more
cat >in/k.cl <<'IN'
// Element i becomes 2 * i + 10 + 7.
#include "deep/twice.h"  // the first file
  /* twice */ #include "deep/twice.h"
#include <ten.h>
kernel void k(global int *x) {
  int i = get_global_id(0);
  x[i] = twice(i) + TEN + __LINE__;
}
IN
cat >in/deep/twice.h <<'IN'
#pragma once
#include "../wrong.h"
int twice(int a) {
  int b = a;
  return b + a;
}
IN
printf '#ifndef WRONG_H\n#define WRONG_H\nint wrong(global int *p) { return p[9]; }\n#endif' >in/wrong.h
printf '#define TEN 10\n' >more/ten.h

expect 0 'x: int[4] 17 19 21 23' run in/k.cl -I more --wg-size 4 --arg x=4:zeros
"$lockstep" run - -I more -I in --wg-size 2 --arg x=2:zeros <in/k.cl >out 2>err
says 'x: int[2] 17 19'
expect 0 'in/k.cl: well-formed' check in/k.cl -I more
expect 0 '// in/deep/twice.h:5: return b + a;' lower in/k.cl -I more --to musimd
says '// 7: x[i] = twice(i) + TEN + __LINE__;'
expect 0 'equal' diff in/k.cl -I more --target llvm --wg-size 4 --arg x=4:zeros
expect 0 ': refines' verify in/k.cl -I more --wg-size 2
expect 0 'k: 4 items a group' emit in/k.cl -I more --target avx512 --wg-size 4
if command -v clang-19 >/dev/null; then
  expect 0 ' equal ' diff in/k.cl -I more --target clang-ptx --wg-size 4 --arg x=4:zeros  # which gets one text
else
  skipped=$((skipped + 1))
fi
session in/k.cl -I more --wg-size 2 --arg x=2:zeros <<'IN'
break twice.h:5
continue
where
list twice.h:3
break 7
IN
reached 'a step through an included file' 0 'line in/deep/twice.h:5: return b + a;'
says 'breakpoint 2: line 7: x[i] = twice(i)'
says 'in/deep/twice.h:4    int b = a;'

# What goes wrong is told with the file, and where that is included.
expect 2 "in/k.cl:4:1: error: there is no file 'ten.h' in a directory: -I names none" check in/k.cl
expect 2 '-I less: there is no such directory' run in/k.cl -I less --arg x=4:zeros
sed -i 's/twice(i) + TEN/wrong(x)/' in/k.cl
expect 1 "in/deep/../wrong.h:3:35: error: index 9 is outside of 'x'" run in/k.cl -I more --wg-size 2 --arg x=2:zeros
says 'in/deep/twice.h:2: note: in/deep/../wrong.h is included from here'
says 'in/k.cl:2: note: in/deep/twice.h is included from here'
expect 1 '"file":"in/deep/../wrong.h","line":3,"column":35' run in/k.cl -I more --wg-size 2 --arg x=2:zeros --json
printf '#include "other.h"\nkernel void k() {}\n' >once.h
printf '#include "once.h"\n' >other.h
expect 2 'the files include one another without an end: other.h includes once.h includes other.h' check once.h
printf 'kernel void k() {}\n#include "/dev/zero"\n' >zero.cl
expect 2 'zero.cl:2:1: error: the file cannot be included: /dev/zero: has more than' check zero.cl
counts
