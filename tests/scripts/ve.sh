#!/bin/sh
# ve.sh LOCKSTEP SOURCE_DIR
# The VE target: what it emits compiles without warnings, and its object code leaves the interpreter's bits on the VE machine. The examples in
# sizes, precisions and packs of which a few change from day to day (LOCKSTEP_SEED repeats them), or all of them with LOCKSTEP_FULL in the
# environment, LOCKSTEP_KERNELS those of some examples; and random kernels.
# shellcheck disable=SC2086,SC2015,SC2154,SC1091
. "$(dirname "$0")/lib/command.sh"
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
if ! printf 'int f(void) { return 1; }' | clang-19 --target=ve-linux-gnu -x c -c -o try.o - 2>err; then
  echo 'skipped: clang-19 is not installed, or makes no code for VE'
  echo 'counts: 0 passed, 0 failed, 1 skipped'
  exit 0
fi
echo "LOCKSTEP_SEED=$seed repeats this run"
time_limit=300
[ -z "${LOCKSTEP_FULL:-}" ] || time_limit=3000 # beside other work
borg=$source/examples/borg
core=$source/examples/core
crev=$source/examples/crev
evidence='our VE machine, object code by clang at -O2'

equal() {
  expect 0 "$evidence" diff "$@" --target ve --verify off
  says ' equal '
}
# The same source by a compiler of this machine, with a loop for each intrinsic.
on_host=' by host emulation, '
equal_on_host() {
  expect 0 "$on_host" diff "$@" --target ve-host --verify off
  says ' equal '
}
# sampled N: whether today's sample has this case; every case is counted.
cases=0
sampled() {
  cases=$((cases + 1))
  [ -n "${LOCKSTEP_FULL:-}" ] || [ $(((cases + seed) % $1)) -eq 0 ]
}

for kernel in ${LOCKSTEP_KERNELS:-gema gemm ldus trsv pade enumerate frcg}; do
  for real in float double; do
    for size in 4 8 12 16 20 24 28 32; do
      for pack in 1 2 4 8; do
        [ $kernel = enumerate ] && [ $((size * pack)) -gt 64 ] && continue # hours of searching
        sampled 35 && equal $borg/$kernel.cl -D REAL=$real --wg-pack $pack $($borg/arguments.sh $kernel $size 7 $seed)
        sampled 35 && equal $borg/$kernel.cl -D REAL=$real --layout rows --wg-pack $pack $($borg/arguments.sh $kernel $size 7 $seed)
        [ $kernel = enumerate ] && [ $((size * pack)) -gt 8 ] && continue
        sampled 40 && equal_on_host $borg/$kernel.cl -D REAL=$real --wg-pack $pack $($borg/arguments.sh $kernel $size 7 $seed)
      done
    done
    for size in 1 3 33; do
      sampled 12 && equal $borg/$kernel.cl -D REAL=$real $($borg/arguments.sh $kernel $size 3 $seed)
    done
  done
done
# Floats in pairs, and one group that is left over.
for kernel in gema gemm; do
  equal_on_host $borg/$kernel.cl -D REAL=float --layout groups $($borg/arguments.sh $kernel 4 7 $seed)
  equal $borg/$kernel.cl -D REAL=float --layout groups --wg-pack 1,3 $($borg/arguments.sh $kernel 5 523 $seed)
  expect 0 '_pack_of_pairs(' emit $borg/$kernel.cl -D REAL=float --target ve --wg-size 5 --verify off
  expect 0 '_pack(' emit $borg/$kernel.cl -D REAL=float --target ve --wg-size 5 --pairs off --verify off
  grep -q '_pack_of_pairs(' out && bad '--pairs off' || good
done
# More groups than a vector has elements: whole vectors, and what is left over, in packs and alone.
for pack in 1 2 3; do
  equal $borg/gemm.cl --wg-pack $pack $($borg/arguments.sh gemm 4 $((257 * pack + pack - 1)) $seed)
done
for size in 4 13; do
  for kernel in ldus trsv; do
    equal_on_host $borg/$kernel.cl --layout rows --wg-pack 1,auto $($borg/arguments.sh $kernel $size 70 $seed)
    equal $borg/$kernel.cl --layout rows --wg-pack auto --without doubling $($borg/arguments.sh $kernel $size 70 $seed)
  done
