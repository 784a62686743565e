# For scripts that ask `lockstep verify` and look at exit statuses and sentences: $1 is the command, $2 the folder of the sources.
# Sourced; what is left in $work goes at the end, and `verdicts_told` ends the script.
lockstep=$1
source=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
fail() {
  echo "FAILED: $*" >&2
  failed=$((failed + 1))
}
good() { passed=$((passed + 1)); }

# status WANTED WHAT COMMAND...: the command's exit status; its output is left in $work/out and $work/err.
status() {
  wanted=$1
  what=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  found=$?
  if [ "$found" -ne "$wanted" ]; then
    fail "$what: status $found instead of $wanted"
    cat "$work/out" "$work/err" >&2
  else
    good
  fi
}
says() {
  if grep -q "$1" "$work/out" "$work/err"; then good; else fail "$2: does not say '$1'"; fi
}

verdicts_told() {
  echo "counts: $passed passed, $failed failed, 0 skipped"
  [ "$failed" -eq 0 ]
}
