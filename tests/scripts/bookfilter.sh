#!/bin/sh
# The book filter against grep -F, on real and made texts, at several thread counts.
set -eu
lockstep=$1
source=$2
program=$source/examples/musimd/bookfilter.mus
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C

size() { wc -c <"$1" | tr -d ' '; }

# filter TEXT PATTERN THREADS: what the program writes
filter() {
  set -- "$1" "$2" "$3" --shared "0:[$(size "$1"),$(size "$2")]"
  text=$1 pattern=$2 threads=$3
  shift 3
  if [ -s "$pattern" ]; then set -- "$@" --shared "2048:@$pattern"; fi
  if [ -s "$text" ]; then set -- "$@" --shared "4096:@$text"; fi
  "$lockstep" run "$program" "$@" --threads "$threads" --strict --quiet --dump @4:@2:text
}

failed=0
cases=0
# compare TEXT PATTERN-STRING THREADS…
compare() {
  text=$1
  printf '%s' "$2" >"$dir/pattern"
  pattern_string=$2
  shift 2
  grep -F -e "$pattern_string" "$text" >"$dir/want" || true
  for count in "$@"; do
    filter "$text" "$dir/pattern" "$count" >"$dir/got" || echo "status $?" >>"$dir/got"
    cases=$((cases + 1))
    if ! cmp -s "$dir/want" "$dir/got"; then
      echo "FAIL: '$pattern_string' in $(basename "$text") with $count threads"
      failed=1
    fi
  done
}

: >"$dir/empty"
printf '\n\n\n' >"$dir/breaks"
printf 'one line without a break' >"$dir/unfinished"
printf 'ab\nabc\n\nxabcx\nab\nc\nabababc\n' >"$dir/short"
awk 'BEGIN { for (i = 0; i < 700; ++i) { line = ""; x = (i * 7919) % 101; for (k = 0; k < x; ++k) line = line substr("abc", (i * k + k * k) % 3 + 1, 1); print line } }' >"$dir/made"
awk 'BEGIN { for (i = 0; i < 3000; ++i) printf "a"; print ""; print "aab" }' >"$dir/long"

compare "$dir/empty" a 1 4 1024
compare "$dir/breaks" a 1 3 1024
compare "$dir/breaks" "" 1 3 1024
compare "$dir/unfinished" without 1 2 1024
compare "$dir/unfinished" "one line without a break and more" 5
compare "$dir/short" abc 1 2 3 4 5 6 7 8 64 1000
compare "$dir/short" "" 3
compare "$dir/made" abca 1 32 65 1024
compare "$dir/made" zzz 32
compare "$dir/long" aab 4
book=/usr/share/common-licenses/GPL-3
if [ -r "$book" ]; then
  compare "$book" freedom 1 31 32 1024
  compare "$book" "GNU General Public License" 32
  compare "$book" e 256
else
  echo "there is no $book; only made texts were filtered"
fi
echo "$cases comparisons"
exit $failed
