# `lockstep verify`: verdicts and exit statuses, planted wrong lowerings, which all have to be refuted, right ones, which have to be proved,
# and the questions as SMT-LIB. usage: sh verify.sh LOCKSTEP SOURCE_DIR
# With LOCKSTEP_FULL in the environment every example is proved at all sizes; otherwise a few.
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/verdict.sh"

cat >"$work/mixed.cl" <<'CL'
__kernel void mixed(__global const int *a, __global const uint *u, __global const float *f, __global int *o, __global uint *p,
                    __global float *q, int n) {
  const size_t i = get_global_id(0);
  const int x = a[i];
  const uint y = u[i];
  o[i] = (x - n) / 3;
  if (x < n)
    o[i] = min(x, n) >> 1;
  p[i] = (y >> 3) + (uint)(y < 7u);
  q[i] = f[i] - (float)x;
}
CL
cat >"$work/team.cl" <<'CL'
__kernel void team(__global const int *a, __global int *o) {
  const int l = (int)get_local_id(0);
  const int x = a[get_global_id(0)];
  const int left = shuffle(x, (l + 1) % (int)get_local_size());
  int s = 0;
  for (int k = 0; k < 3; k += 1)
    s = s * 2 + x;
  const int some = any(x > 4);
  o[get_global_id(0)] = left - s + some;
}
CL
cat >"$work/count.cl" <<'CL'
__kernel void count(__global const int *a, __global int *o, uint n) {
  int s = 1;
  for (uint k = 0; k < n; k += 1)
    s = s + a[k];
  o[get_global_id(0)] = s;
}
CL
# In InfReg-IR as it is written by hand: WG_SIZE 2, WG_PACK 2; three groups, so that the last one is alone.
cat >"$work/mixed.ir" <<'IR'
kernel @mixed(%a: ptr<i32> const, %u: ptr<u32> const, %f: ptr<f32> const, %o: ptr<i32>, %p: ptr<u32>, %q: ptr<f32>, %n: i32) wg_size 2 wg_pack 2 {
  %x : i32[wg 2 x wi 2 x ix 1] = load %a [wg.ix*2 + wi] contiguous
  %y : u32[wg 2 x wi 2 x ix 1] = load %u [wg.ix*2 + wi] contiguous
  %nn : i32[wg 2 x wi 2 x ix 1] = spread %n
  %less : i32[wg 2 x wi 2 x ix 1] = sub %x, %nn
  %three : i32[wg 2 x wi 2 x ix 1] = constant 3
  %third : i32[wg 2 x wi 2 x ix 1] = div %less, %three
  store %o [wg.ix*2 + wi] contiguous, %third
  %is : i1[wg 2 x wi 2 x ix 1] = lt %x, %nn
  %least : i32[wg 2 x wi 2 x ix 1] = min %x, %nn
  %one : i32[wg 2 x wi 2 x ix 1] = constant 1
  %half : i32[wg 2 x wi 2 x ix 1] = shr %least, %one
  store %o [wg.ix*2 + wi] contiguous, %half, %is
  %bits : u32[wg 2 x wi 2 x ix 1] = constant 3
  %high : u32[wg 2 x wi 2 x ix 1] = shr %y, %bits
  %seven : u32[wg 2 x wi 2 x ix 1] = constant 7
  %small : i1[wg 2 x wi 2 x ix 1] = lt %y, %seven
  %more : u32[wg 2 x wi 2 x ix 1] = convert %small
  %sum : u32[wg 2 x wi 2 x ix 1] = add %high, %more
  store %p [wg.ix*2 + wi] contiguous, %sum
  %z : f32[wg 2 x wi 2 x ix 1] = load %f [wg.ix*2 + wi] contiguous
  %real : f32[wg 2 x wi 2 x ix 1] = convert %x
  %rest : f32[wg 2 x wi 2 x ix 1] = fsub %z, %real
  store %q [wg.ix*2 + wi] contiguous, %rest
}
IR
cat >"$work/team.ir" <<'IR'
kernel @team(%a: ptr<i32> const, %o: ptr<i32>) wg_size 2 wg_pack 2 {
  %x : i32[wg 2 x wi 2 x ix 1] = load %a [wg.ix*2 + wi] contiguous
  %left : i32[wg 2 x wi 2 x ix 1] = reorder %x { (wi, ix) <- (-wi + 1, 0) }
  %zero : i32[wg 2 x wi 2 x ix 1] = constant 0
  %two : i32[wg 2 x wi 2 x ix 1] = constant 2
  %all : i1[wg 2 x wi 2 x ix 1] = constant 1
  %s : i32[wg 2 x wi 2 x ix 1] = for %k = 0 to 3 step 1 (%t = %zero) {
    %twice : i32[wg 2 x wi 2 x ix 1] = mul %t, %two
    %next : i32[wg 2 x wi 2 x ix 1] = add %twice, %x
    yield %next
  }
  %four : i32[wg 2 x wi 2 x ix 1] = constant 4
  %is : i1[wg 2 x wi 2 x ix 1] = gt %x, %four
  %vote : i1[wg 2 x ix 1] = any.group %is, %all
  %some : i32[wg 2 x ix 1] = convert %vote
  %less : i32[wg 2 x wi 2 x ix 1] = sub %left, %s
  %spread : i32[wg 2 x wi 2 x ix 1] = spread %some
  %sum : i32[wg 2 x wi 2 x ix 1] = add %less, %spread
  store %o [wg.ix*2 + wi] contiguous, %sum
}
IR
cat >"$work/count.ir" <<'IR'
kernel @count(%a: ptr<i32> const, %o: ptr<i32>, %n: u32) wg_size 2 wg_pack 2 {
  %one : i32 = constant 1
  %rounds : i64 = convert %n
  %s : i32 = for %k = 0 to %rounds step 1 (%t = %one) {
    %load : i32 = load %a [%k] contiguous
    %next : i32 = add %t, %load
    yield %next
  }
  %sum : i32[wg 2 x wi 2 x ix 1] = spread %s
  store %o [wg.ix*2 + wi] contiguous, %sum
}
IR

