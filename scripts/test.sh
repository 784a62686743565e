#!/usr/bin/env bash
# scripts/test.sh [--full] [--no-setup]
# Sets up, builds and runs the tests; docs/building.md says what is run and how it is counted. The last line is
# `N passed, N failed, N skipped`; the exit status is 0 only if nothing failed.
#   --full      no samples, and besides: mutants, sanitizers, fuzz targets, clang-tidy. Where CI is set these run as samples, and the demo runs
#               on a bare machine
#   --no-setup  do not look for missing packages
set -uo pipefail
cd "$(dirname "$0")/.."
exec </dev/null

passed=0
failed=0
skipped=0
full=""
setup=yes
for argument in "$@"; do
  case $argument in
    --full) full=1 ;;
    --no-setup) setup="" ;;
    --help | -h)
      sed -n '2,7s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *)
      echo "test: unknown argument '$argument' (see --help)" >&2
      exit 2
      ;;
  esac
done
[ -n "$full" ] && export LOCKSTEP_FULL=1
jobs=$(nproc)

more=$full
[ -n "${CI:-}" ] && more=1

# section NAME [MINUTES]: ends the section before, and begins one whose budget is so many minutes on two cores, with nothing compiled before.
times_file=$(mktemp)
trap 'rm -f "$times_file"' EXIT
section_name="" section_table=""
section() {
  times >"$times_file"
  local cpu
  cpu=$(awk 'NR == 2 { split($1 "m" $2, part, /[ms]+/); printf "%d", 60 * (part[1] + part[3]) + part[2] + part[4] }' "$times_file")
  if [ -n "$section_name" ]; then
    section_table+=$(printf '%-44s %5d %5d %6s' "$section_name" $((SECONDS - section_start)) $((cpu - section_cpu)) "$section_budget")$'\n'
  fi
  section_name=$1 section_budget=${2:+$((60 * $2))} section_start=$SECONDS section_cpu=$cpu
  printf '\n== %s [%d min %02d s]\n' "$1" $((SECONDS / 60)) $((SECONDS % 60))
}
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)) && echo "FAILED: $1"; }
skip() { skipped=$((skipped + 1)) && echo "skipped: $1"; }

finish() {
  section "seconds"
  printf '%-44s %5s %5s %6s\n%s' "" wall CPU budget "$section_table"
  printf '%-44s %5d %5d\n' "all" "$SECONDS" "$section_cpu"
  [ -n "$more" ] || echo "--full: no samples, and mutants, sanitizers, fuzz targets, clang-tidy"
  [ "$failed" -gt 0 ] && printf '\n== something failed: look for FAILED above\n'
  echo
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
  exit
}

# our_files PATTERN...: our sources, whether git knows them already or not.
our_files() { find semantics interpreter codegen targets differential tools tests bench \( "$@" \) -type f | LC_ALL=C sort; }

# run_ctest PRESET ARGUMENT...: fills build/PRESET/counts; a test that ctest could not even start is a failure.
run_ctest() {
  local directory=build/$1 limit=900
  shift
  [ -n "$full" ] && limit=7200
  rm -rf "$directory/counts"
  ctest --test-dir "$directory" -j "$jobs" --output-on-failure --timeout $limit "$@"
  local expected started
  expected=$(ctest --test-dir "$directory" -N "$@" | sed -n 's/^Total Tests: *//p')
  started=$(find "$directory/counts" -type f ! -name '*.log' ! -name '*.new' 2>/dev/null | wc -l)
  if [ "${expected:-0}" -ne "$started" ]; then
    fail "$started of ${expected:-0} tests in $directory were started"
  fi
}

check_format() {
  section "format" 1
  if ! command -v clang-format-19 >/dev/null; then
    skip "clang-format-19 is not installed"
  elif our_files -name '*.[ch]pp' | xargs -r clang-format-19 --dry-run -Werror; then
    pass
  else
    fail "clang-format-19 -i would change the files above"
  fi
}

