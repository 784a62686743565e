#!/bin/sh
# ptx_step.sh LOCKSTEP SOURCE_DIR
# Sessions of `lockstep step` on PTX through standard input: moving, breakpoints, values, who waits for whom, and wrong input of every kind.
. "$(dirname "$0")/lib/command.sh"

head='.version 8.5\n.target sm_75\n.address_size 64\n'
registers='.reg .pred %p<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<8>;\n'

# Threads 0 and 1 of four go another way; x[i] becomes 10 i + 1 or 2.
program ways.ptx "$head.file 1 \"src/ways.cu\"\n.entry ways(.param .u64 x) {\n$registers.loc 1 3 1\nld.param.u64 %d0, [x];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %d0, %r0, 4, %d0;\nmul.lo.u32 %r1, %r0, 10;\n.loc 1 4 1\nsetp.lt.u32 %p0, %r0, 2;\n@%p0 bra low;\n.loc 1 5 1\nadd.u32 %r1, %r1, 2;\nbra.uni join;\nlow:\n.loc 1 6 1\nadd.u32 %r1, %r1, 1;\njoin:\n.loc 1 7 1\nst.global.u32 [%d0], %r1;\nret;\n}\n"
session ways.ptx --block 4 --arg x=u32:4:iota <<'IN'
step
break join
break 15 in thread 3
continue
list
where
continue
print %r1
print x[*]
step
back
step 100
back 2
memory x
goto 0
memory x
IN
reached "where it begins" 0 "ways.ptx: kernel ways, grid 1,1,1, block 4,1,1"
reached "a step is told" 0 "step 1: {0-3}  ld.param.u64 %d0, [x];"
reached "a line of the source" 0 "ways, Θ {0-3}, compiled from src/ways.cu:3:1"
reached "a label" 0 "breakpoint 1: line 23: st.global.u32 [%d0], %r1;"
reached "a line in a thread" 0 "breakpoint 2: line 16: add.u32 %r1, %r1, 2;   in thread 3"
reached "who is where" 0 "→   16  add.u32 %r1, %r1, 2;   ← Θ {2,3}"
reached "who is elsewhere" 0 "    20  add.u32 %r1, %r1, 1;   ← {0,1}"
reached "registers side by side" 0 "%r1        1  11  22  32"
reached "memory before the store" 0 "   0: 0 1 2 3"
reached "a store" 0 "  x[0] := 1, x[1] := 11, x[2] := 22, x[3] := 32"
reached "a store undone" 0 "  x[0] is again 0, x[1] is again 1, x[2] is again 2, x[3] is again 3"
reached "the end" 0 "after 11 steps: all threads have ended"

session ways.ptx --block 4 --arg x=u32:4:iota <<'IN'
until ways.cu:6
until add
reverse-next
tbreak if %r1 == 32 in thread 3
run
info break
watch x[2]
continue
reverse-continue
delete
goto 9
explain
info line
mask
thread 3
info locals
IN
reached "until a line of the source" 0 "ways, Θ {0,1}, compiled from src/ways.cu:6:1"
reached "a condition in a thread" 0 "breakpoint 1: if %r1 == 32 in thread 3"
reached "once only" 0 "no breakpoints"
reached "a watch" 0 "  2 → 22"
reached "explained" 0 "accesses x[0] x[1] x[2] x[3]"
reached "info line" 0 "of ways, compiled from src/ways.cu:7:1"

# Faults and who waits: thread 5 leaves early, the others wait for it in a barrier of the warp.
program gone.ptx "$head.entry gone() {\n${registers}mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 5;\n@%p0 bra out;\nbar.warp.sync 0xff;\nout:\nret;\n}\n"
session gone.ptx --block 8 <<'IN'
until bar
step
info sync
warps
thread 3
thread 5
continue
info sync
back
info sync
IN
reached "who waits for whom" 0 "  threads {0-4,6,7} wait with the mask 0x000000ff for threads {5} (at line 11)"
reached "one thread that waits" 0 "thread 3, waiting, line 9: bar.warp.sync 0xff;"
reached "one that does not" 0 "thread 5, active, line 11: ret;"
reached "the fault" 0 "gone.ptx:9:1: error: lane 5 of the mask 0x000000ff has ended, and never comes here (block (0,0,0), thread (0,0,0))"
reached "back from the fault" 0 "undone: step 4: {0-4,6,7}  bar.warp.sync 0xff;"

