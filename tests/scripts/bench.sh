# lockstep bench: options, tables, JSON, the folder, and its refusals. usage: bench.sh LOCKSTEP SOURCE_DIR
# Exit status 77 where the peers were not built.
set -u
lockstep=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

check() { # WHAT, then a command
  what=$1
  shift
  if "$@" >/dev/null 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $what"; fi
}
status() { # WANTED, then a command
  wanted=$1
  shift
  "$@" >"$work/out" 2>"$work/err"
  [ $? -eq "$wanted" ]
}

check "help has an example" sh -c "'$lockstep' bench --help | grep -q 'Example: lockstep bench'"
check "an unknown kernel is refused" status 2 "$lockstep" bench --kernel gemv
check "an unknown size is refused" status 2 "$lockstep" bench --size 5
check "no threads are refused" status 2 "$lockstep" bench --threads 0
check "the refusal says what there is" grep -q "or 'all'" "$work/err"
check "a batch of nothing is refused" status 2 "$lockstep" bench --batch 0
check "a study of another target is refused" status 2 "$lockstep" bench --study reorderings --target llvm
check "and it says why" grep -q "avx512" "$work/err"
check "a folder for plots that cannot be made is refused" status 2 "$lockstep" bench --kernel gema --size 4 --plots /dev/null/here
check "a folder that cannot be made is refused" status 2 "$lockstep" bench --kernel gema --size 4 --out /dev/null/here

quick="--kernel gemm,pade --size 4,8 --batch 200 --rounds 2 --warm-ups 1"
# shellcheck disable=SC2086  # words
"$lockstep" bench $quick --precision double --target llvm,interpreter --study packs,loops --out "$work/results" --plots "$work/plots" >"$work/table" 2>"$work/messages"
outcome=$?
if [ $outcome -eq 4 ]; then
  cat "$work/messages"
  exit 77
fi
check "everything is right" test $outcome -eq 0
check "nothing is said on the side where there is no terminal" test ! -s "$work/messages"
check "a table for each task" grep -q '^gemm 8 double, cold, 1 thread: 200 problems' "$work/table"
check "hot data" grep -q '^pade double, hot' "$work/table"
check "the peers are named" grep -q '^  ISPC' "$work/table"
check "the machine's limits are there" grep -q 'multiplications and additions  .*G/s' "$work/table"
check "the tables are kept" grep -q 'So many times as fast' "$work/results/bench.txt"
for figure in fig6 fig7 fig8 fig10; do
  check "$figure" grep -q '^</svg>$' "$work/results/$figure.svg"
  check "$figure for a page" cmp "$work/results/$figure.svg" "$work/plots/$figure.svg"
done
check "what is to be reached" grep -q '^  against the best peer, least .* cold .* 0.90 ' "$work/table"
check "a page with the same" grep -q '^| against the best peer, least | cold | 0.90 | ' "$work/plots/summary.md"
check "and in JSON" grep -q '"name": "against the best peer, least"' "$work/results/bench.json"
check "a page has pictures and the summary alone" sh -c "ls '$work/plots' | grep -vE '^(fig[0-9]+.svg|summary.md)$' | wc -l | grep -qx 0"
"$lockstep" bench --kernel ldus --size 4 --precision float --batch 50 --rounds 1 --peers g++,clang++ --target avx512 --wg-pack 2 >"$work/avx512"
outcome=$?
if grep -q 'this machine has no AVX512' "$work/avx512"; then
  check "without AVX512 there are no times" test $outcome -eq 1
else
  check "AVX512" test $outcome -eq 0
  "$lockstep" bench --kernel trsv --size 4 --precision double --batch 50 --rounds 1 --data hot --peers none --target avx512 --study reorderings \
    --out "$work/ablation" >"$work/ablation.txt" 2>/dev/null
  check "the ablation has no failure" test $? -eq 0
  check "Fig. 9" grep -q '^</svg>$' "$work/ablation/fig9.svg"
  check "what it teaches" grep -qE '^  trsv +hot +none of them' "$work/ablation/bench.txt"
fi
check "JSON is kept" grep -q '"study": "loops"' "$work/results/bench.json"
# shellcheck disable=SC2086
check "JSON is printed" status 0 "$lockstep" bench $quick --precision float --peers none --target llvm --data cold --json
check "JSON alone" sh -c "head -c 1 '$work/out' | grep -q '{'"
check "and no peers" sh -c "! grep -q '\"side\": \"peer\"' '$work/out'"

echo "counts: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
