#!/bin/sh
# gate.sh LOCKSTEP SOURCE_DIR
# The proof in front of code: `--verify` of emit and diff, what files, reports and exit statuses say of it.
# shellcheck disable=SC2015
. "$(dirname "$0")/lib/command.sh"
examples=$source/examples
proved='InfReg-IR proved at WG_SIZE 2 to 4'

# What is written says so, in each file but object code.
expect 0 '' emit "$examples/borg/gemm.cl" --target llvm --wg-size 8 -o llvm --object --assembly
silent
for file in gemm.llvm.h gemm.ll gemm.s; do
  head -n 1 "llvm/$file" | grep -qF "$proved." && good || bad "$file does not begin with what is proved"
done
cc -c -x assembler llvm/gemm.s -o gemm.o 2>err && good || bad 'assembly with a comment in front is assembly'
expect 0 '' emit "$examples/borg/gemm.cl" --target avx512 --wg-size 8 -o avx512
for file in gemm.avx512.h gemm.avx512.cpp; do
  head -n 1 "avx512/$file" | grep -qF "$proved." && good || bad "$file does not begin with what is proved"
done
expect 0 "; $proved." emit "$examples/borg/gemm.cl" --target llvm --wg-size 8
expect 0 '; InfReg-IR not proved (--verify off).' emit "$examples/borg/gemm.cl" --target llvm --wg-size 8 --verify off
expect 0 '' emit "$examples/core/saxpy.cl" --target llvm --wg-size 4 --arg alpha=2 --arg x=4:iota --arg y=4:zeros --arg n=4 --bundle bundle
head -n 1 bundle/saxpy.llvm.h | grep -qF "$proved" && good || bad 'a bundle says what is proved'
expect 0 '' lower "$examples/borg/gemm.cl" --to infreg --wg-size 4 -o gemm.ir
expect 0 '; InfReg-IR not proved: it was read from a text' emit gemm.ir --target llvm

# What is left open is told, with status 0; equal input gives equal files.
hard=$examples/crev/dfs.cl
expect 0 'lockstep: note: InfReg-IR not proved at WG_SIZE 2 to 4: undecided within the budget' emit "$hard" --kernel dfs_par --target llvm --wg-size 8 -o one
expect 0 '' emit "$hard" --kernel dfs_par --target llvm --wg-size 8 -o two
cmp -s one/dfs_par.ll two/dfs_par.ll && good || bad 'equal input gives other files'
expect 3 'InfReg-IR not proved at WG_SIZE 2' emit "$hard" --kernel dfs_par --target llvm --wg-size 8 --verify full --timeout 2
expect 0 "$proved" emit "$examples/core/saxpy.cl" --target llvm --wg-size 8 --verify full
expect 2 '--timeout is for --verify full' emit "$hard" --target llvm --timeout 2
expect 2 "--verify: there is no 'some'; there are off, auto, full" emit "$hard" --target llvm --verify some

# diff.
cat >twice.cl <<'EOF'
kernel void twice(global int *a) { a[get_global_id()] = a[get_global_id()] * 2; }
EOF
twice='twice.cl --wg-size 2 --arg a=2:iota --target infreg'
# shellcheck disable=SC2086
{
  expect 0 'proof   WG_PACK 1   InfReg-IR proved at WG_SIZE 2' diff $twice
  expect 0 '"proofs":[{"wg_pack":1,"verdict":"proved","sentence":"InfReg-IR proved at WG_SIZE 2"}]' diff $twice --json
  expect 0 '"proofs":[]' diff $twice --json --verify off
  expect 0 '' diff $twice --verify off
  grep -q proof out && bad '--verify off proves nothing' || good
  expect 2 '--timeout is for --verify full' diff $twice --timeout 3
}
# Wrong on other inputs than those that are given: 0 is what both make of 0.
expect 0 '' lower twice.cl --to infreg --wg-size 2 -o twice.ir
sed 's/constant 2/constant 3/' twice.ir >thrice.ir
expect 0 'InfReg-IR proved at WG_SIZE 2' diff twice.cl --wg-size 2 --arg a=2:zeros --target infreg --ir twice.ir
expect 1 'InfReg-IR refuted at WG_SIZE 2: ' diff twice.cl --wg-size 2 --arg a=2:zeros --target infreg --ir thrice.ir
says ' equal '
expect 1 '"verdict":"refuted"' diff twice.cl --wg-size 2 --arg a=2:zeros --target infreg --ir thrice.ir --json

# More C++ than a compiler can deal with.
{
  echo 'kernel void big(global char *o, global const char *x) { size_t i = get_global_id(); char v = x[i], w = x[i + 1];'
  for k in $(seq 300); do echo "  v = (char)(w / (v * v + $k)); w = (char)(v % (w * w + $k)); o[(v & 15) + $k] = w;"; done
  echo '  o[i] = v; }'
} >big.cl
expect 3 'more C++ of this kernel than a compiler can deal with' emit big.cl --target avx512 --wg-size 64 --verify off -o big
[ ! -e big ] && good || bad 'something was written'
if command -v g++ >/dev/null; then
  expect 3 'avx512  WG_PACK 1   not run ' diff big.cl --target avx512 --wg-size 64 --verify off --arg o=400:zeros --arg x=65:random:1
else
  skipped=$((skipped + 1))
fi
counts