# changed VERDICT KERNEL WHAT SED: the kernel's InfReg-IR changed by sed is refuted (1) or proved (0).
checked=0
changed() {
  sed -e "$4" "$work/$2.ir" >"$work/changed.ir"
  cmp -s "$work/$2.ir" "$work/changed.ir" && fail "$2: $3: sed has changed nothing"
  status "$1" "$2: $3" "$lockstep" verify "$work/$2.cl" "$work/changed.ir" --wg-size 2 --bound 4
  if [ "$1" -eq 1 ]; then
    says ": counterexample" "$2: $3"
    says "^inputs:" "$2: $3"
    checked=$((checked + 1))
  fi
}

for kernel in mixed team count; do
  status 0 "$kernel by hand" "$lockstep" verify "$work/$kernel.cl" "$work/$kernel.ir" --wg-size 2 --bound 4
  status 0 "$kernel lowered" "$lockstep" verify "$work/$kernel.cl" --wg-size 2 --wg-pack 2 --bound 4
  says ": refines" "$kernel lowered"
done

# Wrong lowerings.
changed 1 mixed "a mask is missing" 's/, %half, %is$/, %half/'
changed 1 mixed "a mask is the opposite" 's/%is : \(.*\) = lt %x, %nn/%is : \1 = ge %x, %nn/'
changed 1 mixed "a comparison includes equality" 's/%is : \(.*\) = lt %x, %nn/%is : \1 = le %x, %nn/'
changed 1 mixed "an address is one too high" 's/store %p \[wg.ix\*2 + wi\] contiguous/store %p [wg.ix*2 + wi + 1] contiguous/'
changed 1 mixed "a load is one too low" 's/load %f \[wg.ix\*2 + wi\] contiguous/load %f [wg.ix*2 + wi - 1] contiguous/'
changed 1 mixed "an address forgets the group" 's/load %f \[wg.ix\*2 + wi\] contiguous/load %f [wi] contiguous/'
changed 1 mixed "operands of sub are exchanged" 's/sub %x, %nn/sub %nn, %x/'
changed 1 mixed "operands of div are exchanged" 's/div %less, %three/div %three, %less/'
changed 1 mixed "operands of fsub are exchanged" 's/fsub %z, %real/fsub %real, %z/'
changed 1 mixed "max for min" 's/= min/= max/; s/, %half, %is$/, %half/'
changed 1 mixed "an unsigned shift is signed" 's/%high : u32\(.*\) = shr %y, %bits/%ys : i32\1 = convert %y\n  %bs : i32\1 = convert %bits\n  %hs : i32\1 = shr %ys, %bs\n  %high : u32\1 = convert %hs/'
changed 1 mixed "an unsigned comparison is signed" 's/%small : i1\(.*\) = lt %y, %seven/%ys : i32\1 = convert %y\n  %ss : i32\1 = convert %seven\n  %small : i1\1 = lt %ys, %ss/'
changed 1 mixed "a left shift for a right one" 's/shr %y, %bits/shl %y, %bits/'
changed 1 mixed "a conversion from the wrong number" 's/%real : f32\(.*\) = convert %x/%real : f32\1 = convert %y/'
changed 1 mixed "a conversion by way of a narrow type" 's/%real : f32\(.*\) = convert %x/%nar : i16\1 = convert %x\n  %real : f32\1 = convert %nar/'
changed 1 mixed "a truth value becomes -1" 's/add %high, %more/sub %high, %more/'
changed 1 mixed "a store is dropped" '/store %p/d'
changed 1 mixed "the second of two stores is dropped" '/%half, %is/d'
changed 1 mixed "two stores change places" '/contiguous, %third$/d; s/^\(  store %o .*\), %half, %is$/&\n\1, %third/'
changed 1 mixed "a wrong constant" 's/constant 7/constant 8/'
changed 1 team "a reorder from the wrong item" 's/(-wi + 1, 0)/(wi, 0)/'
changed 1 team "a reorder from nowhere" 's/(-wi + 1, 0)/(wi + 1, 0)/'
changed 1 team "a round is missing" 's/= 0 to 3 step/= 0 to 2 step/'
changed 1 team "a round too many" 's/= 0 to 3 step/= 0 to 4 step/'
changed 1 team "a wrong number before the first round" 's/(%t = %zero)/(%t = %two)/'
changed 1 team "a loop yields what it had" 's/yield %next/yield %twice/'
changed 1 team "all for any" 's/any.group/all.group/'
changed 1 team "a vote of the pack, where the last group is alone" 's/%vote : i1\[wg 2 x ix 1\] = any.group %is, %all/%whole : i1 = any.pack %is, %all\n  %vote : i1[wg 2 x ix 1] = spread %whole/'
changed 1 team "a vote looks at nobody" 's/any.group %is, %all/any.group %is, %is/; s/= gt %x, %four/= lt %x, %four/'
changed 1 count "a loop begins at 1" 's/= 0 to %rounds/= 1 to %rounds/'
changed 1 count "a loop goes one round too far" 's/to %rounds step/to %rounds + 1 step/'
changed 1 count "a loop takes every second element" 's/step 1/step 2/'
changed 1 count "a loop reads behind the element" 's/load %a \[%k\]/load %a [%k + 1]/'
changed 1 count "a loop without end" 's/%rounds : i64 = convert %n/%rounds : i64 = constant 1000/'
[ "$checked" -ge 20 ] || fail "only $checked wrong lowerings"

