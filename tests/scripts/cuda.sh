#!/bin/sh
# cuda.sh LOCKSTEP SOURCE_DIR
# The CUDA target: what it emits compiles without warnings, by clang without a toolkit and by nvcc where that is found, and its PTX leaves the
# interpreter's bits on the PTX machine: examples in sizes of which a few change from day to day (LOCKSTEP_SEED repeats them), or all of them with
# LOCKSTEP_FULL in the environment; and random kernels. cuda_matrix.sh has the kernels of examples/borg.
# shellcheck disable=SC2086,SC2015,SC2154,SC1091
. "$(dirname "$0")/lib/command.sh"
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
if ! command -v clang-19 >/dev/null; then
  echo 'skipped: clang-19 is not installed'
  echo 'counts: 0 passed, 0 failed, 1 skipped'
  exit 0
fi
echo "LOCKSTEP_SEED=$seed repeats this run"
time_limit=300
borg=$source/examples/borg
core=$source/examples/core
crev=$source/examples/crev
evidence='our PTX machine under lowest-pc, fair, random:1, PTX by clang at -O2'

equal() {
  expect 0 "$evidence" diff "$@" --target cuda --verify off
  says ' equal '
}
# The same source by a compiler of the host, with a fiber for each thread.
on_host=' by host emulation, '
equal_on_host() {
  expect 0 "$on_host" diff "$@" --target cuda-host --verify off
  says ' equal '
}
# sampled N: whether today's sample has this case; every case is counted.
cases=0
sampled() {
  cases=$((cases + 1))
  [ -n "${LOCKSTEP_FULL:-}" ] || [ $(((cases + seed) % $1)) -eq 0 ]
}

for size in 1 5 16 31 32 64 100 200; do  # (composition.cl does size^4 things)
  sampled 4 || continue
  equal $core/vecadd.cl --wg-size $size --wg-pack 1,3 --groups 8 --arg a=$((8 * size)):random --arg b=$((8 * size)):random:1 --arg c=$((8 * size)):zeros
  equal $core/saxpy.cl --wg-size $size --groups 3 --arg alpha=0.1 --arg x=555:random --arg y=x+222 --arg n=$((size < 111 ? size : 111))
  equal $core/collatz.cl --wg-size $size --wg-pack 1,2 --groups 5 --arg steps=$((5 * size)):zeros
  equal $core/rotate.cl --wg-size $size --wg-pack 1,2 --groups 5 --arg x=$((5 * size)):iota
  equal $crev/stringmatch.cl --kernel stringmatch_crev --wg-size $size --arg 'text=[111,116,104,101,114,32,116,104,101,109,101]' --arg size=11 \
    --arg 'pattern=[116,104,101]' --arg length=3 --arg found=11:zeros
  [ $size -gt 32 ] || equal $crev/composition.cl --wg-size $size --arg calls=$size:zeros --arg seen=$size:zeros
done
# The largest groups: what is written out has to stay small enough for a compiler.
equal $core/rotate.cl --wg-size 1024 --groups 2 --arg x=2048:iota
equal $crev/stringmatch.cl --kernel stringmatch_crev --wg-size 1024 --arg 'text=[111,116,104,101,114,32,116,104,101,109,101]' --arg size=11 \
  --arg 'pattern=[116,104,101]' --arg length=3 --arg found=11:zeros
equal $core/sgemm_naive.cl --wg-size 16 --groups 16 --arg a=256:random:$seed --arg b=256:random --arg c=256:zeros --arg n=16
for tile in 2 4 8; do
  equal $core/sgemm_tiled.cl -D TILE=$tile --wg-size $((tile * tile)) --groups $((256 / tile / tile)) --arg a=256:random:$seed --arg b=256:random \
    --arg c=256:zeros --arg n=16
