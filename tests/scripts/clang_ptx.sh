#!/bin/sh
# clang_ptx.sh LOCKSTEP SOURCE_DIR
# `diff` and `fuzz --target clang-ptx`: kernels that are plain OpenCL C, by clang's front end to PTX, on the PTX machine. The examples, and random
# kernels that change from day to day (LOCKSTEP_SEED repeats them); 3,000 with LOCKSTEP_FULL in the environment. Compilers and kernels that go
# wrong are found out.
# shellcheck disable=SC2086,SC2015,SC2154,SC1091
. "$(dirname "$0")/lib/command.sh"
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
if ! command -v clang-19 >/dev/null; then
  echo 'skipped: clang-19 is not installed'
  echo 'counts: 0 passed, 0 failed, 1 skipped'
  exit 0
fi
echo "LOCKSTEP_SEED=$seed repeats this run"
time_limit=120

equal() {
  expect 0 'by clang at -O0 and -O2, the PTX machine under lowest-pc, fair, random:1' diff "$@" --target clang-ptx
  says ' equal '
}
core=$source/examples/core
equal "$core/vecadd.cl" --wg-size 32 --groups 8 --arg a=256:random:$seed --arg b=256:random --arg c=256:zeros
equal "$core/saxpy.cl" --wg-size 24 --groups 5 --arg alpha=0.1 --arg x=111:random:$seed --arg y=111:random --arg n=111
equal "$core/saxpy.cl" --wg-size 24 --groups 5 --arg alpha=0.1 --arg x=222:random:$seed --arg y=x+111 --arg n=111
equal "$core/collatz.cl" --wg-size 30 --groups 10 --arg steps=300:zeros
equal "$core/sgemm_naive.cl" --wg-size 16 --groups 16 --arg a=256:random:$seed --arg b=256:random --arg c=256:zeros --arg n=16
equal "$core/sgemm_tiled.cl" -D TILE=4 --wg-size 16 --groups 16 --arg a=256:random:$seed --arg b=256:random --arg c=256:zeros --arg n=16
equal "$core/rotate.cl" -D BARRIER --wg-size 48 --groups 4 --arg x=192:iota
for kernel in gema pade frcg enumerate; do
  for real in float double; do
    equal "$source/examples/borg/$kernel.cl" -D REAL=$real $("$source/examples/borg/arguments.sh" $kernel 8 2 $seed)
  done
done
expect 0 'clang at -O3, the PTX machine under stack;' diff "$core/vecadd.cl" --target clang-ptx --clang-level 3 --ptx-schedule stack --wg-size 4 \
  --arg a=4:iota --arg b=4:iota --arg c=4:zeros
expect 0 '"status":"equal"' diff "$core/vecadd.cl" --target clang-ptx --json --wg-size 4 --arg a=4:iota --arg b=4:iota --arg c=4:zeros

# clang reads a register that nobody has written, in a prmt whose selector takes no byte of it: the result is defined.
cat >toggles.cl <<'END'
kernel void k(global long *out) {
  uchar value = 0;
  uchar count = 0;
  while (count++ < get_local_id(0)) {
    value ^= 1;
  }
  out[get_global_id(0)] = value;
}
END
equal toggles.cl --wg-size 13 --arg out=13:zeros

kernels=40
[ -z "${LOCKSTEP_FULL:-}" ] || kernels=3000
time_limit=3600
expect 0 ', 0 findings' fuzz --target clang-ptx --kernels $kernels --seed $seed --out findings
says 'run by      clang at -O0 and -O2'
time_limit=120

# Nothing to compare, or to compile.
expect 1 'the result depends on the order of the items' diff "$core/rotate.cl" --target clang-ptx --wg-size 8 --arg x=8:iota
expect 1 "use of undeclared identifier 'shuffle'" diff "$source/examples/borg/gemm.cl" --target clang-ptx \
  $("$source/examples/borg/arguments.sh" gemm 4 1)
arguments='--wg-size 4 --arg a=4:iota --arg b=4:iota --arg c=4:zeros'
expect 2 'they are compared one at a time' diff "$core/vecadd.cl" --target clang-ptx,llvm $arguments
expect 2 '--wg-pack means nothing to --target clang-ptx' diff "$core/vecadd.cl" --target clang-ptx --wg-pack 2 $arguments
expect 2 'only random has a seed' diff "$core/vecadd.cl" --target clang-ptx --ptx-schedule fair:1 $arguments
expect 2 '--clang is for --target clang-ptx' diff "$core/vecadd.cl" --target llvm --clang clang-19 $arguments
expect 4 "there is no program 'no-such-clang'" diff "$core/vecadd.cl" --target clang-ptx --clang no-such-clang $arguments
expect 4 "there is no program 'no-such-clang'" fuzz --target clang-ptx --clang no-such-clang

# A compiler that subtracts floats instead of adding them, and one whose PTX is none.
cat >wrong-clang <<'END'
#!/bin/sh
clang-19 "$@" && sed -i 's/add\.rn\.f/sub.rn.f/' code.so
END
cat >broken-clang <<'END'
#!/bin/sh
clang-19 "$@" && sed -i 's/ld\.param/ld.parameter/' code.so
END
chmod +x wrong-clang broken-clang
expect 1 'c[1] is 0 (0x00000000), but the interpreter has 2 (0x40000000)' diff "$core/vecadd.cl" --target clang-ptx --clang ./wrong-clang $arguments
says 'by clang at -O0, the PTX machine under lowest-pc'
expect 1 'kernel.ptx:' diff "$core/vecadd.cl" --target clang-ptx --clang ./broken-clang $arguments
expect 1 'clang-ptx differs' fuzz --target clang-ptx --clang "$dir/wrong-clang" --clang-level 0 --kernels 24 --seed 3 --out wrong
for script in wrong/clang-ptx-differs-*/run.sh; do
  LOCKSTEP=$lockstep sh "$script" >out 2>err && bad "$script finds nothing" || good
  grep -q -e '--target clang-ptx --clang' "$script" && good || bad "$script does not say how clang was called"
done
counts