# Right ones.
changed 0 mixed "a comparison from the other side" 's/%is : \(.*\) = lt %x, %nn/%is : \1 = gt %nn, %x/'
changed 0 mixed "a mask where it changes nothing" 's/\(  store %o .*\), %third$/%all : i1[wg 2 x wi 2 x ix 1] = ge %x, %x\n\1, %third, %all/'
changed 0 mixed "a sum as a difference" 's/%sum : u32\(.*\) = add %high, %more/%neg : u32\1 = neg %more\n  %sum : u32\1 = sub %high, %neg/'
changed 0 mixed "min as a choice" 's/%least : \(.*\) = min %x, %nn/%least : \1 = select %is, %x, %nn/'
changed 0 team "a product as a shift" 's/mul %t, %two/add %t, %t/'
changed 0 team "a loop with other numbers" 's/= 0 to 3 step 1/= 5 to 11 step 2/'
changed 0 count "a loop from above" 's/= 0 to %rounds step 1/= %rounds to 0 step -1/; s/load %a \[%k\]/load %a [%k - 1]/'

# Two kernels.
sed -e 's/s = s + a\[k\]/s += a[k]/; s/s = 1/s = 2 - 1/' "$work/count.cl" >"$work/same.cl"
status 0 "two kernels" "$lockstep" verify "$work/count.cl" "$work/same.cl" --wg-size 2 --bound 4
sed -e 's/k < n/k + 1 < n/' "$work/count.cl" >"$work/shorter.cl"
status 1 "two kernels that differ" "$lockstep" verify "$work/count.cl" "$work/shorter.cl" --wg-size 2 --bound 4
says "trace of the kernel" "two kernels that differ"
# The direction matters: what is undefined in the first may be anything in the second.
cat >"$work/divides.cl" <<'CL'
__kernel void k(__global const int *a, __global int *o) { o[get_global_id(0)] = 12 / a[get_global_id(0)]; }
CL
cat >"$work/careful.cl" <<'CL'
__kernel void k(__global const int *a, __global int *o) {
  const int d = a[get_global_id(0)];
  o[get_global_id(0)] = d == 0 ? 7 : 12 / (d == 0 ? 1 : d);
}
CL
status 0 "less undefined behaviour" "$lockstep" verify "$work/divides.cl" "$work/careful.cl" --wg-size 2
status 1 "more undefined behaviour" "$lockstep" verify "$work/careful.cl" "$work/divides.cl" --wg-size 2
says "undefined\|division\|divi" "more undefined behaviour"

