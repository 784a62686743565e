#!/bin/sh
# fuzz.sh LOCKSTEP SOURCE_DIR
# `lockstep fuzz`: a few kernels by default (others each day; LOCKSTEP_SEED repeats them), 10000 with LOCKSTEP_FULL in the environment; the
# protocol of back ends, with clang and OpenCL as far as they are here, and with some that are wrong on purpose.
# shellcheck disable=SC2086,SC2015,SC2154,SC2034,SC1091
. "$(dirname "$0")/lib/command.sh"
time_limit=3600
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
echo "LOCKSTEP_SEED=$seed repeats this run"
tools=$(dirname "$lockstep")
kernels=120
[ -z "${LOCKSTEP_FULL:-}" ] || kernels=10000
mkdir temporary
export TMPDIR="$dir/temporary"
# clean WHAT: nothing is left of what was run before: neither its folders nor the processes whose numbers are in pids.
clean() {
  for left in temporary/*; do
    [ -e "$left" ] && bad "$1: $left is left" || good
  done
  [ ! -e pids ] || while read -r process; do
    case $(ps -o stat= -p "$process") in '' | Z*) good ;; *) bad "$1: process $process runs still" ;; esac
  done <pids
  rm -f pids
}
# backend NAME: makes an executable of the lines on standard input.
backend() {
  { echo '#!/bin/sh'; cat; } >"$1"
  chmod +x "$1"
}

# Our own compiler.
expect 0 ', 0 findings' fuzz --kernels $kernels --seed $seed
silent
for word in 'what stood in them:' 'wg_pack' '--llvm-level' 'overlap' 'run by' 'InfReg-IR' 'passes' 'loops'; do says "$word"; done
expect 0 '{"status":"equal","target":"infreg","seed":3,"kernels":20,' fuzz --target infreg --seed 3 --kernels 20 --json --jobs 1
sed 's/"seconds":[^,]*,"processor_seconds":[^,]*,//' out >alone
expect 0 '' fuzz --target infreg --seed 3 --kernels 20 --json --jobs 3
sed 's/"seconds":[^,]*,"processor_seconds":[^,]*,//' out | cmp -s - alone && good || bad 'the number of processes changes what is tried'
expect 0 ' kernels in ' fuzz --target infreg --time 1 --max-lanes 4
# Pairs of kernels, for the prover.
expect 0 ', 0 findings' fuzz --pairs --kernels $((kernels / 3)) --seed $seed
for word in 'change ' 'verdict ' 'refuted' 'run '; do says "$word"; done
expect 0 '"status":"equal","target":"pairs","seed":3,"kernels":12,' fuzz --pairs --seed 3 --kernels 12 --json --jobs 1
sed 's/"seconds":[^,]*,"processor_seconds":[^,]*,//' out >alone
expect 0 '' fuzz --pairs --seed 3 --kernels 12 --json --jobs 3
sed 's/"seconds":[^,]*,"processor_seconds":[^,]*,//' out | cmp -s - alone && good || bad 'the number of processes changes the verdicts of pairs'
expect 2 'excludes' fuzz --pairs --target llvm
expect 2 'excludes' fuzz --pairs --backend x
expect 2 'there is no such target' fuzz --target x86
expect 2 '--kernels' fuzz --kernels 0
expect 2 'excludes' fuzz --target llvm --backend x
expect 2 'excludes' fuzz --full --kernels 7
expect 2 '--timeout requires --backend' fuzz --timeout 7
expect 2 'the command is empty' fuzz --backend ''
expect 2 'the command is empty' fuzz --backend ' '
expect 2 '/dev/null is no folder' fuzz --kernels 1 --out /dev/null/findings
[ -e findings ] && bad 'a folder for findings that there are not' || good

# A back end that refuses, one that fails, one that leaves nothing, one that leaves something else.
expect 3 '3 refused' fuzz --backend 'exit 77; echo' --kernels 3
says 'of 3 kernels, there is none whose results could be compared'
expect 3 '"status":"nothing"' fuzz --backend 'exit 77; echo' --kernels 1 --json
expect 1 'the back end ends with status 9: no such luck: the command ends with status 9:' fuzz --backend 'echo no such luck; exit 9; echo' \
  --kernels 1 --max-lanes 1 --out failed
expect 1 'the back end writes nothing: it has not written ' fuzz --backend true --kernels 1 --max-lanes 1 --out silent
backend shape <<'END'
for name in $(grep -o '[a-z0-9]*\.out\.npy' "$1/launch.json"); do
  printf '\223NUMPY\001\000\166\000%-117s\n1' "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }" >"$1/$name"
done
END
expect 1 'the back end writes another type: ' fuzz --backend ./shape --kernels 1 --max-lanes 1 --out shape.found
backend ours <<'END'
for name in $(grep -o '[a-z0-9]*\.out\.npy' "$1/launch.json"); do cp "$1/${name%.out.npy}.npy" "$1/$name"; done
END
# There is no assignment to a variable in what is left of this kernel: the line is that of a store.
expect 1 'the back end differs: ' fuzz --backend ./ours --kernels 1 --max-lanes 4 --out stored
says '/kernel.cl:2, which is the last to write '
grep -q 'kernel.cl:2: it is the last to write .[a-z0-9]*\[0\]., which differs' stored/*/README.md && good || bad 'README.md names no line'

# Different failures are different kinds, and what is shrunk stays of its kind; numbers and places do not make a difference.
backend several <<'END'
size=$(wc -c <"$1/kernel.cl")
case $((size % 3)) in
  0) echo "$1/kernel.cl:$size: no memory at 0x7f${size}a" >&2; exit 3 ;;
  1) echo "no register" >&2; exit 3 ;;
  *) kill -SEGV $$ ;;
