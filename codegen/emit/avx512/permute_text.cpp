// Sequences as C++ expressions, and as a line for people.
#include <fmt/format.h>

#include "codegen/emit/avx512/permute.hpp"
#include "codegen/emit/avx512/permute_cost.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_avx512 {

namespace {

/// What the lanes are taken for by an intrinsic: one type of register of each width.
enum class View : std::uint8_t { Double, Float, Integer };

std::string_view cast_name(View view, unsigned register_bits) {
  switch (view) {
    case View::Double:
      return "pd";
    case View::Float:
      return "ps";
    case View::Integer:
      break;
  }
  return register_bits == 512 ? "si512" : "si256";
}

View view_of(RegisterKind kind) {
  if (!is_float(kind)) {
    return View::Integer;
  }
  return lane_bits_of(kind) == 64 ? View::Double : View::Float;
}

View float_view(unsigned lane_bits) { return lane_bits == 64 ? View::Double : View::Float; }

/// Which intrinsic an instruction is on lanes of floats and of integers; "" where there is none, and the other one is to be used.
struct Names {
  std::string_view f64;
  std::string_view f32;
  std::string_view i64;
  std::string_view i32;
};

Names names_of(Instruction instruction, unsigned register_bits) {
  switch (instruction) {
    case Instruction::Move:
      return {"blend_pd", "blend_ps", "blend_epi64", "blend_epi32"};
    case Instruction::Broadcast:
      return {"broadcastsd_pd", "broadcastss_ps", "broadcastq_epi64", "broadcastd_epi32"};
    case Instruction::InLanes:
      return {"permute_pd", "permute_ps", "", "shuffle_epi32"};
    case Instruction::InHalves:
      return {"permutex_pd", "", "permutex_epi64", ""};
    case Instruction::Shuffle:
      return {"shuffle_pd", "shuffle_ps", "", ""};
    case Instruction::UnpackLow:
      return {"unpacklo_pd", "unpacklo_ps", "unpacklo_epi64", "unpacklo_epi32"};
    case Instruction::UnpackHigh:
      return {"unpackhi_pd", "unpackhi_ps", "unpackhi_epi64", "unpackhi_epi32"};
    case Instruction::Parts:
      if (register_bits == 256) {
        return {"permute2f128_pd", "permute2f128_ps", "permute2x128_si256", "permute2x128_si256"};
      }
      return {"shuffle_f64x2", "shuffle_f32x4", "shuffle_i64x2", "shuffle_i32x4"};
    case Instruction::Window:
      return {"", "", "alignr_epi64", "alignr_epi32"};
    case Instruction::PermuteOne:
      return {"permutexvar_pd", "permutexvar_ps", "permutexvar_epi64", "permutexvar_epi32"};
    case Instruction::PermuteTwo:
      return {"permutex2var_pd", "permutex2var_ps", "permutex2var_epi64", "permutex2var_epi32"};
  }
  throw InternalError("an instruction without an intrinsic");
}

struct Intrinsic {
  std::string_view name;
  View view;
};

/// The intrinsic for registers of `view`, or the one for others whose bits are the same.
Intrinsic intrinsic(const Step& step, View view, unsigned register_bits) {
  const Names names = names_of(step.instruction, register_bits);
  const Intrinsic of_floats = {step.lane_bits == 64 ? names.f64 : names.f32, float_view(step.lane_bits)};
  const Intrinsic of_integers = {step.lane_bits == 64 ? names.i64 : names.i32, View::Integer};
  const Intrinsic& wanted = view == View::Integer ? of_integers : of_floats;
  const Intrinsic& other = view == View::Integer ? of_floats : of_integers;
  return wanted.name.empty() ? other : wanted;
}

class Printer {
 public:
  Printer(const Sequence& sequence, const std::function<std::string(unsigned)>& register_name,
          const std::function<std::string(const IndexVector&)>& index_name)
      : sequence_(sequence),
        register_name_(register_name),
        index_name_(index_name),
        bits_(register_bits_of(sequence.kind)),
        prefix_(bits_ == 512 ? "_mm512_" : "_mm256_") {}

  /// The operand as a register of `view`.
  std::string operand(const Operand& operand, View view) const {
    if (!operand.is_step) {
      return cast(register_name_(operand.number), view_of(sequence_.kind), view);
    }
    const Step& step = sequence_.steps[operand.number];
    const Intrinsic of = intrinsic(step, view_of(sequence_.kind), bits_);
    return cast(call(step, of), of.view, view);
  }

  std::string zeros() const {
    const View view = view_of(sequence_.kind);
    return fmt::format("{}setzero_{}()", prefix_, cast_name(view, bits_));
  }

 private:
  std::string cast(std::string text, View from, View to) const {
    if (from == to) {
      return text;
    }
    return fmt::format("{}cast{}_{}({})", prefix_, cast_name(from, bits_), cast_name(to, bits_), text);
  }

  /// The lowest 128 bits.
  std::string low_part(const Operand& first, View view) const {
    const std::string_view suffix = view == View::Double ? "pd" : view == View::Float ? "ps" : "si";
    return fmt::format("{}cast{}{}_{}128({})", prefix_, suffix, bits_, suffix, operand(first, view));
  }

