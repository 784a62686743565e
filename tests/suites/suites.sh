#!/bin/sh
# suites.sh LOCKSTEP FOLDER [--json]
# Tries all kernels (.cl) below a folder, as suites of others have them, and says how many are accepted, run and are right, and what the refused
# ones miss, most frequent first (docs/suites.md). Launches are .sim files of oclgrind-kernel, or the comments that GPUVerify's kernels begin with.
# Status 0: everything was accepted and right; 1: something was not; 2: the command line is wrong.
set -u
LC_ALL=C
export LC_ALL
usage() {
  echo "usage: suites.sh LOCKSTEP FOLDER [--json]" >&2
  exit 2
}
json=
case $# in
  2) ;;
  3) [ "$3" = --json ] || usage; json=yes ;;
  *) usage ;;
esac
case $1 in */*) lockstep=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") ;; *) lockstep=$1 ;; esac
command -v "$lockstep" >/dev/null || { echo "suites.sh: there is no $1" >&2; exit 2; }
[ -d "$2" ] || { echo "suites.sh: $2 is no folder" >&2; exit 2; }
folder=$(cd "$2" && pwd)
work=${TMPDIR:-/tmp}/suites.$$
(umask 077 && mkdir "$work") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
steps=${LOCKSTEP_SUITES_STEPS:-2000000}    # of a warp, at most
elements=${LOCKSTEP_SUITES_ELEMENTS:-65536}  # of a buffer that the driver makes
limit=
command -v timeout >/dev/null && limit="timeout ${LOCKSTEP_SUITES_SECONDS:-60}"
oclgrind=
if command -v oclgrind-kernel >/dev/null; then oclgrind='oclgrind-kernel'; fi

# A line for each launch: FILE, how it ended (right, wrong, unlabelled, not-run) and why, separated by tabs.
: >"$work/launches"
# A line for each file: FILE, how it is (accepted, refused, no-kernel) and the first message.
: >"$work/files"
note() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$work/launches"; }

# first_message FILE...: of what lockstep says, the first error, without its place.
first_message() { sed -n 's/^.*error: //p' "$@" | head -n 1; }
# field NAME: of the object that a run has left in $work/out, as text.
field() { sed -n "s/^.*\"$1\":\"\\([^\"]*\\)\".*\$/\\1/p" "$work/out" | head -n 1; }
races() { sed -n 's/^.*"races":\([0-9]*\),.*$/\1/p' "$work/out" | head -n 1; }
# fault: the kind of fault that ended the run; nothing if none did.
fault() { sed -n 's/^.*"fault":{"kind":"\([^"]*\)".*$/\1/p' "$work/out" | head -n 1; }
# ending: how the run ended, in a word: clean, race, a fault's kind, limit, or not-run.
ending() {
  case $(field status) in
    halted) [ "$(races)" = 0 ] && echo clean || echo race ;;
    limit) echo limit ;;
    error | stuck) kind=$(fault); echo "${kind:-not-run}" ;;
    *) echo not-run ;;
  esac
}

# run ARGUMENT...: runs under OpenCL's rules, and stores of equal values are no races, as both suites have it; the object is left in $work/out,
# messages and what is printed in $work/err.
equal=--equal-races
run() {
  # shellcheck disable=SC2086
  $limit "$lockstep" run "$@" -I "$(dirname "$file")" --model opencl $equal --max-steps "$steps" --json >"$work/out" 2>"$work/err" </dev/null
  [ $? -ne 124 ] || echo '{"status":"limit"}' >"$work/out"
}

# The numbers of all buffers of the run, as oclgrind-kernel dumps them: "  NAME[I] = V".
dumped() {
  awk '{
    at = index($0, "\"buffers\":{")
    if (!at) exit
    text = substr($0, at + 11)
    while (match(text, /^,?"[^"]*":\[[^]]*\]/)) {
      part = substr(text, 1, RLENGTH)
      text = substr(text, RLENGTH + 1)
      sub(/^,/, "", part)
      name = part; sub(/^"/, "", name); sub(/".*$/, "", name)
      sub(/^[^\[]*\[/, "", part); sub(/\]$/, "", part)
      gsub(/"/, "", part)
      count = split(part, value, ",")
      for (k = 1; k <= count; ++k) printf "  %s[%d] = %s\n", name, k - 1, value[k]
    }
  }' "$work/out"
}

# compare WANTED: the lines EXACT, MATCH and ERROR of a reference, in the order of the output, which is what is printed and then the dump.
# Says what differs; nothing if all is there. Of numbers six digits count, as in the dump.
compare() {
  dumped >"$work/dump"
  grep -v -e ': error: ' -e ': warning: ' -e ': note: ' "$work/err" >"$work/printed"
  # Behind an error Oclgrind goes on, and its numbers are nothing that could be compared.
  awk -v how="$(ending)" -v fails="$(grep -c '^ERROR' "$1")" '
    function number(text) { return text ~ /^-?(inf|nan)$/ || text !~ /[.e]/ ? text : sprintf("%.6g", text) }
    # The float nearest to the digits that a float is written with.
    function float(x,   size, unit) {
      if (x == 0) return x
      size = x < 0 ? -x : x
      unit = 2 ^ -149
      while (size / unit >= 2 ^ 24) unit *= 2
      size = int(size / unit + 0.5) * unit
      return x < 0 ? -size : size
    }
    # Six digits count, of the double or the float that ours is.
    function same(ours, theirs) {
      return number(ours) == number(theirs) || (ours ~ /[.e]/ && sprintf("%.6g", float(ours + 0)) == number(theirs))
    }
    FILENAME == ARGV[1] {
      name = $0; sub(/^ */, "", name); sub(/\[.*$/, "", name)
      has[name] = 1
      line = $0; sub(/ = .*$/, "", line); sub(/^ */, "", line)
      value[line] = $NF
      next
    }
    FILENAME == ARGV[2] { printed[++lines] = $0; next }
    $1 == "ERROR" {
      kind = tolower($0) ~ /race/ ? "race" : tolower($0) ~ /diverg/ ? "barrier" : tolower($0) ~ /uninitiali/ ? "uninitialised" : tolower($0) ~ /write-only/ ? "not-readable" : tolower($0) ~ /read-only/ ? "not-writable" : tolower($0) ~ /invalid (read|write)|bounds|null/ ? "bounds" : "any"
      ++errors
      if (how == "clean" || (kind != "any" && index(how, kind) == 0)) { print "ended " how ", not with: " substr($0, 7); exit }
      next
    }
    ($1 == "EXACT" || $1 == "MATCH") && !fails {
      text = substr($0, 7)
      if (text ~ /^ *$/ || text ~ /^Argument / || text ~ /\] = *$/) next
      if (match(text, /^ *[A-Za-z_][A-Za-z_0-9]*\[[0-9]+\] = /)) {
        line = text; sub(/^ */, "", line); sub(/ = .*$/, "", line)
        name = line; sub(/\[.*$/, "", name)
        wanted = text; sub(/^.* = /, "", wanted)
        if ((name in has) && wanted !~ /^0x/) {  # bytes of what has no type there
          ++checked
          if ((line in value) && same(value[line], wanted)) next
          print line " is " ((line in value) ? value[line] : "not there") ", not " wanted
          exit
        }
        next
      }
      while (at < lines) {
        ++at
        if ($1 == "EXACT" ? printed[at] == text : index(printed[at], text)) { ++checked; next }
      }
      print "not printed: " text
      exit
    }
    END { if (!errors && !checked) print "nothing" }
  ' "$work/dump" "$work/printed" "$1"
}

