#!/bin/sh
# shim_names.sh PROGRAM SOURCE_DIR COMPILER
# Whether the intrinsics that the shim defines are those that PROGRAM compares with the processor's.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "[names]" | sed -n 's/^intrinsic: //p' | sort -u >"$work/tested"
"$3" -std=c++17 -E -P "$2/codegen/emit/avx512/support/lockstep_avx512_shim.h" | grep -oE '\b_mm[0-9]*_[a-z0-9_]+' | sort -u >"$work/defined"
if ! [ -s "$work/defined" ]; then
  echo "the shim defines nothing"
  exit 1
fi
if ! diff "$work/defined" "$work/tested"; then
  echo "< is defined and not tested, > is tested and not defined"
  exit 1
fi
echo "all $(wc -l <"$work/defined") intrinsics of the shim are in the table"
