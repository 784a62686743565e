#!/bin/sh
# lockstep check: the three exit statuses, the words, and the JSON form.
set -u
lockstep=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# expect STATUS TEXT COMMAND...: the exit status, and a text somewhere in the output.
expect() {
  status=$1
  text=$2
  shift 2
  "$@" >"$work/out" 2>&1 </dev/null
  got=$?
  if [ "$got" -eq "$status" ] && grep -qF -e "$text" "$work/out"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: status $got (wanted $status), wanted '$text': $*"
    cat "$work/out"
  fi
}

printf 'bz tid, L\nL: stop\n' >"$work/ill.mus"
printf 'v0 = \n' >"$work/bad.mus"
expect 0 "fig6.mus: well-formed" "$lockstep" check "$source/examples/musimd/fig6.mus"
expect 1 "ill.mus:2:4: error: condition 4" "$lockstep" check "$work/ill.mus"
expect 1 '"status":"ill-formed"' "$lockstep" check --json "$work/ill.mus"
expect 1 '"severity":"error","condition":4,"line":2,"column":4,"message":"condition 4' "$lockstep" check --json "$work/ill.mus"
expect 0 '{"status":"well-formed","findings":[]}' "$lockstep" check --json "$source/examples/musimd/fig6.mus"
expect 2 "bad.mus:1:" "$lockstep" check "$work/bad.mus"
expect 2 "missing.mus: No such file" "$lockstep" check "$work/missing.mus"
expect 2 "is a directory" "$lockstep" check "$work"
expect 2 "FILE is required" "$lockstep" check
expect 0 "Example: lockstep check" "$lockstep" check --help
expect 2 "--nonsense" "$lockstep" check --nonsense "$work/ill.mus"
# Each branch may leave its entry or not: 2^22 stacks at the end.
awk 'BEGIN { for (i = 0; i < 22; i++) printf "bz 0, L%d\nsync\nL%d: v = 1\n", i, i; print "stop" }' >"$work/large.mus"
expect 3 "large.mus: undecided" "$lockstep" check "$work/large.mus"
expect 3 '{"status":"undecided","findings":[{"severity":"error",' "$lockstep" check --json "$work/large.mus"
echo "counts: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
