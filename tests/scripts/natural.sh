#!/bin/sh
# natural.sh LOCKSTEP SOURCE_DIR
# Kernels as one writes them (examples/natural): what machine code of theirs leaves, and that of the same kernels with a variable for each element, against
# loops in C++; and all targets against the interpreter, in groups and packs that fill vectors or do not.
# shellcheck disable=SC2086,SC2015,SC2154,SC1091
. "$(dirname "$0")/lib/command.sh"
time_limit=300

if command -v g++ >/dev/null; then
  sh "$source/scripts/natural_figures.sh" "$lockstep" 64 64 >figures || bad "natural_figures.sh: $(cat figures)"
  [ "$(grep -c ', 0 wrong$' figures)" = 4 ] && good || bad "figures: $(cat figures)"
else
  skipped=$((skipped + 1))
fi

targets=infreg,llvm
! command -v g++ >/dev/null || targets=$targets,avx512
! command -v clang-19 >/dev/null || targets=$targets,cuda,ve
for items in 4 5 16; do
  # Diagonals of 36 make each matrix one that has roots.
  awk -v n=$((items * 3)) 'BEGIN { for (s = 0; s < n; ++s) for (i = 0; i < 6; ++i) for (j = 0; j < 6; ++j)
    printf "%s%d", s + i + j ? "," : "[", i == j ? 36 + s : (i + j + s) % 5; print "]" }' >matrices
  expect 0 '' diff "$source/examples/natural/cholesky.cl" --target $targets --wg-size $items --groups 3 --wg-pack 1,2 --verify off \
    --arg "matrices=$(cat matrices)" --arg rights=$((items * 18)):random:1 --arg solutions=$((items * 18)):zeros
  expect 0 '' diff "$source/examples/natural/gemm.cl" --target $targets --wg-size $items --groups 6 --wg-pack 1,2 --verify off \
    --arg tiles_x=3 --arg n=$((items * 3)) --arg depth=7 --arg a=112:random:1 --arg b=$((items * 21)):random:2 --arg c=$((items * 48)):zeros
done

# Where a group's number is added to an address, nobody knows that vectors are stored at multiples of their size.
cat >placed.cl <<'IN'
kernel void placed(global float *y, global const int *t) { y[t[get_group_id(0)] + get_local_id(0) + get_group_id(0) * 80] = 3.0f; }
IN
cat >whole.cl <<'IN'
kernel void whole(global float *y) { y[get_local_id(0) + get_group_id(0) * 80] = 3.0f; }
IN
for kernel in placed:0 whole:1; do
  expect 0 'void ' emit ${kernel%:*}.cl --target avx512 --nontemporal on --wg-size 16 --wg-pack 1 --verify off
  [ "$(grep -c 'store<Stream>' out)" = ${kernel#*:} ] && good || bad "${kernel%:*}: stores past the caches"
done

counts
