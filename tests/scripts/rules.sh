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

"$lockstep" rules --coverage examples >"$dir/coverage" 2>"$dir/said" || { fail "the examples do not cover everything"; tail -n 20 "$dir/coverage"; }
grep -q 'left out: nothing in them says how they run' "$dir/said" || fail "it is not said that kernels without runs are left out"
"$lockstep" rules --coverage --json examples >"$dir/json" 2>/dev/null || fail "coverage as JSON ends badly"
grep -q '"uncovered": \[\]' "$dir/json" || fail "coverage as JSON lists something"

# One program cannot cover everything, and it must be said.
"$lockstep" rules --coverage examples/musimd/two_arms.mus >"$dir/part"
[ $? -eq 1 ] || fail "the status of an incomplete coverage is not 1"
grep -q 'EB never fires' "$dir/part" || fail "a rule that never fires is not listed"
grep -q 'BD.3 is never false' "$dir/part" || fail "a premise that is never false is not listed"
grep -q 'MM.1 is never true' "$dir/part" || fail "a premise that is never true is not listed"

"$lockstep" rules --markdown "$dir/pages" examples/musimd/fig6.mus examples tests/coverage 2>/dev/null || fail "the pages cannot be made"
diff -r docs/rules "$dir/pages" || fail "docs/rules is old: lockstep rules --markdown docs/rules examples/musimd/fig6.mus examples tests/coverage"