# count PRESET: what the tests of that preset have counted.
count() {
  local counts p f s
  for counts in "build/$1/counts"/*; do
    case $counts in *.log | *.new) continue ;; esac
    read -r p f s <"$counts"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    printf '%-24s %6d passed %4d failed %4d skipped\n' "${counts##*/}" "$p" "$f" "$s"
    [ "$f" -eq 0 ] || echo "FAILED: ${counts##*/} (its output: $counts.log)"
    grep -h '^skipped: ' "$counts.log"
  done
}

run_tests() {
  section "build, release" 16
  [ -z "$more" ] || cmake --preset release -D LOCKSTEP_UNITY=OFF >/dev/null  # mutants take the place of single files
  if ! scripts/build.sh release all ${more:+benchmarks}; then
    fail "the build"
    finish
  fi
  section "tests" 14
  run_ctest release -LE '^mutation$'
  count release
}

# Of the folders with faults, two a day in turn, so that each comes up within a week; all with --full.
mutated_folders=2
run_mutants() {
  section "mutants" 8
  local folders first left=0
  read -ra folders -d '' < <(ctest --test-dir build/release -N -L '^mutation$' | sed -n 's/.*: mutated\.\([a-z0-9]*\)$/\1/p')
  if [ -z "$full" ] && [ ${#folders[@]} -gt $mutated_folders ]; then
    first=$(($(date +%s) / 86400 * mutated_folders % ${#folders[@]}))
    left=$((${#folders[@]} - mutated_folders))
    folders=("${folders[@]:first}" "${folders[@]:0:first}")
    folders=("${folders[@]:0:mutated_folders}")
  fi
  if [ ${#folders[@]} -gt 0 ] && ! scripts/build.sh release make_faults "${folders[@]/#/mutated_}"; then
    fail "the build of the mutants"
    return
  fi
  run_ctest release -L '^mutation$' -R "^(mutation_tool|mutated\.($(IFS='|' && echo "${folders[*]}"))(\..*)?)\$"
  count release
  echo "mutants: of ${folders[*]}; $left folders left for other days"
}

# The unit and file tests again; each program counts once here, because its cases have been counted already.
run_sanitized() {
  section "address and undefined-behaviour sanitizers" 7
  if ! scripts/build.sh sanitize core_tests; then
    fail "the build with sanitizers"
    return
  fi
  run_ctest sanitize -L '^(unit|files)$'
  local counts p f s
  for counts in build/sanitize/counts/*; do
    case $counts in *.log | *.new) continue ;; esac
    read -r p f s <"$counts"
    if [ "$f" -eq 0 ]; then pass; else fail "${counts##*/} under the sanitizers"; fi
    printf '%-24s %6d passed %4d failed %4d skipped (counted as one)\n' "${counts##*/}" "$p" "$f" "$s"
  done
}

# Each fuzz target for a minute with --full; what was found before is kept as the corpus.
run_fuzz() {
  local seconds=20 target name pids="" names=""
  [ -n "$full" ] && seconds=60
  section "fuzz targets, $seconds s each" 4
  if ! command -v clang++-19 >/dev/null; then
    skip "clang++-19 is not installed, the fuzz targets are not built"
    return
  fi
  if ! scripts/build.sh fuzz fuzz_targets; then
    fail "the build of the fuzz targets"
    return
  fi
  mkdir -p build/fuzz/artifacts build/fuzz/logs
  for target in build/fuzz/tests/fuzz/*_fuzz; do
    [ -x "$target" ] || continue
    name=${target##*/}
    mkdir -p "build/fuzz/corpus/$name"
    "$target" -max_total_time=$seconds -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="build/fuzz/artifacts/$name-" \
      "build/fuzz/corpus/$name" $(find examples tests/files \( -name '*.mus' -o -name '*.cl' \) -printf '%h\n' 2>/dev/null | sort -u) \
      >"build/fuzz/logs/$name" 2>&1 &
    names="$names $name"
    pids="$pids $!"
  done
  set -- $pids
  for name in $names; do
    if wait "$1"; then
      pass
      echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/logs/$name") runs, nothing found"
    else
      tail -n 40 "build/fuzz/logs/$name"
      fail "$name (log in build/fuzz/logs, input in build/fuzz/artifacts)"
    fi
    shift
  done
}

# tidy_key FILE: changes when the answer of clang-tidy may change.
tidy_key() { printf '%s\n' "$tidy_base" | cat - "$1" | sha256sum | cut -d ' ' -f 1; }

tidy_one() {
  if clang-tidy-19 -p build/tidy --quiet "$1" >"build/tidy/log.$$" 2>&1; then
    : >"build/tidy/$(tidy_key "$1")"
    rm -f "build/tidy/log.$$"
  else
    grep -v 'warnings generated\|warnings treated as errors' "build/tidy/log.$$"
    rm -f "build/tidy/log.$$"
    return 1
  fi
}

# A file that passed and has not changed since, headers and configuration included, is not read again. Of the others, a sample
# that moves on from day to day, or all with --full: reading everything takes an hour on two cores.
tidy_sample=14
run_tidy() {
  section "clang-tidy" 3
  if ! command -v clang-tidy-19 >/dev/null; then
    skip "clang-tidy-19 is not installed"
    return
  fi
  mkdir -p build/tidy
  # Without the mutants, which are compiled from the same files beside faulty copies of others, and without the flags that only
  # mean something to GCC; clang-tidy's own checks are all that is asked.
  awk '/^\{/ { entry = "" }
    { entry = entry $0 "\n" }
    /^\}/ && entry !~ /tests\/mutation\// { sub(/\},?\n$/, "}", entry); printf "%s%s", comma, entry; comma = ",\n" }
    BEGIN { print "[" } END { print "\n]" }' build/release/compile_commands.json |
    sed 's/ -Werror / /; s/ -Wno-restrict / /; s/ -Wno-maybe-uninitialized / /' >build/tidy/compile_commands.json
  local file known=0 todo=()
  tidy_base=$({
    clang-tidy-19 --version
    cat .clang-tidy
    our_files -name '*.hpp' -o -name '*.def' | xargs cat
  } | sha256sum)
  export tidy_base
  export -f tidy_key tidy_one
  for file in $(find semantics interpreter codegen targets differential tools -name '*.cpp' | LC_ALL=C sort); do
    if [ -e "build/tidy/$(tidy_key "$file")" ]; then
      known=$((known + 1))
    else
      todo+=("$file")
    fi
  done
  local left=0
  if [ -z "$full" ] && [ ${#todo[@]} -gt $tidy_sample ]; then
    local first=$(($(date +%s) / 86400 * tidy_sample % ${#todo[@]}))
    left=$((${#todo[@]} - tidy_sample))
    todo=("${todo[@]:first}" "${todo[@]:0:first}")
    todo=("${todo[@]:0:tidy_sample}")
  fi
  if [ ${#todo[@]} -eq 0 ] || printf '%s\0' "${todo[@]}" | xargs -0 -n 1 -P "$jobs" bash -c 'tidy_one "$1"' tidy; then
    pass
  else
    fail "clang-tidy-19, see above"
  fi
  echo "clang-tidy: ${#todo[@]} files read, $known unchanged since they passed, $left left for other days"
}

# As whoever tries the project for the first time, who has no ccache, so that several files are compiled at a time.
run_demo() {
  section "the demo on a bare machine" 6
  scripts/fresh.sh scripts/demo.sh | tee build/demo.log
  case ${PIPESTATUS[0]} in
    0) pass ;;
    77) skip "the demo on a bare machine: $(sed -n 's/^skipped: //p' build/demo.log)" ;;
    *) fail "the demo on a bare machine" ;;
  esac
}

section "set up" 1
if [ -n "$setup" ] && ! scripts/setup.sh; then
  fail "scripts/setup.sh"
  finish
fi
check_format
run_tests
if [ -n "$more" ]; then
  run_mutants
  run_sanitized
  run_fuzz
  run_tidy
fi
[ -n "${CI:-}" ] && run_demo
finish
