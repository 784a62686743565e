#!/bin/sh
# scripts/profile.sh KERNEL SIZE PRECISION [OPTION...]
# What bounds the C++ that `lockstep emit --target avx512` makes of a kernel of examples/borg: it is compiled, runs on data that stay in the
# caches while its address is sampled, and each loop that takes a part of the time is looked at by llvm-mca.
#   KERNEL     gema, gemm, trsv, ldus, pade, enumerate or frcg
#   SIZE       rows of matrices, or items of a group
#   PRECISION  float or double
#   OPTION     of lockstep emit: --wg-pack 2, --without columns
# Environment: LOCKSTEP (build/release/tools/lockstep), CXX (g++), CXXFLAGS (-O3 -march=native), MCA (llvm-mca-19 or llvm-mca),
# MCA_CPUS (processors that llvm-mca knows: "znver4 sapphirerapids"), SECONDS_OF_RUN (2), KEEP (a folder for all files).
# Exit status: 0 fine, 2 bad usage, 4 a tool is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$here")

usage() {
  sed -n '2,11s/^# \{0,1\}//p' "$0"
}
refuse() { # STATUS SENTENCE
  echo "profile.sh: $2" >&2
  exit "$1"
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
[ $# -ge 3 ] || { usage >&2; exit 2; }
kernel=$1 size=$2 precision=$3
shift 3
case $size in '' | *[!0-9]* | 0*) refuse 2 "SIZE is a number, not '$size'" ;; esac
case $precision in
  float) bytes=4 ;;
  double) bytes=8 ;;
  *) refuse 2 "PRECISION is float or double, not '$precision'" ;;
esac
# Numbers of a problem in each array. Shared arrays are smaller than that.
square=$((size * size)) groups_of=1
case $kernel in
  gema | gemm) elements="$square,$square,$square" all=$((3 * square)) ;;
  trsv) elements="$square,$size" all=$((square + size)) ;;
  ldus) elements=$square all=$square ;;
  pade) elements=6,4,1,1,1,6,4 all=13 groups_of=$size ;;
  enumerate) elements=80,10,8,1,1 all=10 groups_of=$size ;;
  frcg) elements=1,1,1,1 all=4 groups_of=$size ;;
  *) refuse 2 "there is no kernel '$kernel' in examples/borg" ;;
esac

lockstep=${LOCKSTEP:-$source/build/release/tools/lockstep}
cxx=${CXX:-g++}
mca=${MCA:-}
if [ -z "$mca" ]; then
  if command -v llvm-mca-19 >/dev/null 2>&1; then mca=llvm-mca-19; else mca=llvm-mca; fi
fi
require() { # COMMAND WHAT-IT-IS
  command -v "$1" >/dev/null 2>&1 || refuse 4 "$1 is missing: $2"
}
require "$lockstep" "the command; scripts/build.sh release lockstep makes it"
require "$cxx" "a C++ compiler"
require perf "it samples where the time goes (Debian: linux-perf)"
require addr2line "it says which line an address comes from (Debian: binutils)"
require "$mca" "it says what a loop costs (Debian: llvm-19)"

if [ -n "${KEEP:-}" ]; then
  mkdir -p "$KEEP"
  work=$(cd "$KEEP" && pwd)
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi

# As many problems as fill half of a first cache, in whole groups and at least 16 of them.
# shellcheck disable=SC2017
problems=$((24576 / (all * bytes) / (16 * groups_of) * 16 * groups_of))
[ $problems -gt 0 ] || problems=$((16 * groups_of))

"$lockstep" emit "$source/examples/borg/$kernel.cl" --target avx512 --wg-size "$size" -D "REAL=$precision" -o "$work" "$@" >/dev/null
cd "$work"
# shellcheck disable=SC2086  # words
"$cxx" -std=c++17 ${CXXFLAGS:--O3 -march=native} -S "$kernel.avx512.cpp" -o kernel.s
# The assembler's own line numbers: an address leads back to a line of kernel.s.
"$cxx" -g -c kernel.s -o kernel.o
"$cxx" -std=c++17 -O2 -I. -DKERNEL_HEADER="\"$kernel.avx512.h\"" -DKERNEL="$kernel" -DPROBLEMS="$problems" -DGROUPS="$((problems / groups_of))" \
  -DELEMENTS="$elements" "$here/profile_driver.cpp" kernel.o -no-pie -o driver
perf record -q -e cpu-clock -F 5000 -o perf.data ./driver "${SECONDS_OF_RUN:-2}" >driver.txt 2>perf.txt || refuse 4 "perf cannot sample here: $(cat perf.txt)"
perf script -i perf.data -F ip,sym 2>/dev/null | awk '$2 != "" { print $1 }' >addresses.txt
addr2line -e driver <addresses.txt | awk -F: '/kernel\.s:/ { sub(/ .*/, "", $2); ++n[$2 + 0] } END { for (line in n) print line, n[line] }' >samples.txt