done
equal $core/vecadd.cl --wg-size 4 --groups 0 --arg a=4:iota --arg b=4:iota --arg c=4:zeros
# Buffers that begin anywhere, and groups that a grid takes in turn.
equal $borg/gemm.cl --wg-size 4 --groups 40 --arg a=651:random --arg b=650:random:1 --arg c=640:zeros
for without in none leaving deferring hoisting merging widening tiling staging; do
  options=
  [ $without = none ] || options="--cuda-without $without"
  equal $borg/gemm.cl -D REAL=float --wg-size 8 --groups 9 --arg a=577:random --arg b=a+1 --arg c=576:zeros $options
  equal $borg/ldus.cl --wg-size 16 --groups 3 --arg a=768:random:$seed $options
  equal $borg/enumerate.cl $($borg/arguments.sh enumerate 8 2 $seed) $options
done

kernels=40
[ -z "${LOCKSTEP_FULL:-}" ] || kernels=3000
time_limit=3600
expect 0 ', 0 findings' fuzz --target cuda --kernels $kernels --seed $seed --out findings
says "run by      $evidence"
expect 0 ', 0 findings' fuzz --target cuda --kernels $((kernels / 4)) --seed $seed --max-lanes 400 --out findings
# Flags that make other comparisons of C++'s.
for flag in -fgpu-flush-denormals-to-zero -fno-honor-nans; do
  expect 0 ', 0 findings' fuzz --target cuda --kernels $((kernels / 4)) --seed $seed --clang "clang-19 $flag" --out findings
done
expect 0 ', 0 findings' fuzz --target cuda-host --kernels $((kernels / 4)) --seed $seed --out findings
says 'host emulation, '
time_limit=120

# What is written: no warnings from clang, for the device and, over a runtime that there need not be, for the host; nor from nvcc.
# No toolkit is looked for, so that clang is told its version: host code of an older one would start kernels otherwise.
device='clang-19 -x cuda -std=c++17 --cuda-path=/nowhere --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -Wall -Wextra -Wshadow -Werror'
for kernel in trsv ldus pade enumerate; do
  expect 0 '' emit $borg/$kernel.cl --target cuda --wg-size 12 --wg-pack 2 -o out-$kernel --verify off
  for file in $kernel.cu $kernel.cuda.h lockstep_cuda.h; do
    [ -s out-$kernel/$file ] && good || bad "$kernel: no $file"
  done
  $device --cuda-feature=+ptx63 --cuda-device-only -O2 -S out-$kernel/$kernel.cu -o $kernel.ptx >out 2>err && [ ! -s err ] && good || bad "$kernel: clang, for the device"
  $device -Xclang -target-sdk-version=12.0 --cuda-host-only -include "$source/tests/cuda/runtime.h" -fsyntax-only out-$kernel/$kernel.cu >out 2>err && [ ! -s err ] && good ||
    bad "$kernel: clang, for the host"
  grep -q '\.local' $kernel.ptx && bad "$kernel: local memory" || good
  grep -qE '(add|sub|mul)\.f|\.approx|\.full|\.ftz' $kernel.ptx && bad "$kernel: a rounding that is not written out" || good
  for language in c c++; do
    echo "int main(void) { return 0; }" | cat out-$kernel/$kernel.cuda.h - | clang-19 -x $language -Wall -Wextra -Wno-pragma-once-outside-header \
      -fsyntax-only - >out 2>err && [ ! -s err ] && good || bad "$kernel.cuda.h as $language"
  done
  if command -v nvcc >/dev/null; then
    nvcc -arch=sm_80 -Xcompiler -Wall,-Wextra -Werror all-warnings -c out-$kernel/$kernel.cu -o $kernel.o >out 2>err && good || bad "$kernel: nvcc"
    # Whatever nvcc is told, its PTX has the roundings that are written down.
    nvcc -arch=sm_80 -use_fast_math -ptx out-$kernel/$kernel.cu -o $kernel.fast.ptx >out 2>err &&
      ! grep -qE '(add|sub|mul)\.f|\.approx|\.full|\.ftz' $kernel.fast.ptx && good || bad "$kernel: nvcc -use_fast_math"
  fi
done
$device --cuda-feature=+ptx63 --cuda-device-only -ffast-math -fsyntax-only out-trsv/trsv.cu >out 2>err && bad '-ffast-math is taken' || good
grep -q 'these kernels keep exact bits' err && good || bad 'why -ffast-math is refused'
expect 0 'row_m: where it is used, register' emit $borg/trsv.cl --target cuda --wg-size 8 --explain --verify off
says 'trsv: slots of 8 lanes, 4 in a warp; 1 group and 1 vector in a thread'
grep -q '#include' out && bad '--explain shows the code' || good

