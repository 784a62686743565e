#!/usr/bin/env bash
# scripts/test.sh [--full] [--no-setup]
# Sets up, builds and runs every test; docs/building.md says what is run and how it is counted. The last line is
# `N passed, N failed, N skipped`; the exit status is 0 only if nothing failed.
#   --full      no samples: all programs, all matrices, a minute for each fuzz target
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
      sed -n '2,6s/^# \{0,1\}//p' "$0"
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

section() { printf '\n== %s [%d min %02d s]\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)) && echo "FAILED: $1"; }
skip() { skipped=$((skipped + 1)) && echo "skipped: $1"; }

finish() {
  [ "$failed" -gt 0 ] && section "something failed: look for FAILED above"
  echo
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
  exit
}

# our_files PATTERN...: our sources, whether git knows them already or not.
our_files() { find semantics interpreter codegen tools tests bench \( "$@" \) -type f | LC_ALL=C sort; }

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
  section "format"
  if ! command -v clang-format-19 >/dev/null; then
    skip "clang-format-19 is not installed"
  elif our_files -name '*.[ch]pp' | xargs -r clang-format-19 --dry-run -Werror; then
    pass
  else
    fail "clang-format-19 -i would change the files above"
  fi
}

run_tests() {
  section "build, release"
  if ! scripts/build.sh release; then
    fail "the build"
    finish
  fi
  section "tests"
  run_ctest release
  local counts p f s
  for counts in build/release/counts/*; do
    case $counts in *.log | *.new) continue ;; esac
    read -r p f s <"$counts"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    printf '%-24s %6d passed %4d failed %4d skipped\n' "${counts##*/}" "$p" "$f" "$s"
    [ "$f" -eq 0 ] || echo "FAILED: ${counts##*/} (its output: $counts.log)"
    grep -h '^skipped: ' "$counts.log"
  done
}

# The unit and file tests again; each program counts once here, because its cases have been counted already.
run_sanitized() {
  section "address and undefined-behaviour sanitizers"
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

# Each fuzz target for a minute with --full or in CI, for ten seconds otherwise; what was found before is kept as the corpus.
run_fuzz() {
  local seconds=10 target name pids="" names=""
  [ -n "$full${CI:-}" ] && seconds=60
  section "fuzz targets, $seconds s each"
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
  section "clang-tidy"
  if ! command -v clang-tidy-19 >/dev/null; then
    skip "clang-tidy-19 is not installed"
    return
  fi
  mkdir -p build/tidy
  # Without the flags that only mean something to GCC; clang-tidy's own checks are all that is asked.
  sed 's/ -Werror / /; s/ -Wno-restrict / /; s/ -Wno-maybe-uninitialized / /' build/release/compile_commands.json >build/tidy/compile_commands.json
  local file known=0 todo=()
  tidy_base=$({
    clang-tidy-19 --version
    cat .clang-tidy
    our_files -name '*.hpp' -o -name '*.def' | xargs cat
  } | sha256sum)
  export tidy_base
  export -f tidy_key tidy_one
  for file in $(find semantics interpreter codegen tools -name '*.cpp' | LC_ALL=C sort); do
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

# As whoever tries the project for the first time; fresh.sh says what it needs, and when it is worth its time.
run_demo() {
  section "the demo on a bare machine"
  if [ -z "${CI:-}" ]; then
    skip "the demo on a bare machine is run where CI is set (scripts/fresh.sh scripts/demo.sh)"
    return
  fi
  scripts/fresh.sh --ccache --if-changed scripts/demo.sh | tee build/demo.log
  case ${PIPESTATUS[0]} in
    0) pass ;;
    77) skip "the demo on a bare machine: $(sed -n 's/^skipped: //p' build/demo.log)" ;;
    *) fail "the demo on a bare machine" ;;
  esac
}

section "set up"
if [ -n "$setup" ] && ! scripts/setup.sh; then
  fail "scripts/setup.sh"
  finish
fi
check_format
run_tests
run_sanitized
run_fuzz
run_tidy
run_demo
section "done"
finish
