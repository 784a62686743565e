#!/bin/sh
# scripts/same_answers.sh OLD NEW [COUNT [SEED]]
# Whether two builds of the command, OLD and NEW, say the same, byte for byte, of COUNT random programs and kernels (default: 200): states,
# traces, results, first faults, messages, exit statuses. For changes that are to change nothing. SEED: which ones (default: the day's).
# Needs build/release/tests/write_samples (scripts/build.sh release write_samples), or the program that $WRITE_SAMPLES names.
# Exit status: 0 the same, 1 not, with the first differences, 2 bad usage.
set -u
if [ $# -lt 2 ] || [ $# -gt 4 ]; then
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
old=$1 new=$2 count=${3:-200} seed=${4:-$(($(date +%s) / 86400))}
writer=${WRITE_SAMPLES:-$(dirname "$0")/../build/release/tests/write_samples}
for program in "$old" "$new" "$writer"; do
  if ! command -v "$program" >/dev/null; then
    echo "same_answers: there is no program '$program'" >&2
    exit 2
  fi
done
old=$(realpath "$(command -v "$old")") new=$(realpath "$(command -v "$new")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$writer" "$folder" "$count" "$seed" || exit 2

# answer COMMAND FILE ARGUMENTS: all that a run shows.
answer() {
  # shellcheck disable=SC2086  # the arguments have no blanks in them
  (cd "$folder" && "$1" run "$2" $3 2>&1; echo "status $?")
}

runs=0 different=0
for arguments in "$folder"/*.args; do
  stem=${arguments%.args}
  stem=${stem##*/}
  file=$stem.mus
  [ -e "$folder/$file" ] || file=$stem.cl
  while IFS= read -r line; do
    runs=$((runs + 1))
    answer "$old" "$file" "$line" >"$folder/old"
    answer "$new" "$file" "$line" >"$folder/new"
    if ! cmp -s "$folder/old" "$folder/new"; then
      different=$((different + 1))
      if [ $different -le 3 ]; then
        echo "different: lockstep run $file $line" | cut -c 1-200
        diff "$folder/old" "$folder/new" | cut -c 1-200 | head -n 10
        cp "$folder/$file" "./different-$file" && echo "kept as different-$file"
      fi
    fi
  done <"$arguments"
done
echo "$runs runs of $count programs and kernels (seed $seed), $different with different answers"
[ "$runs" -gt 0 ] && [ "$different" -eq 0 ]