# Groups of the other side that race: it leaves the same memory in one order of the groups, and would not in another.
cat >"$work/last.cl" <<'CL'
__kernel void k(__global int *y) {
  if (get_group_id(0) == get_num_groups(0) - 1 && get_local_id(0) == 0)
    y[0] = 7;
}
CL
cat >"$work/all.cl" <<'CL'
__kernel void k(__global int *y) {
  if (get_local_id(0) == 0)
    y[0] = get_group_id(0) == get_num_groups(0) - 1 ? 7 : (int)get_group_id(0);
}
CL
status 1 "the second kernel's groups race" "$lockstep" verify "$work/last.cl" "$work/all.cl" --groups 2
says "race: this item writes y\[0\]" "the second kernel's groups race"
status 0 "one group does not race" "$lockstep" verify "$work/last.cl" "$work/all.cl" --groups 1
cat >"$work/own.cl" <<'CL'
__kernel void k(__global int *y) { y[get_global_id(0)] = 1; }
CL
cat >"$work/reads.cl" <<'CL'
__kernel void k(__global int *y) { y[get_global_id(0)] = get_group_id(0) == 0 ? 1 : y[0] - y[0] + 1; }
CL
status 1 "a group reads what another writes" "$lockstep" verify "$work/own.cl" "$work/reads.cl" --groups 2
says "reads y\[0\]" "a group reads what another writes"
for pack in 1 2; do
  layout="$([ $pack -eq 1 ] || echo 'wg 2 x ')wi 2 x ix 1"
  cat >"$work/early.ir" <<IR
kernel @k(%y: ptr<i32>) wg_size 2 wg_pack $pack {
  %seven : i32[$layout] = constant 7
  %first : i1[$layout] = mask { wg.ix == 0 }
  store %y [wi + 2] contiguous, %seven, %first
  %one : i32[$layout] = constant 1
  store %y [wg.ix*2 + wi] contiguous, %one
}
IR
  status 1 "groups of InfReg-IR race, WG_PACK $pack" "$lockstep" verify "$work/own.cl" "$work/early.ir" --wg-size 2 --groups 2
  says "two groups race at y\[2\]" "groups of InfReg-IR race, WG_PACK $pack"
  says "group 0, item 0 writes it: store %y \[wi + 2\]" "groups of InfReg-IR race, WG_PACK $pack"
  says "group 1, item 0 writes it: store %y \[wg.ix\*2 + wi\]" "groups of InfReg-IR race, WG_PACK $pack"
  sed -e 's/wg.ix == 0/wg.ix == 5/' "$work/early.ir" >"$work/never.ir"
  status 0 "a store that nobody executes, WG_PACK $pack" "$lockstep" verify "$work/own.cl" "$work/never.ir" --wg-size 2 --groups 2
done
# What refines B and B what refines A: B races where A does not, so that the chain ends at its first link.
cat >"$work/chain_a.cl" <<'CL'
__kernel void k(__global int *y, int m) {
  if (get_local_id(0) == 0 && get_group_id(0) == 1)
    y[0] = 1;
}
CL
sed -e 's/^}/  if (get_local_id(0) == 0 \&\& get_group_id(0) == 0 \&\& m == 5)\n    y[0] = 9;\n}/' "$work/chain_a.cl" >"$work/chain_b.cl"
sed -e 's/= 1;/= m == 5 ? 77 : 1;/' "$work/chain_a.cl" >"$work/chain_c.cl"
status 1 "the first link of a chain" "$lockstep" verify "$work/chain_a.cl" "$work/chain_b.cl" --groups 2
says "m=5" "the first link of a chain"
status 0 "the second link of a chain" "$lockstep" verify "$work/chain_b.cl" "$work/chain_c.cl" --groups 2
status 1 "the chain as a whole" "$lockstep" verify "$work/chain_a.cl" "$work/chain_c.cl" --groups 2

