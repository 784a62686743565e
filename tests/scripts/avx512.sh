#!/bin/sh
# avx512.sh LOCKSTEP SOURCE_DIR
# The AVX512 target on the command line: `emit`, `diff` and `fuzz` with --target avx512, bundles, and compilers that are missing or go wrong.
# A sample that changes from day to day (LOCKSTEP_SEED repeats it); all of it, and 3000 random kernels, with LOCKSTEP_FULL in the environment.
# shellcheck disable=SC2086,SC2015,SC2154,SC2034,SC1091
. "$(dirname "$0")/lib/command.sh"
time_limit=600
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
echo "LOCKSTEP_SEED=$seed repeats this run"
unset CXX
mkdir temporary
export TMPDIR="$dir/temporary"

compilers=
for name in g++ clang++-19; do
  ! command -v $name >/dev/null || compilers="$compilers $name"
done
if [ -z "$compilers" ]; then
  expect 4 '--target avx512: there is no C++ compiler on this machine' fuzz --target avx512
  skipped=$((skipped + 1))
  echo 'skipped: neither g++ nor clang++-19 is installed'
  counts
  exit
fi
compiler=${compilers# }
compiler=${compiler%% *}
evidence=hardware
for feature in avx512f avx512vl avx512dq avx512bw; do
  grep -qw $feature /proc/cpuinfo || evidence=emulated
done

# What g++ 12.2 compiles wrongly in another form than that which it is given (docs/found.md).
for name in $compilers; do
  for level in 0 3; do
    expect 0 ' equal ' diff $source/tests/compiler_bugs/quotients.cl --target avx512 --compiler "$name -fwrapv" --compiler-level $level --wg-size 4 \
      --arg a=-2147483648 --arg b=8 --arg 'x=[-2147483648,5,-2147483648,7]' --arg 'y=[0,1,7,8]' --arg o=4:zeros
  done
done

# clean WHAT: nothing is left of what was run before: neither its files nor the processes whose numbers are in pids.
clean() {
  for left in temporary/*; do
    [ -e "$left" ] && bad "$1: $left is left" || good
  done
  [ ! -e pids ] || while read -r process; do
    case $(ps -o stat= -p "$process") in '' | Z*) good ;; *) bad "$1: process $process runs still" ;; esac
  done <pids
  rm -f pids
}
# fake NAME: makes a compiler of the lines on standard input. Its last two arguments are the names of what it has to make and of the source.
fake() {
  { echo '#!/bin/sh'; cat; } >"$1"
  chmod +x "$1"
}

# equal PACKS ARGUMENT...: `lockstep diff --target avx512 ARGUMENT...` is equal with each pack; `by` is whose word that is. Nothing is proved:
# tests/scripts/diff.sh does that.
by=$evidence
equal() {
  packs=$1
  shift
  expect 0 '' diff --target avx512 "$@" --wg-pack $packs --verify off
  wanted=$(echo $packs | tr ',' '\n' | wc -l)
  found=$(grep -cE "^avx512 +WG_PACK [0-9]+ +equal +by $by, (g|clang)\+\+ [0-9]+" out)
  [ "$found" -eq "$wanted" ] && good || bad "$*: $found of $wanted packs are equal"
}
borg() { # KERNEL WG_SIZE PACKS REAL SEED OPTION...: five groups, so that no pack but those of one group is full at the end
  kernel=$1 size=$2 packs=$3 real=$4
  launch=$("$source/examples/borg/arguments.sh" $kernel $size 5 $5)
  shift 5
  equal $packs "$source/examples/borg/$kernel.cl" $launch -D REAL=$real "$@"
}

# The borG kernels, in both precisions. All of them each time: with one size and two packs, half of them also with one of the ways to compile and
# to place buffers. The divisors of the seed are such that what is chosen by the day comes together in all ways. With LOCKSTEP_FULL there is no choice.
ways='misaligned emulated'
case $compilers in *clang*) ways="$ways clang" ;; esac
case=0
for kernel in gema gemm ldus trsv pade enumerate frcg; do
  for real in float double; do
    case=$((case + 1))
    sizes=$((4 * ((seed + case) % 8 + 1)))
    half=$(((seed / 8 + case) % 2))
    packs=1,$((2 << half))
    [ $sizes -gt 8 ] || [ $half -eq 0 ] || packs=2,auto
    try=
    [ $(((seed + case) % 2)) -ne 0 ] || try=$(echo $ways | cut -d ' ' -f $(((seed + case) / 2 % $(echo $ways | wc -w) + 1)))
    [ -z "${LOCKSTEP_FULL:-}" ] || { sizes='4 8 12 16 20 24 28 32' && packs=1,2,4,auto && try=$ways; }
    for size in $sizes; do
      level=1
      [ $(((seed / 8 + case + size / 4) % 4)) -ne 0 ] || level=3
      borg $kernel $size $packs $real $((seed + case)) --compiler-level $level
      [ -z "${LOCKSTEP_FULL:-}" ] || borg $kernel $size 1,4 $real $((seed + case)) --compiler-level 1 --misaligned
    done
    for way in $try; do
      case $way in
        misaligned) borg $kernel 4 2 $real $seed --compiler-level 1 --misaligned ;;
        clang) borg $kernel 4 2 $real $seed --compiler-level 1 --compiler clang++-19 ;;
        emulated) by=emulated && borg $kernel 4 2 $real $seed --compiler-level 1 --compiler "$compiler -mno-avx512f" && by=$evidence ;;
      esac
    done
  done
done
clean 'diff'

# Kernels with control and shuffles of their own.
core=$source/examples/core
equal 1,2,4 $core/collatz.cl --wg-size 8 --groups 3 --arg steps=24:zeros --compiler-level 1
equal 1,2 $core/rotate.cl --wg-size 4 --groups 3 --arg x=12:iota --compiler-level 1
equal 1,2 $core/saxpy.cl --wg-size 4 --groups 3 --arg alpha=0.3 --arg x=12:random --arg y=12:random:1 --arg n=11 --compiler-level 1

# What is said.
axpy='axpy.cl --wg-size 4 --groups 3 --arg a=3 --arg x=12:iota --arg y=12:const:100'
program axpy.cl '__kernel void axpy(int a, __global const int *x, __global int *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}'
expect 0 '"missing":[]}' diff $axpy --target infreg,avx512 --json
silent
says '{"target":"avx512","wg_pack":1,"verdict":"equal","evidence":"'$evidence', '
by="$evidence, [^;]*, misaligned buffers; "
expect 0 ', misaligned buffers; passes ' diff $axpy --target avx512 --misaligned
expect 0 ' WG_PACK 2 ' diff $axpy --target avx512 --chunk-lanes 16 --most-chunks 1 --wg-pack 2 --compiler-level 0
expect 2 '--chunk-lanes: chunks of the avx512 target have 8 or 16 lanes, not 4' diff $axpy --target avx512 --chunk-lanes 4
expect 2 '--most-chunks' diff $axpy --target avx512 --most-chunks 0
expect 2 "--layout: there is no 'diagonal'; there are auto, rows, groups" diff $axpy --target avx512 --layout diagonal
expect 2 "--approx: there is no 'some'; there are none, rcp14" diff $axpy --target avx512 --approx=some
expect 2 '--compiler-level' diff $axpy --target avx512 --compiler-level 4
for option in '--compiler g++' '--compiler-level 1' '--most-chunks 2' --misaligned; do
  expect 2 "${option%% *} is for --target avx512" diff $axpy $option
done
expect 2 '--compiler is for --target avx512' fuzz --compiler g++
expect 2 '--compiler: the command is empty' diff $axpy --target avx512 --compiler ' '

# Compilers that are not there, do not work, or go wrong.
expect 4 "lockstep: error: --target avx512: there is no program 'nothing' to compile C++ with" diff $axpy --target avx512,infreg --compiler nothing
grep -qE '^infreg +WG_PACK 1 +equal' out && good || bad 'without a compiler infreg does not run'
expect 4 '"missing":["avx512"]}' diff $axpy --target avx512 --compiler nothing --json
export CXX=nothing
expect 4 "there is no program 'nothing', which CXX in the environment names, " diff $axpy --target avx512
expect 4 "there is no program 'nothing', which CXX in the environment names, " fuzz --target avx512
unset CXX
expect 4 'the compiler does not even take a file without kernels: the compiler ended with status 1' diff $axpy --target avx512,infreg --compiler false
says '--target avx512: '
grep -qE '^infreg +WG_PACK 1 +equal' out && good || bad 'with a broken compiler infreg does not run'
expect 4 'the compiler does not even take a file without kernels' fuzz --target avx512 --compiler false
expect 4 '"status":"missing"' fuzz --target avx512 --compiler false --json
says '"kernels":0'
# What it makes of a file without kernels is kept, as each refusal has the compiler asked whether it takes that.
fake no_kernels <<END
for word; do object=\$source; source=\$word; done
if grep -q _call "\$source"; then echo "error: no kernels today" >&2; exit 9; fi
cp $dir/without.so "\$object" 2>/dev/null && exit
$compiler "\$@" && cp "\$object" $dir/without.\$\$ && mv $dir/without.\$\$ $dir/without.so
END
expect 1 'uncompiled by the compiler ' diff $axpy --target avx512 --compiler ./no_kernels
says '  the compiler ended with status 9:'
says 'error: no kernels today'
says 'look behind InfReg-IR, in the emitter of avx512'
expect 1 '"verdict":"uncompiled"' diff $axpy --target avx512 --compiler ./no_kernels --json
fake additions <<END
sed -i 's/_mm\\([0-9]*\\)_add_epi32/_mm\\1_sub_epi32/g' lockstep_avx512.h
exec $compiler "\$@" -O0
END
if [ $evidence = hardware ]; then
  expect 1 'avx512  WG_PACK 1   different  by hardware, ' diff $axpy --target avx512 --compiler ./additions
  says 'but the interpreter has '
  says 'in the interpreter, group 0, item '
fi
fake hanging <<END
echo \$\$ >>$dir/pids
sleep 1000 &
echo \$! >>$dir/pids
wait
END
for signal in INT TERM; do
  timeout --preserve-status -k 20 -s $signal 2 "$lockstep" diff $axpy --target avx512 --compiler ./hanging >out 2>err </dev/null
  [ $? -gt 128 ] && good || bad "diff: SIG$signal while the compiler runs"
  clean "diff behind SIG$signal"
done

# emit.
gemm="$source/examples/borg/gemm.cl --target avx512 --wg-size 4 --wg-pack 2"
expect 0 '#include "lockstep_avx512.h"' emit $gemm
silent
mv out gemm.text
expect 0 '' emit $gemm -o new
[ ! -s out ] && good || bad 'emit -o prints nothing'
cmp -s gemm.text new/gemm.avx512.cpp && good || bad 'gemm.avx512.cpp is not what is printed'
[ "$(ls new | tr '\n' ' ')" = 'gemm.avx512.cpp gemm.avx512.h lockstep_avx512.h lockstep_avx512_shim.h ' ] && good || bad 'the files of emit'
grep -q 'gemm(const double *\*' new/gemm.avx512.h && good || bad 'the header declares the kernel'
expect 0 '' emit $gemm --explain
[ -s out ] && ! grep -q '#include' out && good || bad '--explain says nothing, or shows the code'
expect 0 '' emit $gemm --explain -o explained
[ -s out ] && [ -s explained/gemm.avx512.cpp ] && good || bad '--explain -o writes files and explains'
expect 0 '' lower "$source/examples/borg/gemm.cl" --to infreg --wg-size 4 --wg-pack 2 -o gemm.ir
expect 0 '' emit gemm.ir --target avx512
# The first line says what is proved, for which an IR has no kernel.
sed 1d gemm.text >gemm.code
sed 1d out | cmp -s gemm.code - && good || bad 'InfReg-IR gives other code than the kernel'
for compiler_name in $compilers; do
  for level in -O0 -O3; do
    $compiler_name -std=c++17 $level -march=native -Wall -Wextra -Wpedantic -Werror -c new/gemm.avx512.cpp -o gemm.o >out 2>err && good ||
      bad "$compiler_name $level has something to say"
  done
  $compiler_name -std=c++17 -O1 -Wall -Wextra -Wpedantic -Werror -march=x86-64 -c new/gemm.avx512.cpp -o gemm.o >out 2>err && good ||
    bad "$compiler_name has something to say about the emulation"
done
echo '#include "gemm.avx512.h"' | $compiler -x c -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Inew - >out 2>err && good || bad 'the header is no C'
for option in '--object' '--assembly' '--triple x86_64-linux-gnu' '--cpu haswell' '--features +avx2'; do
  expect 2 "${option%% *} is for --target llvm" emit $gemm $option -o new
done
for option in --explain '--most-chunks 4'; do
  expect 2 "${option%% *} is for --target avx512" emit "$source/examples/borg/gemm.cl" --target llvm $option
done
expect 2 'chunks of the avx512 target have 8 or 16 lanes, not 4' emit $gemm --chunk-lanes 4
expect 0 '<4 x float>' emit "$source/examples/core/saxpy.cl" --target llvm --wg-size 8 --chunk-lanes 4
! grep -q '<8 x float>' out && good || bad 'chunks of 4 lanes have no vectors of 8'
expect 2 '-o no/such/folder: this folder cannot be made: No such file or directory' emit $gemm -o no/such/folder
expect 2 '--bundle: what is expected is what the interpreter leaves' emit gemm.ir --target avx512 --bundle bundle2 --arg a=80:zeros
expect 2 "--arg is missing for a, b, c of the kernel 'gemm'" emit $gemm --bundle bundle2

# Bundles are compiled and run by whatever compiler there is, with threads or without.
expect 0 '' emit $gemm --bundle bundle --groups 5 --arg a=80:random --arg b=80:random:1 --arg c=80:zeros
if command -v make >/dev/null; then
  for compiler_name in $compilers; do
    make -s -B -C bundle CXX=$compiler_name >out 2>err && grep -q "^gemm: equal ($evidence)$" out && good || bad "$compiler_name: the bundle does not run"
    make -s -B -C bundle CXX=$compiler_name CXXFLAGS='-O1 -Wall -Wextra -Wpedantic -Werror -march=x86-64' >out 2>err &&
      grep -q '^gemm: equal (emulated)$' out && good || bad "$compiler_name: the bundle does not run without AVX512"
  done
  make -s -B -C bundle CXX=$compiler CXXFLAGS='-O1 -march=native -fopenmp' >out 2>err && grep -q '^gemm: equal ' out && good || bad 'the bundle with OpenMP'
  printf '\001' | dd of=bundle/c.expected.bin bs=1 seek=8 conv=notrunc 2>err
  make -s -C bundle CXX=$compiler >out 2>err && bad 'the bundle does not see a difference' || good
  grep -q '^c\[1\] differs: 0x' out && good || bad 'the bundle does not say what differs'
  program all_types.cl '__kernel void all_types(bool b, char c, ushort s, long l, float f, __global const bool *x, __global uchar *y, __global double *z) {
    size_t i = get_global_id(0);
    y[i] = x[i] && b ? (uchar)(c + s) : (uchar)i;
    z[i] = f * (double)l + z[i];
  }'
  expect 0 '' emit all_types.cl --target avx512 --wg-size 4 --wg-pack 2 --bundle types --groups 3 --arg b=1 --arg c=-3 --arg s=60000 \
    --arg l=-123456789012 --arg f=0.1 --arg 'x=[1,0,1,1,0,1,0,1,1,1,0,0]' --arg y=12:zeros --arg z=12:random
  make -s -C types CXX=$compiler >out 2>err && grep -q '^all_types: equal ' out && good || bad 'a bundle with scalars of all types'
else
  skipped=$((skipped + 1))
fi

# --approx=rcp14: quotients and roots of vectors of floats may be off by less than 0.63 units of the last place, and nothing else may.
program near.cl '__kernel void near(__global const REAL *x, __global const REAL *y, __global REAL *q, __global REAL *s, __global REAL *r,
                   __global int *k, REAL f) {
  size_t i = get_global_id(0);
  q[i] = y[i] != 0 && i % 3 != 0 ? x[i] / y[i] : x[i];
  s[i] = sqrt(x[i]);
  r[i] = rcp(y[i]);
  k[i] = k[i] / 7 + (f / 3 == f * (REAL)0.1);
}'
cat >near.cpp <<'END'
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>
#include "near.avx512.h"
static bool wrong = false;
static void check(const char *name, std::size_t i, REAL found, long double exact) {
  const REAL nearest = (REAL)exact;
  const long double unit = std::isnormal(nearest) ? std::ldexp(1.0L, std::ilogb(nearest) + 1 - (sizeof(REAL) == 8 ? 53 : 24)) : 0;
  const bool is_near = std::isnormal(nearest) ? std::fabs(found - exact) < 0.632L * unit : found == nearest || (found != found && exact != exact);
  if (!is_near) std::printf("%s[%zu] is %a, not near %La\n", name, i, (double)found, exact);
  wrong = wrong || !is_near;
}
int main() {
  const std::size_t groups = 201, count = 12 * groups;
  std::vector<REAL> x(count), y(count), q(count), s(count), r(count);
  std::vector<int> k(count);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = std::ldexp((REAL)random(), (int)(random() % 60) - 70) * (i % 17 == 5 ? -1 : 1);
    y[i] = i % 11 == 0 ? 0 : std::ldexp((REAL)random(), (int)(random() % 60) - 70) * (i % 13 == 4 ? -1 : 1);
    k[i] = (int)random();
  }
  const std::vector<int> before = k;
  near(x.data(), y.data(), q.data(), s.data(), r.data(), k.data(), 3, groups);
  for (std::size_t i = 0; i < count; ++i) {
    check("q", i, q[i], y[i] != 0 && i % 3 != 0 ? (long double)x[i] / y[i] : x[i]);
    check("s", i, s[i], std::sqrt((long double)x[i]));
    check("r", i, r[i], 1 / (long double)y[i]);
    check("k", i, (REAL)k[i], (REAL)(before[i] / 7));
  }
  std::puts(wrong ? "far" : "near");
}
END
for real in float double; do
  expect 0 '' emit near.cl --target avx512 --wg-size 12 --wg-pack 2 -D REAL=$real --approx=rcp14 -o near
  for function in near_div near_sqrt near_rcp; do grep -q "v::$function(" near/near.avx512.cpp && good || bad "$real: no $function"; done
  for flags in "$compiler -march=native" "clang++-19 -march=native" "$compiler -march=x86-64"; do
    command -v ${flags%% *} >/dev/null || { skipped=$((skipped + 1)) && continue; }
    $flags -std=c++17 -O2 -Wall -Wextra -Wpedantic -Werror -DREAL=$real -Inear near.cpp near/near.avx512.cpp -o near/run >out 2>err && ./near/run >out
    grep -qx near out && good || bad "$flags: --approx=rcp14 with $real"
  done
done
quotients='--wg-size 8 --groups 500 --arg x=4000:random:1 --arg y=4000:random:2 --arg q=4000:zeros --arg s=4000:zeros --arg r=4000:zeros --arg k=4000:iota --arg f=3'
expect 1 ', --approx=rcp14; passes ' diff near.cl --target avx512 -D REAL=float $quotients --approx=rcp14
says ' different '
says '  with --approx=rcp14 quotients and roots need not have the interpreter'"'"'s bits, nor what is made of them'
by=$evidence
equal 1 near.cl -D REAL=float $quotients --approx=none
expect 0 ' equal ' diff $axpy --target avx512 --approx=rcp14
expect 0 '' emit near.cl --target avx512 -D REAL=float --approx=rcp14 --explain
for word in quotient root; do says ": $word, not rounded exactly"; done
expect 2 "--approx: there is no 'rcp28'; there are none, rcp14" emit $gemm --approx=rcp28
expect 2 '--approx is for --target avx512' emit "$source/examples/borg/gemm.cl" --target llvm --approx=rcp14
expect 2 '--approx is for --target avx512' diff $axpy --approx=rcp14
expect 2 '--bundle compares bits, and with --approx=rcp14 quotients need not have those of the interpreter' emit $gemm --approx=rcp14 --bundle bundle3 \
  --arg a=80:zeros
expect 2 "does not know '--approx=rcp14'" fuzz --target avx512 --approx=rcp14

# With OpenMP: teams of any size, numbers of groups that divide into packs and threads or do not, and calls from a team of the caller.
# Its parameters are called what the code, or a header, calls its own.
sed 's/int a,/int threads,/; s/\*x,/*INFINITY,/; s/\*y)/*packs_masked)/; s/\<a \*/threads */; s/\<x\[/INFINITY[/g; s/\<y\[/packs_masked[/g' axpy.cl >hostile.cl
grep -q 'int threads, __global const int \*INFINITY, __global int \*packs_masked' hostile.cl && good || bad 'parameters with hostile names'
expect 0 '' emit hostile.cl --target avx512 --wg-size 4 --wg-pack 4 -o teams
cat >teams/main.cpp <<'END'
#include <omp.h>

#include <cstdio>
#include <vector>

#include "axpy.avx512.h"

static std::vector<int> sum(size_t groups) {
  std::vector<int> x, y;
  for (int i = 0; i < 200; ++i) x.push_back(7 * i), y.push_back(1000 - i);
  axpy(3, x.data(), y.data(), groups);
  return y;
}
static int differs(const std::vector<int> &y, size_t groups) {
  for (int i = 0; i < 200; ++i) {
    if (y[i] != 1000 - i + (size_t(i) < 4 * groups ? 21 * i : 0)) return std::printf("%zu groups: element %d is %d\n", groups, i, y[i]);
  }
  return 0;
}
int main() {
  int wrong = 0;
  omp_set_dynamic(0);
  for (int threads = 1; threads <= 7; ++threads) {
    omp_set_num_threads(threads);
    for (size_t groups = 0; groups <= 48; ++groups) wrong |= differs(sum(groups), groups);
  }
#pragma omp parallel for num_threads(3) reduction(| : wrong)
  for (int groups = 0; groups <= 48; ++groups) wrong |= differs(sum(size_t(groups)), size_t(groups));
  if (!wrong) std::puts("all equal");
  return wrong != 0;
}
END
teams=0
for compiler_name in $compilers; do
  # Compilers may be there without OpenMP's header and library.
  echo '#include <omp.h>' >omp.cpp && echo 'int main() { return omp_get_num_threads() - 1; }' >>omp.cpp
  $compiler_name -fopenmp omp.cpp -o nothing >out 2>err || continue
  teams=$((teams + 1))
  $compiler_name -std=c++17 -O1 -march=native -fopenmp -Wall -Wextra -Wpedantic -Werror -c teams/axpy.avx512.cpp -o axpy.o >out 2>err && good ||
    bad "$compiler_name has something to say about the code with OpenMP"
  nm -u axpy.o | grep -qE 'GOMP_parallel|__kmpc_fork_call' && good || bad "$compiler_name: the code asks for no team"
  $compiler_name -std=c++17 -O1 -fopenmp teams/main.cpp axpy.o -o run_teams >out 2>err && ./run_teams >out 2>err && good || bad "$compiler_name: teams"
done
[ $teams -gt 0 ] || { skipped=$((skipped + 1)) && echo 'skipped: no compiler has OpenMP'; }

# Random kernels.
kernels=40
[ -z "${LOCKSTEP_FULL:-}" ] || kernels=3000
time_limit=3600
expect 0 ', 0 findings' fuzz --target avx512 --kernels $kernels --seed $seed
silent
for word in --compiler-level --most-chunks --misaligned --layout "run by      $evidence, "; do says "$word"; done
clean 'fuzz'
# The compiler's level is part of them; where it does not matter, it is taken back.
fake quick <<END
exec $compiler "\$@" -O0
END
fake quick_emulation <<END
exec $compiler -mno-avx512f "\$@" -O0
END
expect 0 '{"status":"equal","target":"avx512","seed":3,"kernels":9,' fuzz --target avx512 --seed 3 --kernels 9 --json --jobs 1 --compiler ./quick
sed 's/"seconds":[^,]*,"processor_seconds":[^,]*,//' out >alone
expect 0 '' fuzz --target avx512 --seed 3 --kernels 9 --json --jobs 3 --compiler ./quick
sed 's/"seconds":[^,]*,"processor_seconds":[^,]*,//' out | cmp -s - alone && good || bad 'the number of processes changes what is tried'
by=emulated
expect 0 'emulated, ' fuzz --target avx512 --kernels 8 --seed $seed --compiler ./quick_emulation --max-lanes 16

# What the host compiler does not take, and what it makes of it, is found, and shrunk.
expect 1 'avx512 does not compile: error: no kernels today: the compiler ended with status 9' fuzz --target avx512 --compiler ./no_kernels --kernels 2 \
  --max-lanes 2 --out uncompiled
if [ $evidence = hardware ]; then
  # Shrinking goes on for long, as each try is compiled: it is ended before, and what is there by then is written.
  timeout --preserve-status -k 20 -s INT 10 "$lockstep" fuzz --target avx512 --compiler "$dir/additions" --first 4 --kernels 1 --seed 1 \
    --max-lanes 4 --out wrong >out 2>err </dev/null
  [ $? -eq 1 ] && good || bad 'what is planted in the intrinsics is not found'
  says 'avx512 differs: '
  found=$(echo wrong/* | cut -d ' ' -f 1)
  [ -s "$found/kernel.cl" ] && good || bad "$found has no kernel"
  grep -q -- '--target avx512 --compiler' "$found/README.md" && good || bad 'README.md does not say how the kernel came about'
  LOCKSTEP=$lockstep sh "$found/run.sh" >out 2>err
  [ $? -eq 1 ] && grep -q '^avx512 .* different ' out && good || bad "$found/run.sh does not find it again"
fi
# A library that ends the process which loads it: each kernel is named.
echo '__attribute__((constructor)) static void die() { __builtin_trap(); }' >crash.cpp
$compiler -fPIC -shared -o crash.so crash.cpp >out 2>err && good || bad 'a library that crashes'
fake crashing <<END
for word; do object=\$source; source=\$word; done
cp $dir/crash.so "\$object"
END
expect 1 ' 3 findings' fuzz --target avx512 --compiler "$dir/crashing" --kernels 3 --max-lanes 1 --out crashes
for number in 0 1 2; do grep -lq "first $number " crashes/*/README.md && good || bad "kernel $number is not named"; done

# Campaigns that are ended while the compiler runs.
for signal in INT TERM; do
  timeout --preserve-status -k 20 -s $signal 3 "$lockstep" fuzz --target avx512 --compiler "$dir/hanging" --kernels 100 --jobs 2 >out 2>err </dev/null
  [ $? -eq 130 ] && good || bad "fuzz: SIG$signal while the compiler runs"
  clean "fuzz behind SIG$signal"
done
expect 3 ' 0 kernels' fuzz --target avx512 --compiler "$dir/hanging" --time 1 --jobs 1
clean 'the end of time'

# With `auto` each target has the pack that it chooses; who chooses none runs with each of these.
pack_of() { sed -n "s/^$1 *WG_PACK \([0-9]*\) .*/\1/p" out | sort -n | tr '\n' ' '; }
ldus="$source/examples/borg/ldus.cl --wg-size 4 --groups 4 --arg a=64:random --verify off --wg-pack auto"
expect 0 equal diff $ldus --target llvm
of_llvm=$(pack_of llvm)
expect 0 equal diff $ldus --target avx512
of_avx512=$(pack_of avx512)
[ "$of_llvm" != "$of_avx512" ] && good || bad 'both targets choose the same pack: this asks for another kernel'
expect 0 equal diff $ldus --target infreg,llvm,avx512
[ "$(pack_of llvm)/$(pack_of avx512)" = "$of_llvm/$of_avx512" ] && good || bad "packs of llvm and avx512 are not $of_llvm and $of_avx512"
both=$(printf '%s\n' $of_llvm $of_avx512 | sort -n | tr '\n' ' ')
[ "$(pack_of infreg)" = "$both" ] && good || bad "infreg has not run with $both"

counts
