#!/bin/sh
# run.sh LOCKSTEP SOURCE_DIR
# `lockstep run` from the command line: results, options, and wrong input of every kind.
. "$(dirname "$0")/lib/command.sh"
subcommand=run

fig6=$source/examples/musimd/fig6.mus
program stop.mus 'stop'
program endless.mus 'L: jmp L'
program store.mus 'st tid = 2 * tid\nstop'
program race.mus 'st 0 = tid\nstop'
program stuck.mus 'v = 1\n  sync\nstop'
program undefined.mus 'v = 8 / (tid - 1)\nstop'

# Endings and their statuses.
expect 0 'halted after 39 steps' "$fig6"
expect 0 '0-19: 1 1 1 1 3 2 4 5 1 5 6 1 2 3 1 7 2 4 5 1' "$fig6"
expect 1 'stuck.mus:2:3: error: no rule applies: SS.2' stuck.mus
expect 1 'stuck after 1 step: ' stuck.mus
expect 1 "undefined.mus:1:1: error: undefined behaviour in thread 1: BP.2 'no t ∈ Θ divides by 0' fails: the divisor is 0" undefined.mus
expect 3 'limit after 1000 steps: the step limit of 1000 is reached (--max-steps)' endless.mus --max-steps 1000
expect 3 'endless.mus:1:4: error: the step limit of 1000 is reached (--max-steps)' endless.mus --max-steps 1000
expect 3 'limit after 0 steps' stop.mus --max-steps 0

# JSON, the whole object.
expect 0 '"status":"halted"' store.mus --threads 2 --json
same 'json' '{"status":"halted","reason":"","steps":2,"rules":{"SP":1,"IT":1,"ST":1},"active":[0,1],"shared":{"0":0,"1":2},"locals":{},"races":0,"first_races":[],"uninitialised_reads":0,"first_uninitialised_reads":[],"threads":2,"pc":1,"line":2,"column":1,"sync":[],"sync_depth":0,"context":[],"context_depth":0}'
expect 1 '"rule":"BP","premise":"BP.2","thread":1,"value":"the divisor is 0"' undefined.mus --json
expect 1 '"failed":[{"rule":"SS","premise":"SS.2"},{"rule":"SI.sync","premise":"SI.sync.2"}]' stuck.mus --json
expect 3 '"status":"limit","reason":"the step limit of 10 is reached (--max-steps)","steps":10,' endless.mus --json --max-steps 10
program poison.mus 'p = shfl(tid, tid + 3)\nst tid = p\nbz tid == 0, L\nw = 1\nL: sync\nstop'
expect 0 '"shared":{"0":3,"1":null,"2":null,"3":null},"locals":{"p":[3,null,null,null],"w":[1,null,null,null]}' poison.mus --json
program stacks.mus 'bz tid & 1, L\nL: everywhere\nbz 0, M\nM: stop'
expect 1 '"sync":[{"branch_pc":2,"done":[],"resume_at":3,"todo":[]}],"sync_depth":1,"context":[{"mask":[1,3],"sync":[{"branch_pc":0,"done":[],"resume_at":1,"todo":[0,2]}],"sync_depth":1}],"context_depth":1' stacks.mus --json
program nested.mus 'bz tid & 1, L\nL: bz tid & 2, M\nM: v = 1 / 0'
expect 1 '"sync":[{"branch_pc":0,"done":[],"resume_at":1,"todo":[0,2]},{"branch_pc":1,"done":[],"resume_at":2,"todo":[1]}],"sync_depth":2,"context":[],"context_depth":0' nested.mus --json

# Threads, Θ, order.
expect 0 'threads: 3, active: 0-2' stop.mus --threads 3
expect 0 'threads: 65, active: 0-64' stop.mus --wg-size 65
expect 0 'active: 0,2-3' stop.mus --active 0,2-3
expect 0 '0: 3' race.mus --order ascending
expect 0 '0: 0' race.mus --order descending
expect 0 '0: 2' race.mus --order 0,3,1-2
expect 0 '0: 0' race.mus --order 3-0
expect 0 'halted' race.mus --order random:7
program order.mus 'v = tid * 10\nv = shfl(v, tid ^ 1)\nstop'
expect 0 'v    10  10  30  30' order.mus --as-printed E5
expect 0 'halted' "$fig6" --check-rules
expect 1 'EE.4' "$fig6" --as-printed E3

