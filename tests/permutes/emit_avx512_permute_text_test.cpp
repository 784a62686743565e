// Which form is chosen for what, and its C++: the expected intrinsics are those of the Intel Intrinsics Guide, worked out by hand.

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/permutes/patterns.hpp"

using namespace lockstep;
using namespace lockstep::emit_avx512;
using namespace lockstep::test;

namespace {

std::string letter(unsigned reg) { return {static_cast<char>('a' + reg)}; }

/// [7 6 5 4 3 2 1 0]
std::string listed(const IndexVector& index) {
  std::string result = "[";
  for (const std::uint32_t lane : index.lanes) {
    result += (result.size() == 1 ? "" : " ") + std::to_string(lane);
  }
  return result + "]";
}

std::string text_of(const Sequence& sequence) { return text(sequence, letter, listed); }

struct Case {
  RegisterKind kind;
  const char* wanted;
  Form form;
  double cycles;
  const char* text;
};

constexpr RegisterKind f64 = RegisterKind::F64x8;
constexpr RegisterKind i64 = RegisterKind::I64x8;
constexpr RegisterKind f32 = RegisterKind::F32x16;
constexpr RegisterKind i32 = RegisterKind::I32x16;
constexpr RegisterKind f32y = RegisterKind::F32x8;
constexpr RegisterKind i32y = RegisterKind::I32x8;

const Case cases[] = {
    {f64, ". . . . . . . .", Form::Anything, 0, "_mm512_setzero_pd()"},
    {i32, ". . . . . . . . . . . . . . . .", Form::Anything, 0, "_mm512_setzero_si512()"},
    {f32y, ". . . . . . . .", Form::Anything, 0, "_mm256_setzero_ps()"},
    {i32y, ". . . . . . . .", Form::Anything, 0, "_mm256_setzero_si256()"},

    {f64, "c0 c1 c2 c3 c4 c5 c6 c7", Form::Reuse, 0, "c"},
    {i32y, ". a1 . . . . a6 .", Form::Reuse, 0, "a"},

    {f64, "a0 a0 a0 a0 a0 a0 a0 a0", Form::ScalarBroadcast, 1, "_mm512_broadcastsd_pd(_mm512_castpd512_pd128(a))"},
    {i64, "b0 b0 . b0 b0 b0 b0 .", Form::ScalarBroadcast, 1, "_mm512_broadcastq_epi64(_mm512_castsi512_si128(b))"},
    {f32, "a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0", Form::ScalarBroadcast, 1, "_mm512_broadcastss_ps(_mm512_castps512_ps128(a))"},
    {i32, "a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0", Form::ScalarBroadcast, 1,
     "_mm512_broadcastd_epi32(_mm512_castsi512_si128(a))"},
    {f32y, "a0 a0 a0 a0 a0 a0 a0 a0", Form::ScalarBroadcast, 1, "_mm256_broadcastss_ps(_mm256_castps256_ps128(a))"},
    {i32y, "a0 a0 a0 a0 a0 a0 a0 a0", Form::ScalarBroadcast, 1, "_mm256_broadcastd_epi32(_mm256_castsi256_si128(a))"},
    {f64, "a5 a5 a5 a5 a5 a5 a5 a5", Form::ScalarBroadcast, 1.5, "_mm512_permutexvar_pd([5 5 5 5 5 5 5 5], a)"},
    {i32y, "a5 a5 a5 a5 a5 a5 a5 .", Form::ScalarBroadcast, 1.5, "_mm256_permutexvar_epi32([5 5 5 5 5 5 5 7], a)"},

    {f64, "a2 a3 a2 a3 a2 a3 a2 a3", Form::VectorBroadcast, 1, "_mm512_shuffle_f64x2(a, a, 0x55)"},
    {f64, "a4 a5 a6 a7 a4 a5 a6 a7", Form::VectorBroadcast, 1, "_mm512_shuffle_f64x2(a, a, 0xee)"},
    {i64, "a0 a1 a2 a3 a0 a1 a2 a3", Form::VectorBroadcast, 1, "_mm512_shuffle_i64x2(a, a, 0x44)"},
    {f32, "a0 a1 a0 a1 a0 a1 a0 a1 a0 a1 a0 a1 a0 a1 a0 a1", Form::VectorBroadcast, 1,
     "_mm512_castpd_ps(_mm512_broadcastsd_pd(_mm512_castpd512_pd128(_mm512_castps_pd(a))))"},
    {i32, "a0 a1 a0 a1 a0 a1 a0 a1 a0 a1 a0 a1 a0 a1 a0 a1", Form::VectorBroadcast, 1,
     "_mm512_broadcastq_epi64(_mm512_castsi512_si128(a))"},
    {f32, "a2 a3 a2 a3 a2 a3 a2 a3 a2 a3 a2 a3 a2 a3 a2 a3", Form::VectorBroadcast, 1.5,
     "_mm512_permutexvar_ps([2 3 2 3 2 3 2 3 2 3 2 3 2 3 2 3], a)"},
    {i32, "a12 a13 a14 a15 a12 a13 a14 a15 a12 a13 a14 a15 a12 a13 a14 a15", Form::VectorBroadcast, 1, "_mm512_shuffle_i32x4(a, a, 0xff)"},
    {f32y, "a4 a5 a6 a7 a4 a5 a6 a7", Form::VectorBroadcast, 1, "_mm256_castpd_ps(_mm256_permutex_pd(_mm256_castps_pd(a), 0xee))"},
    {i32y, "a2 a3 a2 a3 a2 a3 a2 a3", Form::VectorBroadcast, 1, "_mm256_permutex_epi64(a, 0x55)"},

    {f64, "a0 a0 a2 a2 a4 a4 a6 a6", Form::SegmentedBroadcast, 1, "_mm512_permute_pd(a, 0x00)"},
    {f64, "a1 a1 a2 a2 a5 a5 a6 a6", Form::SegmentedBroadcast, 1, "_mm512_permute_pd(a, 0x33)"},
    {f64, "a3 a3 a3 a3 a7 a7 a7 a7", Form::SegmentedBroadcast, 1, "_mm512_permutex_pd(a, 0xff)"},
    {i64, "a1 a1 a1 a1 a5 a5 a5 a5", Form::SegmentedBroadcast, 1, "_mm512_permutex_epi64(a, 0x55)"},
    {f32, "a2 a2 a2 a2 a6 a6 a6 a6 a10 a10 a10 a10 a14 a14 a14 a14", Form::SegmentedBroadcast, 1, "_mm512_permute_ps(a, 0xaa)"},
    {i32, "a2 a2 a2 a2 a6 a6 a6 a6 a10 a10 a10 a10 a14 a14 a14 a14", Form::SegmentedBroadcast, 1,
     "_mm512_shuffle_epi32(a, static_cast<_MM_PERM_ENUM>(0xaa))"},
    {i32y, "a1 a1 a1 a1 a5 a5 a5 a5", Form::SegmentedBroadcast, 1, "_mm256_shuffle_epi32(a, 0x55)"},
    {f64, "a0 a0 a1 a1 a2 a2 a3 a3", Form::SegmentedBroadcast, 1.5, "_mm512_permutexvar_pd([0 0 1 1 2 2 3 3], a)"},
    {i64, "a7 a7 a7 a7 a0 a0 a0 a0", Form::SegmentedBroadcast, 1.5, "_mm512_permutexvar_epi64([7 7 7 7 0 0 0 0], a)"},

    {f64, "a1 a0 a2 a3 a5 a4 a6 a7", Form::WithinParts, 1, "_mm512_permute_pd(a, 0x99)"},
    {i64, "a1 a0 a2 a3 a5 a4 a6 a7", Form::WithinParts, 1, "_mm512_castpd_si512(_mm512_permute_pd(_mm512_castsi512_pd(a), 0x99))"},
    {f64, "a3 a2 a1 a0 a7 a6 a5 a4", Form::WithinParts, 1, "_mm512_permutex_pd(a, 0x1b)"},
    {f64, "a3 a2 . . a7 . . a4", Form::WithinParts, 1, "_mm512_permutex_pd(a, 0x0b)"},
    {f32, "a3 a2 a1 a0 a7 a6 a5 a4 a11 a10 a9 a8 a15 a14 a13 a12", Form::WithinParts, 1, "_mm512_permute_ps(a, 0x1b)"},
    {f32, "a2 a3 a0 a1 a4 a5 a6 a7 a10 a11 a8 a9 a12 a13 a14 a15", Form::WithinParts, 1,
     "_mm512_castpd_ps(_mm512_permute_pd(_mm512_castps_pd(a), 0x99))"},
    {f32y, "a6 a7 a0 a1 a2 a3 a4 a5", Form::WithinParts, 1, "_mm256_castpd_ps(_mm256_permutex_pd(_mm256_castps_pd(a), 0x93))"},

    {f64, "a0 b0 a2 b2 a4 b4 a6 b6", Form::TwoWithinParts, 1, "_mm512_unpacklo_pd(a, b)"},
    {i64, "b1 a1 b3 a3 b5 a5 b7 a7", Form::TwoWithinParts, 1, "_mm512_unpackhi_epi64(b, a)"},
    {f64, "a1 b0 a2 b3 a4 b4 a7 b6", Form::TwoWithinParts, 1, "_mm512_shuffle_pd(a, b, 0x49)"},
    {f32, "a1 a0 b3 b2 a5 a4 b7 b6 a9 a8 b11 b10 a13 a12 b15 b14", Form::TwoWithinParts, 1, "_mm512_shuffle_ps(a, b, 0xb1)"},
    {i32, "a1 a0 b3 b2 a5 a4 b7 b6 a9 a8 b11 b10 a13 a12 b15 b14", Form::TwoWithinParts, 1,
     "_mm512_castps_si512(_mm512_shuffle_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), 0xb1))"},
    {f32, "a2 b2 a3 b3 a6 b6 a7 b7 a10 b10 a11 b11 a14 b14 a15 b15", Form::TwoWithinParts, 1, "_mm512_unpackhi_ps(a, b)"},
    {i32y, "a0 b0 a1 b1 a4 b4 a5 b5", Form::TwoWithinParts, 1, "_mm256_unpacklo_epi32(a, b)"},

    {f64, "a0 a1 a4 a5 b2 b3 b6 b7", Form::WholeParts, 1, "_mm512_shuffle_f64x2(a, b, 0xd8)"},
    {i32, "b0 b1 b2 b3 b8 b9 b10 b11 a4 a5 a6 a7 a12 a13 a14 a15", Form::WholeParts, 1, "_mm512_shuffle_i32x4(b, a, 0xd8)"},
    {f64, "a6 a7 a4 a5 a2 a3 a0 a1", Form::WholeParts, 1, "_mm512_shuffle_f64x2(a, a, 0x1b)"},
    {f32y, "b4 b5 b6 b7 a0 a1 a2 a3", Form::WholeParts, 1, "_mm256_permute2f128_ps(b, a, 0x21)"},
    {i32y, "a0 a1 a2 a3 b0 b1 b2 b3", Form::WholeParts, 1, "_mm256_permute2x128_si256(a, b, 0x20)"},

    {f64, "a3 a4 a5 a6 a7 b0 b1 b2", Form::Window, 1,
     "_mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(b), _mm512_castpd_si512(a), 0x03))"},
    {i64, "b3 b4 b5 b6 b7 a0 a1 a2", Form::Window, 1, "_mm512_alignr_epi64(a, b, 0x03)"},
    {i32, "a15 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 b10 b11 b12 b13 b14", Form::Window, 1, "_mm512_alignr_epi32(b, a, 0x0f)"},
    {i64, "a5 a6 a7 a0 a1 a2 a3 a4", Form::Window, 1, "_mm512_alignr_epi64(a, a, 0x05)"},
    {f32y, "a1 a2 a3 a4 a5 a6 a7 a0", Form::Window, 1,
     "_mm256_castsi256_ps(_mm256_alignr_epi32(_mm256_castps_si256(a), _mm256_castps_si256(a), 0x01))"},

    {f64, "a0 a1 a2 b3 b4 a5 a6 b7", Form::Blend, 1, "_mm512_mask_blend_pd(0x98, a, b)"},
    {i64, "b0 b1 b2 a3 a4 b5 b6 a7", Form::Blend, 1, "_mm512_mask_blend_epi64(0x98, b, a)"},
    {f32, "a0 b1 b2 b3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 b15", Form::Blend, 1, "_mm512_mask_blend_ps(0x800e, a, b)"},
    {i32, "a0 b1 b2 b3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 b15", Form::Blend, 1, "_mm512_mask_blend_epi32(0x800e, a, b)"},
    {f32y, "a0 b1 b2 a3 a4 a5 a6 a7", Form::Blend, 1.0 / 3, "_mm256_blend_ps(a, b, 0x06)"},
    {i32y, "a0 b1 b2 a3 a4 a5 a6 a7", Form::Blend, 1.0 / 3, "_mm256_blend_epi32(a, b, 0x06)"},

    {f64, "a7 a6 a5 a4 a3 a2 a1 a0", Form::OneRegister, 1.5, "_mm512_permutexvar_pd([7 6 5 4 3 2 1 0], a)"},
    {f64, "a1 a2 a1 a2 a1 a2 a1 a2", Form::OneRegister, 1.5, "_mm512_permutexvar_pd([1 2 1 2 1 2 1 2], a)"},
    {i32, "a15 a14 a13 a12 a11 a10 a9 a8 a7 a6 a5 a4 a3 a2 a1 a0", Form::OneRegister, 1.5,
     "_mm512_permutexvar_epi32([15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0], a)"},
    {f32y, "a7 a6 a5 a4 a3 a2 a1 a0", Form::OneRegister, 1.5, "_mm256_permutexvar_ps([7 6 5 4 3 2 1 0], a)"},

    {f64, "a0 b0 a1 b1 a2 b2 a3 b3", Form::TwoRegisters, 1.5, "_mm512_permutex2var_pd(a, [0 8 1 9 2 10 3 11], b)"},
    {i64, "b0 a0 b1 a1 b2 a2 b3 a3", Form::TwoRegisters, 1.5, "_mm512_permutex2var_epi64(b, [0 8 1 9 2 10 3 11], a)"},
    {f32, "a0 a2 a4 a6 a8 a10 a12 a14 b0 b2 b4 b6 b8 b10 b12 b14", Form::TwoRegisters, 1.5,
     "_mm512_permutex2var_ps(a, [0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30], b)"},
    {i32y, "a1 a3 a5 a7 b1 b3 b5 b7", Form::TwoRegisters, 1.5, "_mm256_permutex2var_epi32(a, [1 3 5 7 9 11 13 15], b)"},

    // Of merges several are equally good: no text.
    {i32y, "b0 b1 b2 b3 b4 b5 b6 a2", Form::Merge, 4.0 / 3, ""},
    {f64, "a0 b1 c2 a3 b4 c5 a6 b7", Form::Merge, 2, ""},
    {f64, "a0 a1 b2 b3 c4 c5 a6 c7", Form::Merge, 1.5, ""},
    {i64, "a7 b6 c5 d4 a2 b0 c1 d3", Form::Merge, 3.5, ""},
};

}  // namespace

