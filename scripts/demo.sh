#!/usr/bin/env bash
# scripts/demo.sh [--no-build] [--long] [KERNEL...]
# The seven batched kernels of examples/borg, in float and double, from source to every target that this machine can run: through the passes
# and the verifier to InfReg-IR, with a proof that this refines the kernel's μ-SIMD program, and on to machine code; everything that runs is
# compared bit for bit with the interpreter. One table, a line a kernel and type. Exit status 1 if a verdict is not as it should be.
#   --no-build  use the command in build/release as it is
#   --long      a line a verdict, with its time and kind of evidence
#   KERNEL      gema, gemm, ldus, trsv, pade, enumerate or frcg (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
build=yes
long=""
while :; do
  case "${1:-}" in
    --no-build) build="" ;;
    --long) long=yes ;;
    --help | -h)
      sed -n '2,8s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || set -- gema gemm ldus trsv pade enumerate frcg
for kernel in "$@"; do
  if [ ! -f "examples/borg/$kernel.cl" ]; then
    echo "demo: there is no kernel '$kernel' (see --help)" >&2
    exit 2
  fi
done
if [ -n "$build" ]; then
  scripts/setup.sh --minimal
  scripts/build.sh --minimal release lockstep
fi
lockstep=${LOCKSTEP:-build/release/tools/lockstep}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

items=8 groups=9 packs=1,4        # of what runs
proof_items=2 proof_groups=1      # of the proofs, which are for all inputs

# verdict COLUMN GATE VERDICT TIME EVIDENCE: of the kernel at hand.
wrong=0
verdict() {
  case $3 in ok | refines | equal | "not run") ;; *) wrong=$((wrong + 1)) ;; esac
  (IFS='|' && echo "$*") >>"$out/verdicts"
}

# field NAME FILE: the first value of that name in a JSON text.
field() { grep -oE "\"$1\":(\"[^\"]*\"|[0-9.]+)" "$2" | head -n 1 | cut -d : -f 2- | tr -d '"'; }
# time_of MILLISECONDS: "0.37 ms", "12 ms", "3.4 s".
time_of() { awk -v ms="$1" 'BEGIN { printf ms < 10 ? "%.2f ms" : ms < 1000 ? "%.0f ms" : "%.1f s", ms < 1000 ? ms : ms / 1000 }'; }

# Other machines: a column, the machine as `uname -m` has it, options of emit.
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


