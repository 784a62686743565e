# Sourced by the scripts that try the command: `. "$(dirname "$0")/lib/command.sh"`, with `LOCKSTEP SOURCE_DIR` as the script's arguments.
# It goes to an empty folder, which vanishes in the end, and gives $lockstep and $source as absolute paths. The script ends with `counts`.
# shellcheck shell=sh disable=SC2086
set -u
lockstep=$1
source=$(cd "$2" && pwd)
case $lockstep in /*) ;; *) lockstep=$(pwd)/$lockstep ;; esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
passed=0
failed=0
skipped=0
subcommand=    # what expect puts before its arguments
time_limit=60  # of one command, in seconds

good() { passed=$((passed + 1)); }
# bad WHAT: a check has failed; shows what the command before has said.
bad() {
  echo "FAILED: $1"
  head -c 4000 out err | tr -d '\000' | sed 's/^/  | /'
  failed=$((failed + 1))
}

# expect STATUS TEXT ARGUMENT...: `lockstep ARGUMENT...` ends with STATUS, and its output (out) or errors (err) hold TEXT (grep -F).
expect() {
  status=$1
  text=$2
  shift 2
  timeout $time_limit "$lockstep" $subcommand "$@" >out 2>err </dev/null
  got=$?
  if [ "$got" -ne "$status" ]; then
    bad "$subcommand $*: status $got, not $status"
  elif [ -n "$text" ] && ! cat out err | grep -qF -e "$text"; then
    bad "$subcommand $*: no '$text'"
  else
    good
  fi
}

# says TEXT: the output or errors of the command before hold TEXT too.
says() { if cat out err | grep -qF -e "$1"; then good; else bad "no '$1'"; fi; }
# silent: nothing on standard error.
silent() { if [ -s err ]; then bad 'something on standard error'; else good; fi; }
# same NAME WANTED: standard output of the command before is exactly WANTED.
same() {
  printf '%s\n' "$2" >wanted
  if cmp -s wanted out; then good; else bad "$1: output differs from: $2"; fi
}

# session OPTION...: `lockstep step OPTION...` with the commands on standard input; all that it says is in out.
session() {
  timeout $time_limit "$lockstep" step "$@" >out 2>&1
  got=$?
  : >err
}
# reached NAME STATUS TEXT: the session before ended with STATUS and said TEXT.
reached() {
  if [ "$got" -ne "$2" ]; then
    bad "$1: status $got, not $2"
  elif ! grep -qaF -e "$3" out; then
    bad "$1: no '$3'"
  else
    good
  fi
}

program() { printf '%b\n' "$2" >"$1"; }

counts() {
  echo "counts: $passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}
