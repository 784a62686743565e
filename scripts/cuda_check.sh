#!/bin/sh
# cuda_check.sh LOCKSTEP DIR [SIZE...]
# Makes bundles of the CUDA target in DIR that a GPU is to be compared with the interpreter by (docs/cuda.md): the kernels of examples/borg in
# both precisions, for groups of 1 to 64 items, or of those that are named, in packs of 1, 2 and 4; and examples with control of their own,
# calls of all items, shared memory, meetings and atomic changes. Then, on a machine that has a GPU and nvcc:
#   make -C DIR -j 16 check
# Without one, `make -C DIR check-host`.
# shellcheck disable=SC2046,SC2086
set -eu
lockstep=$1 dir=$2
shift 2
[ $# -gt 0 ] || set -- 1 2 4 8 12 16 24 32 48 64
examples=$(cd "$(dirname "$0")/../examples" && pwd)
borg=$examples/borg core=$examples/core everyday=$examples/everyday
mkdir -p "$dir"

# bundle NAME FILE OPTION...
bundle() {
  name=$1 file=$2
  shift 2
  "$lockstep" emit "$file" --target cuda --verify off --bundle "$dir/$name" "$@"
}
for size in "$@"; do
  for real in double float; do
    for kernel in gema gemm ldus trsv pade enumerate frcg; do
      for pack in 1 2 4; do
        bundle ${kernel}_${real}_${size}_$pack $borg/$kernel.cl -D REAL=$real --wg-pack $pack $($borg/arguments.sh $kernel $size 7)
      done
    done
  done
done
for size in 1 5 16 31 32 64 100; do
  for pack in 1 3; do
    one=${size}_$pack
    items=$((size * 6))
    launch="--wg-size $size --wg-pack $pack --groups 6"
    bundle vecadd_$one $core/vecadd.cl $launch --arg a=$items:random --arg b=$items:random:1 --arg c=$items:zeros
    bundle collatz_$one $core/collatz.cl $launch --arg steps=$items:zeros
    bundle rotate_$one $core/rotate.cl $launch --arg x=$items:iota
    bundle saxpy_$one $core/saxpy.cl $launch --arg alpha=0.1 --arg x=855:random --arg y=x+222 --arg n=$((items < 111 ? items : 111))
    bundle stringmatch_$one $examples/crev/stringmatch.cl --kernel stringmatch_crev --wg-size $size --wg-pack $pack \
      --arg 'text=[111,116,104,101,114,32,116,104,101,109,101]' --arg size=11 --arg 'pattern=[116,104,101]' --arg length=3 --arg found=11:zeros
    bundle histogram_$one $everyday/histogram.cl $launch --arg x=150:random --arg bins=16:zeros --arg n=150
    bundle extremes_$one $everyday/extremes.cl --kernel extremes $launch --arg x=600:random --arg least=1:zeros --arg greatest=1:zeros \
      --arg seen=1:zeros
    bundle sums_$one $everyday/extremes.cl --kernel sums $launch --arg x=6:random --arg sum=1:zeros
  done
done
for size in 5 16 32; do
  bundle composition_$size $examples/crev/composition.cl --wg-size $size --arg calls=$size:zeros --arg seen=$size:zeros
done
bundle sgemm_naive $core/sgemm_naive.cl --wg-size 16 --groups 16 --arg a=256:random --arg b=256:random:1 --arg c=256:zeros --arg n=16
for tile in 2 4 8; do
  bundle sgemm_tiled_$tile $core/sgemm_tiled.cl -D TILE=$tile --wg-size $((tile * tile)) --groups $((256 / tile / tile)) --arg a=256:random \
    --arg b=256:random:1 --arg c=256:zeros --arg n=16
  bundle matmul_$tile $everyday/matmul.cl -D TILE=$tile --groups 2,2 --arg A=$((4 * tile * tile)):random --arg B=$((4 * tile * tile)):random:1 \
    --arg C=$((4 * tile * tile)):zeros --arg n=$((2 * tile))
done
for size in 16 64 512; do
  bundle reduce_$size $everyday/reduce.cl --wg-size $size --groups 6 --arg in=$((6 * size)):random --arg out=6:zeros --arg tmp=local:$size
done
bundle vecadd2d $everyday/vecadd2d.cl --local 4,2 --groups 2,2 --arg a=15:random --arg b=15:random:1 --arg c=15:zeros --arg width=5 --arg height=3
bundle transpose $everyday/transpose.cl --local 4,4 --groups 3,2 --arg in=96:random --arg out=96:zeros --arg width=12 --arg height=8 \
  --arg tile=local:20
bundle stencil3d $everyday/stencil3d.cl --local 3,2,1 --groups 2,2,5 --arg in=120:random --arg out=120:zeros
bundle nbody $everyday/nbody.cl --wg-size 8 --groups 2 --arg position=64:random --arg velocity=64:random:1 --arg moved=64:zeros \
  --arg tile=local:32 --arg bodies=16 --arg dt=0.125 --arg softening=0.5
bundle blur $everyday/blur.cl --local 4,2 --global 8,6 --arg width=7 --arg height=5 --arg image=140:random --arg blurred=140:zeros
cat >"$dir/Makefile" <<'END_OF_FILE'
# make -j 16 check: compiles all programs, by nvcc, and runs them, JOBS at a time; make check-host: without a GPU. Who is not equal is shown.
BUNDLES := $(patsubst %/Makefile,%,$(wildcard */Makefile))
JOBS ?= 8
build: $(BUNDLES:%=%.build)
%.build:
	@$(MAKE) -s -C $* $$(sed -n 's/^check: //p' $*/Makefile)
check: build
check check-host:
	@printf '%s\n' $(BUNDLES) | xargs -P $(JOBS) -I {} sh -c 'text=$$($(MAKE) -s -C {} $@ 2>&1) && echo "{}: equal" || echo "{}: $$text"' >$@.log
	@grep -v ': equal$$' $@.log; right=$$(grep -c ': equal$$' $@.log); echo "$$right of $(words $(BUNDLES)) are equal"; \
	  [ $$right -eq $(words $(BUNDLES)) ]
clean:
	@for bundle in $(BUNDLES); do $(MAKE) -s -C $$bundle $@; done
.PHONY: build check check-host clean
END_OF_FILE