# Of a loop's number as a float no compiler makes a sum without a rounding.
cat >sums.cl <<'END'
kernel void sums(global float *x, int n) {
  float f = 0.0f;
  ushort i = 0;
  do {
    f = max(f, x[get_global_id()] / (float)i);
    x[get_global_id() + n] = f;
  } while (++i < 300);
}
END
expect 0 'cvt.rn.f32.' emit sums.cl --target ptx --wg-size 8 --verify off
grep -qE '(add|sub|mul)\.f' out && bad 'a sum that is not in the kernel' || good
equal sums.cl --wg-size 8 --groups 3 --arg x=48:random --arg n=24

# What can be left out, and what it brings: 527 quotients of 32 rows, or 62 and one that nobody wants; for buffers that begin at multiples of 16
# bytes, and for others.
quotients() { grep -c 'div\.rn\.f64' out; }
expect 0 '' emit $borg/ldus.cl --target ptx --wg-size 32 --verify off
[ "$(quotients)" -le 128 ] && good || bad "$(quotients) quotients"
expect 0 '' emit $borg/ldus.cl --target ptx --wg-size 32 --verify off --cuda-without deferring
[ "$(quotients)" -gt 1000 ] && good || bad "$(quotients) quotients without deferring"
expect 0 'threads without it leave' emit $borg/frcg.cl --target cuda --wg-size 8 --verify off --explain
expect 0 '' emit $borg/frcg.cl --target cuda --wg-size 8 --verify off --cuda-without leaving
grep -q '^  if (!is) return;' out && bad 'threads leave' || good
equal $borg/ldus.cl --cuda-without leaving,deferring $($borg/arguments.sh ldus 8 7 $seed)
equal $borg/frcg.cl --cuda-without leaving,deferring $($borg/arguments.sh frcg 8 7 $seed)
equal $borg/enumerate.cl --cuda-without hoisting $($borg/arguments.sh enumerate 8 3 $seed)
equal $borg/enumerate.cl $($borg/arguments.sh enumerate 8 3 $seed)
# Who has left is not waited for: a buffer twice makes lanes meet.
equal $borg/frcg.cl --wg-size 8 --groups 3 --arg a=48:random --arg b=a+24 --arg x=a+24 --arg y=a --arg batch=20 -D REAL=float
expect 2 "there is no 'going'" emit $borg/frcg.cl --target cuda --wg-size 8 --cuda-without going

# A bundle: complete, and right without a GPU; with nvcc its programs for a GPU are built. Where there is none, they say so.
bundle() {
  rm -rf bundle
  kernel=$1 size=$2 real=$3
  expect 0 '' emit $borg/$kernel.cl --target cuda -D REAL=$real --verify off --bundle bundle $($borg/arguments.sh $kernel $size 9 $seed)
  make -s -C bundle check-host CXX=g++ CXXFLAGS='-O1 -Wall -Wextra' >out 2>err && grep -q "^$kernel: equal (host emulation)$" out && good ||
    bad "$kernel: the bundle is not right on the host"
}
if command -v g++ >/dev/null && command -v make >/dev/null; then
  for kernel in gema gemm ldus trsv pade enumerate frcg; do bundle $kernel 8 double; done
  bundle ldus 12 float
  printf '\001' | dd of=bundle/a.expected.bin bs=1 seek=11 conv=notrunc 2>err
  make -s -C bundle check-host CXX=g++ >out 2>err && bad 'the bundle does not see a difference' || good
  grep -q '^a\[2\] differs: 0x' out && good || bad 'where the bundle differs'
  # Buffers in one another, and no peers.
  rm -rf bundle
  expect 0 '' emit $core/saxpy.cl --target cuda --verify off --bundle bundle --wg-size 8 --groups 3 --arg alpha=0.1 --arg x=555:random \
    --arg y=x+222 --arg n=24
  make -s -C bundle check-host CXX=g++ >out 2>err && grep -q '^saxpy: equal (host emulation)$' out && good || bad 'saxpy: the bundle'
  # What depends on the order of atomic changes is nothing to compare: a GPU has another one.
  rm -rf bundle
  expect 0 '' emit "$source/examples/everyday/extremes.cl" --kernel sums --target cuda --verify off --bundle bundle --wg-size 31 --groups 6 \
    --arg x=6:random --arg sum=1:zeros
  [ -s bundle/sum.any.bin ] && good || bad 'a sum whose order nobody says is compared'
  rm -rf bundle
  expect 0 '' emit $core/saxpy.cl --target cuda --verify off --bundle bundle --wg-size 8 --groups 3 --arg alpha=0.1 --arg x=555:random \
    --arg y=x+222 --arg n=24
  if command -v nvcc >/dev/null; then
    make -s -C bundle run_saxpy bench_saxpy NVCCFLAGS='-arch=sm_80' >out 2>err && good || bad 'saxpy: nvcc does not take the bundle'
    for kernel in gemm ldus trsv pade; do
      bundle $kernel 8 double
      make -s -C bundle run_$kernel bench_$kernel NVCCFLAGS='-arch=sm_80' >out 2>err && good || bad "$kernel: nvcc does not take the bundle"
    done
    if ! command -v nvidia-smi >/dev/null; then
      (cd bundle && ./run_pade) >out 2>err; [ $? -eq 2 ] && grep -q '^error ' err && good || bad 'without a GPU the bundle does not say so'
    fi
  fi
