#!/bin/sh
# demo.sh LOCKSTEP SOURCE_DIR
# scripts/demo.sh, without the kernel whose proof takes longest unless LOCKSTEP_FULL is in the environment: every kernel gets every verdict,
# and a verdict that is not as it should be ends it with status 1.
. "$(dirname "$0")/lib/command.sh"

# rows TEXT: how many rows of the table have it.
rows() { grep -cE -e "$1" out; }

kernels='gema gemm ldus trsv pade frcg' sources=12
[ -z "${LOCKSTEP_FULL:-}" ] || { kernels='' && sources=14; }
# shellcheck disable=SC2086
LOCKSTEP=$lockstep "$source/scripts/demo.sh" --no-build --long $kernels >out 2>err
[ $? -eq 0 ] && good || bad 'status 0'
[ "$(rows 'passes, verifier +ok ')" -eq $sources ] && good || bad 'the verifier accepts every kernel in 2 types'
[ "$(rows 'proof +refines .*Z3')" -eq $sources ] && good || bad 'every kernel is proved'
[ "$(rows '^ +infreg, WG_PACK (1|4) +equal ')" -eq $((2 * sources)) ] && good || bad 'the evaluator agrees on all'
[ "$(rows '^ +llvm, WG_PACK (1|4) +equal .*CPU')" -eq $((2 * sources)) ] && good || bad 'machine code agrees on all'
if command -v g++ >/dev/null; then
  [ "$(rows '^ +avx512, WG_PACK (1|4) +equal .*(hardware|emulated), ')" -eq $((2 * sources)) ] && good || bad 'C++ agrees on all'
fi

machines='aarch64 riscv64'
[ "$(uname -m)" = x86_64 ] && grep -q avx2 /proc/cpuinfo && machines="AVX2 $machines"
for machine in $machines; do # what runs it may be missing, which is said then
  [ "$(rows "^ +llvm for $machine +(equal|not run) ")" -eq $sources ] && good || bad "$machine agrees on all"
done

# The short form: a line a kernel and type, which is as long as the longest screen that everybody has.
LOCKSTEP=$lockstep "$source/scripts/demo.sh" --no-build gemm trsv >out 2>err
[ $? -eq 0 ] && good || bad 'status 0, short'
[ "$(rows '^(gemm|trsv) +(float|double) +ok +refines +equal +equal +')" -eq 4 ] && good || bad 'a line a kernel and type'
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] && good || bad 'no line is longer than 80'
# All seven kernels are ten lines more than two.
[ "$(wc -l <out)" -le 14 ] && good || bad 'one screen'

# A command that says of one kernel that it differs.
cat >liar <<END
#!/bin/sh
case "\$*" in
  "diff "*gemm.cl*double*) '$lockstep' "\$@" | sed '/WG_PACK 4/s/ equal  /  differs/' ;;
  *) exec '$lockstep' "\$@" ;;
esac
END
chmod +x liar
wrong=2
! command -v g++ >/dev/null || wrong=3
LOCKSTEP=$dir/liar "$source/scripts/demo.sh" --no-build gemm >out 2>err
[ $? -eq 1 ] && good || bad 'status 1 if something differs'
says "$wrong verdicts are not as they should be"
[ "$(rows '^gemm +float +ok +refines +equal +equal ')" -eq 1 ] && [ "$(rows '^gemm +double +ok +refines +differs +differs ')" -eq 1 ] && good ||
  bad 'one of several verdicts in a cell is the worst'

# Without a C++ compiler, and without what runs bundles: said once.
mkdir bin
for tool in awk sed grep dirname mktemp rm cut head tail tr uname date sort seq sh bash env; do ln -s "$(command -v $tool)" bin/; done
env -u CXX -u CC PATH="$dir/bin" LOCKSTEP="$lockstep" "$source/scripts/demo.sh" --no-build gemm >out 2>err
[ $? -eq 0 ] && good || bad 'status 0 without a compiler'
[ "$(rows '^gemm +(float|double) +ok +refines +equal +equal +not run +not run +')" -eq 2 ] && good || bad 'what is not run'
[ "$(rows '^not run: avx512: there is no C\+\+ compiler')" -eq 1 ] && [ "$(rows '^not run: aarch64: make is not installed$')" -eq 1 ] && good || bad 'why it is not run'

"$source/scripts/demo.sh" --nonsense >out 2>err
[ $? -eq 2 ] && good || bad 'status 2 for an unknown argument'
counts
