#!/bin/sh
# ragged.sh LOCKSTEP SOURCE_DIR
# Launches whose last groups are smaller, from the command line: run, stepped, compared on the targets, refused where it stands.
# shellcheck disable=SC1091,SC2086
. "$(dirname "$0")/lib/command.sh"
# Each group turns its items round by one, so that it matters which there are.
cat >turn.cl <<'IN'
kernel void turn(global int *x, global int *sizes) {
  local int t[64];
  const int w = get_local_size(0), h = get_local_size(1), i = get_local_id(1) * w + get_local_id(0);
  const int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  t[i] = x[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[at] = t[(i + 1) % (w * h)];
  sizes[at] = 10 * w + h;
}
IN
wanted() {
  awk -v W="$1" -v H="$2" -v w="$3" -v h="$4" 'BEGIN {
    for (y = 0; y < H; ++y) for (x = 0; x < W; ++x) {
      X = x - x % w; Y = y - y % h; ww = W - X < w ? W - X : w; hh = H - Y < h ? H - Y : h
      i = ((y - Y) * ww + x - X + 1) % (ww * hh)
      values = values " " (Y + int(i / ww)) * W + X + i % ww; sizes = sizes " " 10 * ww + hh
    }
    print values; print sizes }'
}
targets=infreg,llvm
! command -v clang-19 >/dev/null || targets=infreg,llvm,cuda,ve
time_limit=120
for shape in '5 3 2 2' '4 4 2 2' '7 1 3 1' '3 5 4 8' '1 1 8 8'; do
  set -- $shape
  values=$(wanted "$@")
  count=$(($1 * $2))
  launch="turn.cl --global $1,$2 --local $3,$4 --ragged --arg x=$count:iota --arg sizes=$count:zeros"
  for model in pirch opencl; do
    expect 0 "x: int[$count]$(echo "$values" | head -n 1)" run $launch --model $model --strict
    says "sizes: int[$count]$(echo "$values" | tail -n 1)"
  done
  expect 0 equal diff $launch --target $targets --wg-pack 1,2 --verify off
  if grep -q 'differs\|unequal\|undefined' out; then bad "$shape: a target differs"; else good; fi
done
expect 2 'groups of 2 do not divide the 5 items of dimension 0; with --ragged the last ones are smaller' run turn.cl --global 5,3 --local 2,2 --arg x=15:iota --arg sizes=15:zeros
expect 2 '--ragged wants the items of the launch, --global' run turn.cl --groups 5,3 --local 2,2 --ragged --arg x=15:iota --arg sizes=15:zeros
expect 0 'arguments:' run turn.cl --global 0,3 --local 2,2 --ragged --arg x=15:iota --arg sizes=15:zeros
printf 'run\nquit\n' | session turn.cl --global 5,3 --local 2,2 --ragged --arg x=15:iota --arg sizes=15:zeros
reached 'the stepper' 0 halted
counts
