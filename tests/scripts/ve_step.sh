#!/bin/sh
# ve_step.sh LOCKSTEP SOURCE_DIR
# Sessions of `lockstep step` on object code of VE through standard input: moving, breakpoints, values, and wrong input of every kind.
. "$(dirname "$0")/lib/command.sh"

if ! printf 'int f(void) { return 1; }' | clang-19 --target=ve-linux -x c -c -o try.o - 2>err; then
  echo "SKIPPED: clang-19 makes no objects for VE"
  skipped=$((skipped + 1))
  counts
  exit
fi
saxpy=$source/examples/ve/saxpy.c
clang-19 --target=ve-linux -O2 -c "$saxpy" -o bare.o
clang-19 --target=ve-linux -O2 -g -c "$saxpy" -o lines.o
set -- --arg 0=2.0 --arg 1=f64:600:iota --arg 2=f64:600:const:1 --arg 3=600

# Back and forth, and what each step does.
session "$saxpy" --target ve "$@" <<'IN'
until vld
explain
step
print %v0[0..9]
print %v1.f64[255]
print vl
until vfmad.d
step
print %v0 in element 3
step
memory 2
back
print arg2[3]
memory 2
info registers
info vectors
info masks
step 10000
back
IN
reached "where it begins" 0 "saxpy.c: function saxpy, 17 instructions"
reached "the line" 0 "  saxpy.c:"
reached "explained" 0 "Reads 8 bytes, a stride apart."
reached "which elements" 0 "  elements {0-255}"
reached "what is read" 0 "  reads arg1[0], arg1[1], arg1[2], arg1[3], arg1[4], arg1[5], arg1[6], arg1[7], … 248 more"
reached "a load is told" 0 "f64 := 0 1 2 3 4 5 6 7 … 248 more"
reached "elements" 0 "   8: 8 9"
reached "the length" 0 "vl = 256"
reached "a fused product" 0 "f64 := 1 3 5 7 9 11 13 15 … 248 more"
reached "one element" 0 "%v0 in element 3 = 7"
reached "a store" 0 "  arg2[0] := 1, arg2[1] := 3, arg2[2] := 5, arg2[3] := 7, arg2[4] := 9"
reached "what was stored" 0 "   0: 1 3 5 7 9 11 13 15"
reached "a store undone" 0 "  arg2[0] is again 1, arg2[1] is again 1"
reached "memory undone" 0 "arg2[3] = 1"
reached "what was there" 0 "   0: 1 1 1 1 1 1 1 1"
reached "an address" 0 "&arg"
reached "no masks" 0 "nothing has been written to a mask register"
reached "the end" 0 "after 41 steps: the function has returned, %s0 = 0x4000000000000000"

# Breakpoints by address, instruction, line and condition.
session lines.o "$@" <<'IN'
break saxpy.c:8
break vst if vl == 88
info break
continue
continue
delete 1
continue
print vl
reverse-continue
restart
delete
tbreak saxpy+0x20
break 0x28
continue
continue
info break
delete
break if arg2[5] > 1
run
back
print arg2[5]
delete
watch arg2[300]
watch %s3
continue
info watch
delete
next
next
reverse-next
list
list vst
where
info line
goto 5
IN
reached "a line" 0 "breakpoint 1: saxpy+0x"
reached "its place" 0 "1: saxpy.c:8"
reached "an instruction with a condition" 0 "vst %v"
reached "it holds" 0 "vl = 88"
reached "an address" 0 ", saxpy+0x20: "
reached "an address of the kernel" 0 ", saxpy+0x28: "
reached "a condition" 0 "breakpoint 5: if arg2[5] > 1"
reached "before it held" 0 "arg2[5] = 1"
reached "a watch" 0 "  1 → 601"
reached "the text" 0 "  saxpy.c:9: _vel_vst_vssl"
reached "the code" 0 "→   saxpy+0x"
reached "a step" 0 "at step 5, saxpy+0x"

# Without debug information each instruction is a line.
printf 'next\nnext 2\ninfo line\nbreak saxpy.c:8\nlist\n' >commands
session bare.o "$@" <commands
reached "instructions" 0 "at step 3, saxpy+0x"
reached "no line" 0 "nobody says which line this comes from (clang does with -g)"
reached "no place of C" 0 "there is no place 'saxpy.c:8'"
reached "how to have lines" 0 "lines of C are there with -g"

# Masks, floats of 32 bits, the stack, calls of the library, and a fault.
cat >more.c <<'C'
#include <velintrin.h>
double sqrt(double);
void masked(float *x, float *y, int vl) {
  __vr a = _vel_vldu_vssl(4, x, vl);
  __vm256 m = _vel_vfmksgt_mvl(a, vl);
  __vr b = _vel_vfadds_vvvmvl(a, a, m, a, vl);
  _vel_vstu_vssml(b, 4, y, m, vl);
}
double root(double a) { return sqrt(a) + 1; }
void beyond(long *x, long n) { for (volatile long i = 0; i < n; ++i) x[i] = i; }
C
session more.c --target ve --kernel masked --arg '0=f32:[1,-1,2,-2,3]' --arg 1=f32:5:zeros --arg 2=5 <<'IN'
until pvfmk.s.up.gt
step
info masks
print any(%vm1)
print all(%vm1)
until vstu
explain
step
print arg1[*]
print %v0.f32[*]
print (float)vl / 2 + arg0[2]
print count(active)
back
print count(active)
print active(1)
print active(2)
print f32[%s1 + 8]
print u32[%s0]
back 3
print %v0.f32[0..4]
break vstu if any(%vm1[element] && element > 3)
run
IN
reached "a mask" 0 ":= {0,2,4}"
reached "masks" 0 "%vm1 = {0,2,4}"
reached "one of them" 0 "any(%vm1) = 1"
reached "under a mask" 0 "  under %vm1 = {0,2,4}"
reached "stored under a mask" 0 "  arg1[0] := 2, arg1[2] := 4, arg1[4] := 6"
reached "a buffer" 0 "   0: 2 0 4 0 6"
reached "an expression" 0 "(float)vl / 2 + arg0[2] = 4.5"
reached "nobody works" 0 "count(active) = 0"
reached "who works" 0 "count(active) = 3"
reached "not active" 0 "active(1) = 0"
reached "active" 0 "active(2) = 1"
reached "memory" 0 "f32[%s1 + 8] = 0"
reached "bits" 0 "u32[%s0] = 1065353216"

