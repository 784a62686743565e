#!/bin/sh
# `lockstep rules`: the examples cover every rule and premise, the committed pages are the generated ones, and they point at
# the code where the rule is.
set -u
lockstep=$1
cd "$2" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
  echo "FAIL: $*"
  failed=1
}

"$lockstep" rules --coverage examples >"$dir/coverage" || { fail "the examples do not cover everything"; tail -n 20 "$dir/coverage"; }
"$lockstep" rules --coverage --json examples >"$dir/json" || fail "coverage as JSON ends badly"
grep -q '"uncovered": \[\]' "$dir/json" || fail "coverage as JSON lists something"

# One program cannot cover everything, and it must be said.
"$lockstep" rules --coverage examples/musimd/two_arms.mus >"$dir/part"
[ $? -eq 1 ] || fail "the status of an incomplete coverage is not 1"
grep -q 'EB never fires' "$dir/part" || fail "a rule that never fires is not listed"
grep -q 'BD.3 is never false' "$dir/part" || fail "a premise that is never false is not listed"
grep -q 'MM.1 is never true' "$dir/part" || fail "a premise that is never true is not listed"

"$lockstep" rules --markdown "$dir/pages" examples/musimd/fig6.mus examples || fail "the pages cannot be made"
diff -r docs/rules "$dir/pages" || fail "docs/rules is old: lockstep rules --markdown docs/rules examples/musimd/fig6.mus examples"

# Each page but those of the leaves names a file with the rule's code.
for page in docs/rules/*.md; do
  rule=$(basename "$page" .md)
  case $rule in index | MM | MT | MV) continue ;; esac
  file=$(sed -n 's/^In the code: \[\(.*\)\](.*/\1/p' "$page")
  [ -r "$file" ] || { fail "$page names no file"; continue; }
  name=$(echo "$rule" | tr . _)
  [ "$rule" = TL ] && name='.*TL'
  grep -qE "struct $name( |\$)|$name with all" "$file" || fail "$file has no $rule"
done

count=$("$lockstep" rules | grep -c '^[A-Za-z.]*  Fig\. [45], ')
[ "$count" -eq 23 ] || fail "there are $count rules; Figs. 4 and 5 have 23"
count=$("$lockstep" rules | grep -c '^[A-Z]*  typed extension, ')
[ "$count" -eq 4 ] || fail "there are $count rules of the typed extension, which has CALL, RET, SVA and BR"
tail -n 1 "$dir/coverage" | grep -q ', 23 rules, ' || fail "coverage does not count the rules of untyped programs"
grep -q 'CALL\|BP.3' "$dir/coverage" "$dir/json" && fail "coverage of untyped programs counts what only typed ones have"
"$lockstep" rules --coverage examples/core/saxpy.cl >/dev/null 2>"$dir/kernel"
[ $? -eq 2 ] || fail "the status of the coverage of a kernel is not 2"
grep -q 'coverage is measured on untyped programs' "$dir/kernel" || fail "it is not said that kernels are not measured"
"$lockstep" rules SI.sync | grep -q 'todo = ∅' || fail "SI.sync has lost its premise"
"$lockstep" rules SI >/dev/null 2>&1
[ $? -eq 2 ] || fail "the status of an unknown rule is not 2"
"$lockstep" rules --coverage "$dir/none" >/dev/null 2>&1
[ $? -eq 2 ] || fail "the status of a missing file is not 2"
"$lockstep" rules --coverage >/dev/null 2>&1
[ $? -eq 2 ] || fail "the status of no file is not 2"
exit $failed
