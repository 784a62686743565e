#!/usr/bin/env bash
# scripts/tour.sh [--no-build] [TEXT [PATTERN]]
# Sets up, builds, and runs the book filter of the CREV paper (examples/musimd/bookfilter.mus) on a text: the lines that
# contain the pattern, the rules that fired, and the first screen of the trace. Then kernels in OpenCL C: a matrix is factorised, the
# pattern is found by calls of all lanes, and a mistake is named.
#   TEXT     a text file (default: the GPL that every Debian system carries, or this project's README)
#   PATTERN  default: warranty
#   --no-build  use the command in build/release as it is
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
build=yes
case "${1:-}" in
  --no-build)
    build=""
    shift
    ;;
  --help | -h)
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac

if [ -n "$build" ]; then
  scripts/setup.sh --minimal
  scripts/build.sh release lockstep
fi
lockstep=${LOCKSTEP:-build/release/tools/lockstep}

if [ $# -ge 1 ]; then
  case $1 in /*) text=$1 ;; *) text=$here/$1 ;; esac
else
  text=/usr/share/common-licenses/GPL-3
  [ -r "$text" ] || text=README.md
fi
pattern=${2-warranty}
if [ ! -r "$text" ]; then
  echo "tour: $text cannot be read" >&2
  exit 2
fi
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
printf '%s' "$pattern" >"$files/pattern"

filter() {
  "$lockstep" run examples/musimd/bookfilter.mus --threads 32 \
    --shared "0:[$(wc -c <"$text"),$(wc -c <"$files/pattern")]" --shared "2048:@$files/pattern" --shared "4096:@$text" "$@"
}

echo
echo "== The lines of $text that contain \"$pattern\", found and copied by 32 threads in lockstep:"
filter --quiet --dump @4:@2:text
echo
echo "== How it went, and which rules fired:"
filter >"$files/summary"
sed -n '1,/^rules:/p' "$files/summary"
echo
echo "== The paper's Fig. 6, instruction by instruction (✓ marks the active threads):"
"$lockstep" run examples/musimd/fig6.mus --quiet --trace=table >"$files/trace"
head -n 24 "$files/trace"
echo "…"
echo
echo "== LDUS: eight items factorise a matrix, each holding a row, the pivot row handed around by shuffles (examples/borg/ldus.cl):"
matrix=""
for row in 0 1 2 3 4 5 6 7; do
  for column in 0 1 2 3 4 5 6 7; do
    if [ $row -eq $column ]; then entry=10; else entry=$(((row * 3 + column * 5) % 7)); fi
    matrix="$matrix${matrix:+,}$entry"
  done
done
"$lockstep" run examples/borg/ldus.cl --wg-size 8 -D REAL=float --arg "a=[$matrix]" | cut -c 1-140
echo
echo "== \"$pattern\" in $text, found by calls that wake all 32 items (examples/crev/stringmatch.cl):"
bytes=$(wc -c <"$text")
length=$(wc -c <"$files/pattern")
if [ "$length" -eq 0 ]; then
  echo "not with an empty pattern"
else
  "$lockstep" run examples/crev/stringmatch.cl --kernel stringmatch_crev --wg-size 32 --arg text=@"$text" --arg size="$bytes" \
    --arg pattern=@"$files/pattern" --arg length="$length" --arg found="$bytes":zeros --out found="$files/found.npy" >"$files/match"
  cut -c 1-140 "$files/match"
  echo "found at $(tail -c "$bytes" "$files/found.npy" | tr -d '\0' | wc -c) places"
fi
echo
echo "== A mistake in a kernel, named (the last item reads beyond its row):"
cat >"$files/smooth.cl" <<'END'
__kernel void smooth(__global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  y[i] = 0.5f * (x[i] + x[i + 1]);
}
END
"$lockstep" run "$files/smooth.cl" --wg-size 4 --groups 2 --arg 'x=[1,2,3,4,5,6,7,8]' --arg y=8:zeros >"$files/mistake" 2>&1 || true
sed "s|$files/||" "$files/mistake"
echo
echo "Next:"
echo "  $lockstep step examples/musimd/fig6.mus     (type 'help'; docs/tutorial.md walks you through)"
echo "  $lockstep step examples/crev/stringmatch.cl --kernel stringmatch_crev --wg-size 8 --arg 'text=[97,98,97,98]' --arg size=4 --arg 'pattern=[98]' --arg length=1 --arg found=4:zeros"
echo "  $lockstep step examples/borg/ldus.cl --wg-size 2 --arg 'a=[4,1,2,5]'"