# One .sim file: with a .ref beside it, or compared with oclgrind-kernel, or run alone.
try_sim() {
  sim=$1
  shown=${sim#"$folder"/}
  run --sim "$sim"
  how=$(ending)
  if [ "$how" = not-run ]; then
    note "$shown" not-run "$(first_message "$work/err")"
    return
  fi
  ref=${sim%.sim}.ref
  if [ -f "$ref" ] && grep -q -e '^EXACT ' -e '^MATCH ' -e '^ERROR ' "$ref"; then
    grep -e '^EXACT ' -e '^MATCH ' -e '^ERROR ' "$ref" >"$work/ref"
  elif [ -n "$oclgrind" ]; then
    # shellcheck disable=SC2086
    (cd "$(dirname "$sim")" && $limit $oclgrind --data-races "$(basename "$sim")") >"$work/theirs" 2>&1 </dev/null
    if grep -q -i -e 'fatal' -e 'unable to' -e '^Line [0-9]*: ' "$work/theirs"; then
      note "$shown" unlabelled "$how; oclgrind-kernel does not run it"
      return
    fi
    sed -n -e 's/^\(Invalid.*\)/ERROR \1/p' -e 's/^\(.*data race.*\)/ERROR \1/p' -e 's/^\(.*divergence.*\)/ERROR \1/p' \
      -e 's/^\(  [A-Za-z_][A-Za-z_0-9]*\[[0-9]*\] = \)/EXACT \1/p' "$work/theirs" >"$work/ref"
    grep -q '^ERROR' "$work/ref" && { grep '^ERROR' "$work/ref" | head -n 1 >"$work/one"; mv "$work/one" "$work/ref"; }
  else
    note "$shown" unlabelled "$how; there is neither a .ref file nor oclgrind-kernel"
    return
  fi
  problem=$(compare "$work/ref")
  if ! grep -q '^ERROR' "$work/ref" && [ "$how" != clean ]; then
    note "$shown" wrong "ended $how"
  elif [ "$problem" = nothing ]; then
    note "$shown" unlabelled "$how; nothing that could be compared is dumped"
  elif [ -n "$problem" ]; then
    note "$shown" wrong "$problem"
  else
    note "$shown" right ""
  fi
}

# three X | [X,Y,Z]: of the options that GPUVerify has, as lockstep has them.
sizes() { printf '%s\n' "$2" | tr ' ' '\n' | sed -n "s/^\\/*--$1=[[(]*\\([0-9,]*\\)[])]*\$/\\1/p" | head -n 1; }
product() { printf '%s\n' "$1" | awk -F, '{ n = 1; for (k = 1; k <= NF; ++k) n *= $k; print n }'; }

# What GPUVerify's kernels say of themselves means nothing here, as statements and in front of conditions; where an assertion does not hold, a
# division by zero is reported.
annotations='-D __assert(x)=(void)(1/(int)!!(x)) -D __axiom(x)= -D __implies(a,b)=(!(a)||(b)) -D __enabled()=1 -D __barrier_invariant(...)=0'
for name in __requires __ensures __invariant __global_requires __global_ensures __global_invariant __global_assert __function_wide_invariant \
  __function_wide_candidate_invariant __candidate_invariant __candidate_global_invariant __assume; do
  annotations="$annotations -D $name(x)=0"
done
for name in __barrier_invariant_1 __barrier_invariant_2 __barrier_invariant_binary __barrier_invariant_binary1 __barrier_invariant_binary2 \
  __read_permission __write_permission __array_snapshot __reads_from __writes_to __reads_from_local __writes_to_local __requires_fresh_array \
  __read __write __read_implies __write_implies __no_read __no_write __read_offset_bytes __write_offset_bytes __ptr_offset_bytes; do
  annotations="$annotations -D $name(...)=0"
done
for name in __uniform_int __uniform_bool __distinct_int __distinct_bool __all __exclusive; do annotations="$annotations -D $name(...)=1"; done
for name in __other_int __other_bool __old_int __old_bool __return_val_int; do annotations="$annotations -D $name(x)=(x)"; done
# label_of FILE: how GPUVerify has it end, pass or xfail:…; nothing if it has no such comment.
label_of() { head -n 1 "$1" | sed -n 's/^\/\/ *PASS/\/\/pass/; s/^\/\/ *\(pass\|xfail:[A-Z_]*\).*$/\1/p'; }
# The faults that it looks for.
looked_for() {
  case $1 in
    race | divergent-barrier | barrier-not-reached | division-by-zero) return 0 ;;
    out-of-bounds) case $options in *--check-array-bounds*) return 0 ;; esac ;;
  esac
  return 1
}

