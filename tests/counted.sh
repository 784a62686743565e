#!/bin/sh
# counted.sh COUNTS_DIR NAME COMMAND...
# Runs a test program and writes `PASSED FAILED SKIPPED` to COUNTS_DIR/NAME. A program that has cases of its own says how many
# in its last line, `counts: P passed, F failed, S skipped`; any other program is one case: exit status 0 passed, 77 skipped,
# everything else failed. A program that ends badly without having counted a failure (a crash) is one failure more; one that
# never ends (a timeout) leaves the failure that is written at the start.
set -u
dir=$1
name=$2
shift 2
mkdir -p "$dir"
echo "0 1 0" >"$dir/$name"
log=$dir/$name.log
"$@" >"$log" 2>&1 </dev/null
status=$?
cat "$log"
tail -n 1 "$log" | awk -v status="$status" '
  /^counts: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { counted = 1; passed = $2; failed = $4; skipped = $6 }
  END {
    if (!counted) {
      passed = status == 0; skipped = status == 77; failed = !passed && !skipped
    } else if (status != 0 && failed == 0) {
      failed = 1
    }
    print passed + 0, failed + 0, skipped + 0
  }' >"$dir/$name.new"
mv "$dir/$name.new" "$dir/$name"
read -r _ failed _ <"$dir/$name"
if [ "$failed" -gt 0 ] && [ "$status" -eq 0 ]; then
  status=1
fi
exit "$status"