# Races and reads of uninitialised values.
expect 0 'races:   1' race.mus
expect 0 'step 1, race.mus:1:1: cell 0 gets 0 from thread 0 and 1 from thread 1' race.mus
expect 0 'races:   not looked for' race.mus --races=off
expect 0 '"races":null,"first_races":null,' race.mus --races=off --json
expect 0 '"races":1,"first_races":[{"step":1,' race.mus --json
expect 1 'race.mus:1:1: error: two threads stored different values to one cell in one step: 1 time (--strict)' race.mus --strict
program race_on.mus 'L: st 0 = tid\njmp L'
expect 3 '"status":"limit"' race_on.mus --strict --max-steps 5 --json
expect 1 '"status":"error"' race.mus --strict --json
expect 0 'halted' store.mus --strict
expect 2 '--strict wants the races' race.mus --strict --races=off
program lane.mus 'bz tid, L\nv = 1\nL: sync\nw = shfl(v, 0)\nstop'
expect 0 'step 5, lane.mus:4:1, thread 1: v is uninitialised in thread 0, so the shuffle gives poison' lane.mus
program nothing_read.mus 'v = w\nw = 1\nstop'
expect 1 '"uninitialised_reads":4,"first_uninitialised_reads":[{"step":1,"pc":0,"thread":0,"fatal":true,' nothing_read.mus --json

# Cells in and out.
printf 'hello\n' >text
expect 0 'hello' stop.mus --shared 100:@text --dump 100:6:text -q
same 'text' 'hello'
expect 0 '' stop.mus --shared '5:[1, -2,0x10]' --dump 4:5 -q
same 'list' '* 1 -2 16 *'
expect 0 '' stop.mus --shared 0:3:zeros --shared 3:3:iota --shared 6:2:const:-7 --dump 0:8 -q
same 'rules' '0 0 0 0 1 2 -7 -7'
expect 0 '' stop.mus --shared '0:[255,-1,7]' --dump 0:4:hex -q
same 'hex' 'ff ffffffffffffffff 07 *'
expect 0 '' stop.mus --shared '7:[20,2]' --shared '20:[5,6]' --dump @7:@8 -q
same 'length in a cell' '5 6'
expect 0 '' stop.mus --shared 0:1:random:1 --dump 0:1 -q
same 'the first number of SplitMix64 with seed 1' '-7995527694508729151'
expect 0 "3 cells shown as '?': 2 uninitialised, 1 without a byte" stop.mus --shared '0:[104,256]' --dump 0:4:text
expect 0 '"dumps":[{"base":0,"length":3,"values":[104,256,null]},{"base":0,"length":2,"text":"h?","no_bytes":[1]}]' stop.mus --json --shared '0:[104,256]' --dump 0:3 --dump 0:2:text
expect 0 '"dumps":[{"base":0,"length":4,"text":"aéÿ","no_bytes":[]}]' stop.mus --json --shared '0:[97,233,255,128]' --dump 0:4:text --dump 0:4:npy=c.npy
expect 0 'Σ: 1 cell from 0' store.mus --dump 0:1
expect 0 '' store.mus --dump 0:4:npy=a.npy -q
expect 0 '' stop.mus --shared 10:@a.npy --dump 10:4 -q
same 'npy there and back' '0 2 4 6'
expect 0 'b.npy: 4 cells uninitialised or poison, written as 0' stop.mus --dump 0:4:npy=b.npy

# Traces.
expect 0 'v2 = 4 * (tid + 1)  BP       v2   4  *  * 16  ✓ • • ✓' "$fig6" --trace=table
expect 0 '' "$fig6" --trace=table --trace-out trace -q
[ "$(wc -l <trace)" -eq 42 ] || bad 'the trace in a file has 42 lines'
expect 2 'give --trace-out FILE' "$fig6" --trace=table --json
expect 2 '--trace-out wants --trace' "$fig6" --trace-out trace
expect 2 'no-such-folder/trace' "$fig6" --trace=table --trace-out no-such-folder/trace
expect 2 '--trace' "$fig6" --trace=picture

