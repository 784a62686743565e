# `lockstep verify` of shapes that no kernel is translated to: typed .mus as it is written by hand, pointers in InfReg-IR, and bools.
# usage: sh verify_shapes.sh LOCKSTEP SOURCE_DIR
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/verdict.sh"

# What would be proved falsely if it were executed without forking all the same: each pair differs, as the interpreter shows, and none is
# said to refine. What the argument at the head of semantics/prove/typed_run.hpp does not cover is unknown.
# apart NAME STATUS SAYS RUN-ARGUMENTS: $work/NAME.mus against the same with its last 1 made a 2.
apart() {
  name=$1
  wanted=$2
  says=$3
  shift 3
  sed 's/^\(.*[^0-9]\)= 1$/\1= 2/' "$work/$name.mus" >"$work/$name.changed.mus"
  "$lockstep" run "$work/$name.mus" --json "$@" >"$work/one" 2>&1
  "$lockstep" run "$work/$name.changed.mus" --json "$@" >"$work/other" 2>&1
  if cmp -s "$work/one" "$work/other"; then fail "$name: the two do not differ"; else good; fi
  status "$wanted" "$name" "$lockstep" verify "$work/$name.mus" "$work/$name.changed.mus"
  says "$says" "$name"
}
cat >"$work/two_syncs.mus" <<'MUS'
.typed
.wg_size 1
.kernel k(global int* o, int n)
        bz n, L
        sync
        st o[0] = 1
        stop
L:      sync
        st o[0] = 3
        stop
MUS
apart two_syncs 3 "the two ways of a branch end at different syncs" --arg o=1:zeros --arg n=1
cat >"$work/uniform.mus" <<'MUS'
.typed
.wg_size 2
.kernel k(global int* o, int n)
        everywhere
        bz n, L
        st o[0] = 3
        jmp E
L:      st o[0] = 1
E:      end_everywhere
        stop
MUS
apart uniform 3 "premise 3 of rule EE" --arg o=1:zeros --arg n=0
cat >"$work/apart.mus" <<'MUS'
.typed
.wg_size 2
.kernel k(global int* o, int n)
        everywhere
        jmp_mask n, L
        jmp N
L:      jmp E
N:      st o[0] = 1
E:      end_everywhere
        stop
MUS
apart apart 3 "does not come to where those wait" --arg o=1:zeros --arg n=5
cat >"$work/one_name.mus" <<'MUS'
.typed
.wg_size 1
.kernel k(global int* o, int a of x, int b of x)
        st o[0] = a + (b - b)
        st o[0] = a
        stop
MUS
sed 's/o\[0\] = a$/o[0] = b/' "$work/one_name.mus" >"$work/other_name.mus"
status 1 "two parameters of one name" "$lockstep" verify "$work/one_name.mus" "$work/other_name.mus"
cat >"$work/stops.mus" <<'MUS'
.typed
.wg_size 1
.kernel k(global int* o)
        call f()
        st o[0] = 1
        stop
.function void f()
        stop
MUS
status 2 "a stop in a function" "$lockstep" verify "$work/stops.mus" "$work/stops.mus"
says "ill-formed, and of such nothing is proved" "a stop in a function"
printf '.typed\n.wg_size 1\n.kernel k(global int* o)\n  st o[0] = 1\n' >"$work/runs_off.mus"
status 2 "control that runs off the end" "$lockstep" verify "$work/runs_off.mus" "$work/runs_off.mus"
says "ill-formed, and of such nothing is proved" "control that runs off the end"
status 2 "an ill-formed second side" "$lockstep" verify "$work/two_syncs.mus" "$work/stops.mus"
cat >"$work/third.cl" <<'CL'
__kernel void third(__global int *p, __global int *o) { o[0] = p[2]; }
CL
cat >"$work/third.ir" <<'IR'
kernel @third(%p: ptr<i32>, %o: ptr<i32>) wg_size 1 wg_pack 1 {
  %q : ptr = address %p
  %two : i64 = constant 2
  %r : ptr = offset i32 %q, %two
  %v : i32 = load %r [0] contiguous
  store %o [0] contiguous, %v
}
IR
status 0 "a pointer in its own units" "$lockstep" verify "$work/third.cl" "$work/third.ir" --wg-size 1
sed 's/offset i32/offset i8/' "$work/third.ir" >"$work/bytes.ir"
status 2 "a pointer in other units" "$lockstep" verify "$work/third.cl" "$work/bytes.ir" --wg-size 1
says "the offset is in units of i8, but %q may point to i32" "a pointer in other units"
sed 's/%p: ptr<i32>/%p: ptr<i32> const/; s/store %o/store %r/' "$work/third.ir" >"$work/through.ir"
status 2 "a store through the address of a const parameter" "$lockstep" verify "$work/third.cl" "$work/through.ir" --wg-size 1
says "it may point to what is const" "a store through the address of a const parameter"
printf '.typed\n.wg_size 1\n.kernel k(global int* o, bool b)\n.var bool v\n  v = min(b, true)\n  st o[0] = int(v)\n  stop\n' >"$work/least.mus"
sed 's/min(b, true)/b/' "$work/least.mus" >"$work/itself.mus"
status 0 "min of bools" "$lockstep" verify "$work/least.mus" "$work/itself.mus"
sed 's/min(b, true)/max(b, true)/' "$work/least.mus" >"$work/most.mus"
status 1 "max of bools" "$lockstep" verify "$work/most.mus" "$work/itself.mus"
verdicts_told
