#!/bin/sh
# kernel_step.sh LOCKSTEP SOURCE_DIR
# Sessions of `lockstep step` on kernels and typed programs, through standard input.
. "$(dirname "$0")/lib/command.sh"

# y[i] = n / d[i]: item 1 of group 1 divides by zero.
cat >divide.cl <<'CL'
int quotient(int n, int d) {
  return n / d;
}
__kernel void divide(__global const int *d, __global int *y, int n) {
  int i = get_global_id(0);
  y[i] = quotient(n * SCALE, d[i]);
}
CL
divide='divide.cl --wg-size 2 --groups 2 --arg d=[1,2,3,0] --arg y=4:zeros --arg n=6 -D SCALE=2'

# shellcheck disable=SC2086
session $divide <<'IN'
break 2 if d == 2 in item 1
continue
print n
backtrace
continue
print d
print y[*]
back 1
goto 0
print y[*]
IN
reached "commands are echoed" 0 "(lockstep) print n"
reached "a condition in an item" 0 "breakpoint 1: line 2 if d == 2 in item 1"
reached "a macro of the command line" 0 "n         12  12"
reached "the caller's line" 0 " #1 divide, line 6: y[i] = quotient(n * SCALE, d[i]);"
reached "the report of a fault" 0 "divide.cl:2:10: error: 12 is divided by 'd', which is zero (group 1, item 1)"
reached "the divisors of the last group" 0 "d          3   0"
reached "what the group before has stored" 0 "   0: 12 6 0 0"
reached "back at the start" 0 "   0: 0 0 0 0"

"$lockstep" lower divide.cl --to musimd --wg-size 2 -D SCALE=2 >divide.mus
session divide.mus --groups 2 --arg 'd=[1,2,3,4]' --arg y=4:zeros --arg n=6 <<'IN'
where
continue
memory y
IN
reached "a typed program shows its own lines" 0 "i = int(group_id * 2ul + local_id)"
reached "a typed program runs" 0 "   0: 12 6 4 3"

session "$source/examples/core/collatz.cl" --wg-size 2 --groups 3 --wg-pack 3 --arg steps=6:zeros <<'IN'
until BD
groups
group 1
print n in item 1
group 7
continue
print steps[0..5]
IN
reached "groups of a pack" 0 "pack 0 of 1: groups 0-2"
reached "a value in a group" 0 "n in item 1 = 4"
reached "a group that does not exist" 0 "there is no group '7'; the launch has groups 0 to 2"
reached "Collatz" 0 "   0: 0 1 7 2 5 8"

# What an instruction has read and stored, in arrays of two dimensions and through pointers to other types.
cat >rows.cl <<'CL'
__kernel void k(__global int *o) {
  int m[2][2];
  int i = get_local_id(0);
  m[1][1] = 5;
  m[0][i] = 3;
  o[m[1][1] - 5 + i] = 1;
}
CL
yes step | head -n 4 >steps
session rows.cl --wg-size 2 --arg o=2:zeros <steps
reached "an element of two dimensions" 0 "m[1][1] := 5, m[1][1] := 5"
reached "one whose index is computed" 0 "m[0][0] := 3, m[0][1] := 3"
reached "an index that is such an element" 0 "o[0] := 1, o[1] := 1"
cat >puns.mus <<'MUS'
.typed
.wg_size 2
.local short t[4]
.kernel k(global int* a)
.var global char* p
.var char c
        p = as.global.char(a) + 1
        c = ld p[local_id]
        st @t[local_id] = 0s
        st (as.local.char(@t) + 1)[local_id] = c
        st (as.global.short(a))[local_id] = 7s
        st a[local_id] = 9
        stop
MUS
yes step | head -n 6 >steps
session puns.mus --arg 'a=[66051,2]' <steps
reached "a pointer between elements" 0 "p := byte 1 of a byte 1 of a"
reached "bytes that are read" 0 "read byte 1 of a, byte 2 of a"
reached "bytes that are stored" 0 "byte 1 of t := 2, byte 2 of t := 1"
reached "several bytes" 0 "bytes 0 to 1 of a := 7, bytes 2 to 3 of a := 7"
reached "elements of bytes" 0 "a[0] := 9, a[1] := 9"

echo 'continue' >commands
session "$source/examples/core/collatz.cl" --wg-size 4 --max-steps 20 --arg steps=4:zeros <commands
reached "the step limit" 0 "no end after 20 steps (--max-steps)"
session divide.cl --wg-size 2 -D SCALE=1 --arg 'd=[1,1]' --arg n=1 <commands
reached "a missing argument" 2 "--arg"
session "$source/examples/musimd/fig6.mus" --groups 2 <commands
reached "an option that only kernels have" 2 "--groups"
session divide.cl --wg-size 2 -D SCALE=1 --groups 0 --arg 'd=[]' --arg 'y=[]' --arg n=1 <commands
reached "no groups" 2 "has no steps"
session divide.cl --out y=y.npy <commands
reached "no --out" 2 "--out"
session - <commands
reached "the program cannot come from standard input" 2 "must be a file"
session divide.cl --wg-size 2 <commands
reached "a kernel that is wrong" 2 "divide.cl:6:23: error"
head -c 20000 /dev/urandom >noise
# shellcheck disable=SC2086
session $divide <noise
reached "random bytes" 0 "kernel divide"

counts
