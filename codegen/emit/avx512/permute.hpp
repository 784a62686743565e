#pragma once
// Which instructions bring lanes of some registers into one register, cheapest first (the reorderings of Figs. 4 and 5 of the borG paper,
// and what AVX512 has besides them).
//
//   Wanted wanted = {SourceLane{4, 2}, SourceLane{4, 2}, …};            // for each lane of the result the lane of a source register
//   Sequence sequence = cheapest(RegisterKind::F64x8, wanted);
//   explain(sequence)                                                   // "scalar broadcast (vpermpd), 1.5 cycles, 1 index vector"
//   text(sequence, name_of_register, name_of_index_vector)              // "_mm512_permutexvar_pd(i0, a4)"
//
// What an instruction costs stands in permute_cost.hpp; what each one does to the lanes in permute_execute.hpp, which knows nothing of how
// they are chosen.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::emit_avx512 {

/// A vector register as C++ names it: __m512d, __m512i, __m512, __m512i, __m256, __m256i.
enum class RegisterKind : std::uint8_t { F64x8, I64x8, F32x16, I32x16, F32x8, I32x8 };

inline constexpr std::size_t register_kind_count = 6;

constexpr unsigned lanes_of(RegisterKind kind) { return kind == RegisterKind::F32x16 || kind == RegisterKind::I32x16 ? 16 : 8; }
constexpr unsigned lane_bits_of(RegisterKind kind) { return kind == RegisterKind::F64x8 || kind == RegisterKind::I64x8 ? 64 : 32; }
constexpr unsigned register_bits_of(RegisterKind kind) { return lanes_of(kind) * lane_bits_of(kind); }
constexpr bool is_float(RegisterKind kind) {
  return kind == RegisterKind::F64x8 || kind == RegisterKind::F32x16 || kind == RegisterKind::F32x8;
}

/// A lane of a source register. Registers are numbered by the caller, in any way.
struct SourceLane {
  unsigned reg = 0;
  unsigned lane = 0;

  bool operator==(const SourceLane&) const = default;
};

/// For each lane of the result what belongs there. None: any number will do.
using Wanted = std::vector<std::optional<SourceLane>>;

/// The ways to bring lanes about. Of those that fit and are allowed the cheapest one is chosen; the first one here if there are several.
enum class Form : std::uint8_t {
  Anything,            ///< no lane is wanted: no instruction
  Reuse,               ///< a source register as it is: no instruction
  ScalarBroadcast,     ///< one lane in all lanes
  VectorBroadcast,     ///< an aligned part of two, four or eight lanes, repeated
  SegmentedBroadcast,  ///< in each of the two, four or eight segments of the register one lane is repeated
  WithinParts,     ///< lanes stay in their 128 bits, or all 256 bits are permuted alike (64-bit lanes): vpermilpd, vpermilps, vpermpd imm8
  TwoWithinParts,  ///< two registers, lanes stay in their 128 bits: unpack, vshufpd, vshufps
  WholeParts,      ///< 128-bit parts of one or two registers
  Window,          ///< contiguous lanes of two registers, one behind the other, or one register rotated
  Blend,           ///< two registers whose lanes stay where they are
  OneRegister,     ///< any lanes of one register, with an index vector
  TwoRegisters,    ///< any lanes of two registers, with an index vector
  Merge,           ///< one of the forms for each source or pair of sources, put together with masks
};

inline constexpr std::size_t form_count = static_cast<std::size_t>(Form::Merge) + 1;

/// For people: "segmented broadcast".
std::string_view name(Form form);

/// Which forms may be chosen. Anything, OneRegister, TwoRegisters and Merge always may: they bring about whatever is wanted. A form that is
/// not allowed is not used for the parts of a Merge either.
struct Allowed {
  bool reuse = true;
  bool scalar_broadcast = true;
  bool vector_broadcast = true;
  bool segmented_broadcast = true;
  bool within_parts = true;
  bool two_within_parts = true;
  bool whole_parts = true;
  bool window = true;
  bool blend = true;