# arguments_of KERNEL: words for `run`, one a line, in $work/arguments: buffers of zeros, local memory, small numbers, or what __requires(n == 4) says.
arguments_of() {
  : >"$work/arguments"
  tries=0
  while [ $tries -lt 16 ]; do
    tries=$((tries + 1))
    set -- "$1"
    while read -r word; do set -- "$@" "$word"; done <"$work/arguments"
    kernel=$1
    shift
    # shellcheck disable=SC2086
    if "$lockstep" lower "$file" -I "$(dirname "$file")" $annotations --to musimd --kernel "$kernel" --local "$local" "$@" >"$work/typed" 2>"$work/err"; then
      break
    fi
    set -- "$kernel"
    name=$(sed -n "s/^.*nobody says how many elements '\\([^']*\\)' points to.*\$/\\1/p" "$work/err" | head -n 1)
    [ -n "$name" ] || return 1
    printf '%s\n' --arg "$name=local:4096" >>"$work/arguments"
  done
  sed -n "s/^\\.kernel $kernel(\\(.*\\))\$/\\1/p" "$work/typed" | tr ',' '\n' | sed 's/^ *//; s/\(uniform\|written\) //g' | while read -r type; do
    name=${type##* }
    case $name in num_groups_x | num_groups_y | __printf | '') continue ;; esac
    case $type in
      *'*'*) printf '%s\n' --arg "$name=$elements:zeros" ;;
      *)
        value=$(sed -n "s/^.*__requires( *$name *== *\\([0-9][0-9]*\\) *).*\$/\\1/p" "$file" | head -n 1)
        printf '%s\n' --arg "$name=${value:-4}"
        ;;
    esac
  done >>"$work/arguments"
}