# Bytes of the buffer that get no number have one again behind `back`, and lose it again.
program hole.ptx "$head.entry k(.param .u64 x) {\n${registers}.local .align 4 .b8 l[4];\nld.param.u64 %d0, [x];\nst.local.u8 [l], 7;\nld.local.u32 %r0, [l];\nst.global.u32 [%d0], %r0;\nld.global.u32 %r1, [%d0];\nadd.u32 %r1, %r1, 1;\nret;\n}\n"
printf 'step 4\nback 4\ncontinue\n' >commands
session hole.ptx --block 1 --arg x=u32:1:zeros <commands
reached "a byte without a number, again" 0 "line 11 loads byte 1 of 'x', to which no number has been written"

program barrier.ptx "$head.entry barrier() {\n${registers}mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 32;\n@%p0 bra first;\nbar.sync 0;\nbra.uni out;\nfirst:\nbar.sync 1;\nout:\nret;\n}\n"
session barrier.ptx --block 64 --schedule fair <<'IN'
continue
back
continue
IN
reached "a deadlock" 0 "barrier.ptx:12:1: error: barrier 1 waits for 64 threads, of which 32 have come; 32 threads wait at line 9"
reached "both sides of it" 0 "  threads {32-63} wait at barrier 0, to which 32 of 64 threads have come, for threads {0-31} (at line 12)"
# A last warp that lacks threads: a barrier counts whole warps, but those who come are 40.
session barrier.ptx --block 40 --schedule fair <<'IN'
continue
back
IN
reached "a deadlock of 40" 0 "barrier.ptx:12:1: error: barrier 1 waits for 40 threads, of which 32 have come; 8 threads wait at line 9"
reached "both sides of it" 0 "  threads {32-39} wait at barrier 0, to which 8 of 40 threads have come, for threads {0-31} (at line 12)"

for schedule in lowest-pc stack fair random:5; do
  printf 'continue\nback 7\nreverse-continue\ncontinue\nprint d[0..3]\nprint a[0]\n' >commands
  session "$source/tests/ptx/steps/calls.ptx" --grid 3 --block 40 --schedule $schedule --arg a=u32:1:zeros --arg d=u32:120:zeros <commands
  reached "$schedule" 0 "   0: 3 4 5 6"
  reached "$schedule" 0 "a[0] = 2340"
done

session "$source/tests/ptx/steps/calls.ptx" --grid 3 --block 10,2,2 --arg a=u32:1:zeros --arg d=u32:120:zeros --races off <<'IN'
break three if depth(calls) == 3
continue
backtrace
print kept[1]
frame 1
print %n
print kept[*] in thread 3
finish
thread 3,1,1
print step in block 1
break if block == 2
delete 1
continue
warp 1
print %ctaid.x
print visits
print shared.u32[%r6]
print %r3.f32 in thread 1
IN
reached "calls" 0 "#2 k, line 56: call (%r4), three, (%r3);"
reached "three dimensions" 0 "thread 33 (3,1,1), "
reached "another block" 0 "error: block 1 is not the one that runs, which is 0"
reached "a warp" 0 "thread    32  33  34  35  36  37  38  39"
reached "a number of the block" 0 "%ctaid.x   2   2   2   2   2   2   2   2"
reached "a variable of the module" 0 "visits = 80"

program open.ptx "$head.entry k(.param .u64 x) {\n${registers}ld.param.u64 %d0, [x]; ld.global.f32 %f0, [%d0];\nsin.approx.f32 %f1, %f0;\nst.global.f32 [%d0], %f1; ret;\n}"
printf 'step 5\ninfo open\ninfo races\nback 5\ninfo open\n' >commands
session open.ptx --block 2 --arg x=f32:1:zeros <commands
reached "what PTX leaves open" 0 "the number that is stored here depends on a result of line 7 that PTX leaves open"
reached "a race" 0 "race: nothing orders two accesses to byte 0 of 'x'"
reached "open results go back as well" 0 "0 instructions depend on results that PTX leaves open"
session open.ptx --block 2 --arg x=f32:1:zeros --strict <commands
reached "a race that ends the run" 0 "the run ends:"