  /// Only the forms that always may.
  static Allowed none();
  bool allows(Form form) const;
  /// Switches the form off. False if it is one that always may.
  bool forbid(Form form);
};

/// What moves lanes (each also under a mask), for lanes of 32 or 64 bits. permute_execute.hpp says what they do.
enum class Instruction : std::uint8_t {
  Move,        ///< nothing; under a mask, a blend
  Broadcast,   ///< vbroadcastsd/ss
  InLanes,     ///< vpermilpd/ps imm8, vpshufd
  InHalves,    ///< vpermpd/q imm8: 64-bit lanes only
  Shuffle,     ///< vshufpd/ps
  UnpackLow,   ///< vunpcklpd/ps, vpunpcklqdq/dq
  UnpackHigh,  ///< vunpckhpd/ps, vpunpckhqdq/dq
  Parts,       ///< vshuff64x2/f32x4/i64x2/i32x4; vperm2f128 in 256 bits
  Window,      ///< valignq/d
  PermuteOne,  ///< vpermpd/ps/q/d with an index vector
  PermuteTwo,  ///< vpermt2pd/ps/q/d
};

inline constexpr std::size_t instruction_count = static_cast<std::size_t>(Instruction::PermuteTwo) + 1;

/// A source register, or the result of an earlier step.
struct Operand {
  bool is_step = false;
  unsigned number = 0;  ///< of the register, or the step

  bool operator==(const Operand&) const = default;
};

/// result[j] = into has a value and bit j of mask is 0 ? into[j] : instruction(first, second)[j]
struct Step {
  Instruction instruction = Instruction::Move;
  unsigned lane_bits = 64;             ///< 64 in registers of 32-bit lanes: these go in pairs
  Operand first = {};                  ///< of a Window the lower register
  Operand second = {};                 ///< read by Shuffle, UnpackLow, UnpackHigh, Parts, Window and PermuteTwo alone
  unsigned immediate = 0;              ///< of InLanes, InHalves, Shuffle, Parts and Window
  std::optional<unsigned> index = {};  ///< of PermuteOne and PermuteTwo: which index vector
  std::optional<Operand> into = {};    ///< what the lanes outside the mask hold
  std::uint32_t mask = 0;              ///< bit j is lane j of lane_bits bits
};

/// The constant operand of a permute: one number for each lane, as wide as the lane. Lanes that do not matter hold their own number.
struct IndexVector {
  unsigned lane_bits = 64;
  std::vector<std::uint32_t> lanes;

  bool operator==(const IndexVector&) const = default;
};

/// What to do. Each step's result is used once, so that all of it is one expression.
struct Sequence {
  RegisterKind kind = RegisterKind::F64x8;
  Form form = Form::Anything;
  std::vector<Step> steps = {};
  std::optional<Operand> result = {};  ///< the last step, or a source register if there is no step; none if any numbers will do
  std::vector<IndexVector> index_vectors = {};
  unsigned masks = 0;  ///< how many constants in mask registers it needs
  double cycles = 0;   ///< of throughput, its constants included (permute_cost.hpp)
};

/// The cheapest allowed sequence. `wanted` has lanes_of(kind) elements, each with a lane below that; anything else throws InternalError.
Sequence cheapest(RegisterKind kind, const Wanted& wanted, const Allowed& allowed = {});

/// The C++ expression: intrinsics on the registers that `register_name` names (expressions of the kind's type) and the index vectors that
/// `index_name` names (expressions of type __m512i or __m256i). If any numbers will do, zeros.
std::string text(const Sequence& sequence, const std::function<std::string(unsigned reg)>& register_name,
                 const std::function<std::string(const IndexVector&)>& index_name);

/// One line for people: the form, its instructions, and what they cost.
std::string explain(const Sequence& sequence);

/// The type of the kind's registers: "__m512d".
std::string_view type_name(RegisterKind kind);

}  // namespace lockstep::emit_avx512
