# scripts/profile.sh: refusals, and what it says where its tools are. usage: profile.sh LOCKSTEP SOURCE_DIR
set -u
LOCKSTEP=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
export LOCKSTEP
profile=$2/scripts/profile.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0

check() { # WHAT, then a command
  what=$1
  shift
  if "$@" >/dev/null 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $what"; fi
}
refused() { # STATUS PART-OF-THE-SENTENCE, then a command
  wanted=$1
  part=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  [ $? -eq "$wanted" ] && grep -qF -e "$part" "$work/err"
}

check "help says what it is for" sh -c "sh '$profile' --help | grep -q '^What bounds'"
check "arguments are asked for" refused 2 "scripts/profile.sh KERNEL SIZE PRECISION" sh "$profile" gemm 4
check "a kernel that is not there" refused 2 "no kernel 'gemv'" sh "$profile" gemv 4 double
check "a size that is none" refused 2 "not '4x'" sh "$profile" gemm 4x double
check "a precision that is none" refused 2 "not 'half'" sh "$profile" gemm 4 half
check "without the command" refused 4 "scripts/build.sh release lockstep makes it" env LOCKSTEP=/nowhere/lockstep sh "$profile" gemm 4 double
check "without a compiler" refused 4 "no-such-compiler is missing" env CXX=no-such-compiler sh "$profile" gemm 4 double
# A PATH with everything that comes before perf, and not perf.
mkdir "$work/bin"
for tool in sh dirname sed cat rm mktemp; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
printf '#!/bin/sh\n' >"$work/bin/g++"
chmod +x "$work/bin/g++"
check "without perf" refused 4 "perf is missing: it samples where the time goes" env PATH="$work/bin" CXX=g++ sh "$profile" gemm 4 double

if command -v perf >/dev/null 2>&1 && command -v addr2line >/dev/null 2>&1; then
  check "without llvm-mca" refused 4 "no-such-mca is missing: it says what a loop costs" env MCA=no-such-mca sh "$profile" gemm 4 double
  KEEP=$work/kept SECONDS_OF_RUN=0.3 MCA_CPUS=znver4 sh "$profile" gemm 8 double --wg-pack 1 >"$work/out" 2>"$work/err"
  outcome=$?
else
  outcome=4
  echo "perf is missing" >"$work/err"
fi
if [ $outcome -eq 4 ]; then
  echo "not run: $(cat "$work/err")"
  skipped=1
else
  check "it says no more than it should" test ! -s "$work/err"
  check "it succeeds" test $outcome -eq 0
  check "the time of a problem" grep -qE '^gemm 8 double \(--wg-pack 1\): [0-9.]+ ns a problem, [0-9.]+ cycles at [0-9.]+ GHz' "$work/out"
  check "a loop" grep -qE '^[0-9]+ % in the loop of lines [0-9]+ to [0-9]+: [1-9][0-9]* instructions of its own' "$work/out"
  check "what it costs" grep -qE '^  znver4 +[0-9.]+ cycles a round; ports alone need [0-9.]+' "$work/out"
  check "which ports are busy" grep -qE '^ +busiest: Zn4' "$work/out"
  check "the files are kept" test -s "$work/kept/kernel.s"
  # The kernel has no time outside of its loops that would be worth a word, so that percentages are of all of it.
  check "the loops are most of it" sh -c "awk '/ % in / { sum += \$1 } END { exit !(sum > 60 && sum <= 102) }' '$work/out'"
fi

echo "counts: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
