#!/bin/sh
# step.sh LOCKSTEP SOURCE_DIR
# Sessions of `lockstep step` through standard input.
. "$(dirname "$0")/lib/command.sh"
fig6=$source/examples/musimd/fig6.mus

session "$fig6" <<'IN'
step 3
info sync
back
until EE
print mem[4..7]
IN
reached "commands are echoed" 0 "(lockstep) info sync"
reached "the sync stack is shown" 0 "(pc 2 bz, done {}, resume Done, todo {1,2})"
reached "back undoes" 0 "undone: step 3: BD  bz v1, Done"
reached "until a rule" 0 "at step 35,"
reached "memory" 0 "   4: 3 2 4 5"

printf 'nonsense\nstep\nquit\nstep\n' >commands
session "$fig6" <commands
reached "an unknown command is no end" 0 "at step 1,"
if grep -q 'at step 2,' out; then bad 'quit did not quit'; else good; fi

escape=$(printf '\033')
printf '\033[A\n' >commands
session "$fig6" <commands
reached "an arrow key is no command" 0 "there is no command '?[A'"
if grep -qF "$escape" out; then bad 'control bytes are printed as they came'; else good; fi

session "$fig6" </dev/null
reached "an empty session" 0 "at step 0,"

echo "step 2" >commands
session "$fig6" --threads 8 --active 1-2 --shared '0:8:const:5' <commands
reached "options shape the machine" 0 "v0 := • 5 5 • • • • •"

printf 'continue\nback\n' >commands
session "$fig6" --max-steps 20 <commands
reached "the step limit" 0 "the step limit is reached"
reached "back from the limit" 0 "at step 19,"

session /nonexistent.mus </dev/null
reached "no such file" 2 "/nonexistent.mus"

session "$fig6" --active 9 </dev/null
reached "a thread that does not exist" 2 "thread 9"

session - </dev/null
reached "the program cannot come from standard input" 2 "must be a file"

head -c 20000 /dev/urandom >commands
session "$fig6" <commands
reached "random bytes" 0 "at step 0,"
counts