# What the kernel can only read is not stored to, even if the store changes nothing.
cat >"$work/copy.cl" <<'CL'
__kernel void k(__global const int *t, __global int *y) { y[get_global_id(0)] = t[get_global_id(0)]; }
CL
sed -e 's/__global const/__constant/' "$work/copy.cl" >"$work/constant.cl"
sed -e 's/const //; s/; }/; t[get_global_id(0)] = t[get_global_id(0)]; }/' "$work/copy.cl" >"$work/touches.cl"
cat >"$work/touches.ir" <<'IR'
kernel @k(%t: ptr<i32>, %y: ptr<i32>) wg_size 2 wg_pack 1 {
  %l : i32[wi 2 x ix 1] = load %t [wg.ix*2 + wi] contiguous
  store %t [wg.ix*2 + wi] contiguous, %l
  store %y [wg.ix*2 + wi] contiguous, %l
}
IR
for first in copy constant; do
  for second in touches.cl touches.ir; do
    status 1 "$second stores to what $first reads" "$lockstep" verify "$work/$first.cl" "$work/$second" --wg-size 2
    says "$second stores to t\[0\], which the kernel can only read" "$second stores to what $first reads"
  done
done
status 0 "a parameter that is less const" "$lockstep" verify "$work/touches.cl" "$work/touches.ir" --wg-size 2
status 0 "constant for const" "$lockstep" verify "$work/copy.cl" "$work/constant.cl" --wg-size 2

# A divisor that is 0 or -1 in a case that is not taken is not divided by.
for body in 'int d = 0; if (a[i] > 0) d = 3; if (d) o[i] = 12 / d' 'int b = a[i] > 2 ? 2 : 0; o[i] = 8 % b' \
  'uint b = a[i] > 2 ? 2 : 0; o[i] = (int)(8u / b)' 'int b = a[i] > 2 ? 2 : -1; int n = a[i] > 7 ? 5 : -2147483647 - 1; o[i] = n / b + n % b' \
  'long b = a[i] > 2 ? 2 : -1; long n = a[i] > 7 ? 5 : -9223372036854775807L - 1; o[i] = (int)(n / b) + (int)(n % b)'; do
  echo "__kernel void k(__global const int *a, __global int *o) { int i = get_global_id(0); $body; }" >"$work/cases.cl"
  status 0 "$body" "$lockstep" verify "$work/cases.cl" --wg-size 2
done

# A second side that does not end where the first does is told as such, and its endless run keeps to the time.
echo '__kernel void k(__global int *o, int n) { o[0] = 1; }' >"$work/ends.cl"
echo '__kernel void k(__global int *o, int n) { while (n == 5); o[0] = 1; }' >"$work/turns.cl"
status 3 "an endless second kernel" "$lockstep" verify "$work/ends.cl" "$work/turns.cl" --wg-size 2
says "loops end with those of the first (line 1, group 0); there, .*turns.cl comes to no end where the kernel does" "an endless second kernel"
"$lockstep" lower "$work/turns.cl" --to infreg --wg-size 2 --wg-pack 1 >"$work/turns.ir"
status 3 "endless InfReg-IR" timeout 30 "$lockstep" verify "$work/ends.cl" "$work/turns.ir" --wg-size 2 --timeout 10
says "comes to no end where the kernel does" "endless InfReg-IR"
echo '__kernel void k(__global int *o, int n) { while (1); o[0] = 1; }' >"$work/idle.cl"
status 3 "an endless loop with nothing in it" timeout 30 "$lockstep" verify "$work/idle.cl" --wg-size 2 --timeout 1
says "there was no time left" "an endless loop with nothing in it"

# A buffer with unknown indices has elements that a mask of the index confuses.
for mask in 1 3; do
  echo '__kernel void k(__global int *y, int n) { y[n] = 1; }' >"$work/any.cl"
  echo "__kernel void k(__global int *y, int n) { y[n & $mask] = 1; }" >"$work/masked.cl"
  for size in 1 2 4; do
    status 1 "an index against its last bits" "$lockstep" verify "$work/any.cl" "$work/masked.cl" --wg-size $size
  done