printf 'until bsic\nstep\nback\ncontinue\n' >commands
session more.c --target ve --kernel root --arg 0=9.0 <commands
reached "a library function" 0 ':= 4613937818241073152' # the bits of 3
reached "what it returns" 0 "the function has returned, %s0 = 0x4010000000000000"

printf 'continue\nback\nprint arg0[*]\nstep\nstep\ngoto 0\nprint arg0[*]\nrun\n' >commands
session more.c --target ve --kernel beyond --arg '0=i64:[7,7,7]' --arg 1=9 <commands
reached "a fault" 0 "error: byte 24 is outside of argument 0, which has 24 bytes"
reached "its line" 0 "from more.c:10"
reached "before it" 0 "   0: 0 1 2"
reached "at the start" 0 "   0: 7 7 7"
printf 'continue\nback\nback\n' >commands
session more.c --target ve --kernel beyond --arg 0=i64:9:zeros --arg 1=9 --max-steps 20 <commands
reached "a limit" 0 "the step limit of 20 is reached (--max-steps)"
reached "back from it" 0 "at step 18, "

# Commands that cannot be done.
session lines.o "$@" <<'IN'
break nowhere
break saxpy+0x21
break saxpy+0x4000
break 4000
break rule BD
break vst if
break vst if %v1 ==
break vst when vl
watch
until
print
print %v64
print %s1.q32
print %s64
print arg0[0]
print arg1
print arg9[0]
print arg1[600]
print arg1[590..610]
print arg1[5..3]
print %v1[256]
print %v1 in element 256
print %v1 in group 3
print f64
print f64[0]
print sin(1)
print depth(calls)
print 1 / 0
print %v7[0]
memory 0
memory x
list nowhere
goto
goto x
back
info nothing
nonsense
IN
reached "no such place" 0 "error: there is no place 'nowhere'"
reached "within an instruction" 0 "error: there is no place 'saxpy+0x21'"
reached "behind the code" 0 "error: there is no place 'saxpy+0x4000'"
reached "no such line" 0 "error: there is no place '4000'"
reached "no rules" 0 "error: VE has no rules"
reached "no condition" 0 "error: if what?"
reached "half a condition" 0 "error: column 7: expected a number, a register, a name or '('"
reached "another word" 0 "error: expected 'if' instead of 'when'"
reached "no vector" 0 "error: column 1: there is no '%v64'"
reached "no type" 0 "error: column 5: 'q32' is no type"
reached "no buffer" 0 "error: column 1: argument 0 has no buffer"
reached "no element" 0 "name an element, as in arg1[0]"
reached "no argument" 0 "error: column 1: argument 9 has no buffer"
reached "outside" 0 "arg1[600] = no value (it lies outside)"
reached "a range outside" 0 "error: arg1[600]: it lies outside"
reached "a range backwards" 0 "error: a range is NAME[A..B] with numbers 0 ≤ A ≤ B"
reached "no such element" 0 "error: column 16: a vector has elements 0 to 255"
reached "no group" 0 "expected an operator, or 'in element E'"
reached "no address" 0 "expected f64[ADDRESS]"
reached "nothing there" 0 "f64[0] = no value (it lies outside)"
reached "no function" 0 "there is no function 'sin' here"
reached "no stack" 0 "error: column 7: expected a stack, which VE has not"
reached "not written" 0 "%v7[0] = no value (nothing was written there)"
reached "no number" 0 "error: no buffer has the position '0'"
reached "the start" 0 "this is the start of the run"
reached "no such topic" 0 "error: there is no 'info nothing'"

head -c 20000 /dev/urandom >commands
session lines.o "$@" <commands
reached "random bytes" 0 "at step 0,"

# Wrong files and options.
subcommand=step
expect 2 '--groups: lines.o is for VE, which has no such option' lines.o --groups 2
expect 2 "the object has no function 'other'" lines.o --kernel other
expect 2 '--kernel: the object has several functions' more.c --target ve
expect 2 '--arg x: object code has no names of parameters' lines.o --arg x=1
expect 4 'no-such-clang' more.c --target ve --clang no-such-clang
echo 'double sin(double); double f(double a) { return sin(a); }' >sine.c
expect 2 "needs 'sin', which nobody has" sine.c --target ve --arg 0=1.0
expect 2 'is for the machine number 62, and not for VE' "$lockstep"
head -c 700 lines.o >cut.o
expect 2 'cut.o is cut off' cut.o
expect 0 '--target ve --kernel saxpy' --help

counts