done
for size in 1 5 16 31 64 200; do
  sampled 3 || continue
  equal $core/vecadd.cl --wg-size $size --wg-pack 1,3 --groups 8 --arg a=$((8 * size)):random --arg b=$((8 * size)):random:1 --arg c=$((8 * size)):zeros
  equal $core/saxpy.cl --wg-size $size --groups 3 --arg alpha=0.1 --arg x=555:random --arg y=x+222 --arg n=$((size < 111 ? size : 111))
  equal $core/collatz.cl --wg-size $size --wg-pack 1,2 --groups 5 --arg steps=$((5 * size)):zeros
  equal $core/rotate.cl --wg-size $size --wg-pack 1,2 --groups 5 --arg x=$((5 * size)):iota
  equal $crev/stringmatch.cl --kernel stringmatch_crev --wg-size $size --arg 'text=[111,116,104,101,114,32,116,104,101,109,101]' --arg size=11 \
    --arg 'pattern=[116,104,101]' --arg length=3 --arg found=11:zeros
  equal_on_host $core/collatz.cl --wg-size $size --wg-pack 1,2 --groups 5 --arg steps=$((5 * size)):zeros
  [ $size -gt 32 ] || equal $crev/composition.cl --wg-size $size --arg calls=$size:zeros --arg seen=$size:zeros
done
equal $core/sgemm_tiled.cl -D TILE=4 --wg-size 16 --groups 16 --arg a=256:random:$seed --arg b=256:random --arg c=256:zeros --arg n=16
equal $core/vecadd.cl --wg-size 4 --groups 0 --arg a=4:iota --arg b=4:iota --arg c=4:zeros
expect 0 "our VE machine, object code by clang at -O1" diff $borg/ldus.cl --target ve --ve-level 1 --verify off $($borg/arguments.sh ldus 8 5 $seed)

kernels=40
[ -z "${LOCKSTEP_FULL:-}" ] || kernels=3000
# Nests of loops are reckoned in a time that does not double with each loop.
awk 'BEGIN {
  print "__kernel void nest(__global float *o, int n) { float x = o[get_global_id(0)];"
  for (i = 0; i < 40; ++i) printf "for (int i%d = 0; i%d < n; i%d++) { x += 1;\n", i, i, i
  for (i = 0; i < 40; ++i) printf "}"
  print "o[get_global_id(0)] = x; }"
}' >nest.cl
time_limit=20
expect 0 'void nest' emit nest.cl --target ve --wg-size 8 --verify off
time_limit=3600
expect 0 ', 0 findings' fuzz --target ve --kernels $kernels --seed $seed --out findings
says "run by      $evidence"
expect 0 ', 0 findings' fuzz --target ve --kernels $((kernels / 4)) --seed $seed --max-lanes 400 --out findings
expect 0 ', 0 findings' fuzz --target ve-host --kernels $((kernels / 4)) --seed $seed --out findings

# LLVM would choose here between what is loaded and nothing, by a number.
expect 0 ', 0 findings' fuzz --seed 21 --first 737 --kernels 1 --max-lanes 128 --target ve --out findings

# Under sanitizers. That for addresses has to be there before the program is.
if asan=$(g++ -print-file-name=libasan.so 2>/dev/null) && [ -e "$asan" ]; then
  sanitized='g++ -fsanitize=address,undefined -fno-sanitize-recover=all'
  for kernel in gemm ldus frcg; do
    LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0 "$lockstep" diff $borg/$kernel.cl --target ve-host --host-compiler "$sanitized" --verify off \
      $($borg/arguments.sh $kernel 4 7 $seed) >out 2>err && good || bad "$kernel: sanitizers"
    says "$on_host"
  done
  # They would find an access beside an object.
  cat >beside-compiler <<'END'
