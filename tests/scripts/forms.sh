#!/bin/sh
# `lockstep forms` and `lockstep check` of PTX: the committed pages of the instructions are those of the table, and what the command says
# of files that are right, wrong or no PTX.
set -u
lockstep=$1
cd "$2" || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
  echo "FAIL: $*"
  failed=1
}
# expect NAME STATUS EXPECTED COMMAND…: the output, both streams, and the exit status.
expect() {
  name=$1
  status=$2
  printf '%s\n' "$3" >"$dir/expected"
  shift 3
  "$@" >"$dir/said" 2>&1
  got=$?
  [ $got -eq "$status" ] || fail "$name: status $got instead of $status"
  diff "$dir/expected" "$dir/said" || fail "$name: says something else"
}

"$lockstep" forms --markdown "$dir/pages" || fail "the pages cannot be made"
diff -r docs/ptx "$dir/pages" || fail "docs/ptx is old: lockstep forms --markdown docs/ptx"
"$lockstep" forms --machine ve --markdown "$dir/ve" || fail "the pages of VE cannot be made"
diff -r docs/ve "$dir/ve" || fail "docs/ve is old: lockstep forms --machine ve --markdown docs/ve"

expect "an instruction of VE" 0 'vfmad.d (VFMADD)
    The product of the second and the third operand, plus the first, rounded once, of 64 bits.' "$lockstep" forms --machine ve vfmad.d
expect "no instruction of VE" 2 "lockstep: error: there is no instruction 'vfmad.e'; did you mean 'vfmad.d'?" "$lockstep" forms --machine ve vfmad.e
expect "one instruction" 0 'addc(.u32|.u64|.s32|.s64) d, a, b;
    The sum of both operands and the carry flag.
addc.cc(.u32|.u64|.s32|.s64) d, a, b;
    The sum of both operands and the carry flag, which gets the carry out of the highest bit.' "$lockstep" forms addc
expect "no instruction" 2 "lockstep: error: there is no instruction 'ad'; did you mean 'add'?" "$lockstep" forms ad
expect "a folder that cannot be" 2 "lockstep: error: /dev/null/pages: Not a directory" "$lockstep" forms --markdown /dev/null/pages

printf '// Comments in front.\n.version 8.5\n.target sm_80\n.entry k() { ret; }\n' >"$dir/good"
expect "PTX without a name that says so" 0 "$dir/good: well-formed" "$lockstep" check "$dir/good"
expect "its kernels" 0 '{"status":"well-formed","kernels":["k"],"findings":[]}' "$lockstep" check --json "$dir/good"
expect "an option of kernels" 2 "lockstep: error: --wg-size: $dir/good is PTX, which has no such option" "$lockstep" check --wg-size 4 "$dir/good"

printf '.version 8.5\n.entry k() {\n  .reg .b32 %%r<2>; .reg .f32 %%f<2>;\n  griddepcontrol.wait;\n  add.s32 %%r1, %%f1, 1;\n}\n' >"$dir/ill.ptx"
expect "types that do not fit" 1 "$dir/ill.ptx:4:3: warning: 'griddepcontrol.wait' is read, but does not run
    griddepcontrol.wait;
    ^^^^^^^^^^^^^^^^^^^
$dir/ill.ptx:5:16: error: '%f1' is an .f32 register, and 'add.s32' has .s32 here
    add.s32 %r1, %f1, 1;
                 ^^^
$dir/ill.ptx: ill-formed" "$lockstep" check "$dir/ill.ptx"

printf '.version 8.5\n.entry k() {\n  ad.s32 %%r1;\n  ret\n}\n' >"$dir/bad.ptx"
expect "a text that cannot be read" 2 "$dir/bad.ptx:3:3: error: there is no instruction 'ad'; did you mean 'add'?
    ad.s32 %r1;
    ^^
$dir/bad.ptx:5:1: error: expected ';' before '}'
  }
  ^" "$lockstep" check "$dir/bad.ptx"
exit $failed