# Commands that cannot be done.
session ways.ptx --block 4 --arg x=u32:4:iota <<'IN'
break nowhere
break 4000
break 0
break ways.cu:99
break other.cu:3
break ways.cu:x
break rule BD
break 14 if
break 14 if %r1 ==
break 14 if %r77 == 1
break 14 in thread 4
break 14 in thread 0,1,0
break 14 in warp 1
break 14 in block 1
break 14 in person 1
break 14 when %r1
thread 4
thread x
warp 1
frame 1
finish
until
watch
print
print %r1.q32
print %r1.u64
print x
print x[4]
print x[0..9]
print x[3..1]
print shared.u32
print %r1 / 0
print %r1 in thread 4
memory y
goto
back 3
info nothing
nonsense
list 99
IN
reached "no such place" 0 "error: 'nowhere' is no line, function, label or FILE:LINE"
reached "lines behind the text" 0 "error: there is no instruction at or behind line 4000; the text has 26 lines"
reached "line 0" 0 "error: there is no instruction at or behind line 0"
reached "a line of the source without code" 0 "error: no instruction was compiled from line 99 of 'ways.cu'"
reached "another source" 0 "error: no instruction was compiled from line 3 of 'other.cu'"
reached "no line of the source" 0 "error: 'ways.cu:x' is no FILE:LINE"
reached "no rules" 0 "error: PTX has no rules"
reached "no condition" 0 "error: if what?"
reached "half a condition" 0 "error: column 7: expected a number, a register, a name or '('"
reached "an unknown register" 0 "error: column 1: 'ways' has no register or variable '%r77'"
reached "a thread out of range" 0 "error: column 11: a block has only threads 0 to 3"
reached "a place out of range" 0 "error: column 11: a block has only threads 0 to 3 (3,0,0)"
reached "a warp out of range" 0 "error: column 9: a block has only warps 0 to 0"
reached "a block out of range" 0 "error: column 10: the grid has only blocks 0 to 0"
reached "nobody" 0 "error: column 4: expected 'in thread T', 'in warp W' or 'in block B'"
reached "another word" 0 "error: expected 'if' instead of 'when'"
reached "looking at no thread" 0 "error: there is no thread '4'; a block has threads 0 to 3"
reached "looking at no number" 0 "error: there is no thread 'x'"
reached "looking at no warp" 0 "error: there is no warp '1'; a block has warps 0 to 0"
reached "no call" 0 "error: there is no call '1'; backtrace shows 0 to 0"
reached "nothing to finish" 0 "error: control is not inside a call"
reached "no type" 0 "error: column 1: 'ways' has no register or variable '%r1.q32'"
reached "too wide a type" 0 "error: column 8: '%r1' has only 32 bits"
reached "outside" 0 "x[4] = no value (it lies outside)"
reached "a range outside" 0 "error: x[4]: it lies outside"
reached "a range backwards" 0 "error: a range is NAME[A..B] with numbers 0 ≤ A ≤ B"
reached "no address" 0 "error: column 1: expected shared.TYPE[ADDRESS]"
reached "no such buffer" 0 "error: there is no buffer or variable 'y'"
reached "the start" 0 "this is the start of the run"
reached "no such topic" 0 "error: there is no 'info nothing'"
reached "no such line" 0 "error: there is no line '99'; there are 26"

head -c 20000 /dev/urandom >commands
session ways.ptx --block 4 --arg x=u32:4:iota <commands
reached "random bytes" 0 "at step 0,"

# Wrong files and options.
subcommand=step
expect 2 'ways.ptx is PTX, which has no such option; it has --grid and --block' ways.ptx --groups 2
expect 2 "the module has no kernel 'other'; it has: ways" ways.ptx --kernel other
expect 2 '--arg is missing for x of the kernel' ways.ptx
expect 2 'a block of 1025 threads; it can have 1 to 1024' ways.ptx --block 1025 --arg x=u32:4:iota
expect 2 'do not fit into the 64 bytes' ways.ptx --memory-limit 64 --arg x=u32:64:iota
program bad.ptx "$head.entry k() {\nadd.s32 %r1, 1, 1;\n}"
expect 2 "bad.ptx:5:9: error: '%r1' is not declared" bad.ptx
program empty.ptx "$head"
expect 2 'the module has no kernel' empty.ptx
expect 0 '--block 64,2' --help

counts
