#!/bin/sh
# compilers.sh SOURCE_DIR COMPILER
# What lockstep_avx512.h promises about compilers: COMPILER, g++ and clang++, as far as they are here, take it without a warning, refuse it
# with flags that change results, and do not fuse products with sums whatever they are told.
set -u
source=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0
flags="-I$source -Wall -Wextra -Wpedantic -Werror"
native="-mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma"

# expect NAME STATUS COMMAND...
expect() {
  name=$1
  wanted=$2
  shift 2
  status=0
  "$@" >"$work/log" 2>&1 || status=1
  if [ $status -eq "$wanted" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name: $*"
    head -n 20 "$work/log"
  fi
}

cat >"$work/main.cpp" <<'MAIN'
#include <cstdio>
#include "tests/avx512/checks.hpp"
int main() {
  const auto outcome = lockstep::avx512_checks::contraction();
  for (const auto& wrong : outcome.wrong) std::puts(wrong.c_str());
  return outcome.wrong.empty() && outcome.compared >= 100 ? 0 : 1;
}
MAIN

is_native() { case $(uname -m) in x86_64 | amd64) true ;; *) false ;; esac }
can_run() { grep -q avx512bw /proc/cpuinfo && grep -q avx512dq /proc/cpuinfo && grep -q avx512vl /proc/cpuinfo; }

tried=""
for cxx in "$compiler" g++ clang++ clang++-19; do
  path=$(command -v "$cxx" 2>/dev/null) || continue
  path=$(readlink -f "$path")
  case " $tried " in *" $path "*) continue ;; esac
  tried="$tried $path"
  # shellcheck disable=SC2086  # lists of flags
  expect "the shim, without warnings" 0 "$cxx" -std=c++17 $flags -DLOCKSTEP_AVX512_EMULATE -fsyntax-only "$source/tests/avx512/everything.cpp"
  # shellcheck disable=SC2086
  for flag in -ffast-math -ffinite-math-only; do
    expect "refuses $flag" 1 "$cxx" -std=c++17 $flags $flag -fsyntax-only "$source/tests/avx512/everything.cpp"
  done
  if ! is_native; then
    skipped=$((skipped + 1))
    continue
  fi
  # shellcheck disable=SC2086
  expect "without warnings" 0 "$cxx" -std=c++17 $flags $native -O3 -c -o "$work/o" "$source/tests/avx512/everything.cpp"
  # shellcheck disable=SC2086
  expect "the check of fusing" 0 "$cxx" -std=c++20 "-I$source" $native -O3 -ffp-contract=fast -DLOCKSTEP_CONTRACTION=contraction \
    -o "$work/contraction" "$work/main.cpp" "$source/tests/avx512/contraction.cpp"
  if can_run; then
    expect "does not fuse" 0 "$work/contraction"
    # Either refused or without effect: not every compiler tells the header about this flag.
    # shellcheck disable=SC2086
    if "$cxx" -std=c++20 "-I$source" $native -O3 -funsafe-math-optimizations -DLOCKSTEP_CONTRACTION=contraction -o "$work/contraction" \
      "$work/main.cpp" "$source/tests/avx512/contraction.cpp" 2>"$work/refusal"; then
      expect "does not reorder" 0 "$work/contraction"
    else
      expect "refuses -funsafe-math-optimizations" 0 grep -q "computes exact results" "$work/refusal"
    fi
  else
    skipped=$((skipped + 1))
  fi
done
[ -n "$tried" ] || skipped=$((skipped + 1))
echo "counts: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