done

# Votes of many items are one term on both sides.
echo '__kernel void k(__global const int *a, __global ulong *o) { int i = get_local_id(0); o[i] = ballot(a[i] > 3); }' >"$work/ballot.cl"
status 0 "a ballot of 64" timeout 60 "$lockstep" verify "$work/ballot.cl" --wg-size 64 --timeout 60
says "128 cells and 0 conditions, of which 128 are so by their form" "a ballot of 64"

# A number that is said beforehand stays what it is in a counterexample.
echo '__kernel void k(__global int *o, int n, float a) { o[0] = n; }' >"$work/fixed.cl"
echo '__kernel void k(__global int *o, int n, float a) { o[0] = 3; }' >"$work/three.cl"
status 1 "a fixed number" "$lockstep" verify "$work/fixed.cl" "$work/three.cl" --arg n=77 --arg a=1.5
says "arg 'n=77'" "a fixed number"
says "arg 'a=1.5'" "a fixed number"

# A bound that nobody asked for and that is met is no proof; one that somebody asked for is what was asked for.
cat >"$work/open.cl" <<'CL'
__kernel void open(__global int *o, uint n) {
  uint i = 0;
  while (i < n) i += 1;
  o[get_global_id(0)] = (int)i;
}
CL
status 3 "a bound by default" "$lockstep" verify "$work/open.cl" --wg-size 2
says "1 group of 2 items, WG_PACK 1: refines up to 8 rounds$" "a bound by default"
if grep -q "proved" "$work/out"; then fail "a bound by default: says 'proved'"; else good; fi
status 0 "a bound that was asked for" "$lockstep" verify "$work/open.cl" --wg-size 2 --bound 8
says "1 group of 2 items, WG_PACK 1: refines up to 8 rounds$" "a bound that was asked for"
if grep -q "proved" "$work/out"; then fail "a bound that was asked for: says 'proved'"; else good; fi
status 3 "a bound as JSON" "$lockstep" verify "$work/open.cl" --wg-size 2 --json
says '"status":"refines-bounded".*"bound_met":true' "a bound as JSON"

# Memory has a limit of its own.
cat >"$work/eats.cl" <<'CL'
__kernel void eats(__global int *o) { while (1) o[0] += 1; }
CL
status 3 "no memory" timeout 60 "$lockstep" verify "$work/eats.cl" --memory 64 --timeout 50
says "there was no memory left" "no memory"

# A loop of which nothing changes in a round ends at the bound, wherever its condition stands, and one that counts to its end does not.
for loop in 'while (n == 12345);' 'while (n == 12345) x++;' 'do { x++; } while (n == 12345);' 'for (;;) { if (n < 3) break; }'; do
  echo "__kernel void k(__global int *o, int n) { int x = 0; o[get_local_id(0)] = 1; $loop }" >"$work/endless.cl"
  status 0 "$loop" "$lockstep" verify "$work/endless.cl" --wg-size 2 --bound 2 --timeout 20
  says "up to 2 rounds" "$loop"
done
cat >"$work/counted.cl" <<'CL'
__kernel void k(__global int *o, int n) {
  int x = 5;
  if (n > 2) {
    for (int j = 0; j < 20; j++) x += j;
    int j = 0;
    while (true) { if (j == 30) break; j++; }
    do { x--; } while (x > 100);
  }
  o[get_local_id(0)] = x;
}
CL
status 0 "loops that count under a mask" "$lockstep" verify "$work/counted.cl" --wg-size 2 --bound 2
says "which no execution needs more of" "loops that count under a mask"