esac
END
expect 1 ' 3 findings' fuzz --backend ./several --first 10 --kernels 3 --max-lanes 1 --out several.found --jobs 2
for kind in 'status 3: ::  no memory at ' 'status 3: no register' 'signal 11'; do
  says "$(echo "the back end ends with $kind" | tr -s ' ')"
done
for found in several.found/*; do
  sh "$found/run.sh" >out 2>err
  got=$?
  wanted=$(sed -n '1s/.* with \([a-z]*\) \([0-9]*\).*/\1 \2/p' "$found/README.md")
  case "$wanted $got" in 'status 3 3' | 'signal 11 139') good ;; *) bad "$found/run.sh: it is no $wanted" ;; esac
done

# Nothing works at all: that is no finding.
for command in 'no-such-command' 'exit 69; echo' "$source/README.md"; do
  expect 4 'does no kernel here: ' fuzz --backend "$command" --kernels 200 --out missing
done
expect 4 '"status":"missing"' fuzz --backend 'no-such-command' --json
[ -e missing ] && bad 'a missing back end is a finding' || good

# What cannot be written is printed.
expect 1 'kernel void k(' fuzz --backend 'rm -rf gone; touch gone; exit 9; echo' --kernels 1 --max-lanes 1 --out gone
says 'this folder cannot be made'

# Back ends that do not end, and campaigns that are ended: nothing is left, neither when time is over nor by signals.
backend hanging <<'END'
echo $$ >>pids
sleep 1000 &
echo $! >>pids
exec sleep 1000
END
time_limit=20
expect 3 ' 0 kernels' fuzz --backend ./hanging --time 1 --jobs 1
clean 'the end of time'
# ended SIGNAL SECONDS STATUS ARGUMENT...: `lockstep fuzz ARGUMENT...` is asked to end after some time.
ended() {
  signal=$1 seconds=$2 wanted=$3
  shift 3
  timeout --preserve-status -k 20 -s $signal $seconds "$lockstep" fuzz "$@" >out 2>err </dev/null
  got=$?
  [ $got -eq $wanted ] && good || bad "fuzz $*: status $got, not $wanted, behind SIG$signal"
}
ended TERM 1 130 --backend ./hanging
clean 'SIGTERM'
ended INT 1 130 --target infreg --kernels 1000000000
says ' undefined, '
ended INT 4 1 --backend ./hanging --timeout 1 --kernels 2 --max-lanes 2 --jobs 2 --out endless
clean 'SIGINT while it shrinks'
says 'the back end is endless: the command had not ended after 1 second'
[ -s endless/the-back-end-is-endless-1-1/kernel.cl ] && good || bad 'a finding is lost by SIGINT'
backend slow <<'END'
sleep 0.1
exit 9
END
ended INT 2 1 --backend ./slow --kernels 100000 --out early
says 'the back end ends with status 9'
says '0 equal'
says 'found with '
[ "$(find early -name run.sh | wc -l)" -eq 3 ] && good || bad 'there are not three folders of a kind'
[ -s early/the-back-end-ends-with-status-9-1-0/kernel.cl ] && good || bad 'findings are lost by SIGINT'
clean 'SIGINT'
time_limit=3600

