#!/usr/bin/env bash
# scripts/demo.sh [--no-build] [KERNEL...]
# The seven batched kernels of examples/borg, in float and double, from source to every target that this machine can run: through the passes
# and the verifier to InfReg-IR, with a proof that this refines the kernel's μ-SIMD program, and on to machine code; everything that runs is
# compared bit for bit with the interpreter. One table: verdicts, kinds of evidence, times. Exit status 1 if a verdict is not as it should be.
#   --no-build  use the command in build/release as it is
#   KERNEL      gema, gemm, ldus, trsv, pade, enumerate or frcg (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
build=yes
case "${1:-}" in
  --no-build)
    build=""
    shift
    ;;
  --help | -h)
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
[ $# -gt 0 ] || set -- gema gemm ldus trsv pade enumerate frcg
for kernel in "$@"; do
  if [ ! -f "examples/borg/$kernel.cl" ]; then
    echo "demo: there is no kernel '$kernel' (see --help)" >&2
    exit 2
  fi
done
if [ -n "$build" ]; then
  scripts/setup.sh --minimal
  scripts/build.sh release lockstep
fi
lockstep=${LOCKSTEP:-build/release/tools/lockstep}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

items=8 groups=9 packs=1,4        # of what runs
proof_items=2 proof_groups=1      # of the proofs, which are for all inputs
wrong=0
mark() { [ "$1" = "$2" ] || wrong=$((wrong + 1)); }

# field NAME FILE: the first value of that name in a JSON text.
field() { grep -oE "\"$1\":(\"[^\"]*\"|[0-9.]+)" "$2" | head -n 1 | cut -d : -f 2- | tr -d '"'; }
# time_of MILLISECONDS: "0.37 ms", "12 ms", "3.4 s".
time_of() { awk -v ms="$1" 'BEGIN { printf ms < 10 ? "%.2f ms" : ms < 1000 ? "%.0f ms" : "%.1f s", ms < 1000 ? ms : ms / 1000 }'; }

# Other machines: a name, the machine as `uname -m` has it, options of emit.
machines=("aarch64|aarch64|--triple aarch64-linux-gnu" "riscv64|riscv64|--triple riscv64-linux-gnu")
if [ "$(uname -m)" = x86_64 ] && grep -q avx2 /proc/cpuinfo; then
  machines=("AVX2|x86_64|--triple x86_64-pc-linux-gnu --cpu haswell" "${machines[@]}")
fi
# missing_for MACHINE: the first thing that its programs need and that is not installed.
missing_for() {
  local tool
  for tool in make $([ "$1" = "$(uname -m)" ] && echo cc || echo "$1-linux-gnu-gcc" "qemu-$1"); do
    command -v "$tool" >/dev/null || { echo "$tool" && return; }
  done
}

row() { printf '%-10s %-7s %-20s %-16s %10s  %s\n' "$@"; }
line() { printf '%.0s-' {1..118} && echo; }

echo "Groups of $items items, $groups of them, in packs of ${packs/,/ and of }; the proofs are for $proof_items items."
row kernel type gate verdict time evidence
line
for kernel in "$@"; do
  for real in float double; do
    source=examples/borg/$kernel.cl
    # shellcheck disable=SC2046
    "$lockstep" diff "$source" $(examples/borg/arguments.sh $kernel $items $groups) --target infreg,llvm,avx512 --wg-pack $packs -D REAL=$real --verify off >"$out/diff" 2>&1 || true
    passes=$(sed -n 's/.*; passes \([0-9.e-]*\) ms.*/\1/p' "$out/diff" | tail -n 1)
    verdict=ok
    "$lockstep" lower "$source" --to infreg --verify-each --wg-size $items --wg-pack ${packs#*,} -D REAL=$real >"$out/ir" 2>&1 || verdict=fails
    mark $verdict ok
    row $kernel $real "passes, verifier" $verdict "$(time_of "${passes:-0}")" "$(grep -c '=' "$out/ir") operations; the verifier stands behind each pass"

    "$lockstep" verify "$source" --wg-size $proof_items --groups $proof_groups -D REAL=$real --json >"$out/proof" 2>&1 || true
    verdict=$(field status "$out/proof")
    mark "${verdict:-fails}" refines
    row "" "" "proof" "${verdict:-fails}" "$(time_of "$(field seconds "$out/proof")e3")" "Z3, for all inputs"

    sed -n 's/^\([a-z0-9]*\) *WG_PACK \([0-9]*\) *\([a-z ]*[a-z]\)  *by \(.*\); .*run \([0-9.e-]*\) ms$/\1|\2|\3|\5|\4/p' "$out/diff" >"$out/rows"
    [ -s "$out/rows" ] || mark "$(cat "$out/diff")" ""
    while IFS='|' read -r target pack verdict run evidence; do
      mark "$verdict" equal
      row "" "" "$target, WG_PACK $pack" "$verdict" "$(time_of "$run")" "$evidence"
    done <"$out/rows"
    grep -q '^avx512' "$out/rows" || row "" "" "avx512" "not run" "" "$(sed -n 's/.*--target avx512: \(avx512: \)*//p' "$out/diff" | head -n 1)"

    for machine in "${machines[@]}"; do
      IFS='|' read -r name processor options <<<"$machine"
      tool=$(missing_for "$processor")
      if [ -n "$tool" ]; then
        row "" "" "llvm for $name" "not run" "" "$tool is not installed"
        continue
      fi
      verdict=differs
      begin=$(date +%s%N)
      # shellcheck disable=SC2046,SC2086
      if "$lockstep" emit "$source" $(examples/borg/arguments.sh $kernel $items $groups) --wg-pack ${packs#*,} -D REAL=$real --verify off --target llvm $options \
        --bundle "$out/bundle" >"$out/made" 2>&1 && env -u CC -u RUN make -s -C "$out/bundle" >"$out/made" 2>&1 && grep -q ': equal$' "$out/made"; then
        verdict=equal
      fi
      mark $verdict equal
      end=$(date +%s%N)
      by="qemu-$processor" && [ "$processor" = "$(uname -m)" ] && by="this machine's CPU"
      row "" "" "llvm for $name" $verdict "$(time_of $(((end - begin) / 1000000)))" "$by, a bundle made and run; WG_PACK ${packs#*,}"
      rm -rf "$out/bundle"
    done
  done
done
line
echo "equal: the same bits as the interpreter, any NaN for a NaN. refines: the solver found no input on which they differ, at these sizes."
if [ "$wrong" -gt 0 ]; then
  echo "$wrong verdicts are not as they should be"
  exit 1
fi
echo "Next: scripts/tour.sh shows the machine itself at work; lockstep --help says what else there is."