# Each of the gates writes its verdicts on one kernel in one type.
through_passes() {
  local answer=ok passes
  passes=$(sed -n 's/.*; passes \([0-9.e-]*\) ms.*/\1/p' "$out/diff" | tail -n 1)
  "$lockstep" lower "$source" --to infreg --verify-each --wg-size $items --wg-pack ${packs#*,} -D REAL=$real >"$out/ir" 2>&1 || answer=fails
  verdict passes "passes, verifier" $answer "$(time_of "${passes:-0}")" "$(grep -c '=' "$out/ir") operations; the verifier stands behind each pass"
}
proof() {
  local answer
  "$lockstep" verify "$source" --wg-size $proof_items --groups $proof_groups -D REAL=$real --json >"$out/proof" 2>&1 || true
  answer=$(field status "$out/proof")
  verdict proof proof "${answer:-fails}" "$(time_of "$(field seconds "$out/proof")e3")" "Z3, for all inputs"
}
run_here() {
  local target pack answer run evidence
  sed -n 's/^\([a-z0-9]*\) *WG_PACK \([0-9]*\) *\([a-z ]*[a-z]\)  *by \(.*\); .*run \([0-9.e-]*\) ms$/\1|\2|\3|\5|\4/p' "$out/diff" >"$out/rows"
  [ -s "$out/rows" ] || verdict infreg "lockstep diff" fails "" "$(head -n 1 "$out/diff")"
  while IFS='|' read -r target pack answer run evidence; do
    verdict "$target" "$target, WG_PACK $pack" "$answer" "$(time_of "$run")" "$evidence"
  done <"$out/rows"
  grep -q '^avx512' "$out/rows" || verdict avx512 avx512 "not run" "" "$(sed -n 's/.*--target avx512: \(avx512: \)*//p' "$out/diff" | head -n 1)"
}
# run_as NAME PROCESSOR OPTION...: as a bundle for another machine.
run_as() {
  local name=$1 processor=$2 tool answer=differs begin by
  shift 2
  tool=$(missing_for "$processor")
  if [ -n "$tool" ]; then
    verdict "$name" "llvm for $name" "not run" "" "$tool is not installed"
    return
  fi
  begin=$(date +%s%N)
  # shellcheck disable=SC2046
  if "$lockstep" emit "$source" $(examples/borg/arguments.sh $kernel $items $groups) --wg-pack ${packs#*,} -D REAL=$real --verify off --target llvm "$@" \
    --bundle "$out/bundle" >"$out/made" 2>&1 && env -u CC -u RUN make -s -C "$out/bundle" >"$out/made" 2>&1 && grep -q ': equal$' "$out/made"; then
    answer=equal
  fi
  by="qemu-$processor" && [ "$processor" = "$(uname -m)" ] && by="this machine's CPU"
  verdict "$name" "llvm for $name" $answer "$(time_of $((($(date +%s%N) - begin) / 1000000)))" "$by, a bundle made and run; WG_PACK ${packs#*,}"
  rm -rf "$out/bundle"
}

# The two forms of the table: a line a verdict, or a line a kernel with a cell a column. There a column with several verdicts shows the worst.
columns=(passes proof infreg llvm avx512)
for machine in "${machines[@]}"; do columns+=("${machine%%|*}"); done
width=80
[ -z "$long" ] || width=118
line() { printf "%${width}s\n" "" | tr ' ' -; }
heading() {
  if [ -n "$long" ]; then
    printf '%-10s %-7s %-20s %-16s %10s  %s\n' kernel type gate verdict time evidence
  else
    printf '%-9s %-6s' kernel type && printf ' %-7s' "${columns[@]}" && echo
  fi
  line
}
table_of() {
  if [ -n "$long" ]; then
    awk -F '|' -v kernel="$kernel" -v real="$real" '
      { printf "%-10s %-7s %-20s %-16s %10s  %s\n", NR == 1 ? kernel : "", NR == 1 ? real : "", $2, $3, $4, $5 }' "$out/verdicts"
  else
    awk -F '|' -v kernel="$kernel" -v real="$real" -v columns="${columns[*]}" '
      !($1 in cell) || cell[$1] ~ /^(ok|refines|equal)$/ { cell[$1] = $3 }
      END {
        printf "%-9s %-6s", kernel, real
        for (i = 1; i <= split(columns, column, " "); ++i) printf " %-7s", column[i] in cell ? cell[column[i]] : "-"
        print ""
      }' "$out/verdicts"
  fi
}

echo "Groups of $items items, $groups of them, in packs of ${packs/,/ and of }; proofs for $proof_items."
heading
for kernel in "$@"; do
  for real in float double; do
    source=examples/borg/$kernel.cl
    : >"$out/verdicts"
    # shellcheck disable=SC2046
    "$lockstep" diff "$source" $(examples/borg/arguments.sh $kernel $items $groups) --target infreg,llvm,avx512 --wg-pack $packs -D REAL=$real --verify off >"$out/diff" 2>&1 || true
    through_passes
    proof
    run_here
    for machine in "${machines[@]}"; do
      IFS='|' read -r name processor options <<<"$machine"
      # shellcheck disable=SC2086
      run_as "$name" "$processor" $options
    done
    table_of
    awk -F '|' '$3 == "not run" { print $1 ": " $5 }' "$out/verdicts" >>"$out/not_run"
  done
done
line
echo "ok: the verifier stands behind each pass. refines: proved by Z3, for all inputs."
echo "equal: has the same bits as the interpreter, any NaN for a NaN."
[ -n "$long" ] || sort -u "$out/not_run" | sed 's/^/not run: /'
if [ "$wrong" -gt 0 ]; then
  echo "$wrong verdicts are not as they should be"
  exit 1
fi
echo "Next: scripts/tour.sh, the machine itself at work; --long, this table in full."
