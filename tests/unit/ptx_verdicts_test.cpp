// What NVIDIA's own assembler takes and refuses, for many single statements: ours has to say the same. The verdicts are those of ptxas 13.0
// with -arch=sm_80, for a file of this head, the statement, `ret;` and `}`.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "semantics/ptx/check.hpp"
#include "semantics/ptx/parse.hpp"

namespace lockstep::ptx {
namespace {

const std::string head = R"(.version 8.5
.target sm_80
.address_size 64
.global .u32 gv[4];
.const .u32 cv;
.func ff() { ret; }
.visible .entry k(.param .u64 p0, .param .u32 p1)
{
.reg .pred %p<5>; .reg .b16 %h<5>; .reg .u16 %us<5>; .reg .b32 %r<9>; .reg .u32 %u<9>; .reg .s32 %s<9>; .reg .f32 %f<9>; .reg .b64 %d<9>;
.reg .f64 %e<9>; .reg .b8 %c<4>; .reg .f16 %hf<4>; .reg .v4 .f32 %v; .reg .f16x2 %hh<4>;
.shared .align 8 .b8 sh[64];
.local .u32 lo;
)";

/// The first error, or nothing.
std::string error_of(const std::string& statement) {
  const SourceFile source("t.ptx", head + statement + "\nret;\n}\n");
  const auto module = parse(source);
  if (!module) {
    return module.error().front().message;
  }
  const Diagnostics found = check(*module);
  const auto wrong = std::ranges::find(found, Severity::Error, &Diagnostic::severity);
  return wrong == found.end() ? "" : wrong->message;
}

// NOLINTNEXTLINE(cert-err58-cpp): strings of a test
const std::vector<std::string> accepted = {
    R"(set.hi.f16.u32 %h1, %r1, %r2;)",
    R"(set.lo.f16.u64 %h1, %d1, %d2;)",
    R"(max.NaN.f32 %f1, %f2, %f3;)",
    R"(red.release.gpu.global.add.u32 [%d1], %r1;)",
    R"(ld.acquire.gpu.u32 %r1, [%d1];)",
    R"(ld.global.s32 %d1, [%d2];)",
    R"(cvt.u64.u32 %d1, %tid.x;)",
    R"(mov.u16 %h1, %tid.x;)",
    R"(cvt.u32.u16 %r1, %tid.x;)",
    R"(add.s32 %r1, %r2, 5000000000;)",
    R"(add.u16 %h1, %h2, 70000;)",
    R"(add.u16 %h1, %h2, -40000;)",
    R"(mov.b16 %h1, 70000;)",
    R"(mov.b32 %r1, 0f3F800000;)",
    R"(mov.f32 %f1, 1.0;)",
    R"(mov.f32 %f1, 0d3FF0000000000000;)",
    R"(mov.f64 %e1, 0f3F800000;)",
    R"(add.f64 %e1, %e2, 0f3F800000;)",
    R"(mov.u64 %d1, gv+4;)",
    R"(mov.u64 %d1, gv[1];)",
    R"(mov.u32 %r1, sh;)",
    R"(ld.u32 %r1, [gv];)",
    R"(ld.u32 %r1, [sh];)",
    R"(ld.b32 %f1, [%d1];)",
    R"(ld.f32 %r1, [%d1];)",
    R"(ld.u8 %r1, [%d1];)",
    R"(ld.u8 %c1, [%d1];)",
    R"(ld.b16 %f1, [%d1];)",
    R"(add.f32 %r1, %r2, %f1;)",
    R"(add.s32 %u1, %s2, %r1;)",
    R"(add.f16 %h1, %h2, %h3;)",
    R"(add.f16x2 %r1, %r2, %hh3;)",
    R"(and.b32 %f1, %f2, %r1;)",
    R"(selp.f32 %r1, %f1, %f2, %p1;)",
    R"(selp.b32 %f1, %f1, %f2, !%p1;)",
    R"(and.pred %p1, %p2, !%p3;)",
    R"(setp.eq.and.s32 %p1, %r1, %r2, !%p3;)",
    R"(setp.eq.s32 _|%p1, %r1, %r2;)",
    R"(setp.eq.s32 %p1|_, %r1, %r2;)",
    R"(mov.pred %p1, 1;)",
    R"(mov.pred %p1, !%p2;)",
    R"(mov.v4.f32 %v, {%f1,%f2,%f3,%f4};)",
    R"(ld.global.v4.f32 %v, [%d1];)",
    R"(mov.f32 %f1, %v.x;)",
    R"(mov.f32 %f1, %v.r;)",
    R"(mov.b64 {%r1,%r2}, %d1;)",
    R"(mov.b64 {%r1,_}, %d1;)",
    R"(mov.b64 %d1, {%r1,5};)",
    R"(mov.b32 %r1, {%h1,%h2};)",
    R"(mov.b64 %d1, {%h1,%h2,%h3,%h4};)",
    R"(mov.u64 %d1, ff;)",
    R"(mov.b64 %d1, p0;)",
    R"(ld.global.volatile.u32 %r1, [%d1];)",
    R"(ld.global.cg.u32 %r1, [%d1];)",
    R"(ld.weak.global.cs.u32 %r1, [%d1];)",
    R"(st.global.wt.u32 [%d1], %r1;)",
    R"(ld.volatile.global.u32 %r1, [%d1];)",
    R"(sqrt.ftz.rn.f32 %f1, %f2;)",
    R"(add.f32.rn %f1, %f2, %f3;)",
    R"(add.ftz.rn.f32 %f1, %f2, %f3;)",
    R"(add .f32 %f1, %f2, %f3;)",
    R"(cvt.u8.u32 %r1, %r2;)",
    R"(cvt.rn.f16.f32 %r1, %d2;)",
    R"(cvt.f64.f32 %d1, %d2;)",
    R"(cvt.rn.f16x2.f32 %d1, %d2, %f1;)",
    R"(cvt.pack.sat.u8.s32.b32 %d1, %d2, %r2, %d3;)",
    R"(vmad.u32.u32.u32 %r1, -%r2.h1, %r3, 4;)",
    R"(vmad.s32.s32.s32 %r1, %r2, %r3.b1, -%r4;)",
    R"(cvt.u8.u32 %h1, %r2;)",
    R"(cvt.u32.u8 %r1, %r2;)",
    R"(cvt.u32.u32 %d1, %r2;)",
    R"(cvt.rn.f32.u8 %f1, %r1;)",
    R"(cvt.rzi.u8.f32 %r1, %f1;)",
    R"(mul.wide.u16 %r1, %h1, %h2;)",
    R"(mul.wide.u32 %d1, %r1, 3;)",
    R"(ld.global.u32 %r1, [%d1+-4];)",
    R"(ld.shared.u32 %r1, [%r1];)",
    R"(ld.shared.u32 %r1, [%d1];)",
    R"(ld.shared.u32 %r1, [sh+4];)",
    R"(ld.param.u32 %r1, [p1];)",
    R"(ld.param.u64 %d1, [p1];)",
    R"(ld.param.u32 %r1, [p1+4];)",
    R"(bar.sync %r1;)",
    R"(bar.sync 0, 64;)",
    R"(shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;)",
    R"(shfl.sync.idx.b32 %f1, %f2, 0, 31, 0xffffffff;)",
    R"(vote.sync.ballot.b32 %r1, %p1, 0xffffffff;)",
    R"(vote.sync.ballot.b32 %r1, 1, 0xffffffff;)",
    R"(prmt.b32 %r1, %r2, %r3, 0x3210;)",
    R"(prmt.b32.f4e %r1, %r2, %r3, 1;)",
    R"(prmt.f4e.b32 %r1, %r2, %r3, 1;)",
    R"(dp4a.u32.u32 %r1, %r2, %r3, %r4;)",
    R"(atom.add.f64 %e1, [%d2], %e3;)",
    R"(atom.global.add.u32 _, [%d2], %r3;)",
    R"(atom.global.cas.b16 %h1, [%d2], %h3, %h2;)",
    R"(red.global.add.f32 [%d2], %f3;)",
    R"(call ff;)",
    R"({ L1: bra L1; } { L1: bra L1; })",
    R"({ bra L3; } L3: ret;)",
    R"({ .reg .u64 %r1; mov.u64 %r1, 0; })",
    R"(popc.b64 %r1, %d1;)",
    R"(isspacep.global %p1, %d1;)",
    R"(mov.u32 %r1, WARP_SZ;)",
    R"(mov.u32 %r1, (1+2)*3;)",
    R"(mov.u32 %r1, 1+2*3;)",
    R"(ld.v4.u32 {%r1,%r2,_,%r4}, [%d1];)",
    R"(st.v2.u32 [%d1], {%r1,5};)",
    R"(ld.b16 %hf1, [%d1];)",
    R"(slct.f32.s32 %f1, %f2, %f3, %r1;)",
    R"(exit; ret.uni; trap; brkpt;)",
    R"(rsqrt.approx.ftz.f64 %e1, %e2;)",
    R"(cvt.f16.f16 %h1, %h2;)",
    R"(cvt.sat.f32.f32 %f1, %f2;)",
    R"(activemask.b32 %r1;)",
    R"(mov.u32 %r1, lo;)",
    R"(cvta.local.u64 %d1, lo;)",
    R"(cvta.shared.u64 %d1, sh+4;)",
    R"(ld.const.u32 %r1, [cv];)",
    R"(ld.global.nc.v2.f32 {%f1,%f2}, [%d1];)",
    R"(setp.lt.u32 %p1, %r1, %r2;)",
    R"(setp.lo.u32 %p1, %r1, %r2;)",
    R"(set.eq.u32.f32 %r1, %f1, %f2;)",
    R"(set.eq.f32.s32 %f1, %r1, %r2;)",
    R"(mov.u64 %d1, k;)",
    R"(mov.u32 %r1, -2147483649;)",
    R"(mov.s32 %r1, 4294967295;)",
    R"(add.u64 %d1, %d2, 0xffffffffffffffff;)",
    R"(mov.f32 %f1, -1.5;)",
    R"(neg.f32 %f1, 1.0;)",
    R"(.reg .v2 .f32 %vv<3>;)",
    R"(mov.v4.u32 {%r1,%r2,%r3,%r4}, %tid;)",
    R"(mov.b64 %d1, {%tid.x, %tid.y};)",
    R"(barrier.sync.aligned 0;)",
    R"(set.eq.f16.f32 %h1, %f1, %f2;)",
    R"(cvt.sat.u8.s32 %r1, %r2;)",
    R"(cvt.rm.f16.f32 %h1, %f1;)",
    R"(cvt.rz.relu.f16.f32 %h1, %f1;)",
    R"(cvt.rn.satfinite.f16.f32 %h1, %f1;)",
    R"(cvt.rn.ftz.f16.f32 %h1, %f1;)",
    R"(cvt.rn.sat.f16.f32 %h1, %f1;)",
    R"(cvt.sat.s32.u32 %r1, %r2;)",
    R"(ld.mmio.relaxed.sys.global.u32 %r1, [%d1];)",
    R"(ld.global.L1::no_allocate.L2::128B.u32 %r1, [%d1];)",
    R"(pmevent 15;)",
    R"(prefetch.global.L1 [%d1];)",
    R"({ .param .b64 q; st.param.b64 [q], %d1; })",
};

// NOLINTNEXTLINE(cert-err58-cpp): strings of a test
const std::vector<std::string> refused = {
    R"(set.nan.f16.s32 %h1, %r1, %r2;)",
    R"(cvt.rn.f16.f32 %s1, %f2;)",
    R"(cvt.rn.f32.f64 %e1, %e2;)",
    R"(cvt.f32.f16 %f1, %u2;)",
    R"(cvt.rna.tf32.f32 %d1, %f2;)",
    R"(vadd.s32.s32.s32 %r1, -%r2, %r3;)",
    R"(add.s32 %r1, -%r2, %r3;)",
    R"(ld.global.u32 %r1, [-%d1];)",
    R"(max.abs.f32 %f1, %f2, %f3;)",
    R"(min.NaN.f64 %e1, %e2, %e3;)",
    R"(red.acquire.gpu.global.add.u32 [%d1], %r1;)",
    R"(red.acq_rel.gpu.global.add.u32 [%d1], %r1;)",
    R"(ld.relaxed.u32 %r1, [%d1];)",
    R"(st.release.u32 [%d1], %r1;)",
    R"(min.ftz.bf16 %h1, %h2, %h3;)",
    R"(fma.rn.sat.bf16x2 %r1, %r2, %r3, %r4;)",
    R"(.u32 %r1, %tid.x, 1;)",
    R"(setp.eq.u32 %p1, %tid.x, 0;)",
    R"(mov.u64 %d1, %tid.x;)",
    R"(st.global.u32 [%d1], %tid.x;)",
    R"(mov.u32 %r1, 0f3F800000;)",
    R"(mov.b32 %r1, 1.0;)",
    R"(mov.b64 %d1, 0f3F800000;)",
    R"(mov.f32 %f1, 1;)",
    R"(add.f32 %f1, %f2, 1;)",
    R"(st.global.u64 [%d1], gv;)",
    R"(add.s64 %d1, gv, 4;)",
    R"(ld.global.u32 %r1, [sh];)",
    R"(ld.shared.u32 %r1, [gv];)",
    R"(ld.u32 %f1, [%d1];)",
    R"(ld.f32 %u1, [%d1];)",
    R"(ld.f32 %e1, [%d1];)",
    R"(mov.u32 %f1, %r1;)",
    R"(mov.f32 %u1, %f1;)",
    R"(add.f32 %u1, %f2, %f1;)",
    R"(add.u32 %f1, %r2, %r1;)",
    R"(add.f16 %us1, %us2, %us3;)",
    R"(add.f16x2 %u1, %u2, %u3;)",
    R"(add.f16 %h1, %h2, 1.0;)",
    R"(shl.b32 %r1, %r2, %h1;)",
    R"(shl.b64 %d1, %d2, %d3;)",
    R"(mov.u64 {%r1,%r2}, %d1;)",
    R"(cvt.f32.f64 %f1, %e1;)",
    R"(cvt.rn.f64.f32 %e1, %f1;)",
    R"(cvt.s32.f32 %r1, %f1;)",
    R"(cvt.f32.s32 %f1, %r1;)",
    R"(cvt.s64.s32 %r1, %r2;)",
    R"(cvt.u16.u32 %f1, %r2;)",
    R"(mul.s32 %r1, %r2, %r3;)",
    R"(ld.shared.u32 %r1, [sh+%r1];)",
    R"(bar.sync 16;)",
    R"(bar.sync 0, 33;)",
    R"(bfe.u32 %r1, %r2, 300, 4;)",
    R"(atom.global.add.s64 %d1, [%d2], %d3;)",
    R"(atom.exch.f32 %f1, [%d2], %f3;)",
    R"(atom.exch.u32 %r1, [%d2], %r3;)",
    R"(atom.and.u32 %r1, [%d2], %r3;)",
    R"(red.global.exch.b32 [%d2], %r3;)",
    R"(bra UNDEF;)",
    R"(call (%r1), ff;)",
    R"(call ff, (%r1);)",
    R"(bra L2; { L2: ret; })",
    R"(.reg .u32 %r1;)",
    R"(add.u8 %c1, %c1, %c2;)",
    R"(popc.b64 %d1, %d1;)",
    R"(ld.v2.u32 {%r1,%r2,%r3}, [%d1];)",
    R"(ld.u16 %hf1, [%d1];)",
    R"(ld.f16 %hf1, [%d1];)",
    R"(min.s32 %r1, _, %r2;)",
    R"(add.u32 _, %r1, %r2;)",
    R"(mul.lo.u32 %r1, %r2;)",
    R"(mul.lo.u32 %r1, %r2, %r3, %r4;)",
    R"(cvt.rni.s32.s32 %r1, %r2;)",
    R"(testp.nan.f32 %p1, %f1;)",
    R"(@%r1 bra.uni L9; L9:)",
    R"(@1 ret;)",
    R"(cvta.to.global.u64 %d1, gv;)",
    R"(st.const.u32 [cv], %r1;)",
    R"(ld.global.f32 %f1, [%d1], %d2;)",
    R"(setp.lo.s32 %p1, %r1, %r2;)",
    R"(setp.lt.b32 %p1, %r1, %r2;)",
    R"(setp.equ.s32 %p1, %r1, %r2;)",
    R"(set.lt.b32.f32 %r1, %f1, %f2;)",
    R"(.shared .u32 zz = 5;)",
    R"(.local .u32 zz = 5;)",
    R"(mov.b32 %r1, %tid;)",
    R"(cvt.ftz.ftz.f64.f32 %e1, %f1;)",
    R"(cvt.ftz.f64.s32 %e1, %r1;)",
    R"(cvt.sat.u32.u8 %r1, %r2;)",
    R"(cvt.rm.relu.f16.f32 %h1, %f1;)",
    R"(cvt.rp.relu.f16.f32 %h1, %f1;)",
    R"(cvt.rm.satfinite.f16.f32 %h1, %f1;)",
    R"(cvt.rn.relu.sat.f16.f32 %h1, %f1;)",
    R"(cvt.rn.relu.ftz.f16.f32 %h1, %f1;)",
    R"(cvt.rn.satfinite.sat.f16.f32 %h1, %f1;)",
    R"(cvt.rn.satfinite.ftz.f16.f32 %h1, %f1;)",
    R"(vshr.u32.u32.u32.clamp.add %r1, %r2, %r3, %q4;)",
    R"(cvt.rn.f32.u32 %f1, %tid.x;)",
    R"(ld.shared.L2::cache_hint.u32 %r1, [%r1], %d1;)",
    R"(ld.local.L1::evict_last.u32 %r1, [%d1];)",
    R"(ld.global.cg.L1::evict_last.u32 %r1, [%d1];)",
    R"(ld.cta.u32 %r1, [%d1];)",
    R"(ld.volatile.cg.u32 %r1, [%d1];)",
    R"(ld.volatile.local.u32 %r1, [%d1];)",
    R"(ld.u64 %d1, [p0];)",
    R"(st.param.u32 [p1], %r1;)",
    R"(bar.sync.aligned 0;)",
    R"(mov.v8.b16 {%h1,%h2,%h3,%h4,%h1,%h2,%h3,%h4}, {%h1,%h2,%h3,%h4,%h1,%h2,%h3,%h4};)",
    R"(mov.v4.b64 {%d1,%d2,%d3,%d4}, {%d5,%d6,%d7,%d8};)",
    R"(mov.f16 %h1, %h2;)",
    R"(mov.b64 {%r1,%r2}, {%r3,%r4};)",
    R"(shfl.sync.idx.u32 %r1, %r2, 0, 31, -1;)",
    R"(mad.f32 %f1, %f2, %f3, %f4;)",
    R"(setp.eq.f16 %p1|%p2, %h1, %h2;)",
    R"(add.u16x2 %u1, %u2, %u3;)",
    R"(cvta.shared.u64 %d1, gv;)",
    R"(pmevent 16;)",
    R"(prefetch [%d1];)",
    R"(atom.global.cas.b32.L2::cache_hint %r1, [%d2], %r3, %r4, %d5;)",
};

}  // namespace

TEST_CASE("what ptxas takes is taken") {
  for (const std::string& statement : accepted) {
    INFO(statement);
    CHECK(error_of(statement).empty());
  }
}

TEST_CASE("what ptxas refuses is refused") {
  for (const std::string& statement : refused) {
    INFO(statement);
    CHECK_FALSE(error_of(statement).empty());
  }
}

// What differs, each for a reason.
TEST_CASE("differences from ptxas") {
  // Its version and target are not looked at: what needs newer ones is taken.
  CHECK(error_of("ld.v4.u64 {%d1,%d2,%d3,%d4}, [%d5];").empty());
  CHECK(error_of("max.f32 %f1, %f2, %f3, %f4;").empty());
  // It warns of addresses of 32 bits; here they are addresses as others are.
  CHECK(error_of("mov.u32 %r1, gv;").empty());
  CHECK(error_of("ld.global.u32 %r1, [%r1];").empty());
  CHECK(error_of("ld.global.u32 %r1, [16];").empty());
  // The text of the instruction set has an element of an array as an address, and signs in front of any constant.
  CHECK(error_of("ld.global.u32 %r1, [gv[1]];").empty());
  CHECK(error_of("ld.global.u32 %r1, [%d1-4];").empty());
  CHECK(error_of("fma.rn.f32 %f1, %f2, -0f3F800000, %f3;").empty());
  // It drops the upper bits of numbers.
  CHECK(error_of("lop3.b32 %r1, %r2, %r3, %r4, 256;") == "the table of lop3 is from 0 to 255");
  CHECK(error_of("mov.u64 %d1, 18446744073709551616;") == "'18446744073709551616' does not fit 64 bits");
}

}  // namespace lockstep::ptx
