#!/bin/sh
# scripts/ve_model.sh [LOCKSTEP [SOURCE_DIR]]
# Table 2 and Figs. 6 to 10 of the borG paper for VE, from the model of a core (docs/ve-model.md). All is relative to the first arrangement,
# groups side by side in packs of one, which is what NEC's compiler makes of such loops. In the environment:
#   KERNELS, REALS, SIZES   what is tried (default: all seven; float double; 4 8 16 32)
#   PACKS                   packs of rows, of which those that fit into a vector are tried, and the one that fills it (default: 1 4 16;
#                           of enumerate that one alone)
#   BATCH                   groups of a launch (default 512; enumerate has an eighth)
#   SMALL                   groups of a small launch (default 8)
# shellcheck disable=SC2046,SC2086
set -eu
case ${1:-} in
  --help | -h)
    sed -n '2,10s/^# \{0,1\}//p' "$0"
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
packs=${PACKS:-1 4 16}
batch=${BATCH:-512}
small=${SMALL:-8}
others='number memory move moves segments doubling compress'
ways="$others gather"
results=$(mktemp)
trap 'rm -f "$results"' EXIT

# measure WHAT KERNEL REAL SIZE GROUPS PACKS OPTION...: a line for each pack, with cycles, and what takes most of them.
measure() {
  what=$1 kernel=$2 real=$3 size=$4 groups=$5 tried=$6
  shift 6
  "$lockstep" diff "$borg/$kernel.cl" -D REAL="$real" --target ve --verify off --json --wg-pack "$tried" "$@" \
    $("$borg/arguments.sh" "$kernel" "$size" "$groups") |
    sed 's/{"target"/\n&/g' | sed -n 's/.*"wg_pack":\([0-9]*\),"verdict":"equal".*"modelled":{"cycles":\([0-9]*\),"most":"\([^"]*\)".*/\1 \2 \3/p' |
    while read -r line; do echo "$what $kernel $real $size $groups $line"; done
}
# Packs of rows that fit, and have groups.
fitting() {
  list=$((256 / $2 > $3 ? $3 : 256 / $2))
  for pack in $packs; do
    [ "$1" = enumerate ] || [ $((pack * $2)) -ge 256 ] || [ "$pack" -ge "$3" ] || list=$list,$pack
  done
  echo "$list"
}
for kernel in $kernels; do
  for real in $reals; do
    for size in $sizes; do
      for groups in $batch $small; do
        [ "$kernel" = enumerate ] && [ "$groups" = "$batch" ] && groups=$((batch / 8))
        launch=large
        [ "$groups" = "$small" ] && launch=small
        measure $launch-groups $kernel $real $size $groups 1 --layout groups --pairs off
        measure $launch-rows $kernel $real $size $groups "$(fitting $kernel $size $groups)" --layout rows
        measure $launch-auto $kernel $real $size $groups 1
      done
    done
  done
done >"$results"
# Without one way each, and with gathers alone.
for kernel in gemm trsv ldus; do
  case " $kernels " in *" $kernel "*) ;; *) continue ;; esac
  for size in $sizes; do
    for pack in 1 $((256 / size)); do
      for way in $ways; do
        measure without-$way $kernel double $size $batch $pack --layout rows --without $way
      done
      measure without-all $kernel double $size $batch $pack --layout rows --without "$(echo $others | tr ' ' ,)"
      measure only-number $kernel double $size $batch $pack --layout rows --without "$(echo $others | tr ' ' '\n' | grep -v number | paste -sd,)"
      measure with-all $kernel double $size $batch $pack --layout rows
    done
  done
done >>"$results"
# GEMA five times over, by how the bound of the loop is known.
if [ -z "${KERNELS:-}" ] || [ "${KERNELS#*gema}" != "$KERNELS" ]; then
  for real in $reals; do
    for size in $sizes; do
      for layout in groups rows; do
        for bound in 5 'times[0]' 'times[get_local_id()]'; do
          numbers=$((size * size * batch))
          "$lockstep" diff "$source/bench/suite/loops.cl" -D REAL="$real" -D NAME=gema -D BOUND="$bound" --target ve --verify off --json \
            --layout $layout --pairs off --wg-size "$size" --groups "$batch" --arg a=$numbers:random --arg b=$numbers:random:1 \
            --arg c=$numbers:zeros --arg times="$size":const:5 |
            sed -n 's/.*"verdict":"equal".*"modelled":{"cycles":\([0-9]*\),"most":"\([^"]*\)".*/\1 \2/p' |
            while read -r line; do echo "loop-$layout $bound $real $size $batch 1 $line"; done
        done
      done
    done
  done >>"$results"
fi