# Programs that cannot be read or parsed.
expect 2 'nothing.mus: No such file or directory' nothing.mus
expect 2 'is a directory' .
: >empty.mus
expect 2 'empty.mus:1:1: error' empty.mus
head -c 4096 "$lockstep" >binary.mus
expect 2 'binary.mus:' binary.mus
expect 2 '/dev/zero: has more than 67108864 bytes' /dev/zero
program wrong.mus 'bz v, Nowhere\njmp 99\n.what 3\n.threads 0\nv = 9223372036854775808\nst -1'
expect 2 "wrong.mus:1:7: error: the label 'Nowhere' is not defined" wrong.mus
expect 2 'wrong.mus:2:5: error' wrong.mus
expect 2 'wrong.mus:3:1: error' wrong.mus
expect 2 'wrong.mus:4:10: error' wrong.mus
expect 2 'wrong.mus:5:5: error' wrong.mus
program threads.mus '.threads 1025\nstop'
expect 2 'threads.mus:1:10: error' threads.mus
awk 'BEGIN { printf "v = "; for (i = 0; i < 100000; i++) printf "("; print "1\nstop" }' >deep.mus
expect 2 'deep.mus:1:' deep.mus
program far.mus 'st 9223372036854775808 = 1\nstop'
expect 2 'far.mus:1:4: error' far.mus

# Programs that go wrong.
program minus.mus 'v = ld tid - 1\nstop'
expect 1 'a = -1' minus.mus
program sparse.mus 'st 9223372036854775807 - tid * 1000000007 = tid\nstop'
expect 0 '9223372036854775807: 0' sparse.mus
program grow.mus 'i = 0\nL: st (i * 4 + tid) * 4096 = i\ni = i + 1\njmp L'
expect 3 'grow.mus:2:4: error: the memory limit of 1048576 bytes is reached (--memory-limit)' grow.mus --memory-limit 1M
program pile.mus 'L: everywhere\njmp L'
expect 3 'the limit of 100000 entries on Π or Λ is reached (no option changes it)' pile.mus
program end.mus 'v = 1'
expect 1 'no rule applies: there is no instruction at pc' end.mus

# Options that are wrong.
expect 2 'lockstep: error: FILE is required'
expect 2 "lockstep: error: lockstep run does not know '--nosuch'" --nosuch
expect 2 "lockstep: error: lockstep run does not know 'race.mus'" stop.mus race.mus
printf 'kernel @k() wg_size 4 wg_pack 1 {\n}\n' >k.ir
expect 2 'k.ir: is a kernel in InfReg-IR, which has an evaluator of its own: lockstep diff KERNEL.cl --ir k.ir' k.ir
subcommand=
expect 2 'k.ir: is a kernel in InfReg-IR' step k.ir
expect 2 "lockstep: error: there is no subcommand 'frob'; there are run, step, " frob
expect 2 "lockstep: error: lockstep does not know '--frob'" --frob
expect 2 'lockstep: error: A subcommand is required'
subcommand=run
expect 2 'lockstep: error: --threads: 0 is not a number from 1 to 1024' stop.mus --threads 0
expect 2 '--threads: 1025 is not' stop.mus --threads 1025
expect 2 '--threads: four is not' stop.mus --threads four
expect 2 '--threads: +5 is not' stop.mus --threads +5
expect 2 "--threads: ' 5' is not" stop.mus --threads ' 5'
expect 0 'threads: 10,' stop.mus --threads 010
expect 0 'threads: 16,' stop.mus --threads 0x10
expect 2 '--max-steps: -1 is not a number from 0 to 9223372036854775807' stop.mus --max-steps -1
expect 2 '--max-steps: 18446744073709551616 is not' stop.mus --max-steps 18446744073709551616
expect 3 'limit after 10 steps' endless.mus --max-steps 010
expect 2 '--active' stop.mus --active 0,x
expect 2 'the initial active set names thread 9' stop.mus --active 9
expect 2 'names thread 1 twice' stop.mus --active 1,1
expect 2 'the thread order names 2 of 4 threads' stop.mus --order 0,1
expect 2 "'sideways' is no thread order" stop.mus --order sideways
expect 2 'random:SEED' stop.mus --order random:x
expect 2 "'E9' is a misprint in a figure, with nothing to execute; the printed readings that can be executed are E1, E2, E3, E4, E5, E7, E8, E10" stop.mus --as-printed E1,E9
expect 2 "'E11' is in a program, not in a rule: examples/errata/E11_as_printed.mus shows it" stop.mus --as-printed E11
expect 2 'see docs/errata.md' stop.mus --as-printed E12
expect 2 "'E77' is no list of errata" stop.mus --as-printed E77
expect 2 '--memory-limit' stop.mus --memory-limit 12Q
expect 2 '--races' stop.mus --races=maybe
expect 2 'BASE:@FILE' stop.mus --shared nonsense
expect 2 'is no address' stop.mus --shared=-1:[1]
expect 2 'is no address' stop.mus --shared 9223372036854775808:[1]
expect 2 'is no 64-bit integer' stop.mus --shared '0:[1,x]'
expect 2 'beyond the last address' stop.mus --shared '9223372036854775807:[1,2]'
expect 2 'do not fit into the memory limit' stop.mus --shared 0:9223372036854775807:zeros
expect 2 'do not fit into the memory limit' stop.mus --shared 0:100000:iota --memory-limit 64K
expect 2 'is not one of zeros' stop.mus --shared 0:3:ones
expect 2 'missing.bin: No such file' stop.mus --shared 0:@missing.bin
expect 2 '/dev/zero: has more than 131072 bytes, too many cells for the memory limit of 1048576 bytes' stop.mus --shared 0:@/dev/zero --memory-limit 1M
head -c 131073 /dev/zero >big
expect 2 'big: has more than 131072 bytes' stop.mus --shared 0:@big --memory-limit 1M
cp text text.npy
expect 2 'text.npy: it is no .npy file' stop.mus --shared 0:@text.npy
head -c 130 a.npy >short.npy
expect 2 'short.npy: the elements take 32 bytes, but 2 stand behind the header' stop.mus --shared 0:@short.npy
expect 2 'BASE:LEN' stop.mus --dump 5
expect 2 'the format is text, hex or npy=FILE' stop.mus --dump 0:1:jpeg
expect 2 'BASE and LEN are integers' stop.mus --dump 0:-1
expect 2 'are too many' endless.mus --dump 0:9223372036854775807
expect 2 'are too many' endless.mus --dump 0:99999999999
expect 2 'beyond the last address' endless.mus --dump 9223372036854775807:2
expect 1 'are too many' stop.mus --dump 0:@5 --shared '5:[99999999999]'
expect 1 'cell 5 is uninitialised' stop.mus --dump 0:@5
expect 1 'cell 5 is -1, which is negative' stop.mus --dump 0:@5 --shared '5:[-1]'
expect 2 'no-such-folder/x.npy' endless.mus --dump 0:1:npy=no-such-folder/x.npy