# Floats: what holds of real numbers alone is refuted; what uninterpreted operations do not know is unknown until they are exact.
cat >"$work/sum.cl" <<'CL'
__kernel void k(__global const float *a, __global float *o) {
  const size_t i = get_global_id(0);
  o[i] = (a[3 * i] + a[3 * i + 1]) + a[3 * i + 2];
}
CL
sed -e 's/(a\[3 \* i\] + a\[3 \* i + 1\]) + a\[3 \* i + 2\]/a[3 * i] + (a[3 * i + 1] + a[3 * i + 2])/' "$work/sum.cl" >"$work/other.cl"
status 1 "a sum in another order" "$lockstep" verify "$work/sum.cl" "$work/other.cl" --wg-size 1
sed -e 's/(a\[3 \* i\] + a\[3 \* i + 1\])/(a[3 * i + 1] + a[3 * i])/' "$work/sum.cl" >"$work/commuted.cl"
status 0 "a sum from the other side" "$lockstep" verify "$work/sum.cl" "$work/commuted.cl" --wg-size 1
cat >"$work/double.cl" <<'CL'
__kernel void k(__global const float *a, __global float *o) { o[get_global_id(0)] = a[get_global_id(0)] * 2.0f; }
CL
sed -e 's/a\[get_global_id(0)\] \* 2.0f/a[get_global_id(0)] + a[get_global_id(0)]/' "$work/double.cl" >"$work/twice.cl"
status 0 "2 * x as x + x" "$lockstep" verify "$work/double.cl" "$work/twice.cl" --wg-size 1
says "^floats: *exact" "2 * x as x + x"
# Whether a float fits an integer is so of a double that was this float, without exact floats.
cat >"$work/whole.cl" <<'CL'
__kernel void k(__global const float *a, __global int *o) { o[get_global_id(0)] = (int)a[get_global_id(0)]; }
CL
sed -e 's/(int)a/(int)(double)a/' "$work/whole.cl" >"$work/wider.cl"
for pair in "whole wider" "wider whole"; do
  status 0 "$pair" "$lockstep" verify "$work/${pair% *}.cl" "$work/${pair#* }.cl" --wg-size 2
  says "^floats: *uninterpreted" "$pair"
done

