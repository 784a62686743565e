#!/bin/sh
# scripts/ve_model.sh [LOCKSTEP [SOURCE_DIR]]
# Table 2 and Figs. 6 to 10 of the borG paper for VE, from the model of a core (docs/ve-model.md), as far as there are arrangements. All is
# relative to the first one, groups side by side in packs of one, which is what NEC's compiler makes of such loops. In the environment:
#   KERNELS, REALS, SIZES, PACKS   what is tried (default: all seven; float double; 4 8 16 32; 1 2 4)
#   BATCH                          groups of a launch (default 512; enumerate has an eighth)
#   SMALL                          groups of a small launch, for Fig. 8 (default 64)
# shellcheck disable=SC2046
set -eu
case ${1:-} in
  --help | -h)
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
source=${2:-$(dirname "$0")/..}
lockstep=${1:-$source/build/release/tools/lockstep}
if [ ! -x "$lockstep" ]; then
  echo "ve_model: there is no program '$lockstep'" >&2
  exit 2
fi
borg=$source/examples/borg
kernels=${KERNELS:-gema gemm trsv ldus pade enumerate frcg}
reals=${REALS:-float double}
sizes=${SIZES:-4 8 16 32}
packs=${PACKS:-1 2 4}
batch=${BATCH:-512}
small=${SMALL:-64}
results=$(mktemp)
trap 'rm -f "$results"' EXIT

# WHAT KERNEL REAL SIZE GROUPS: a line for each pack, with cycles, and what takes most of them.
measure() {
  "$lockstep" diff "$borg/$2.cl" -D REAL="$3" --target ve --verify off --json --wg-pack "$(echo "$packs" | tr ' ' ,)" \
    $("$borg/arguments.sh" "$2" "$4" "$5") |
    sed 's/{"target"/\n&/g' | sed -n 's/.*"wg_pack":\([0-9]*\),"verdict":"equal".*"modelled":{"cycles":\([0-9]*\),"most":"\([^"]*\)".*/\1 \2 \3/p' |
    while read -r line; do echo "$1 $2 $3 $4 $5 $line"; done
}
for kernel in $kernels; do
  groups=$batch
  [ "$kernel" = enumerate ] && groups=$((batch / 8))
  for real in $reals; do
    for size in $sizes; do
      measure large "$kernel" "$real" "$size" "$groups"
    done
  done
done >"$results"
for size in $sizes; do
  measure small ldus double "$size" "$small" >>"$results"
done

awk -v batch="$batch" -v small="$small" -v packs="$packs" '
  # Additional cycles of a group of GEMM as the paper has it: rows, where each of the products of n steps takes two reorderings, each of
  # them a store, and a gather of g cycles an element.
  function gather_that_gives(first, ratio, n) { return (first / ratio - n * 2 * n * n / 32) / (n * 2 * n * n) }
  BEGIN {
    count = split("gema gemm trsv ldus pade enumerate frcg", names, " ")
    split("0.98 0.22 1.87 1.72 3.82 1.29 0.28", paper, " ")
    sizes_n = 0
  }
  {
    most = $8; for (k = 9; k <= NF; ++k) most = most " " $k
    key = $1 " " $2 " " $3 " " $4
    cycles[key, $6] = $7 / $5
    if (!(key in best) || $7 / $5 < best[key]) { best[key] = $7 / $5; pack_of[key] = $6; most_of[key] = most }
    if (!($4 in seen)) { seen[$4] = 1; sizes[++sizes_n] = $4 }
    if ($1 == "large") reals[$3] = 1
  }
  END {
    printf "All cycles are modelled: a core of VE 10B, %d groups (docs/ve-model.md).\n\n", batch
    print "Table 2: the first arrangement over the best that there is, mean over sizes and precisions; the paper: NEC'"'"'s compiler over borG"
    for (k = 1; k <= count; ++k) {
      product = 0; n = 0
      for (r in reals) for (s = 1; s <= sizes_n; ++s) {
        key = "large " names[k] " " r " " sizes[s]
        if ((key in best) && best[key] > 0) { product += log(cycles[key, 1] / best[key]); ++n }
      }
      if (n > 0) printf "  %-10s ours %.2f   the paper %s\n", names[k], exp(product / n), paper[k]
    }
    print "  They are not to be compared: the paper'"'"'s rows are the second arrangement, which is not there. That ours are 1 says that no pack is better."
    print "\nFigs. 6 and 7: ns for a group at the best pack, and what takes most of the time"
    for (k = 1; k <= count; ++k) for (r in reals) {
      line = ""
      for (s = 1; s <= sizes_n; ++s) {
        key = "large " names[k] " " r " " sizes[s]
        if (key in best) line = line sprintf("  %s: %.4g (pack %d, %s)", sizes[s], best[key] / 1.4, pack_of[key], most_of[key])
      }
      if (line != "") printf "  %-10s %-6s%s\n", names[k], r, line
    }
    printf "\nFig. 8: LDUS in double precision, cycles for a group in packs over those in packs of one; %d groups, and %d\n", batch, small
    number = split(packs, pack, " ")
    for (s = 1; s <= sizes_n; ++s) {
      line = ""
      for (p = 1; p <= number; ++p) {
        found = ""
        for (w = 1; w <= 2; ++w) {
          key = (w == 1 ? "large" : "small") " ldus double " sizes[s]
          if ((key, pack[p]) in cycles) found = found sprintf("%s%.2f", found == "" ? "" : ", ", cycles[key, pack[p]] / cycles[key, 1])
        }
        if (found != "") line = line "  pack " pack[p] ": " found
      }
      if (line != "") printf "  %-3s%s\n", sizes[s], line
    }
    print "  In the paper packs fill empty lanes of rows. Here groups do, so that packs only take them away."
    print "\nFigs. 9 and 10: ways to reorder rows, and streaming of rows: the second arrangement is not there"
    least = 1e9; largest = 0
    for (r in reals) for (s = 1; s <= sizes_n; ++s) {
      key = "large gemm " r " " sizes[s]
      if (key in best) {
        g = gather_that_gives(cycles[key, 1], 0.22, sizes[s])
        if (g < least) least = g
        if (g > largest) largest = g
      }
    }
    if (largest > 0) printf "\nFitted: a gather takes %.2f to %.2f cycles an element, if rows of GEMM are to have the paper'"'"'s 0.22 (a store and a gather for each operand)\n", least, largest
  }' "$results"
