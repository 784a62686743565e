#!/bin/sh
# run_ptx.sh LOCKSTEP SOURCE_DIR
# `lockstep run` of PTX from the command line: results, options, and wrong input of every kind.
. "$(dirname "$0")/lib/command.sh"
subcommand=run

head='.version 8.5\n.target sm_75\n.address_size 64\n'
registers='.reg .pred %p<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<8>;\n'
scale='ld.param.f32 %f0, [a]; ld.param.u64 %d0, [x]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\nmad.lo.u32 %r0, %r0, %r1, %r2; mad.wide.u32 %d0, %r0, 4, %d0;\nld.global.f32 %f1, [%d0]; mul.rn.f32 %f1, %f1, %f0; st.global.f32 [%d0], %f1; ret;\n'
program scale.ptx "$head.visible .entry scale(.param .f32 a, .param .u64 x) {\n$registers$scale}\n"
program two.ptx "$head.entry a() { ret; }\n.entry b() { ret; }"
program race.ptx "$head.entry k(.param .u64 x) {\n${registers}ld.param.u64 %d0, [x]; mov.u32 %r0, %tid.x;\nst.global.u32 [%d0], %r0; ret;\n}"
program approximate.ptx "$head.entry k(.param .u64 x) {\n${registers}ld.param.u64 %d0, [x]; ld.global.f32 %f0, [%d0];\nsin.approx.f32 %f1, %f0;\nst.global.f32 [%d0], %f1; ret;\n}"
program shared.ptx "$head.extern .shared .align 4 .b8 s[];\n.entry k(.param .u64 x) {\n${registers}st.shared.u32 [s+60], 7; ld.param.u64 %d0, [x]; ld.shared.u32 %r0, [s+60]; st.global.u32 [%d0], %r0; ret;\n}"
program structure.ptx "$head.entry k(.param .align 4 .b8 p[8], .param .u64 x) {\n${registers}ld.param.u32 %r0, [p+4]; ld.param.u64 %d0, [x]; st.global.u32 [%d0], %r0; ret;\n}"
program endless.ptx "$head.entry k() {\nL: bra L;\n}"
program origin.ptx "$head.file 1 \"k.cu\"\n.entry k() {\n.loc 1 12 3\ntrap;\n}"
printf 'abcdefgh' > eight.txt

# Results, by name and by position.
expect 0 'halted after ' scale.ptx --grid 2 --block 4 --arg a=2 --arg x=f32:8:iota
expect 0 'x: float[8] 0 2 4 6 8 10 12 14' scale.ptx --grid 2 --block 4 --arg 0=2 --arg 1=f32:8:iota
expect 0 'x: float[3] 3 6 9' scale.ptx --block 3 --arg a=3 --arg 'x=f32:[1,2,3]' --schedule random:7
expect 0 'x: float[2] 1 2' scale.ptx --block 2 --arg a=f32:1 --arg 'x=f32:[1,2]' --policy stack
expect 0 'races:   not looked for' scale.ptx --block 1 --arg a=1 --arg x=f32:1:zeros --races off
expect 0 'x: uint[1] 7' shared.ptx --block 1 --shared 64 --arg x=u32:1:zeros
expect 1 "byte 60 is outside of 's', which has 0 bytes" shared.ptx --block 1 --arg x=u32:1:zeros
expect 0 'x: uint[1] 1751606885' structure.ptx --block 1 --arg p=@eight.txt --arg x=u32:1:zeros
expect 0 '' scale.ptx --block 8 --arg a=2 --arg x=f32:8:iota --out x=out.npy -q
expect 0 'x: float[8] 0 4 8 12' scale.ptx --block 8 --arg a=2 --arg x=@out.npy

# JSON, the whole object.
expect 0 '"status":"halted"' scale.ptx --block 2 --arg a=2 --arg x=f32:2:iota --json
same 'json' '{"status":"halted","reason":"","kernel":"scale","grid":[1,1,1],"block":[2,1,1],"steps":11,"thread_steps":22,"races":0,"race_reports":[],"open":[],"counts":{"instructions":{"integer":2,"float":1,"move":3,"control":1,"parameter":2,"load":1,"store":1},"global":{"loads":{"instructions":1,"bytes":8,"sectors":1,"lines":1},"stores":{"instructions":1,"bytes":8,"sectors":1,"lines":1}},"shared":{"loads":{"instructions":0,"bytes":0,"passes":0},"stores":{"instructions":0,"bytes":0,"passes":0}},"local":{"loads":{"instructions":0,"bytes":0,"sectors":0,"lines":0},"stores":{"instructions":0,"bytes":0,"sectors":0,"lines":0}},"again":[],"sectors_read":1,"sectors_written":1,"live_registers":6,"live_predicates":0},"buffers":{"x":[0.0,2.0]},"fault":null}'
expect 1 '"status":"error"' scale.ptx --block 2 --arg a=2 --arg x=f32:1:iota --json
expect 1 '"fault":{"kind":"out-of-bounds","line":8,"column":1,"block":[0,0,0],"thread":[1,0,0]}' scale.ptx --block 2 --arg a=2 --arg x=f32:1:iota --json

