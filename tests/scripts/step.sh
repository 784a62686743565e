#!/bin/sh
# Sessions of `lockstep step` through standard input.
lockstep=$1
root=$2
fig6=$root/examples/musimd/fig6.mus
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# expect NAME STATUS PATTERN: the last session's exit status, and a fixed string in what it printed.
expect() {
  [ "$status" -eq "$2" ] || fail "$1: status $status instead of $2"
  printf '%s\n' "$output" | grep -qF -- "$3" || fail "$1: no '$3' in: $output"
}

output=$("$lockstep" step "$fig6" <<'IN'
step 3
info sync
back
until EE
print mem[4..7]
IN
)
status=$?
expect "commands are echoed" 0 "(lockstep) info sync"
expect "the sync stack is shown" 0 "(pc 2 bz, done {}, resume Done, todo {1,2})"
expect "back undoes" 0 "undone: step 3: BD  bz v1, Done"
expect "until a rule" 0 "at step 35,"
expect "memory" 0 "   4: 3 2 4 5"

output=$(printf 'nonsense\nstep\nquit\nstep\n' | "$lockstep" step "$fig6")
status=$?
expect "an unknown command is no end" 0 "at step 1,"
printf '%s\n' "$output" | grep -q 'at step 2,' && fail "quit did not quit"

escape=$(printf '\033')
output=$(printf '\033[A\n' | "$lockstep" step "$fig6")
status=$?
expect "an arrow key is no command" 0 "there is no command '?[A'"
case $output in *"$escape"*) fail "control bytes are printed as they came" ;; esac

output=$("$lockstep" step "$fig6" </dev/null)
status=$?
expect "an empty session" 0 "at step 0,"

output=$(echo "step 2" | "$lockstep" step "$fig6" --threads 8 --active 1-2 --shared '0:8:const:5')
status=$?
expect "options shape the machine" 0 "v0 := • 5 5 • • • • •"

output=$(printf 'continue\nback\n' | "$lockstep" step "$fig6" --max-steps 20)
status=$?
expect "the step limit" 0 "the step limit is reached"
expect "back from the limit" 0 "at step 19,"

output=$("$lockstep" step /nonexistent.mus </dev/null 2>&1)
status=$?
expect "no such file" 2 "/nonexistent.mus"

output=$("$lockstep" step "$fig6" --active 9 </dev/null 2>&1)
status=$?
expect "a thread that does not exist" 2 "thread 9"

output=$("$lockstep" step - </dev/null 2>&1)
status=$?
expect "the program cannot come from standard input" 2 "must be a file"

output=$(head -c 20000 /dev/urandom | "$lockstep" step "$fig6" 2>&1 | tail -c 1000 | tr -d '\000'; echo done)
status=$?
expect "random bytes" 0 "done"

[ "$failures" -eq 0 ]
