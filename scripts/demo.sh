#!/usr/bin/env bash
# scripts/demo.sh [--no-build] [TEXT [PATTERN]]
# Sets up, builds, and runs the book filter of the CREV paper (examples/musimd/bookfilter.mus) on a text: the lines that
# contain the pattern, the rules that fired, and the first screen of the trace.
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
    sed -n '2,8s/^# \{0,1\}//p' "$0"
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
  echo "demo: $text cannot be read" >&2
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
echo "Next: $lockstep step examples/musimd/fig6.mus     (type 'help'; docs/tutorial.md walks you through)"