TEST_CASE("each form is chosen, with the intrinsics of the kind") {
  std::set<Form> forms;
  std::set<Instruction> instructions;
  for (const Case& each : cases) {
    const Sequence sequence = cheapest(each.kind, wanted(each.wanted));
    INFO(name_of(each.kind) << " " << each.wanted << ": " << explain(sequence));
    CHECK(name(sequence.form) == name(each.form));
    if (each.form != Form::Merge) {
      CHECK(text_of(sequence) == each.text);
    }
    CHECK(std::abs(sequence.cycles - each.cycles) < 1e-9);
    forms.insert(sequence.form);
    for (const Step& step : sequence.steps) {
      instructions.insert(step.instruction);
    }
  }
  CHECK(forms.size() == form_count);
  CHECK(instructions.size() == instruction_count);
}

namespace {

/// The text of one step under a mask: its operands are a and b, the other lanes are those of c.
std::string masked(RegisterKind kind, Instruction instruction, unsigned lane_bits) {
  Sequence sequence{.kind = kind, .result = Operand{true, 0}};
  sequence.index_vectors.push_back({lane_bits, std::vector<std::uint32_t>(1, 3)});
  sequence.steps.push_back({.instruction = instruction,
                            .lane_bits = lane_bits,
                            .first = {false, 0},
                            .second = {false, 1},
                            .immediate = 9,
                            .index = 0,
                            .into = Operand{false, 2},
                            .mask = 0x5a});
  return text_of(sequence);
}

}  // namespace

