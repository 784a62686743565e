#!/bin/sh
# arguments.sh KERNEL N GROUPS [SEED]
# The options that launch one of the seven kernels on groups of N items, with random numbers in [0, 1):
#   lockstep run gemm.cl $(./arguments.sh gemm 8 100)
# The problem itself is an item's in pade, enumerate and frcg; their last group is one item short.
set -eu
kernel=$1 n=$2 groups=$3 seed=${4:-1}
items=$((n * groups))
matrices=$((n * items))
case $kernel in
  gema | gemm) set -- a=$matrices:random:$seed b=$matrices:random:$((seed + 1)) c=$matrices:zeros ;;
  ldus) set -- a=$matrices:random:$seed ;;
  trsv) set -- m=$matrices:random:$seed b=$items:random:$((seed + 1)) ;;
  pade)
    set -- a=6:random:$seed b=4:random:$((seed + 1)) x=$items:random:$((seed + 2)) g=$items:random:$((seed + 3)) dx=$items:zeros \
      da=$((6 * items)):zeros db=$((4 * items)):zeros batch=$((items - 1))
    ;;
  enumerate)
    set -- d=80:iota c=10:random:$seed b=$((8 * items)):const:150 best=$items:zeros arg=$items:zeros batch=$((items - 1))
    ;;
  frcg)
    set -- a=$items:random:$seed b=$items:random:$((seed + 1)) x=$items:random:$((seed + 2)) y=$items:random:$((seed + 3)) \
      batch=$((items - 1))
    ;;
  *)
    echo "arguments.sh: there is no kernel '$kernel'; there are: gema gemm ldus trsv pade enumerate frcg" >&2
    exit 2
    ;;
esac
printf '%s' "--wg-size $n --groups $groups"
printf ' --arg %s' "$@"
echo