fi

# All bundles for the paper's figures, which are one of these each; in one of them code of all kinds is compiled.
if command -v g++ >/dev/null && command -v make >/dev/null; then
  ELEMENTS=1024 sh "$source/scripts/cuda_figures.sh" "$lockstep" figures 4 >out 2>err && [ "$(find figures -name bench.cu | wc -l)" -eq 20 ] && good ||
    bad 'the bundles for the figures'
  make -s -C figures/gema_of_items_double_4 check-host CXX=g++ >out 2>err && grep -q '^gema_of_items: equal (host emulation)$' out && good ||
    bad 'the bundle of a loop with bounds of items'
  for bundle in trsv_double_4 gema_runtime_float_4; do
    $device --cuda-feature=+ptx63 --cuda-device-only -fsyntax-only -x cuda figures/$bundle/variants.cuh >out 2>err && [ ! -s err ] && good ||
      bad "$bundle: variants.cuh"
  done
  says_in() { grep -q -e "$1" figures/$2/bench.cu && good || bad "$2: no $1"; }
  says_in 'time("ours, WG_PACK 2"' trsv_double_4
  says_in 'time("ours, without shuffling"' trsv_double_4
  says_in 'time("rows"' trsv_double_4
fi

# All bundles for a comparison on a GPU: 7 kernels, 2 precisions, 3 packs and 130 others; without one, of a few.
if command -v g++ >/dev/null && command -v make >/dev/null; then
  sh "$source/scripts/cuda_check.sh" "$lockstep" compared 4 >out 2>err && [ "$(find compared -name main.cpp | wc -l)" -eq 172 ] && good ||
    bad 'the bundles for a comparison on a GPU'
  mkdir few
  mv compared/Makefile compared/matmul_2 compared/saxpy_5_3 few
  make -s -C few check-host CXX=g++ >out 2>err && grep -q '^2 of 2 are equal$' out && good || bad 'few bundles for a comparison'
  printf '\001' | dd of=few/matmul_2/C.expected.bin bs=1 seek=3 conv=notrunc 2>err
  make -s -C few check-host CXX=g++ >out 2>err && bad 'a bundle that differs is not told' || good
  grep -q '^matmul_2: C\[0\] differs' out && grep -q '^1 of 2 are equal$' out && good || bad 'which bundle differs'
fi

# What is compared, kept for a GPU.
expect 0 ' equal ' diff $core/saxpy.cl --target cuda --verify off --wg-size 16 --groups 3 --arg alpha=0.1 --arg x=555:random --arg y=x+222 \
  --arg n=111 --ptx-cases kept