# Files that would be read and written.
cp stop.mus kept.mus
expect 2 'kept.mus: is read by this run and must not be written' kept.mus --trace=table --trace-out ./kept.mus
expect 2 'kept.mus: is read by this run' kept.mus --dump 0:1:npy=kept.mus
expect 2 'a.npy: is read by this run' stop.mus --shared 0:@a.npy --dump 0:1:npy=a.npy
cmp -s stop.mus kept.mus || bad 'a program was overwritten'

# A standard output that is full or closed.
full() { # TEXT ARGUMENT...
  wanted=$1
  shift
  : >out
  if [ -w /dev/full ]; then
    "$lockstep" "$@" >/dev/full 2>err </dev/null
    [ $? -eq 2 ] && grep -qF -e "$wanted" err && good || bad "$*: a full standard output is an error"
  fi
  "$lockstep" "$@" >&- 2>err </dev/null
  [ $? -eq 2 ] && grep -qF "$wanted" err && good || bad "$*: a closed standard output is an error"
}
unwritten='lockstep: error: cannot write to standard output: '
full "$unwritten" run "$fig6"
full "$unwritten" run "$fig6" --json
full "$unwritten" run "$fig6" --trace=html
full "$unwritten" check "$fig6"
full "$unwritten" step "$fig6"
full "$unwritten" rules
full "$unwritten" --help
expect 0 '' "$fig6" -q --trace=json --trace-out -
"$lockstep" run "$fig6" --trace=table --trace-out closed >&- 2>err
[ "$(wc -l <closed)" -eq 42 ] || bad 'what is for a closed standard output goes into no file'

# Less memory than the limit of Σ allows. Some builds cannot start in so little.
if (ulimit -v 300000 && "$lockstep" --version) >/dev/null 2>&1; then
  (ulimit -v 300000 && "$lockstep" run grow.mus) >out 2>err
  [ $? -eq 3 ] && grep -qF 'lockstep: error: not enough memory' err && good || bad 'memory that runs out is a limit'
fi

counts