# A file that begins with //pass or //xfail:…: all of its kernels.
try_labelled() {
  label=$(label_of "$file")
  options=$(sed -n 2p "$file")
  local=$(sizes local_size "$options")
  groups=$(sizes num_groups "$options")
  global=$(sizes global_size "$options")
  [ -n "$local" ] || local=8
  [ -n "$groups$global" ] || groups=2
  # So many groups that they have no more than 4096 items, but two.
  if [ -n "$groups" ] && [ "$(($(product "$local") * $(product "$groups")))" -gt 4096 ]; then
    most=$((4096 / $(product "$local")))
    [ $most -ge 2 ] || most=2
    groups=$(printf '%s\n' "$groups" | awk -F, -v most=$most '{ for (k = 1; k <= NF; ++k) { n = $k < most ? $k : most; most = int(most / n); if (most < 1) most = 1; printf (k > 1 ? ",%d" : "%d"), n } print "" }')
  fi
  # shellcheck disable=SC2086
  names=$("$lockstep" lower "$file" -I "$(dirname "$file")" $annotations --to musimd --local "$local" --kernel '?' 2>&1 | sed -n 's/^.*no such kernel, only //p' | tr ',' ' ')
  verdicts=
  case $options in *--no-benign*) equal= ;; *) equal=--equal-races ;; esac
  for kernel in $names; do
    if ! arguments_of "$kernel"; then
      note "$shown" not-run "$(first_message "$work/err")"
      return
    fi
    set -- --kernel "$kernel" --local "$local"
    if [ -n "$groups" ]; then set -- "$@" --groups "$groups"; else set -- "$@" --global "$global"; fi
    while read -r word; do set -- "$@" "$word"; done <"$work/arguments"
    # shellcheck disable=SC2086
    run "$file" $annotations "$@"
    how=$(ending)
    if [ "$how" = not-run ]; then
      note "$shown" not-run "$(first_message "$work/err")"
      return
    fi
    verdicts="$verdicts $how"
  done
  reported=no
  other=no
  for how in $verdicts; do
    if looked_for "$how"; then
      reported=$how
    elif [ "$how" != clean ]; then
      other=$how
    fi
  done
  case $label,$reported,$other in
    pass*,no,no) note "$shown" right "" ;;
    pass*,no,*) note "$shown" unlabelled "$other, which GPUVerify does not look for" ;;
    pass*) note "$shown" wrong "it is to pass, and ended $reported" ;;
    *,no,no) note "$shown" wrong "it is to fail ($label), and ended clean" ;;
    *,no,*) note "$shown" unlabelled "$other, which GPUVerify does not look for" ;;
    *) note "$shown" right "" ;;
  esac
}