# The command line in README.md, with a command that has quotes.
expect 1 '' fuzz --backend "sh -c 'exit 9' '{}'" --kernels 1 --max-lanes 1 --out quoted
line=$(sed -n 's/^    lockstep \(fuzz .*\)/\1/p' quoted/*/README.md)
eval "expect 1 'ends with status 9' $line --out again"

# clang, right and wrong.
clang=$tools/lockstep-backend-clang
"$clang" --help 2>err | grep -q '^usage: lockstep-backend-clang ' && good || bad 'lockstep-backend-clang has no help'
"$clang" >out 2>err
[ $? -eq 2 ] && grep -q '^usage: ' err && good || bad 'lockstep-backend-clang without arguments'
if command -v clang-19 >/dev/null; then
  some=12
  [ -z "${LOCKSTEP_FULL:-}" ] || some=500
  expect 0 ', 0 findings' fuzz --backend 'lockstep-backend-clang -O2' --kernels $some --seed $seed
  for wrong in '--no-such-option' '--clang no-such-clang' '--clang'; do
    expect 4 'lockstep-backend-clang: ' fuzz --backend "lockstep-backend-clang $wrong" --kernels 50
  done
  mkdir here
  backend here/broken <<'END'
sed -i 's/ < / <= /' "$1/kernel.cl"
exec lockstep-backend-clang -O0 "$1"
END
  # The first kernel of this seed whose result depends on it. The command is where it is run.
  cd here || exit 1
  : >../out
  "$lockstep" fuzz --backend ./broken --first 9 --kernels 1 --seed 1 --max-lanes 4 --out ../wrong >../out 2>../err
  got=$?
  cd ..
  [ $got -eq 1 ] && good || bad "what is planted gives status $got"
  says 'the back end differs: '
  for found in wrong/*; do
    for file in kernel.cl launch.json README.md run.sh; do
      [ -s "$found/$file" ] && good || bad "$found/$file is not there"
    done
    [ "$(wc -l <"$found/kernel.cl")" -le 12 ] && good || bad "$found is not small"
    grep -q ' < ' "$found/kernel.cl" && good || bad "$found does not have what is planted"
    sh "$found/run.sh" >out 2>err
    [ $? -eq 1 ] && grep -q ' differ: ' out && good || bad "$found/run.sh does not find it again"
    BACKEND="$clang -O0" sh "$found/run.sh" >out 2>err && good || bad "$found/run.sh: clang differs as well"
    BACKEND="PATH=\$PATH:$tools here/broken {}" sh "$found/run.sh" >out 2>err && bad "$found/run.sh: {} is not the folder" || good
    # Nothing is left in the folder but the outputs.
    cp -r "$found" case
    "$clang" -O0 case || bad 'clang fails'
    find "$found" case -type f ! -name '*.out.npy' | sed 's|.*/||' | sort | uniq -u | grep . >out && bad 'the back end leaves files' || good
  done
else
  skipped=$((skipped + 1))
  echo 'skipped: clang-19 is not installed, nothing is compiled by it'
fi

# PoCL.
opencl=$tools/lockstep-backend-opencl
if [ -x "$opencl" ]; then
  "$opencl" --help 2>err | grep -q '^usage: lockstep-backend-opencl ' && good || bad 'lockstep-backend-opencl has no help'
  "$opencl" >out 2>err
  [ $? -eq 2 ] && grep -q '^usage: ' err && good || bad 'lockstep-backend-opencl without arguments'
  expect 4 'there is no OpenCL platform' fuzz --backend "$opencl --platform 'no such platform'" --kernels 50
fi
if [ -x "$opencl" ] && ls /etc/OpenCL/vendors/pocl*.icd >/dev/null 2>&1; then
  expect 0 ', 0 findings' fuzz --backend "$opencl --platform Portable -cl-opt-disable" --kernels 4 --seed 1 --max-lanes 8
  expect 4 'does no kernel here' fuzz --backend "$opencl --platform Portable -no-such-option" --kernels 50
else
  skipped=$((skipped + 1))
  echo 'skipped: PoCL is not installed, nothing is compiled by it'
fi

# The examples of --help.
"$lockstep" fuzz --help | sed -n 's/^\(Example:\)* *\(lockstep .*\)/\2/p' | grep -v -e --backend >examples.txt
[ -s examples.txt ] || bad 'fuzz --help has no example'
while read -r _ line; do
  expect 0 '' $line
done <examples.txt
clean 'all of this'

counts
