# Runs what README.md and docs/ show. usage: docs.sh LOCKSTEP SOURCE_DIR
#
# ```console blocks hold commands ("$ …", a here-document goes on to its EOF) and what they print, on standard output and
# standard error together; a line "..." stands for any number of lines. They run in a folder that shows examples/, docs/ and tests/.
# ```mus blocks are whole programs and must parse. ```sh blocks are commands that other tests run: each line must be listed in
# `run_elsewhere` below. Each line of a ```cpp or ```cmake block must stand in a source file, in the consumer of tests/package,
# the test of inclusions, or in tests/compiler_bugs. ```text blocks are pictures and grammars. Every block must say which kind it is. Relative links lead to files.
set -u
lockstep=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/here" "$work/cases" "$work/bin"
ln -s "$lockstep" "$work/bin/lockstep"
for name in examples docs tests README.md; do ln -s "$source/$name" "$work/here/$name"; done
PATH=$work/bin:$PATH
export PATH

# The command | the test that runs it.
run_elsewhere='
scripts/demo.sh | tests/scripts/demo.sh
scripts/tour.sh | tests/scripts/tour.sh
scripts/fresh.sh scripts/demo.sh | scripts/test.sh, in CI; tests/scripts/fresh.sh, with other commands
scripts/test.sh | itself, in CI
scripts/test.sh --full | itself
scripts/setup.sh | scripts/test.sh
scripts/build.sh | scripts/test.sh
scripts/natural_figures.sh | tests/scripts/natural.sh, with smaller sizes
scripts/build.sh sanitize unit_tests | scripts/test.sh, with another target
scripts/build.sh release benchmarks | scripts/test.sh --full
cmake --preset release && cmake --build build/release | scripts/build.sh
cmake --install build/release --prefix /opt/lockstep | tests/package, to another prefix
ctest --preset release -R unit_tests | scripts/test.sh
build/release/tests/unit_tests "name of the case" | scripts/test.sh, all cases
build/release/tests/proof_tests | scripts/test.sh
build/release/tests/analysis_tests | scripts/test.sh
build/release/tests/loop_head_tests | scripts/test.sh
LOCKSTEP_FULL=1 build/release/tests/loop_head_tests | scripts/test.sh --full
LOCKSTEP_FULL=1 build/release/tests/mathematics_tests | scripts/test.sh --full
LOCKSTEP_FULL=1 build/release/tests/analysis_tests | scripts/test.sh --full
LOCKSTEP_FULL=1 build/release/tests/proof_tests | scripts/test.sh --full
LOCKSTEP_SMT_DIR=/tmp/smt build/release/tests/proof_tests "[proofs]" | tests/proofs, to another folder
LOCKSTEP_REPRO=repro-agreement-17895460663718676151.mus build/release/tests/property_tests | tests/properties, with a failure that is planted
build/release/tools/lockstep run repro-agreement-17895460663718676151.mus | likewise
LOCKSTEP_SEED=20777 build/release/tests/property_tests | scripts/test.sh, with the seed of the day
build/release/tests/suite_tests tests/suites/own | scripts/test.sh
build/release/tests/suite_tests tests/suites/own fft4 md5 | scripts/test.sh, all kernels
build/release/bench/bench_machine | the build; its figures are looked at, not asserted
build/release/bench/bench_recording | likewise
build/release/bench/bench_kernels --quick | likewise
build/release/bench/bench_compiled | likewise
build/release/bench/bench_passes | likewise
build/release/bench/bench_fuzz | likewise
build/release/bench/bench_gate | likewise
build/release/bench/bench_cuda | likewise
build/release/bench/bench_cuda ldus 16 | likewise
build/release/bench/bench_compile_time | likewise
build/release/bench/bench_compiled --packs | likewise
build/release/tools/lockstep bench --kernel gemm --size 8 --precision double | tests/scripts/bench.sh, with a smaller batch
build/release/tools/lockstep bench --threads 1,all --study packs,reorderings,loops --out results --plots docs/plots | likewise
scripts/same_answers.sh before/lockstep build/release/tools/lockstep 400 7 | tests/scripts/same_answers.sh, with the command itself
scripts/same_speed.sh before build/release | the build; its figures are looked at, not asserted
lockstep run K.ptx --kernel saxpy --grid 4 --block 128 --arg 0=2.5 --arg 1=f32:512:iota --arg 2=f32:512:random --arg 3=512 --out 2=y.npy | tests/scripts/run_ptx.sh, with a file that is there
sh scripts/ve_model.sh build/release/tools/lockstep . | tests/scripts/ve.sh, with fewer kernels
sh scripts/ve_qemu.sh build/release/tools/lockstep . | tests/scripts/run_ve.sh, with a smaller batch
lockstep run K.o --kernel saxpy --arg 0=2.5 --arg 1=f64:1000:iota --arg 2=f64:1000:random --arg 3=1000 --out 2=y.npy | tests/scripts/run_ve.sh, with a file that is there
scripts/cuda_figures.sh build/release/tools/lockstep figures | tests/scripts/cuda.sh, with one size
make -C figures -j 16 bench | nothing: it needs a GPU; tests/scripts/cuda.sh compiles what it runs
scripts/cuda_check.sh build/release/tools/lockstep compared | tests/scripts/cuda.sh, with one size
make -C compared -j 16 check | nothing: it needs a GPU; tests/scripts/cuda.sh runs two of them without
lockstep fuzz --target cuda --kernels 400 --ptx-cases cases | tests/scripts/cuda.sh, without keeping them
build/release/tests/ptx_hardware cases/*.ptx | tests/ptx/hardware/machine_driver.sh, with other cases
lockstep bench --gpu figures/*/*.bench.json --plots plots | tests/scripts/cuda.sh, with a file that is there
LOCKSTEP_FULL=1 sh tests/scripts/cuda_matrix.sh build/release/tools/lockstep . gemm trsv | scripts/test.sh --full, all kernels
build/release/bench/bench_cuda rows | the build; its figures are looked at, not asserted
build/release/bench/bench_cuda gema all auto tiling | the build; its figures are looked at, not asserted
build/release/bench/bench_cuda gema | the build; its figures are looked at, not asserted
build/release/bench/bench_cuda all all 2 | likewise
scripts/profile.sh gemm 20 double | tests/scripts/profile.sh, with another size
build/release/bench/bench_compiled --forms | likewise
'

