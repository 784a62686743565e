#!/bin/sh
# scripts/tour.sh on a text of our own: the lines must be those that grep finds, and the parts that it promises are there.
set -eu
lockstep=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'one lane\ntwo warps\nno\nlanes and lanes\nlane' >"$work/text"

LOCKSTEP=$lockstep "$source/scripts/tour.sh" --no-build "$work/text" lane >"$work/out"
sed -n '/^== The lines/,/^$/p' "$work/out" | sed '1d;$d' >"$work/found"
grep -F lane "$work/text" >"$work/wanted"
diff "$work/wanted" "$work/found"
grep -q '^halted after ' "$work/out"
grep -q '^rules: .*EB ' "$work/out"
grep -q 'everywhere .*EB .*✓ • • ✓' "$work/out"

# The kernels: "lane" begins at four places, and item 3 of group 1 is the one that reads x[8].
grep -q '^found at 4 places' "$work/out"
grep -q 'a: float\[64\]' "$work/out"
grep -q '^smooth.cl:3:.*error: .*8' "$work/out"
grep -q 'group 1, item 3' "$work/out"
grep -q 'step examples/crev/stringmatch.cl' "$work/out"

if LOCKSTEP=$lockstep "$source/scripts/tour.sh" --no-build "$work/missing" lane >"$work/out" 2>&1; then
  echo "a missing text is not an error"
  exit 1
fi
grep -q 'cannot be read' "$work/out"