# The questions as SMT-LIB: those of a proof are unsat, and Z3 says so too, where there is one.
status 0 "--smt-lib" "$lockstep" verify "$source/examples/borg/pade.cl" --wg-size 2 --smt-lib "$work/smt"
count=$(ls "$work/smt" | wc -l)
[ "$count" -ge 3 ] || fail "--smt-lib: only $count files"
for file in "$work"/smt/*.smt2; do
  grep -q "(check-sat)" "$file" || fail "--smt-lib: $file asks nothing"
done
if command -v z3 >/dev/null 2>&1; then
  for file in $(ls "$work"/smt/*.smt2 | head -n 5); do
    [ "$(z3 "$file")" = unsat ] || fail "--smt-lib: z3 does not say unsat of $file"
  done
fi

# Other answers, and bad usage.
status 3 "no time" "$lockstep" verify "$work/count.cl" --wg-size 64 --groups 8 --bound 1000 --timeout 1
says ": unknown" "no time"
status 3 "a kernel that is undefined on all inputs" "$lockstep" verify "$source/examples/core/sgemm_tiled.cl" --wg-size 2
says "undefined on all inputs" "a kernel that is undefined on all inputs"
status 2 "recursion" "$lockstep" verify "$source/examples/crev/quicksort.cl" --kernel quicksort_crev --wg-size 2
says "recursive" "recursion"
status 2 "no such parameter" "$lockstep" verify "$work/count.cl" --arg m=3
status 2 "no number" "$lockstep" verify "$work/count.cl" --arg a=many
status 2 "twice" "$lockstep" verify "$work/count.cl" --arg n=1 --arg n=2
status 2 "other parameters" "$lockstep" verify "$work/count.cl" "$work/team.cl" --wg-size 2
status 2 "other sizes" "$lockstep" verify "$work/count.cl" "$work/count.ir" --wg-size 4
status 2 "too many items" "$lockstep" verify "$work/count.cl" --wg-size 4096 --groups 2
status 2 "no kernel" "$lockstep" verify "$work/count.ir"
status 2 "no such file" "$lockstep" verify "$work/count.cl" "$work/nowhere.ir" --wg-size 2
sed -e 's/%t: ptr<i32>/& const/' "$work/touches.ir" >"$work/illformed.ir"
status 2 "ill-formed InfReg-IR" "$lockstep" verify "$work/copy.cl" "$work/illformed.ir" --wg-size 2 --json
says '"status":"error","reason":".*illformed.ir: the verifier refuses this kernel: nothing is stored through %t' "ill-formed InfReg-IR"
echo 'kernel @k(' >"$work/half.ir"
status 2 "half a text of InfReg-IR" "$lockstep" verify "$work/copy.cl" "$work/half.ir" --wg-size 2 --json
says '"status":"error","reason":".*half.ir:1:' "half a text of InfReg-IR"
status 2 "--other-kernel without OTHER" "$lockstep" verify "$work/count.cl" --other-kernel count
status 2 "--other-kernel of InfReg-IR" "$lockstep" verify "$work/touches.cl" "$work/touches.ir" --wg-size 2 --other-kernel k
status 2 "no such other kernel" "$lockstep" verify "$work/count.cl" "$work/same.cl" --other-kernel nope
says "error: --other-kernel nope: " "no such other kernel"
status 2 "--wg-pack with OTHER" "$lockstep" verify "$work/count.cl" "$work/same.cl" --wg-pack 2
status 2 "standard input twice" "$lockstep" verify - -
says "both standard input" "standard input twice"
"$lockstep" lower "$work/count.cl" --to musimd --wg-size 2 >"$work/count.mus"
status 2 "--wg-size of a typed program" "$lockstep" verify "$work/count.mus" "$work/count.cl" --wg-size 4
says "groups of 2 items" "--wg-size of a typed program"
status 0 "a typed program" "$lockstep" verify "$work/count.mus" "$work/count.cl" --bound 2
cat >"$work/two.ir" <<'IR'
kernel @k(%y: ptr<i32>) wg_size 2 wg_pack 2 {
  %two : i32[wg 2 x wi 2 x ix 1] = constant 2
  store %y [wg.ix*2 + wi] contiguous, %two
}
IR
status 1 "no full pack" "$lockstep" verify "$work/own.cl" "$work/two.ir" --wg-size 2 --groups 1
says "bound: .*no pack is full" "no full pack"
says "^  %two : i32\[wg 2 x wi 2 x ix 1\] = constant 2    // 2$" "no full pack"
says "^  store %y \[wg.ix\*2 + wi\] contiguous, %two$" "no full pack"
# --timeout is kept in long steps as well: stores that may go to each of many elements.
cat >"$work/scatter.cl" <<'CL'
__kernel void k(__global const int *x, __global int *y) {
  const int i = get_global_id(0);
  y[x[i]] = i;
  y[x[i] + 1] += x[i];
}
CL
began=$(date +%s)
status 3 "a long step" "$lockstep" verify "$work/scatter.cl" --wg-size 16 --arg y=65536 --arg x=16 --timeout 2
took=$(($(date +%s) - began))
[ "$took" -le 8 ] || fail "--timeout 2 took $took s"
status 0 "--json" "$lockstep" verify "$work/count.cl" --wg-size 2 --arg n=3 --json
says '"status":"refines".*"bound_met":false' "--json"
status 1 "--json of a counterexample" "$lockstep" verify "$work/careful.cl" "$work/divides.cl" --wg-size 2 --json
says '"status":"counterexample".*"arguments":\["a=\[' "--json of a counterexample"

# The examples.
prove() {
  file=$1
  shift
  status 0 "$file $*" "$lockstep" verify "$source/examples/$file.cl" "$@"
}
for file in borg/trsv borg/ldus borg/gemm borg/gema core/saxpy core/collatz core/rotate core/vecadd; do
  prove "$file" --wg-size 2 --wg-pack 1
  prove "$file" --wg-size 3 --wg-pack 2
done
prove borg/frcg --wg-size 2
prove crev/composition --wg-size 3
if [ -n "$LOCKSTEP_FULL" ]; then
  for size in 2 3 4; do
    for pack in 1 2; do
      for file in borg/trsv borg/ldus borg/gemm borg/gema borg/frcg borg/pade core/saxpy core/collatz core/rotate core/vecadd; do
        prove "$file" --wg-size $size --wg-pack $pack
      done
    done
    prove crev/composition --wg-size $size
    prove crev/stringmatch --kernel stringmatch_seq --wg-size $size --bound 2
  done
  prove borg/enumerate --wg-size 2
  prove core/sgemm_naive --wg-size 4 --wg-pack 2 --groups 3 --arg n=3
  prove core/sgemm_tiled --wg-size 4 --wg-pack 2 --groups 4 --arg n=4 -D TILE=2
  prove crev/stringmatch --kernel stringmatch_par --wg-size 2 --bound 2
  prove crev/stringmatch --kernel stringmatch_crev --wg-size 2 --bound 2
  for kernel in par seq crev; do
    prove crev/bookfilter --kernel bookfilter_$kernel --wg-size 2 --bound 2 --arg size=3 --arg length=1
  done
  prove crev/leader --kernel leader_par --wg-size 2 --bound 2 --arg nodes=2
fi
verdicts_told