# Faults, races, results that PTX leaves open.
expect 1 "scale.ptx:8:1: error: byte 4 is outside of 'x', which has 4 bytes (block (0,0,0), thread (1,0,0))" scale.ptx --block 2 --arg a=2 --arg x=f32:1:iota
expect 1 'origin.ptx:7:1: error: the kernel has come to a trap (block (0,0,0), thread (0,0,0), compiled from k.cu:12:3)' origin.ptx
expect 0 "race: nothing orders two accesses to byte 0 of 'x'" race.ptx --block 2 --arg x=u32:1:zeros
expect 1 'error after' race.ptx --block 2 --arg x=u32:1:zeros --strict
expect 0 'the number that is stored here depends on a result of line 7 that PTX leaves open' approximate.ptx --block 1 --arg x=f32:1:zeros
expect 3 'the step limit of 100 is reached (--max-steps)' endless.ptx --max-steps 100

# Wrong options and arguments.
expect 2 '--kernel: the module has several kernels: a, b' two.ptx
expect 0 'kernel:  b,' two.ptx --kernel b
expect 2 "the module has no kernel 'c'; it has: a, b" two.ptx --kernel c
expect 2 "--block: '0' is not a number from 1" two.ptx --kernel a --block 0
expect 2 'a block of 1025 threads; it can have 1 to 1024' two.ptx --kernel a --block 1025
expect 2 '--grid: there are three dimensions, X,Y,Z' two.ptx --kernel a --grid 1,2,3,4
expect 2 "--schedule: 'highest' is not one of lowest-pc, stack, fair and random:SEED" two.ptx --kernel a --schedule highest
expect 2 'two.ptx is PTX, which has no such option; it has --grid and --block' two.ptx --kernel a --groups 2
expect 2 '--arg is missing for x of the kernel' scale.ptx --arg a=1
expect 2 'has no such parameter; its parameters: .f32 a, .u64 x' scale.ptx --arg y=1
expect 2 "--arg a: 'much' is not a number (the parameter is '.f32 a')" scale.ptx --arg a=much --arg x=f32:1:zeros
expect 2 "an address has 8 bytes" scale.ptx --arg a=f32:1:zeros --arg x=f32:1:zeros
expect 2 'its parameters: .f32 a, .u64 x' scale.ptx --arg a=1 --arg x=f32:1:zeros --out a=a.npy
expect 2 "but 8 are wanted" structure.ptx --arg p=@two.ptx --arg x=u32:1:zeros
expect 2 "--grid: " "$source/examples/musimd/fig6.mus" --grid 2

# What PTX does not have.
subcommand=
expect 2 'scale.ptx: is PTX, whose instructions are no rules' rules --coverage scale.ptx
expect 2 'scale.ptx: is no file of kernels' diff scale.ptx --target infreg


# A parameter that points to shared memory, as OpenCL's __local ones do.
cat >shared.ptx <<'END'
.version 6.3
.target sm_75
.address_size 64
.visible .entry turned(.param .u64 out, .param .u64 .ptr .shared .align 4 room) {
  .reg .b32 %r<5>;
  .reg .b64 %d<5>;
  ld.param.u64 %d0, [out];
  ld.param.u64 %d1, [room];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  add.u64 %d3, %d1, %d2;
  st.shared.u32 [%d3], %r0;
  bar.sync 0;
  xor.b32 %r1, %r0, 7;
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d3, %d1, %d3;
  ld.shared.u32 %r2, [%d3];
  add.u64 %d4, %d0, %d2;
  st.global.u32 [%d4], %r2;
  ret;
}
END
expect 0 'out: uint[8] 7 6 5 4 3 2 1 0' run shared.ptx --block 8 --arg out=u32:8:zeros --arg room=shared:32
expect 1 'error: ' run shared.ptx --block 8 --arg out=u32:8:zeros --arg room=shared:28
expect 2 'how many bytes there are, shared:BYTES' run shared.ptx --block 8 --arg out=u32:8:zeros --arg room=shared:x
expect 2 'how many bytes there are, shared:BYTES' run shared.ptx --block 8 --arg out=u32:8:zeros --arg room=shared
counts