#!/bin/sh
sed -i 's/\[256\];/[2];/' ./*.ve.c
exec g++ -fsanitize=address,undefined -fno-sanitize-recover=all "$@"
END
  chmod +x beside-compiler
  echo 'kernel void k(global int *a) { int y = a[get_global_id(0)] * 3; a[get_global_id(0)] = shuffle(y, a[get_global_id(0)] & 3); }' >beside.cl
  LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0 "$lockstep" diff beside.cl --target ve-host --layout groups --host-compiler ./beside-compiler --verify off --wg-size 4 \
    --groups 3 --arg a=12:iota >out 2>err && bad 'an access beside an object' || good
  says stack-buffer-overflow
fi
time_limit=120

# What is written: C without warnings, and a header for C and C++.
for kernel in trsv ldus pade enumerate; do
  expect 0 '' emit $borg/$kernel.cl --target ve --wg-size 12 --wg-pack 2 -o out-$kernel --verify off
  for file in $kernel.ve.c $kernel.ve.h lockstep_ve.h; do
    [ -s out-$kernel/$file ] && good || bad "$kernel: no $file"
  done
  for clang in clang-19 clang-22; do
    command -v $clang >/dev/null || continue
    $clang --target=ve-linux-gnu -std=c17 -O2 -Wall -Wextra -Wshadow -Werror -c out-$kernel/$kernel.ve.c -o $kernel.o >out 2>err && [ ! -s err ] && good ||
      bad "$kernel: $clang"
  done
  # Masks that wait in memory are lost (docs/found.md).
  clang-19 --target=ve-linux-gnu -O2 -S out-$kernel/$kernel.ve.c -o - | grep -q 'svm' && bad "$kernel: masks in memory" || good
  for language in c c++; do
    echo "int main(void) { return 0; }" | cat out-$kernel/$kernel.ve.h - | clang-19 -x $language -Wall -Wextra -Wno-pragma-once-outside-header \
      -fsyntax-only - >out 2>err && [ ! -s err ] && good || bad "$kernel.ve.h as $language"
  done
done
# What a later clang makes, where there is one.
if command -v clang-22 >/dev/null; then
  for kernel in trsv ldus frcg; do
    for layout in groups rows; do
      equal $borg/$kernel.cl --clang clang-22 --layout $layout $($borg/arguments.sh $kernel 8 7 $seed)
    done
  done
  expect 0 ', 0 findings' fuzz --target ve --clang clang-22 --kernels $((kernels / 4)) --seed $seed --out findings
fi
# The machine runs it by itself, too.
expect 0 '' emit $core/vecadd.cl --target ve --wg-size 4 -o out-vecadd --verify off
clang-19 --target=ve-linux-gnu -O2 -c out-vecadd/vecadd.ve.c -o vecadd.o
expect 0 '2: float[8] 0 2 4 6 8 10 12 14' run vecadd.o --kernel vecadd --arg 0=f32:8:iota --arg 1=f32:8:iota --arg 2=f32:8:zeros --arg 3=2
for flag in -ffast-math -O0; do
  clang-19 --target=ve-linux-gnu -O2 $flag -fsyntax-only out-trsv/trsv.ve.c >out 2>err && bad "$flag is taken" || good
  says 'error'
done
expect 0 'ldus: rows for up to ' emit $borg/ldus.cl --target ve --wg-size 8 --explain --verify off
says 'shuffle: item by item, by doubling (cycles: doubling '
expect 0 'row_a.5: in scratch memory, 64 vectors, those of row_a' emit $borg/ldus.cl --target ve --wg-size 8 --explain --verify off
expect 2 'are more than a vector of rows has elements, 256' emit $borg/ldus.cl --target ve --wg-size 64 --wg-pack 5 --layout rows --verify off
expect 2 'there is no ' emit $borg/ldus.cl --target ve --wg-size 8 --without reuse --verify off
says "there is no 'reuse' that could be left out; there are number, memory, move"
expect 2 'there is no ' emit $borg/ldus.cl --target ve --wg-size 8 --layout columns
expect 0 '' emit $borg/ldus.cl --target ve --wg-size 8 --layout groups --explain --verify off
grep -q '#include' out && bad '--explain shows the code' || good

# For a machine that has a card: here the driver is compiled for VE, and run where intrinsics are loops.
expect 0 '' emit $borg/trsv.cl --target ve --verify off --bundle bundle $($borg/arguments.sh trsv 4 300 $seed)
clang-19 --target=ve-linux-gnu -std=c17 -O2 -Wall -Wextra -Werror -c bundle/trsv.ve.c -o trsv.o >out 2>err && good || bad 'the bundle for VE'
if command -v make >/dev/null && command -v g++ >/dev/null; then
  make -s -C bundle host CXX=g++ CXXFLAGS='-O1 -Wall -Wno-unknown-pragmas -Wno-pragmas -fsanitize=undefined -fno-sanitize-recover=all' >out 2>err && good || bad 'make host'
  says 'trsv: equal (emulated)'
  printf '\377' | dd of=bundle/b.expected.bin bs=1 seek=9 conv=notrunc 2>err
  make -s -C bundle host CXX=g++ >out 2>err && bad 'a wrong number is expected' || good
  says 'b[1] differs'
fi

# What is counted and modelled, and what that says of the paper's tables.
expect 0 '  modelled: ' diff $borg/gema.cl --target ve --verify off $($borg/arguments.sh gema 4 300)
says '  vectors: 192 instructions with 28800 elements; lengths 44 (96), 256 (96)'
expect 0 '"modelled":{"cycles":' diff $borg/gema.cl --target ve --json --verify off $($borg/arguments.sh gema 4 300)
KERNELS='gema gemm ldus' REALS=double SIZES=4 PACKS='1 4 64' BATCH=256 sh "$source/scripts/ve_model.sh" "$lockstep" "$source" >out 2>err && good || bad 've_model.sh'
says 'the paper: borG, by rows,'
says '  gema       double  4: 2.52 (memory)' # 98304 bytes in and out
says '  4    pack 1: 1.00  pack 4: 0.'
says 'Fitted: a gather takes '
says '                       a bound for each item      4: '

# Kernels and objects that are called like what is emitted.
cat >names.cl <<'END'
__constant int pack[4] = {1, 2, 3, 4};
__constant int one[4] = {5, 6, 7, 8};
__constant int mask[4] = {9, 10, 11, 12};
kernel void v(global int *a) { a[get_global_id(0)] += pack[get_local_id(0)] + one[get_local_id(0)] * mask[a[get_global_id(0)] & 3]; }
kernel void v_mask(global int *s_length) { s_length[get_global_id(0)] += pack[get_local_id(0)]; }
kernel void int32_t(global int *a) { a[get_global_id(0)] += pack[get_local_id(0)]; }
kernel void k(global int *k) { k[get_global_id(0)] += pack[get_local_id(0)]; }
kernel void b(global int *b_pack) { int b_one = b_pack[get_global_id(0)]; b_pack[get_global_id(0)] = b_one * b_one; }
kernel void _vel_vst_vssl(global int *_vel_vld_vssl) { _vel_vld_vssl[get_global_id(0)] += 1; }
END
for called in v:a v_mask:s_length int32_t:a k:k b:b_pack _vel_vst_vssl:_vel_vld_vssl; do
  expect 0 'equal' diff names.cl --kernel ${called%:*} --target ve --verify off --wg-size 4 --wg-pack 1,2 --groups 9 --arg ${called#*:}=36:random:$seed
done

# Values of a size that no stack has.
cat >much.cl <<'END'
kernel void much(global int *out) {
  int all[200000];
  for (int i = 0; i < 200000; i++) all[i] = i;
  out[get_global_id()] = all[out[get_global_id()]];
}
END
expect 2 'bytes of the stack, more than' emit much.cl --target ve --wg-size 200 --verify off

# Wrong code is found out: another operand of a fused product, a wrong vector length, code that the machine has not, and none at all.
cat >wrong-clang <<'END'
#!/bin/sh
case "$*" in *ve-linux*) sed -i 's/_vel_vfmadd_vvvvl(\([^,]*\), /_vel_vfmsbd_vvvvl(\1, /' ./*.ve.c ;; esac
clang-19 "$@"
END
cat >short-clang <<'END'
#!/bin/sh
case "$*" in *ve-linux*) sed -i 's/s_length(num_groups - group, 256)/s_length(num_groups - group, 1)/' ./*.ve.c ;; esac
clang-19 "$@"
END
cat >broken-clang <<'END'
#!/bin/sh
case "$*" in *ve-linux*) sed -i '$s/$/ this is no C/' ./*.ve.c ;; esac
clang-19 "$@"
END
chmod +x ./*-clang
expect 1 'a[' diff $borg/ldus.cl --target ve --clang ./wrong-clang --verify off $($borg/arguments.sh ldus 4 2)
says 'but the interpreter has'
expect 1 'c[' diff $borg/gemm.cl --target ve --layout groups --clang ./short-clang --verify off $($borg/arguments.sh gemm 4 2)
expect 1 'uncompiled' diff $core/vecadd.cl --target ve --clang ./broken-clang --verify off --wg-size 4 --arg a=4:iota --arg b=4:iota --arg c=4:zeros
expect 4 "there is no program 'no-such-compiler'" diff $core/vecadd.cl --target ve-host --host-compiler no-such-compiler --wg-size 4 --arg a=4:iota \
  --arg b=4:iota --arg c=4:zeros
expect 4 "there is no program 'no-such-clang'" diff $core/vecadd.cl --target ve --clang no-such-clang --wg-size 4 --arg a=4:iota --arg b=4:iota \
  --arg c=4:zeros
counts