awk -v batch="$batch" -v small="$small" -v ways="$ways" '
  # Additional cycles of a group of GEMM as the paper has it: rows, where each of the products of n steps takes two reorderings, each of
  # them a store, and a gather of g cycles an element.
  function gather_that_gives(first, ratio, n) { return (first / ratio - n * 2 * n * n / 32) / (n * 2 * n * n) }
  function mean(what, name,   product, n, r, s, key) {
    product = 0; n = 0
    for (r in reals) for (s = 1; s <= sizes_n; ++s) {
      key = name " " r " " sizes[s]
      if (((what " " key) in best) && best[what " " key] > 0) {
        product += log(best[substr(what, 1, 5) "-groups " key] / best[what " " key]); ++n
      }
    }
    return n > 0 ? sprintf("%.2f", exp(product / n)) : "-"
  }
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
    reals[$3] = 1
  }
  END {
    printf "All cycles are modelled: a core of VE 10B (docs/ve-model.md). Launches of %d groups (enumerate: %d), and of %d.\n\n", batch, batch / 8, small
    print "Table 2: how many times as fast as the first arrangement, groups side by side: mean over sizes and precisions"
    print "             rows, best pack      what auto takes       the paper: borG, by rows,"
    printf "             %6d  %6d       %6d  %6d         over NEC'"'"'s compiler\n", batch, small, batch, small
    for (k = 1; k <= count; ++k) if (mean("large-rows", names[k]) != "-") {
      printf "  %-10s %6s  %6s       %6s  %6s         %s\n", names[k], mean("large-rows", names[k]), mean("small-rows", names[k]), \
        mean("large-auto", names[k]), mean("small-auto", names[k]), paper[k]
    }
    for (w = 1; w <= 2; ++w) {
      what = w == 1 ? "groups" : "rows"
      printf "\nFigs. 6 and 7: ns for a group, %d groups, %s, and what takes most of the time\n", batch, w == 1 ? "side by side" : "rows at the best pack"
      for (k = 1; k <= count; ++k) for (r in reals) {
        line = ""
        for (s = 1; s <= sizes_n; ++s) {
          key = "large-" what " " names[k] " " r " " sizes[s]
          if (key in best) line = line sprintf("  %s: %.4g (%s%s)", sizes[s], best[key] / 1.4, w == 2 ? "pack " pack_of[key] ", " : "", most_of[key])
        }
        if (line != "") printf "  %-10s %-6s%s\n", names[k], r, line
      }
    }
    printf "\nFig. 8: LDUS in double precision by rows: cycles for a group in packs over those in packs of one, %d groups\n", batch
    for (s = 1; s <= sizes_n; ++s) {
      line = ""
      key = "large-rows ldus double " sizes[s]
      for (p = 1; p <= 256; p *= 2) if ((key, p) in cycles) line = line sprintf("  pack %d: %.2f", p, cycles[key, p] / cycles[key, 1])
      if (line != "") printf "  %-3s%s\n", sizes[s], line
    }
    printf "\nFig. 9: rows in double precision, %d groups: cycles without a way to reorder over those with all; with gathers alone\n", batch
    ways_n = split(ways, way, " ")
    for (k = 1; k <= count; ++k) for (s = 1; s <= sizes_n; ++s) for (p = 1; p <= 256; p *= 2) {
      key = " " names[k] " double " sizes[s]
      if (!(("with-all" key, p) in cycles)) continue
      line = ""
      for (w = 1; w <= ways_n; ++w) {
        ratio = cycles["without-" way[w] key, p] / cycles["with-all" key, p]
        if (ratio > 1.005 || ratio < 0.995) line = line sprintf("  %s: %.2f", way[w], ratio)
      }
      printf "  %-5s %-3s pack %-3d%s  gathers: %.2f\n", names[k], sizes[s], p, line, cycles["without-all" key, p] / cycles["with-all" key, p]
    }
    printf "\nFig. 9 as the paper has it: LDUS in double precision by rows, what one kind of reordering after the other brings: cycles over those of gathers alone\n"
    for (s = 1; s <= sizes_n; ++s) for (p = 1; p <= 256; p *= 2) {
      key = " ldus double " sizes[s]
      if (!(("without-all" key, p) in cycles)) continue
      first = cycles["without-all" key, p]
      printf "  %-3s pack %-3d  gathers: 1.00  numbers: %.2f  vectors: %.2f  shifts: %.2f\n", sizes[s], p, cycles["only-number" key, p] / first, \
        cycles["without-doubling" key, p] / first, cycles["with-all" key, p] / first
    }
    printf "\nFig. 10: GEMA five times over, packs of one, %d groups: cycles over those of a loop that is unrolled\n", batch
    for (w = 1; w <= 2; ++w) for (r in reals) {
      what = "loop-" (w == 1 ? "groups" : "rows")
      line = ""; other = ""
      for (s = 1; s <= sizes_n; ++s) {
        key = " " r " " sizes[s]
        if (!((what " 5" key, 1) in cycles)) continue
        line = line sprintf("  %s: %.2f", sizes[s], cycles[what " times[0]" key, 1] / cycles[what " 5" key, 1])
        other = other sprintf("  %s: %.2f", sizes[s], cycles[what " times[get_local_id()]" key, 1] / cycles[what " 5" key, 1])
      }
      if (line != "") printf "  %-12s %-6s  a bound that is known late%s\n  %-12s %-6s  a bound for each item    %s\n", \
        (w == 1 ? "side by side" : "rows"), r, line, "", "", other
    }
    least = 1e9; largest = 0
    for (r in reals) for (s = 1; s <= sizes_n; ++s) {
      key = "large-groups gemm " r " " sizes[s]
      if (key in best) {
        g = gather_that_gives(best[key], 0.22, sizes[s])
        if (g < least) least = g
        if (g > largest) largest = g
      }
    }
    if (largest > 0) printf "\nFitted: a gather takes %.2f to %.2f cycles an element, if rows of GEMM are to have the paper'"'"'s 0.22 (a store and a gather for each operand)\n", least, largest
  }' "$results"
