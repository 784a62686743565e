#!/bin/sh
# cuda_figures.sh LOCKSTEP DIR [SIZE...]
# Makes bundles of the CUDA target for Figs. 6 to 10 and Table 2 of the borG paper in DIR (docs/cuda.md): the kernels of examples/borg, and a
# GEMA whose loop has bounds that are known, read from memory, or each item's own; in both precisions, for groups of 4, 8, 16 and 32 items, or
# of those that are named. Then, on a machine that has a GPU and nvcc, `make -C DIR -j 16 bench`, and anywhere
#   lockstep bench --gpu DIR/*/*.bench.json --plots plots
# An array has as many elements as ELEMENTS says, 2^12 if it says nothing, and lies COPIES times in the GPU's memory (`make bench COPIES=N`; 2^13
# if nothing is said): more than its caches hold.
# shellcheck disable=SC2046,SC2086
set -eu
lockstep=$1 dir=$2
shift 2
[ $# -gt 0 ] || set -- 4 8 16 32
source=$(cd "$(dirname "$0")/.." && pwd)
elements=${ELEMENTS:-4096}
mkdir -p "$dir"

# bundle NAME FILE SIZE OPTION...
bundle() {
  name=$1 file=$2
  shift 2
  "$lockstep" emit "$file" --target cuda --verify off --bundle "$dir/$name" "$@"
  echo "$name"
}
for size in "$@"; do
  for real in double float; do
    for kernel in gema gemm ldus trsv pade enumerate frcg; do
      case $kernel in
        enumerate) groups=$((elements / size / 16)) ;; # the interpreter tries all candidates, too
        pade | frcg) groups=$((elements / size)) ;;
        *) groups=$((elements / size / size)) ;;
      esac
      bundle ${kernel}_${real}_$size "$source/examples/borg/$kernel.cl" -D REAL=$real $("$source/examples/borg/arguments.sh" $kernel "$size" $groups)
    done
    groups=$((elements / size / size))
    for bound in unrolled=5 'runtime=times[0]' 'of_items=times[get_local_id()]'; do
      name=gema_${bound%%=*}
      bundle ${name}_${real}_$size "$source/bench/suite/loops.cl" -D REAL=$real -D NAME=$name -D "BOUND=${bound#*=}" --wg-size "$size" \
        --groups $groups --arg a=$elements:random --arg b=$elements:random:1 --arg c=$elements:zeros --arg times="$size":const:5
    done
  done
done
cat >"$dir/Makefile" <<'END'
# make -j 16 bench: compiles all programs, so many at a time, and measures one after the other; make check: whether all results are right.
BUNDLES := $(dir $(wildcard */Makefile))
export COPIES ?= 8192
build: $(BUNDLES:%=%.build)
%.build:
	@$(MAKE) -s -C $* $$(sed -n 's/^bench: //p' $*/Makefile)
bench: build
bench check check-host clean:
	@for bundle in $(BUNDLES); do $(MAKE) -s -C $$bundle $@ || exit 1; done
.PHONY: build bench check check-host clean
END