find "$folder" -name '*.cl' -type f | sort >"$work/all"
while IFS= read -r file; do
  shown=${file#"$folder"/}
  if ! sed 's/\/\/.*$//' "$file" | grep -q -E '(^|[^A-Za-z0-9_])(__)?kernel([^A-Za-z0-9_]|$)'; then
    printf '%s\tno-kernel\t\n' "$shown" >>"$work/files"
    continue
  fi
  label=$(label_of "$file")
  case $label in
    xfail:CLANG_ERROR | xfail:COMMAND_LINE_ERROR) refusal=wanted ;;
    *) refusal= ;;
  esac
  size=
  defined=
  if [ -n "$label" ]; then
    size=$(sizes local_size "$(sed -n 2p "$file")")
    defined=$annotations
  fi
  # The front end is asked of each kernel, since a file may have some that want other groups.
  # shellcheck disable=SC2086
  $limit "$lockstep" check "$file" -I "$(dirname "$file")" $defined ${size:+--local "$size"} >"$work/out" 2>"$work/err" </dev/null
  # Status 1 is a program that may be stuck, which is no refusal.
  if [ $? -ge 2 ]; then
    message=$(first_message "$work/err")
    if [ -n "$refusal" ]; then
      printf '%s\taccepted\t\n' "$shown" >>"$work/files"
      note "$shown" right ""
    else
      printf '%s\trefused\t%s\n' "$shown" "${message:-it ended without a message}" >>"$work/files"
    fi
    continue
  fi
  printf '%s\taccepted\t\n' "$shown" >>"$work/files"
  base=$(basename "$file")
  for sim in "$(dirname "$file")"/*.sim; do
    [ -f "$sim" ] || continue
    named=$(sed 's/#.*$//' "$sim" | awk 'NF { print $1; exit }')
    [ "$(basename "$named")" != "$base" ] || try_sim "$sim"
  done
  if [ -n "$label" ]; then
    try_labelled
    equal=--equal-races
  fi
done <"$work/all"

# The first messages without names and numbers, counted, with the first file of each and what it was told.
awk -F '\t' '$2 == "refused" {
  text = $3
  gsub(/'"'"'[^'"'"']*'"'"'/, "'"'NAME'"'", text)
  gsub(/[0-9]+/, "N", text)
  if (!count[text]++) first[text] = $1 "\t" $3
} END { for (text in count) print count[text] "\t" text "\t" first[text] }' "$work/files" | sort -k1,1nr -k2 >"$work/missing"

awk -F '\t' -v json="$json" -v folder="$2" '
  function quoted(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/\t/, " ", text); return "\"" text "\"" }
  function shown(array, count,   k, text, part) {
    for (k = 1; k <= count; ++k) { split(array[k], part, "\t"); text = text (k > 1 ? "," : "") "{\"file\":" quoted(part[1]) ",\"why\":" quoted(part[2]) "}" }
    return "[" text "]"
  }
  FILENAME == ARGV[1] { ++files[$2]; next }
  FILENAME == ARGV[2] { ++ended[$2]; ++launches; list[$2, ended[$2]] = $1 "\t" $3; next }
  { missing[++kinds] = $2; times[kinds] = $1; first[kinds] = $3 "\t" $4 }
  END {
    with = files["accepted"] + files["refused"]
    ran = launches - ended["not-run"]
    totals = sprintf("total: %d files with kernels, %d accepted, %d refused, %d without kernels; %d launches, %d ran, %d right, %d wrong, %d without a reference",
                     with, files["accepted"], files["refused"], files["no-kernel"], launches, ran, ended["right"], ended["wrong"], ended["unlabelled"])
    if (json) {
      for (k = 1; k <= ended["wrong"]; ++k) wrong[k] = list["wrong", k]
      for (k = 1; k <= ended["not-run"]; ++k) unrun[k] = list["not-run", k]
      printf "{\"folder\":%s,\"files\":%d,\"accepted\":%d,\"refused\":%d,\"without_kernels\":%d,\"launches\":%d,\"ran\":%d,\"right\":%d,\"wrong\":%d,\"without_reference\":%d,", quoted(folder), with, files["accepted"], files["refused"], files["no-kernel"], launches, ran, ended["right"], ended["wrong"], ended["unlabelled"]
      printf "\"missing\":["
      for (k = 1; k <= kinds; ++k) { split(first[k], part, "\t"); printf "%s{\"message\":%s,\"files\":%d,\"first\":{\"file\":%s,\"why\":%s}}", (k > 1 ? "," : ""), quoted(missing[k]), times[k], quoted(part[1]), quoted(part[2]) }
      printf "],\"wrong_launches\":%s,\"not_run\":%s}\n", shown(wrong, ended["wrong"]), shown(unrun, ended["not-run"])
    } else {
      if (kinds) print "what refused files miss:"
      for (k = 1; k <= kinds; ++k) { split(first[k], part, "\t"); printf "%6d  %s\n        %s: %s\n", times[k], missing[k], part[1], part[2] }
      for (n = split("not-run wrong unlabelled", how, " "); m < n;) {
        ++m
        if (ended[how[m]]) print (how[m] == "not-run" ? "launches that did not run:" : how[m] == "wrong" ? "launches that went wrong:" : "launches without a reference:")
        for (k = 1; k <= ended[how[m]]; ++k) { split(list[how[m], k], part, "\t"); printf "  %s: %s\n", part[1], part[2] }
      }
      print totals
    }
    exit files["refused"] + ended["wrong"] + ended["not-run"] > 0
  }
' "$work/files" "$work/launches" "$work/missing"
