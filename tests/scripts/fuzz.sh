#!/bin/sh
# fuzz.sh LOCKSTEP SOURCE_DIR
# `lockstep fuzz`: a few kernels by default (others each day; LOCKSTEP_SEED repeats them), 10000 with LOCKSTEP_FULL in the environment; the
# protocol of back ends, with clang and OpenCL as far as they are here, and with one that is wrong on purpose.
# shellcheck disable=SC2086,SC2015
. "$(dirname "$0")/lib/command.sh"
time_limit=3600
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
echo "LOCKSTEP_SEED=$seed repeats this run"
tools=$(dirname "$lockstep")
kernels=150
[ -z "${LOCKSTEP_FULL:-}" ] || kernels=10000

# Our own compiler.
expect 0 ', 0 findings' fuzz --kernels $kernels --seed $seed
silent
for word in 'what stood in them:' 'wg_pack' "LLVM's level" 'InfReg-IR' 'passes' 'loops'; do says "$word"; done
expect 0 '{"status":"equal","target":"infreg","seed":3,"kernels":20,' fuzz --target infreg --seed 3 --kernels 20 --json --jobs 1
sed 's/"seconds":[^,]*,"processor_seconds":[^,]*,//' out >alone
expect 0 '' fuzz --target infreg --seed 3 --kernels 20 --json --jobs 3
sed 's/"seconds":[^,]*,"processor_seconds":[^,]*,//' out | cmp -s - alone && good || bad 'the number of processes changes what is tried'
expect 0 ' kernels in ' fuzz --target infreg --time 1 --max-lanes 4
expect 2 'there is no such target' fuzz --target x86
expect 2 '--kernels' fuzz --kernels 0
expect 2 'excludes' fuzz --target llvm --backend x

# A back end that refuses, one that fails, one that leaves nothing, one that takes too long.
expect 0 '3 refused' fuzz --backend 'exit 77; echo' --kernels 3
expect 0 '2 at a limit' fuzz --backend 'sleep 100; echo' --timeout 1 --kernels 2
expect 1 'the back end fails: the command ends with status 9:' fuzz --backend 'echo no such luck; exit 9; echo' --kernels 1 --max-lanes 1 --out failed
says 'no such luck'
expect 1 'it has not written ' fuzz --backend true --kernels 1 --max-lanes 1 --out silent

# clang, right and wrong.
clang=$tools/lockstep-backend-clang
if [ -x "$clang" ] && command -v clang-19 >/dev/null; then
  some=12
  [ -z "${LOCKSTEP_FULL:-}" ] || some=500
  expect 0 ', 0 findings' fuzz --backend "$clang -O2" --kernels $some --seed $seed
  cat >broken <<END
#!/bin/sh
sed -i 's/ < / <= /' "\$1/kernel.cl"
exec "$clang" -O0 "\$1"
END
  chmod +x broken
  # The first kernel of this seed whose result depends on it.
  expect 1 'the back end differs: ' fuzz --backend ./broken --first 9 --kernels 1 --seed 1 --max-lanes 4 --out wrong
  says 'kernel.cl:2, where '
  for found in wrong/*; do
    for file in kernel.cl launch.json README.md run.sh; do
      [ -s "$found/$file" ] && good || bad "$found/$file is not there"
    done
    [ "$(wc -l <"$found/kernel.cl")" -le 12 ] && good || bad "$found is not small"
    grep -q ' < ' "$found/kernel.cl" && good || bad "$found does not have what is planted"
    BACKEND="$PWD/broken" sh "$found/run.sh" >out 2>err && bad "$found/run.sh does not find it again" || good
    BACKEND="$clang -O0" sh "$found/run.sh" >out 2>err && good || bad "$found/run.sh: clang differs as well"
  done
else
  skipped=$((skipped + 1))
  echo 'skipped: clang-19 is not installed, nothing is compiled by it'
fi

# PoCL.
opencl=$tools/lockstep-backend-opencl
if [ -x "$opencl" ] && ls /etc/OpenCL/vendors/pocl*.icd >/dev/null 2>&1; then
  expect 0 ', 0 findings' fuzz --backend "$opencl --platform Portable -cl-opt-disable" --kernels 4 --seed 1 --max-lanes 8
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

counts