TEST_CASE("under a mask") {
  using enum Instruction;
  CHECK(masked(f64, Move, 64) == "_mm512_mask_blend_pd(0x5a, c, a)");
  CHECK(masked(i32y, Move, 32) == "_mm256_blend_epi32(c, a, 0x5a)");
  CHECK(masked(f64, Broadcast, 64) == "_mm512_mask_broadcastsd_pd(c, 0x5a, _mm512_castpd512_pd128(a))");
  CHECK(masked(i32, Broadcast, 32) == "_mm512_mask_broadcastd_epi32(c, 0x5a, _mm512_castsi512_si128(a))");
  CHECK(masked(f32, InLanes, 32) == "_mm512_mask_permute_ps(c, 0x5a, a, 0x09)");
  CHECK(masked(i32, InLanes, 32) == "_mm512_mask_shuffle_epi32(c, 0x5a, a, static_cast<_MM_PERM_ENUM>(0x09))");
  CHECK(masked(i32y, InLanes, 32) == "_mm256_mask_shuffle_epi32(c, 0x5a, a, static_cast<_MM_PERM_ENUM>(0x09))");
  CHECK(masked(i64, InLanes, 64) ==
        "_mm512_castpd_si512(_mm512_mask_permute_pd(_mm512_castsi512_pd(c), 0x5a, _mm512_castsi512_pd(a), 0x09))");
  CHECK(masked(i64, InHalves, 64) == "_mm512_mask_permutex_epi64(c, 0x5a, a, 0x09)");
  CHECK(masked(f32, Shuffle, 32) == "_mm512_mask_shuffle_ps(c, 0x5a, a, b, 0x09)");
  CHECK(masked(i32, UnpackLow, 32) == "_mm512_mask_unpacklo_epi32(c, 0x5a, a, b)");
  CHECK(masked(f64, UnpackHigh, 64) == "_mm512_mask_unpackhi_pd(c, 0x5a, a, b)");
  CHECK(masked(f32, Parts, 32) == "_mm512_mask_shuffle_f32x4(c, 0x5a, a, b, 0x09)");
  CHECK(masked(i32, Window, 32) == "_mm512_mask_alignr_epi32(c, 0x5a, b, a, 0x09)");
  CHECK(masked(i64, PermuteOne, 64) == "_mm512_mask_permutexvar_epi64(c, 0x5a, [3], a)");
}

TEST_CASE("a sequence for people") {
  CHECK(explain(cheapest(f64, wanted("a0 a1 a2 a3 a4 a5 a6 a7"))) == "reuse, 0.0 cycles");
  CHECK(explain(cheapest(f64, wanted("a5 a5 a5 a5 a5 a5 a5 a5"))) == "scalar broadcast (vperm), 1.5 cycles, 1 index vector");
  CHECK(explain(cheapest(i64, wanted("a7 b6 c5 d4 a2 b0 c1 d3"))) ==
        "merge (vpermt2, vpermt2, vblendm), 3.5 cycles, 1 index vector, 1 mask");
  CHECK(explain(cheapest(f64, wanted("a0 b1 c2 a3 b4 c5 a6 b7"))) == "merge (vblendm, vblendm), 2.0 cycles, 2 masks");
}

TEST_CASE("the types of registers") {
  CHECK(type_name(f64) == "__m512d");
  CHECK(type_name(i64) == "__m512i");
  CHECK(type_name(f32) == "__m512");
  CHECK(type_name(i32) == "__m512i");
  CHECK(type_name(f32y) == "__m256");
  CHECK(type_name(i32y) == "__m256i");
}