awk -v cases="$work/cases" '
  function flush() { if (command != "") { close(command); command = "" } }
  FNR == 1 { inside = ""; flush() }
  /^```/ {
    flush()
    if (inside != "") { inside = ""; next }
    inside = substr($0, 4)
    if (inside !~ /^(console|mus|sh|cpp|cmake|text|json)$/) {
      if (inside == "") inside = "unlabelled"
      print FILENAME ":" FNR ": a block of kind " inside > (cases "/unknown")
    }
    if (inside == "mus") { name = sprintf("%s/%04d.mus", cases, ++n); print FILENAME ":" FNR > (name ".at"); close(name ".at") }
    next
  }
  inside == "mus" { print > name; next }
  inside == "sh" { print FILENAME ":" FNR ": " $0 > (cases "/elsewhere") ; next }
  inside == "cpp" || inside == "cmake" { print FILENAME ":" FNR ": " $0 > (cases "/code"); next }
  inside == "console" && here != "" { print > command; if ($0 == here) here = ""; next }
  inside == "console" && /^\$ / {
    flush()
    name = sprintf("%s/%04d", cases, ++n); command = name ".command"
    print FILENAME ":" FNR > (name ".at"); close(name ".at")
    printf "" > (name ".expected"); close(name ".expected")
    print substr($0, 3) > command
    if (match($0, /<<.?[A-Z]+/)) { here = substr($0, RSTART + 2, RLENGTH - 2); gsub(/[^A-Z]/, "", here) }
    next
  }
  inside == "console" { print >> (name ".expected") }
' "$source/README.md" "$source"/docs/*.md "$source"/docs/*/*.md "$source"/examples/*/*.md 2>/dev/null

passed=0
failed=0
verdict() { # NAME-OF-CASE RESULT
  if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $(sed "s|^$source/||" "$1.at")"; fi
}

for case in "$work"/cases/*.mus; do
  [ -e "$case" ] || continue
  lockstep check "$case" >"$work/out" 2>&1
  status=$?
  [ $status -ne 2 ] || cat "$work/out"
  verdict "$case" $((status == 2))
done

for case in "$work"/cases/*.command; do
  [ -e "$case" ] || continue
  case=${case%.command}
  (cd "$work/here" && sh "$case.command") >"$work/out" 2>&1 </dev/null
  # Lines of dots match anything in between; everything else has to be there, in order.
  awk -v expected="$case.expected" '
    { got[++m] = $0 }
    END {
      while ((getline line < expected) > 0) want[++k] = line
      i = 1; skipping = 0
      for (j = 1; j <= k; ++j) {
        if (want[j] == "...") { skipping = 1; continue }
        while (skipping && i <= m && got[i] != want[j]) ++i
        if (i > m || got[i] != want[j]) { print "expected: " want[j]; print "got:      " (i > m ? "(end of output)" : got[i]); exit 1 }
        ++i; skipping = 0
      }
      if (!skipping && i <= m) { print "not expected: " got[i]; exit 1 }
    }' "$work/out"
  status=$?
  [ $status -eq 0 ] || cat "$case.command"
  verdict "$case" $status
done

if [ -e "$work/cases/elsewhere" ]; then
  while IFS= read -r line; do
    command=$(printf '%s\n' "$line" | sed 's/^[^:]*:[0-9]*: *//; s/ *#.*//')
    [ -n "$command" ] || continue
    printf '%s\n' "$line" | sed 's/: .*//' >"$work/at.at"
    printf '%s\n' "$run_elsewhere" | sed 's/ | .*//' | grep -qxF -e "$command"
    verdict "$work/at" $?
  done <"$work/cases/elsewhere"
fi

if [ -e "$work/cases/code" ]; then
  while IFS= read -r line; do
    code=$(printf '%s\n' "$line" | sed 's/^[^:]*:[0-9]*: *//')
    [ -n "$code" ] || continue
    printf '%s\n' "$line" | sed 's/: .*//' >"$work/at.at"
    grep -rqF -e "$code" "$source/semantics" "$source/interpreter" "$source/tools" "$source/tests/package" "$source/tests/unit/compile_inclusions_test.cpp" \
      "$source/tests/compiler_bugs"
    verdict "$work/at" $?
  done <"$work/cases/code"
fi

# Links and pictures within the project lead to files.
for page in "$source"/README.md "$source"/docs/*.md; do
  grep -noE '\]\([^)#:]+[)#]' "$page" | sed 's/\](//; s/[)#]$//' | while IFS=: read -r line target; do
    [ -e "$(dirname "$page")/$target" ] || echo "$page:$line: no file $target"
  done
done >"$work/broken"
passed=$((passed + 1))
if [ -s "$work/broken" ]; then
  cat "$work/broken"
  failed=$((failed + 1))
fi

if [ -e "$work/cases/unknown" ]; then
  cat "$work/cases/unknown"
  failed=$((failed + $(wc -l <"$work/cases/unknown")))
fi

[ $((passed + failed)) -gt 0 ] || { echo "no example was found"; failed=1; }
echo "counts: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
