#!/bin/sh
# toy_target_test.sh LOCKSTEP_TOY SOURCE_DIR
# What a new target touches: the toy (tests/toy_target) is its own folder and a line of the list, and works with emit, diff and fuzz.
# LOCKSTEP_TOY is the command with that list. Nobody else knows a target by name.
# shellcheck disable=SC2086,SC2015,SC2154,SC2034,SC1091
. "$2/tests/scripts/lib/command.sh"
kernel=$source/examples/borg/ldus.cl

expect 0 'kernel @ldus' emit "$kernel" --target toy --wg-size 4
expect 0 '' emit "$kernel" --target toy --wg-size 4 -o code
grep -q 'kernel @ldus' code/ldus.toy && good || bad 'emit wrote no code/ldus.toy'
expect 2 'there is no such target; there are: toy' emit "$kernel" --target llvm --wg-size 4
expect 2 'there is no such target; there are: infreg, toy' diff "$kernel" --target cuda --wg-size 4
for word in 'infreg  WG_PACK 1   equal' 'toy     WG_PACK 1   equal      by a toy'; do
  expect 0 "$word" diff "$kernel" --wg-size 4 --groups 2 --arg a=64:random --verify off
done
expect 1 'look behind InfReg-IR, in the emitter of toy' diff "$kernel" --wg-size 4 --groups 2 --arg a=64:random --verify off --toy-fault group
expect 2 '--toy-fault is for --target toy' diff "$kernel" --target infreg --wg-size 4 --arg a=64:random --toy-fault group
expect 2 '--toy-level: 2 is not a number from 0 to 1' diff "$kernel" --wg-size 4 --arg a=64:random --toy-level 2
expect 0 'The toy target' diff --help
says '--toy-level N=1'
expect 0 'default: 1000 kernels, for toy 20' fuzz --help
expect 0 '20 kernels in ' fuzz --seed 5
for word in ', 0 findings' '--toy-level' 'run by      a toy'; do says "$word"; done
expect 1 'toy differs' fuzz --seed 5 --kernels 5 --max-lanes 8 --toy-fault group --out found
for script in found/toy-differs-*/run.sh; do
  LOCKSTEP=$lockstep sh "$script" >out 2>err && bad "$script finds nothing" || good
  grep -q -e '--target infreg,toy --toy-fault group' "$script" && good || bad "$script does not say how the toy was called"
done

# Pointers into one buffer reach the target, and stay in what is shrunk.
expect 1 'toy differs' fuzz --seed 5 --kernels 120 --max-lanes 8 --toy-fault overlap --out overlapping
says 'two pointers into one buffer'
for script in overlapping/toy-differs-*/run.sh; do
  LOCKSTEP=$lockstep sh "$script" >out 2>err && bad "$script finds nothing" || good
  grep -q -e '--arg [a-z0-9]*=[a-z0-9]*+[0-9]' "$script" && good || bad "$script has no pointer into another buffer"
  grep -q '"kind": "pointer"' "${script%/run.sh}/launch.json" && good || bad "$script: launch.json has no pointer into another buffer"
done

# named ROOT NAME...: the lines of shared sources that know a target by name. `lower` is about forms, of which some are called like targets.
named() {
  root=$1
  shift
  for name in "$@"; do
    grep -rnE "\"$name[\",]|\"targets/$name/|\b${name}_target\b" "$root/tools" "$root/differential" --include='*.[ch]pp' | grep -v '/tools/lower'
  done
}
names=$(tr -s '\n ' ' ' <"$source/targets/list.cpp" | sed -n 's/.*all_targets() { return {\([^}]*\)}; }.*/\1/p' | tr -d ' ' | tr ',' '\n' | sed 's/_target()//')
[ "$(echo "$names" | wc -l)" -ge 3 ] && good || bad "targets/list.cpp is not understood: $names"
# Of machines, which are called as targets are: whose instructions `forms` shows, and for which `run` and `step` have C compiled.
found=$(named "$source" $names | grep -v "/tools/\(forms\|ve_options\)\.cpp:.*")
[ -z "$found" ] && good || bad "these know a target by name: $found"
mkdir -p planted/tools planted/differential
for line in '  return name == "avx512";' '#include "targets/avx512/row.hpp"' '  return targets::avx512_target();'; do
  echo "$line" >planted/tools/a.cpp
  [ -n "$(named planted $names)" ] && good || bad "not found: $line"
done
found=$(grep -rlw toy "$source/tools" "$source/differential" "$source/targets" "$source/codegen" "$source/semantics" "$source/interpreter")
[ -z "$found" ] && good || bad "the toy is spoken of in $found"
counts