# Each page links to the rule's code and theorems: these are in the lines that it names. Its tests are in the files that it names.
section() { # PAGE TITLE
  awk -v title="## $2" '/^## / { inside = $0 == title } inside' "$1"
}
for page in docs/rules/*.md; do
  rule=$(basename "$page" .md)
  [ "$rule" = index ] && continue
  name=$(echo "$rule" | tr . _)
  case $rule in
    MM | MV) code="RuleId::$rule, 2" ;;
    MT) code='// MT$' ;;
    TL) code='this is TL' ;;
    CT | BP) code="^struct ($name|Assigning) " ;;
    AS) code='^struct (AS|Assigning|Dropping) ' ;;
    LD) code='^struct (LD|Fetching) ' ;;
    ST) code='^struct (ST|Putting) ' ;;
    *) code="^struct $name " ;;
  esac
  for part in "In the code|$code" 'Theorems|push_back\(|make\(|\{TypedKind'; do
    section "$page" "${part%%|*}" | sed -n 's|.*](\.\./\.\./\([^)#]*\)#L\([0-9]*\)).*|\1 \2|p' >"$dir/links"
    [ -s "$dir/links" ] || fail "$page: nothing below '${part%%|*}'"
    while read -r file line; do
      sed -n "${line}p" "$file" 2>/dev/null | grep -qE "${part#*|}" || fail "$page: line $line of $file is not of $rule"
    done <"$dir/links"
  done
  section "$page" Tests | sed -n 's|^- .*](\.\./\.\./\([^)]*\)): `[a-z_]*`, \(".*"\)$|\1 \2|p' >"$dir/links"
  [ -s "$dir/links" ] || fail "$page: no tests"
  while read -r file title; do
    grep -qF "TEST_CASE($title" "$file" 2>/dev/null || fail "$page: $file has no case $title"
  done <"$dir/links"
  grep -oE '\]\([^)#]*' "$page" | sed 's/^](//' | while read -r target; do
    [ -e "docs/rules/$target" ] || echo "$page: no file $target"
  done >"$dir/broken"
  [ -s "$dir/broken" ] && fail "$(cat "$dir/broken")"
done
example=$(pwd)/examples/musimd/fig6.mus
(cd "$dir" && "$lockstep" rules --markdown pages2 "$example" >/dev/null 2>"$dir/why")
grep -q "pages are made in the project's folder" "$dir/why" || fail "it is not said where pages are made"

count=$("$lockstep" rules | grep -c '^[A-Za-z.]*  Fig\. [45], ')
[ "$count" -eq 23 ] || fail "there are $count rules; Figs. 4 and 5 have 23"
count=$("$lockstep" rules | grep -c '^[A-Z]*  typed extension, ')
[ "$count" -eq 5 ] || fail "there are $count rules of the typed extension, which has CALL, RET, SVA, AT and BR"
tail -n 1 "$dir/coverage" | grep -q ', 23 rules, ' || fail "coverage does not count the rules of untyped programs"
grep -q 'CALL\|BP.3' "$dir/coverage" "$dir/json" && fail "coverage of untyped programs counts what only typed ones have"

# Kernels and typed programs count what they have, too.
"$lockstep" rules --coverage examples tests/coverage >"$dir/all" 2>/dev/null || { fail "premises of typed programs are missing"; tail -n 20 "$dir/all"; }
tail -n 1 "$dir/all" | grep -q ', 28 rules, ' || fail "coverage of all programs does not count the typed extension"
"$lockstep" rules --coverage tests/coverage/return_from_kernel.mus >"$dir/one"
[ $? -eq 1 ] || fail "the status of the incomplete coverage of a typed program is not 1"
grep -q 'RET.4 is never true' "$dir/one" || fail "a typed premise that is never true is not listed"
grep -q 'RET.4 is never false' "$dir/one" && fail "a typed premise that was false is listed"
grep -q 'MT never\|LD.2\|BT.5' "$dir/one" && fail "coverage of a typed program counts what only untyped ones have"
# Four items load a[i], add and store: the counts are those of the program that `lockstep lower` shows.
cat >"$dir/k.cl" <<'END'
__kernel void k(__global int *a) { a[get_local_id(0)] += 1; }
//@ run --wg-size 4 --groups 2 --arg a=4:iota
//@ run --wg-size 4 --arg a=4:iota
END
"$lockstep" rules --coverage "$dir/k.cl" >"$dir/k"
grep -qE '^LD +3$' "$dir/k" || fail "a load in three groups is not counted three times"
grep -qE '^SP +3$' "$dir/k" || fail "three groups do not stop three times"
grep -qE '^  LD\.3 +3 +- ' "$dir/k" || fail "LD.3 was not true three times"
grep -qE '^CALL +-$' "$dir/k" || fail "a call is counted where there is none"

# What is wrong with a run is said.
says() {
  printf '__kernel void k(__global int *a) { a[0] = 1; }\n//@ %s\n' "$1" >"$dir/bad.cl"
  "$lockstep" rules --coverage "$dir/bad.cl" >/dev/null 2>"$dir/why"
  [ $? -eq 2 ] || fail "the status of '//@ $1' is not 2"
  grep -q "$2" "$dir/why" || { fail "'//@ $1' does not say: $2"; cat "$dir/why"; }
}
says 'walk' "bad.cl:2: '//@ walk' is no directive of kernels"
says 'run --wg-sise 4' 'bad.cl:2: .*wg-sise'
says 'run' 'arg is missing for a'
says 'run --active 0 --arg a=1:zeros' 'bad.cl:2: .*--active'
says 'run --out a=x.npy --arg a=1:zeros' 'bad.cl:2: --out: a run that is measured writes no files'
says 'run --kernel f --arg a=1:zeros' 'has no such kernel'
"$lockstep" rules --coverage examples/core/saxpy.cl >/dev/null 2>"$dir/kernel"
[ $? -eq 2 ] || fail "the status of a kernel that does not say how it runs is not 2"
grep -q 'none of these files says how it runs' "$dir/kernel" || fail "it is not said that no file says how it runs"
"$lockstep" rules SI.sync | grep -q 'todo = ∅' || fail "SI.sync has lost its premise"
"$lockstep" rules SI >/dev/null 2>&1
[ $? -eq 2 ] || fail "the status of an unknown rule is not 2"
"$lockstep" rules --coverage "$dir/none" >/dev/null 2>&1
[ $? -eq 2 ] || fail "the status of a missing file is not 2"
"$lockstep" rules --coverage >/dev/null 2>&1
[ $? -eq 2 ] || fail "the status of no file is not 2"
exit $failed
