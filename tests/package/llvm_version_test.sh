#!/bin/sh
# llvm_version_test.sh SOURCE_DIR CMAKE COMPILER
# Which LLVM a build takes: the tested one, with a newer one in the way, unless another is asked for, by number or by folder, also in a build
# folder that has found one before.
set -u
source=$1
cmake=$2
compiler=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
. "$source/tests/package/newer_llvm.sh"
newer_llvm "$place/newer"
failed=0
passed=0
skipped=0

# configures OPTION...: in $place/build.
configures() {
  "$cmake" -S "$source" -B "$place/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$place/newer" \
    -DLOCKSTEP_BUILD_TESTS=OFF -DLOCKSTEP_BUILD_BENCH=OFF "$@" >"$place/log" 2>&1
}
good() { passed=$((passed + 1)); }
bad() {
  echo "FAILED: $1"
  cat "$place/log"
  failed=$((failed + 1))
}

{ configures && takes_llvm 19 "$place/build"; } && good || bad 'the tested one is taken'
! configures -DLOCKSTEP_LLVM_VERSION=99 && grep -q 'LLVM 99.1.0 in' "$place/log" && good || bad 'a number is obeyed, in a folder that has found another'
{ configures -DLOCKSTEP_LLVM_VERSION=19 && takes_llvm 19 "$place/build"; } && good || bad 'and back'
! configures -DLLVM_DIR="$place/newer/lib/cmake/llvm" && grep -q 'LLVM 99.1.0 in' "$place/log" && good || bad 'a folder is obeyed'
rm -rf "$place/build"
! configures -DLOCKSTEP_LLVM_VERSION=98 && grep -q 'LLVM 98 is needed (Debian: llvm-98-dev)' "$place/log" && good || bad 'one that is not there is named'

# The newest that is really here, if it is newer than the tested one.
newest=$(ls -d /usr/lib/llvm-*/lib/cmake/llvm 2>/dev/null | sed 's/.*llvm-\([0-9]*\).*/\1/' | sort -n | tail -n 1)
if [ "${newest:-0}" -le 19 ]; then
  skipped=$((skipped + 1))
  echo 'skipped: no LLVM is installed that is newer than 19'
else
  { configures -DLOCKSTEP_LLVM_VERSION="$newest" && takes_llvm "$newest" "$place/build"; } && good || bad "LLVM $newest is taken when asked for"
fi
echo "counts: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