for line in '//@ run grid=1,1,1 block=128,1,1 kernel=k_kernel' '//@ pointer p2 b0 888' '//@ scalar p4 b64 0x3' '//@ expect b0 == 0x'; do
  grep -q -e "^$line" kept/*.ptx && good || bad "a case without $line"
done

# Times that have been taken elsewhere.
cat >one.json <<'END'
{"kernel":"ldus","real":"double","size":8,"wg_pack":1,"problems":1000,"device":"some GPU","contestants":[
{"name":"ours","least_ns":0.5,"median_ns":0.75,"equal":true},{"name":"ours, WG_PACK 2","least_ns":0.5,"median_ns":1,"equal":true},
{"name":"ours, without staging","least_ns":0.5,"median_ns":3,"equal":true},{"name":"rows","least_ns":1,"median_ns":1.5,"equal":false}]}
END
expect 0 'ldus, double, 8, WG_PACK 1: 1000 problems on some GPU' bench --gpu one.json --plots plots
says '  rows                             1.000         1.500            2.00  others'
says '  ldus               2.00  2.00 2.00'
says '  ldus   cold without staging 4.00 4.00      8                1 of 1'
for picture in fig6.svg fig8.svg fig9.svg; do
  [ -s plots/$picture ] && good || bad "no $picture"
done
echo '{"kernel":"ldus","contestants":[]}' >two.json
expect 2 'two.json: is no KERNEL.bench.json' bench --gpu one.json two.json
expect 2 'three.json' bench --gpu three.json

# nvcc's PTX.
if command -v nvcc >/dev/null; then
  # Rows go 16 bytes at a time, where buffers begin so; and one by one, where not.
  expect 0 '' emit $borg/gema.cl --target cuda -D REAL=float --wg-size 32 -o rows --verify off
  nvcc -arch=sm_80 -ptx rows/gema.cu -o rows.ptx >out 2>err && [ "$(grep -c 'ld\.global\.v4' rows.ptx)" -eq 16 ] &&
    [ "$(grep -c 'st\.global\.v4' rows.ptx)" -eq 8 ] && good || bad 'nvcc takes accesses of 16 bytes apart'
  # All of them go through shared memory so.
  for access in 'ld\.shared\.v4' 'st\.shared\.v4'; do
    [ "$(grep -c $access rows.ptx)" -eq 48 ] && good || bad "nvcc has other accesses than 48 of $access"
  done
  grep -qE '(ld|st)\.shared\.[^v]' rows.ptx && bad 'nvcc takes accesses to shared memory apart' || good
  expect 0 'our PTX machine under lowest-pc, fair, random:1, PTX by nvcc' diff $borg/ldus.cl --target cuda-nvcc --verify off $($borg/arguments.sh ldus 8 7 $seed)
  says ' equal '
  expect 0 'PTX by nvcc' diff $borg/pade.cl --target cuda-nvcc -D REAL=float --wg-pack 2 --verify off $($borg/arguments.sh pade 12 7 $seed)
  says ' equal '
fi
expect 4 "there is no program 'no-such-nvcc'" diff $borg/trsv.cl --target cuda-nvcc --nvcc no-such-nvcc --verify off $($borg/arguments.sh trsv 4 1)

# PTX as a text is what diff runs.
expect 0 '.visible .entry trsv_kernel' emit $borg/trsv.cl --target ptx --wg-size 8 --verify off
expect 0 '' emit $borg/trsv.cl --target ptx --wg-size 8 --verify off --cuda-level 0 -o as-ptx
expect 0 'well-formed' check as-ptx/trsv.ptx
expect 4 "there is no program 'no-such-clang'" emit $borg/trsv.cl --target ptx --clang no-such-clang --wg-size 8 --verify off
expect 2 '--target' diff $borg/trsv.cl --target ptx $($borg/arguments.sh trsv 4 1)

# Private pointers are the same number in all threads, and yet each stores to its own.
cat >pointers.cl <<'END'
kernel void pointers(global float *a, global float *b, global int *out, uint n) {
  const size_t i = get_local_id();
  const size_t first = get_group_id() * 64;
  global float *p = (i & 1) ? a + first : b + first;
  local float shared[64];
  for (int j = 0; j < 64; ++j) shared[j] = j;
  float own[4] = {1, 2, 3, 4};
  local float *s = shared + (i & 7);
  float *q = own;
  for (uint j = 0; j < n; ++j) {
    p[(i * 3 + j) & 31] = p[(i + j) & 31] + 1.0f;
    p = p == a + first ? b + first : p == b + first ? a + first : p;
    *s = (float)j + own[j & 3];
    s = shared + ((s - shared + 3) & 63);
    *q += *s;
    q = own + ((q - own + 1) & 3);
  }
  out[get_global_id()] = (int)(s - shared) + (int)(q - own) + (s < shared + 5) + (int)own[i & 3];
}
END
for size in 5 32 40; do
  equal pointers.cl --wg-size $size --wg-pack 1,2 --groups 3 --arg a=192:random --arg b=192:random:2 --arg out=$((3 * size)):zeros --arg n=5
done

# Kernels, parameters, variables and constants with the names of what is emitted, or of what CUDA has.
cat >names.cl <<'END'
constant float kernel_words[2] = {0.5f, 2.0f};
constant int pack[3] = {1, 2, 3};
constant int one[2] = {5, 7};
kernel void v(global float *v_kernel, global float *v_on_device, global const float *threadIdx, global int *stream, global float *copies,
              global float *copies_elements, uint num_groups, uint template, uint min, uint cudaSuccess, uint v_shared) {
  local float v_pack[get_local_size()];
  float warpSize[4];
  const size_t wi = get_local_id();
  for (int stage = 0; stage < 4; ++stage)
    warpSize[stage] = threadIdx[get_global_id() * 4 + stage] * kernel_words[stage & 1];
  v_pack[wi] = warpSize[wi & 3];
  float p = v_pack[get_local_size() - 1 - wi];
  float q = p;
  for (uint j = 0; j < num_groups; ++j) {
    float next_p = p + q;
    p = q;
    q = next_p;
    stream[get_global_id()] = stream[get_global_id()] + pack[j % 3] + one[j & 1];
  }
  uint end_of_j = template + min + cudaSuccess + v_shared;
  v_kernel[get_global_id()] = p + (float)end_of_j;
  v_on_device[get_global_id()] = shuffle(warpSize[wi & 3], (wi + 1) % get_local_size());
  copies[get_global_id()] = copies_elements[get_global_id()] + q;
}
END
cat >constants.cl <<'END'
constant int kernel_[2] = {1, 2};
constant int pack[2] = {30, 40};
constant int one[2] = {50, 60};
constant int shared[2] = {70, 80};
constant int pack_load[4] = {90, 100, 110, 120};
kernel void own(global int *out, global int *own_kernel, global int *pack_) {
  local int own_shared[get_local_size()];
  const size_t i = get_local_id() & 1;
  own_shared[i] = pack_load[i + 1];
  out[get_global_id()] = kernel_[i] + pack[i] + one[i] + shared[i] + pack_load[i] + own_shared[i];
  { int kernel_ = 5; own_kernel[get_global_id()] = kernel_; }
  { int one[2] = {1, 2}; pack_[get_global_id()] = one[i]; }
}
END
sed 's/kernel void own/kernel void lockstep_cuda/' constants.cl >namespace.cl
for shape in '8 1' '8 2' '40 3'; do
  size=${shape% *}
  pack=${shape#* }
  all=$((6 * size))
  equal names.cl --wg-size $size --wg-pack $pack --groups 6 --arg v_kernel=$all:zeros --arg v_on_device=$all:zeros --arg threadIdx=$((4 * all)):random \
    --arg stream=$all:iota --arg copies=$all:zeros --arg copies_elements=$all:random --arg num_groups=5 --arg template=1 --arg min=3 \
    --arg cudaSuccess=4 --arg v_shared=5
  equal constants.cl --wg-size $size --wg-pack $pack --groups 6 --arg out=$all:zeros --arg own_kernel=$all:zeros --arg pack_=$all:zeros
  for kernel in names constants namespace; do
    rm -rf out-$kernel
    expect 0 '' emit $kernel.cl --target cuda --wg-size $size --wg-pack $pack -o out-$kernel --verify off
    $device --cuda-feature=+ptx63 --cuda-device-only -fsyntax-only out-$kernel/*.cu >out 2>err && good || bad "$kernel: clang, for the device"
    $device -Xclang -target-sdk-version=12.0 --cuda-host-only -include "$source/tests/cuda/runtime.h" -fsyntax-only out-$kernel/*.cu >out 2>err && good || bad "$kernel: clang, for the host"
  done
done
# Lanes of older GPUs do not go apart.
$device --no-cuda-gpu-arch=sm_75 --cuda-gpu-arch=sm_60 --cuda-feature=+ptx63 --cuda-device-only -fsyntax-only out-names/*.cu >out 2>err && bad 'sm_60 is taken' || good
says 'below compute capability 7.0'

# What is not taken.
cat >much.cl <<'END'
kernel void much(global int *out) {
  local int all[20000];
  all[get_local_id()] = get_local_id();
  out[get_global_id()] = all[get_local_size() - 1 - get_local_id()];
}
END
expect 2 'much.cl:3:3: error: the __local objects' emit much.cl --target cuda --wg-size 8 --verify off
says 'take 80000 bytes, more than the 49152 that a block of a GPU has'
sed 's/local int all.20000/int all[60000/' much.cl >more.cl
expect 2 "more.cl:3:3: error: a thread of 'much' would hold" emit more.cl --target cuda --wg-size 8 --verify off
expect 2 'groups of the cuda target have at most 1024 items' emit $core/vecadd.cl --target cuda --wg-size 2000 --verify off

# Wrong PTX is found out: other numbers, lanes that do not wait for one another, and none at all.
cat >wrong-clang <<'END'
#!/bin/sh
clang-19 "$@" && sed -i 's/fma\.rn\.f64 \(%fd[0-9]*\), \(%fd[0-9]*\), \(%fd[0-9]*\)/fma.rn.f64 \1, \3, \3/' code.so
END
cat >hasty-clang <<'END'
#!/bin/sh
clang-19 "$@" && sed -i '/bar\.warp/d' code.so
END
cat >broken-clang <<'END'
#!/bin/sh
clang-19 "$@" && sed -i 's/ld\.param/ld.parameter/' code.so
END
chmod +x ./*-clang
expect 1 'a[' diff $borg/ldus.cl --target cuda --clang ./wrong-clang --verify off $($borg/arguments.sh ldus 4 2)
says 'but the interpreter has'
expect 1 'race' diff $core/rotate.cl --target cuda --clang ./hasty-clang --verify off --wg-size 8 --arg x=8:iota
expect 1 'ld.parameter' diff $core/vecadd.cl --target cuda --clang ./broken-clang --verify off --wg-size 4 --arg a=4:iota --arg b=4:iota --arg c=4:zeros
# So it is without PTX, and where lanes wait for one that never comes.
cat >hasty-compiler <<'END'
#!/bin/sh
sed -i '/v::meet/d' *.cu && exec g++ "$@"
END
cat >lonely-compiler <<'END'
#!/bin/sh
sed -i 's/v::meet(slot)/if (slot.lane != 1) v::meet(slot)/' *.cu && exec g++ "$@"
END
chmod +x ./*-compiler
if command -v g++ >/dev/null; then
  equal_on_host $core/rotate.cl --wg-size 8 --arg x=8:iota
  expect 1 ' different ' diff $core/rotate.cl --target cuda-host --host-compiler ./hasty-compiler --verify off --wg-size 8 --arg x=8:iota
  expect 1 'its process ended with status 1' diff $core/rotate.cl --target cuda-host --host-compiler ./lonely-compiler --verify off --wg-size 8 \
    --arg x=8:iota
  says 'of the lanes 0xff: one of them has ended'
fi
expect 4 "there is no program 'no-such-compiler'" diff $core/rotate.cl --target cuda-host --host-compiler no-such-compiler --wg-size 8 --arg x=8:iota
expect 4 "there is no program 'no-such-clang'" diff $core/vecadd.cl --target cuda --clang no-such-clang --wg-size 4 --arg a=4:iota --arg b=4:iota \
  --arg c=4:zeros
counts
