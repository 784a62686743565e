#!/bin/sh
# same_answers.sh LOCKSTEP SOURCE_DIR
# scripts/same_answers.sh: the command says the same as itself, and what differs is noticed.
. "$(dirname "$0")/lib/command.sh"
compare="$source/scripts/same_answers.sh"
WRITE_SAMPLES=$(dirname "$lockstep")/../tests/write_samples
export WRITE_SAMPLES

# A build that counts one step too many, and one that ends with another status.
sed "s|LOCKSTEP|$lockstep|" >miscounts <<'END'
#!/bin/sh
"LOCKSTEP" "$@" | sed 's/"steps":\([0-9]*\)/"steps":1\1/'
END
sed "s|LOCKSTEP|$lockstep|" >misends <<'END'
#!/bin/sh
"LOCKSTEP" "$@"
[ $? -eq 0 ] && exit 0
exit 7
END
chmod +x miscounts misends

# try STATUS TEXT ARGUMENT...
try() {
  status=$1 text=$2
  shift 2
  "$compare" "$@" >out 2>err
  got=$?
  if [ "$got" -eq "$status" ] && cat out err | grep -qF -e "$text"; then good; else bad "same_answers $*: status $got, not $status, or no '$text'"; fi
}
try 0 '70 runs of 20 programs and kernels (seed 5), 0 with different answers' "$lockstep" "$lockstep" 20 5
try 1 'different: lockstep run 0.mus' "$lockstep" "$dir/miscounts" 6 5
try 1 'kept as different-' "$dir/misends" "$lockstep" 40 5
cp "$lockstep" here
try 0 ' 0 with different answers' ./here "$lockstep" 4 6
try 2 "there is no program './none'" ./none "$lockstep"
try 2 'scripts/same_answers.sh OLD NEW' "$lockstep"
counts
