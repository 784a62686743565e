// Forms that are read and do not run.

#include "tests/ptx/cases/generate/case_text.hpp"

namespace lockstep::ptx_cases {
namespace {

/// A case of one instruction: `word`, as it is written, with its operands.
CaseText refused(const std::string& form, const std::string& meaning, const std::string& word, const std::string& operands,
                 const std::string& before = "", const std::string& version = "7.8", const std::string& target = "sm_80") {
  return Written("refused/" + form, {form}, meaning)
      .block(32)
      .target(version, target)
      .refused(word)
      .before(before)
      .body("  " + word + operands + ";\n")
      .text();
}

}  // namespace

std::vector<CaseText> refused_cases() {
  const std::string tile = ".shared .align 16 .b8 tile[512];\n.global .align 16 .b8 source[16];\n";
  const std::string halves = " {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f4, %f5, %f6, %f7}";
  return {
      refused("cp.async.commit_group", "cp.async.commit_group: a group of the copies so far.", "cp.async.commit_group", ""),
      refused("cp.async.shared.global", "cp.async: 16 bytes from global to shared memory, without waiting.", "cp.async.ca.shared.global",
              " [tile], [source], 16", tile),
      refused("cp.async.wait_group", "cp.async.wait_group: waits for all groups but the last one.", "cp.async.wait_group", " 1"),
      refused("cvt.rn.f16x2.e4m3x2", "cvt: two floats of 8 bits as halves.", "cvt.rn.f16x2.e4m3x2", " %r1, %h0", "", "8.1", "sm_89"),
      refused("cvt.rn.f16x2.e5m2x2", "cvt: two floats of 8 bits as halves.", "cvt.rn.f16x2.e5m2x2", " %r1, %h0", "", "8.1", "sm_89"),
      refused("cvt.rn.satfinite.e4m3x2.f32", "cvt: two floats as ones of 8 bits.", "cvt.rn.satfinite.e4m3x2.f32", " %h0, %f0, %f1", "",
              "8.1", "sm_89"),
      refused("cvt.rn.satfinite.e5m2x2.f32", "cvt: two floats as ones of 8 bits.", "cvt.rn.satfinite.e5m2x2.f32", " %h0, %f0, %f1", "",
              "8.1", "sm_89"),
      refused("ldmatrix.sync.m8n8.x2.i", "ldmatrix: two matrices, by a generic address.", "ldmatrix.sync.aligned.m8n8.x2.b16",
              " {%r1, %r2}, [%rd2]"),
      refused("ldmatrix.sync.x4.trans.m8n8.shared.i", "ldmatrix: four matrices, transposed.",
              "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", " {%r1, %r2, %r3, %r4}, [tile]", tile),
      refused("mma.sync.m16n8k16.row.col.f32.bf16.bf16.f32", "mma: a product of matrices of .bf16 plus one of .f32.",
              "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", halves),
      refused("mma.sync.m16n8k16.row.col.f32.f16.f16.f32", "mma: a product of matrices of .f16 plus one of .f32.",
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", halves),
      refused("mma.sync.m16n8k32.row.col.i.i.i.i", "mma: a product of matrices of bytes plus one of words.",
              "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32",
              " {%r7, %r8, %r9, %r10}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r11, %r12, %r13, %r14}"),
      refused("vshr.clamp.add.i.i.i", "vshr: a shift to the right by at most 32, and an addition.", "vshr.u32.u32.u32.clamp.add",
              " %r1, %r2, %r3, %r4"),
  };
}

}  // namespace lockstep::ptx_cases