  std::string immediate(const Step& step) const {
    const std::string number = fmt::format("0x{:02x}", step.immediate);
    // Here, and only here, AVX512's own intrinsics take a constant of the enumeration; the one without a mask in 256 bits is AVX2's.
    const bool is_enumeration = step.instruction == Instruction::InLanes && step.lane_bits == 32 && !is_float(sequence_.kind) &&
                                (bits_ == 512 || step.into.has_value());
    return is_enumeration ? fmt::format("static_cast<_MM_PERM_ENUM>({})", number) : number;
  }

  std::string call(const Step& step, const Intrinsic& of) const {
    const std::string first = operand_text(step, of.view);
    if (step.instruction == Instruction::Move) {
      return move(step, of, first);
    }
    const bool is_masked = step.into.has_value();
    const std::string mask = is_masked ? fmt::format("{}, 0x{:02x}, ", operand(*step.into, of.view), step.mask) : "";
    return fmt::format("{}{}{}({}{})", prefix_, is_masked ? "mask_" : "", of.name, mask, arguments(step, of, first));
  }

  std::string operand_text(const Step& step, View view) const {
    return step.instruction == Instruction::Broadcast ? low_part(step.first, view) : operand(step.first, view);
  }

  /// In 256 bits the mask is an immediate.
  std::string move(const Step& step, const Intrinsic& of, const std::string& first) const {
    const std::string into = operand(*step.into, of.view);
    if (bits_ == 512) {
      return fmt::format("{}mask_{}(0x{:02x}, {}, {})", prefix_, of.name, step.mask, into, first);
    }
    return fmt::format("{}{}({}, {}, 0x{:02x})", prefix_, of.name, into, first, step.mask);
  }

  std::string arguments(const Step& step, const Intrinsic& of, const std::string& first) const {
    switch (step.instruction) {
      case Instruction::InLanes:
      case Instruction::InHalves:
        return fmt::format("{}, {}", first, immediate(step));
      case Instruction::Shuffle:
      case Instruction::Parts:
        return fmt::format("{}, {}, {}", first, operand(step.second, of.view), immediate(step));
      case Instruction::UnpackLow:
      case Instruction::UnpackHigh:
        return fmt::format("{}, {}", first, operand(step.second, of.view));
      case Instruction::Window: {
        const std::string second = operand(step.second, of.view);
        return fmt::format("{}, {}, {}", second, first, immediate(step));
      }
      case Instruction::PermuteOne:
        return fmt::format("{}, {}", index(step), first);
      case Instruction::PermuteTwo:
        return fmt::format("{}, {}, {}", first, index(step), operand(step.second, of.view));
      case Instruction::Move:
      case Instruction::Broadcast:
        break;
    }
    return first;
  }

  std::string index(const Step& step) const { return index_name_(sequence_.index_vectors[*step.index]); }

  const Sequence& sequence_;
  const std::function<std::string(unsigned)>& register_name_;
  const std::function<std::string(const IndexVector&)>& index_name_;
  unsigned bits_;
  std::string_view prefix_;
};

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return fmt::format(", {} {}", count, count == 1 ? one : several);
}

}  // namespace

std::string text(const Sequence& sequence, const std::function<std::string(unsigned reg)>& register_name,
                 const std::function<std::string(const IndexVector&)>& index_name) {
  const Printer printer(sequence, register_name, index_name);
  return sequence.result ? printer.operand(*sequence.result, view_of(sequence.kind)) : printer.zeros();
}

std::string explain(const Sequence& sequence) {
  std::vector<std::string> mnemonics;
  for (const Step& step : sequence.steps) {
    mnemonics.emplace_back(cost(step.instruction).mnemonic);
  }
  std::string result(name(sequence.form));
  if (!mnemonics.empty()) {
    result += fmt::format(" ({})", fmt::join(mnemonics, ", "));
  }
  result += fmt::format(", {:.1f} cycles", sequence.cycles);
  if (!sequence.index_vectors.empty()) {
    result += counted(sequence.index_vectors.size(), "index vector", "index vectors");
  }
  if (sequence.masks != 0) {
    result += counted(sequence.masks, "mask", "masks");
  }
  return result;
}

std::string_view name(Form form) {
  switch (form) {
    case Form::Anything:
      return "any numbers";
    case Form::Reuse:
      return "reuse";
    case Form::ScalarBroadcast:
      return "scalar broadcast";
    case Form::VectorBroadcast:
      return "vector broadcast";
    case Form::SegmentedBroadcast:
      return "segmented broadcast";
    case Form::WithinParts:
      return "within parts";
    case Form::TwoWithinParts:
      return "two registers within parts";
    case Form::WholeParts:
      return "whole parts";
    case Form::Window:
      return "window";
    case Form::Blend:
      return "blend";
    case Form::OneRegister:
      return "one register";
    case Form::TwoRegisters:
      return "two registers";
    case Form::Merge:
      break;
  }
  return "merge";
}

std::string_view type_name(RegisterKind kind) {
  switch (kind) {
    case RegisterKind::F64x8:
      return "__m512d";
    case RegisterKind::F32x16:
      return "__m512";
    case RegisterKind::F32x8:
      return "__m256";
    case RegisterKind::I32x8:
      return "__m256i";
    case RegisterKind::I64x8:
    case RegisterKind::I32x16:
      break;
  }
  return "__m512i";
}

}  // namespace lockstep::emit_avx512
