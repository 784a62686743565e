#!/bin/sh
# scripts/same_speed.sh OLD NEW [RUNS]
# The interpreter's speed in two builds, whose folders OLD and NEW are (build/release, with bench_machine and bench_kernels in bench/): both run in
# turn, RUNS times each (default: 9), and for each case NEW's median is divided by OLD's. Ends with the geometric mean and the least of these.
# To be run while the machine has nothing else to do. Exit status: 0, 2 bad usage.
set -u
old=${1:-} new=${2:-} runs=${3:-9}
for folder in "$old" "$new"; do
  if [ ! -x "$folder/bench/bench_machine" ] || [ ! -x "$folder/bench/bench_kernels" ]; then
    echo "same_speed: there is no bench/bench_machine and bench/bench_kernels in '$folder' (the target benchmarks makes them)" >&2
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
  fi
done
results=$(mktemp)
trap 'rm -f "$results"' EXIT

# measure WHICH FOLDER: a line for each case: WHICH, the case, million thread-instructions a second.
measure() {
  "$2/bench/bench_machine" | sed -n "s/^\([a-z]*\) *\([0-9]*\) threads: machine *\([0-9]*\).*/$1 \1-\2 \3/p"
  "$2/bench/bench_kernels" 2>/dev/null | head -n 8 | awk -v which="$1" '
    $1 == "kernel" { for (k = 3; k <= 6; ++k) size[k] = $k }
    $2 == "on" || $2 == "off" { for (k = 3; k <= 6; ++k) print which, $1 "-" size[k] "-races-" $2, $k }'
}
run=0
while [ $run -lt "$runs" ]; do
  run=$((run + 1))
  [ -t 2 ] && printf '\rrun %d of %d ' $run "$runs" >&2
  measure old "$old" >>"$results"
  measure new "$new" >>"$results"
done
[ -t 2 ] && printf '\r\033[K' >&2
sort -k 2,2 -k 1,1 -k 3,3n "$results" | awk '
  function median(n) { return n % 2 == 1 ? value[(n + 1) / 2] : (value[n / 2] + value[n / 2 + 1]) / 2 }
  function finish() {
    if (which == "new") { newer = median(n) } else { older = median(n) }
    if (which == "old") {
      ratio = newer / older; sum += log(ratio); ++cases
      if (least == "" || ratio < least) least = ratio
      printf "%-24s %9.0f %9.0f %6.3f\n", name, older, newer, ratio
    }
    n = 0
  }
  BEGIN { printf "%-24s %9s %9s %6s\n", "case", "old", "new", "ratio" }
  NR > 1 && ($1 != which || $2 != name) { finish() }
  { which = $1; name = $2; value[++n] = $3 }
  END { if (NR > 0) { finish(); printf "%d cases: geometric mean %.3f, least %.3f\n", cases, exp(sum / cases), least } }'