# Loops are jumps back to a label. Each sample belongs to the innermost loop around it; a loop's own code is what no loop inside it has.
awk -v source=kernel.s '
  FILENAME != source { samples[$1] = $2; total += $2; next }
  { text[FNR] = $0; lines = FNR }
  /^\.[A-Za-z0-9_]+:/ { label = $1; sub(/:.*/, "", label); at[label] = FNR }
  /^\tj[a-z]+\t\./ && ($2 in at) { ++loops; first[loops] = at[$2]; last[loops] = FNR }
  END {
    for (l = 1; l <= loops; ++l)  # several jumps back to one label are one loop
      for (m = 1; m < l; ++m)
        if (first[m] == first[l] && last[m] > 0) { if (last[l] < last[m]) last[l] = last[m]; last[m] = 0 }
    for (i = 1; i <= lines; ++i) {
      best = 0
      for (l = 1; l <= loops; ++l)
        if (last[l] > 0 && first[l] <= i && i <= last[l] && (best == 0 || last[l] - first[l] < last[best] - first[best])) best = l
      owner[i] = best
      count[best] += samples[i]
    }
    if (total == 0) exit
    for (l = 1; l <= loops; ++l) {
      if (last[l] == 0 || count[l] < 0.04 * total) continue
      file = "loop." l ".s"
      instructions = vectors = jumps = calls = spills = 0
      printf "" > file
      for (i = first[l]; i <= last[l]; ++i) {
        if (owner[i] != l || text[i] !~ /^\t[a-z]/) continue
        print text[i] > file
        ++instructions
        if (text[i] ~ /%[zy]mm/) ++vectors
        if (text[i] ~ /^\tj/) ++jumps
        if (text[i] ~ /^\tcall/) ++calls
        if (text[i] ~ /%[zy]mm.*\(%r[sb]p\)|\(%r[sb]p\).*%[zy]mm/) ++spills
      }
      close(file)
      printf "%d %.0f %d %d %d %d %d %d %d\n", l, 100 * count[l] / total, first[l], last[l], instructions, vectors, jumps, calls, spills
    }
    printf "0 %.0f 0 0 0 0 0 0 0\n", 100 * count[0] / total
  }' samples.txt kernel.s | sort -k2,2nr >loops.txt
[ -s loops.txt ] || refuse 4 "perf took no samples in the kernel: $(cat perf.txt)"

# What llvm-mca says of a loop, on two lines for each processor.
look_at() { # LOOP
  for cpu in ${MCA_CPUS:-znver4 sapphirerapids}; do
    grep -v '^	call' "loop.$1.s" | "$mca" -mtriple=x86_64-linux-gnu -mcpu="$cpu" -iterations=200 -bottleneck-analysis -instruction-info=0 - \
      >"loop.$1.$cpu.txt" 2>mca.txt || refuse 4 "$mca does not take the loop for $cpu: $(head -n 1 mca.txt)"
    awk -v cpu="$cpu" '
      /^Iterations:/ { iterations = $2 }
      /^Total Cycles:/ { cycles = $3 }
      /^Total uOps:/ { uops = $3 }
      /^Dispatch Width:/ { width = $3 }
      /^Block RThroughput:/ { block = $3 }
      /Resource Pressure +\[/ { resource = $0; gsub(/[^0-9.%]/, "", resource) }
      /Register Dependencies +\[/ { registers = $0; gsub(/[^0-9.%]/, "", registers) }
      /Memory Dependencies +\[/ { memory = $0; gsub(/[^0-9.%]/, "", memory) }
      /^Resources:/ { names = 1; next }
      names && /^\[/ { key = $1; $1 = ""; sub(/^ *- */, ""); name[key] = $0; next }
      /^Resource pressure per iteration:/ { names = 0; want = 1; next }
      want == 1 { n = split($0, keys); want = 2; next }
      want == 2 {
        for (i = 1; i <= n; ++i) if ($i != "-") pressure[name[keys[i]]] = $i
        want = 0
      }
      END {
        printf "  %-15s %.1f cycles a round; ports alone need %s, dispatch %.1f", cpu, cycles / iterations, block, uops / iterations / width
        printf "; waits: ports %s, registers %s, memory %s\n", resource == "" ? "0%" : resource, registers == "" ? "0%" : registers, memory == "" ? "0%" : memory
        out = ""
        for (k = 0; k < 5; ++k) {
          best = ""
          for (unit in pressure) if (best == "" || pressure[unit] + 0 > pressure[best] + 0) best = unit
          if (best == "" || pressure[best] + 0 == 0) break
          out = out sprintf("%s%s %.1f", out == "" ? "" : ", ", best, pressure[best])
          delete pressure[best]
        }
        printf "  %-15s busiest: %s\n", "", out
      }
    ' "loop.$1.$cpu.txt"
  done
}

echo "$kernel $size $precision${*:+ ($*)}: $(cat driver.txt)"
# Loops that cost the same, as copies for other parts of the data do, are shown once.
while read -r loop percent first last own; do
  if [ "$loop" = 0 ]; then
    printf '\n%s %% of the time outside of loops\n' "$percent"
    continue
  fi
  look_at "$loop" >"looked.$loop"
  printf '%s\n' "$own" >>"looked.$loop"
  printf '%s %s %s %s %s\n' "$(cksum <"looked.$loop" | tr ' ' -)" "$percent" "$first" "$last" "$loop"
done <loops.txt >seen.txt
awk '
  NF != 5 { rest = rest $0 "\n"; next }
  !($1 in percent) { order[++n] = $1; where[$1] = $3 " to " $4; loop[$1] = $5 }
  { percent[$1] += $2; ++copies[$1] }
  END {
    for (k = 1; k <= n; ++k) {
      key = order[k]
      file = "looked." loop[key]
      text = ""
      while ((getline line < file) > 0) { last = line; if (line ~ /^  /) text = text line "\n" }
      split(last, own, " ")
      printf "\n%d %% in %s of lines %s: %d instructions of its own, %d with vectors (%d of these with the stack), %d jumps, %d calls\n", percent[key],
        copies[key] == 1 ? "the loop" : copies[key] " loops alike, one", where[key], own[1], own[2], own[5], own[3], own[4]
      printf "%s", text
    }
    printf "%s", rest
  }' seen.txt
