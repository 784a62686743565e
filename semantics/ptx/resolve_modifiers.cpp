// Which modifiers go together.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "semantics/ptx/print.hpp"
#include "semantics/ptx/resolve_function.hpp"

namespace lockstep::ptx {
namespace {

bool has(const Instruction& instruction, Modifier modifier) { return instruction.modifiers.has(modifier); }

/// The last type: that of the operands that are read.
Type source_type(const Instruction& instruction) {
  return instruction.types.empty() ? Type::B32 : instruction.types[instruction.types.size() - 1];
}

// Each says what is wrong; nothing if nothing is.

std::string wrong_comparison(const Instruction& instruction) {
  const std::string_view mnemonic = info(instruction.form).mnemonic;
  if (mnemonic != "setp" && mnemonic != "set") {
    return "";
  }
  const Type type = source_type(instruction);
  const bool equality = has(instruction, Modifier::Eq) || has(instruction, Modifier::Ne);
  const bool of_unsigned =
      has(instruction, Modifier::Lo) || has(instruction, Modifier::Ls) || has(instruction, Modifier::Hi) || has(instruction, Modifier::Hs);
  if (is_bits(type) && !equality) {
    return fmt::format("bits have no order: .{} is compared by .eq and .ne", info(type).text);
  }
  if (of_unsigned && !is_integer(type)) {
    return fmt::format(".lo, .ls, .hi and .hs compare unsigned integers, not .{}", info(type).text);
  }
  if (of_unsigned && is_signed(type)) {
    return fmt::format(".lo, .ls, .hi and .hs compare unsigned integers, and .{} has a sign", info(type).text);
  }
  return "";
}

std::string wrong_arithmetic(const Instruction& instruction) {
  const FormInfo& row = info(instruction.form);
  if (row.kind != Kind::Compute || row.mnemonic == "cvt") {
    return "";
  }
  const Type type = source_type(instruction);
  const bool ftz = has(instruction, Modifier::Ftz);
  const bool sat = has(instruction, Modifier::Sat);
  const bool abs = has(instruction, Modifier::Abs);
  const auto is_bf16 = [](Type one) { return one == Type::BF16 || one == Type::BF16x2; };
  const auto takes_no = [&](std::string_view word) {
    return fmt::format("'{}' of .{} takes no .{}", row.mnemonic, info(is_bf16(instruction.types[0]) ? instruction.types[0] : type).text,
                       word);
  };
  const bool of_f64 = type == Type::F64 && row.mnemonic != "rcp" && row.mnemonic != "rsqrt";
  const bool of_bf16 = std::ranges::any_of(instruction.types, is_bf16) && row.mnemonic != "ex2";
  if ((of_f64 || of_bf16) && (ftz || sat)) {
    return takes_no(ftz ? "ftz" : "sat");
  }
  if (has(instruction, Modifier::Xorsign) && !abs) {
    return ".xorsign stands with .abs";
  }
  const bool extreme = (row.mnemonic == "min" || row.mnemonic == "max") && is_float(type);
  if (extreme && row.operands.size() == 3 && abs && !has(instruction, Modifier::Xorsign)) {
    return fmt::format("of two operands, '{}' has .abs with .xorsign", row.mnemonic);
  }
  if (extreme && type == Type::F64 && (has(instruction, Modifier::PropagateNan) || abs)) {
    return takes_no(abs ? "abs" : "NaN");
  }
  if (sat && has(instruction, Modifier::Relu)) {
    return ".relu and .sat do not stand together";
  }
  if (has(instruction, Modifier::Oob) && ftz) {
    return ".oob and .ftz do not stand together";
  }
  return "";
}

/// Whether every integer of type `from` is one of type `to`.
bool holds_all(Type to, Type from) {
  const bool wider = bits_of(to) > bits_of(from);
  return is_signed(to) == is_signed(from) ? wider || bits_of(to) == bits_of(from) : is_signed(to) && wider;
}

std::string wrong_conversion(const Instruction& instruction) {
  if (info(instruction.form).mnemonic != "cvt" || !info(instruction.form).runs() || has(instruction, Modifier::Pack)) {
    return "";
  }
  const Type to = instruction.types[0];
  const Type from = instruction.types[1];
  const bool ftz = has(instruction, Modifier::Ftz);
  const bool sat = has(instruction, Modifier::Sat);
  const bool relu = has(instruction, Modifier::Relu);
  const bool satfinite = has(instruction, Modifier::Satfinite);
  if (sat && is_integer(to) && is_integer(from) && holds_all(to, from)) {
    return fmt::format(".sat has nothing to clamp: every .{} is a .{}", info(from).text, info(to).text);
  }
  if (sat && (to == Type::BF16 || from == Type::BF16)) {
    return "'cvt' of .bf16 takes no .sat";
  }
  if (ftz && to != Type::F32 && from != Type::F32) {
    return ".ftz is for conversions from or to .f32";
  }
  if ((relu || satfinite) && from != Type::F32) {
    return fmt::format(".{} is for conversions of .f32", relu ? "relu" : "satfinite");
  }
  if ((relu || satfinite) && (has(instruction, Modifier::Rm) || has(instruction, Modifier::Rp))) {
    return fmt::format(".{} stands with .rn and .rz", relu ? "relu" : "satfinite");
  }
  if (relu && has(instruction, Modifier::Rna)) {
    return ".relu stands with .rn and .rz";
  }
  if ((relu || satfinite) && (sat || ftz)) {
    return fmt::format(".{} and .{} do not stand together", relu ? "relu" : "satfinite", sat ? "sat" : "ftz");
  }
  return "";
}

/// The first of these modifiers that is there.
template <std::size_t many>
std::optional<Modifier> first_of(const Instruction& instruction, const std::array<Modifier, many>& words) {
  const auto* found = std::ranges::find_if(words, [&](Modifier word) { return has(instruction, word); });
  return found == words.end() ? std::nullopt : std::optional(*found);
}

/// How an access is ordered: its order, scope, and where it may be kept.
std::string wrong_order(const Instruction& instruction) {
  const Kind kind = info(instruction.form).kind;
  if (kind != Kind::Load && kind != Kind::Store) {
    return "";
  }
  const auto order = instruction.modifiers.of(ModifierGroup::Order);
  const auto scope = instruction.modifiers.of(ModifierGroup::Scope);
  const bool is_volatile = order == Modifier::Volatile;
  const bool scoped = order && *order != Modifier::Weak && !is_volatile;
  if (scoped && !scope) {
    return fmt::format("'{}' needs a scope: .cta, .cluster, .gpu or .sys", print_mnemonic(instruction));
  }
  if (scope && !scoped) {
    return fmt::format("a scope, .{}, stands with .relaxed{}", info(*scope).text, kind == Kind::Load ? " and .acquire" : " and .release");
  }
  if (has(instruction, Modifier::Mmio) && (order != Modifier::Relaxed || scope != Modifier::Sys)) {
    return ".mmio stands with .relaxed.sys";
  }
  const Space space = space_of(instruction.modifiers);
  if (is_volatile && space != Space::Generic && space != Space::Global && space != Space::Shared) {
    return fmt::format(".volatile is for .global, .shared and generic addresses, not for .{}", text_of(space));
  }
  const auto cache = instruction.modifiers.of(ModifierGroup::Cache);
  if (cache && order && *order != Modifier::Weak) {
    return fmt::format(".{} and .{} do not stand together", info(*order).text, info(*cache).text);
  }
  return "";
}

/// What an access asks of caches.
std::string wrong_caching(const Instruction& instruction) {
  const FormInfo& row = info(instruction.form);
  if (row.kind != Kind::Load && row.kind != Kind::Store && row.kind != Kind::Atomic) {
    return "";
  }
  constexpr std::array level1 = {Modifier::L1EvictNormal, Modifier::L1EvictUnchanged, Modifier::L1EvictFirst, Modifier::L1EvictLast,
                                 Modifier::L1NoAllocate};
  constexpr std::array level2 = {Modifier::L2EvictNormal, Modifier::L2EvictFirst, Modifier::L2EvictLast};
  constexpr std::array others = {Modifier::L2CacheHint, Modifier::L2Fetch64B, Modifier::L2Fetch128B, Modifier::L2Fetch256B};
  const auto eviction = first_of(instruction, level1);
  const auto eviction2 = first_of(instruction, level2);
  const auto other = first_of(instruction, others);
  const auto any = eviction ? eviction : eviction2 ? eviction2 : other;
  const Space space = space_of(instruction.modifiers);
  if (any && space != Space::Generic && space != Space::Global) {
    return fmt::format(".{} is for .global and generic addresses, not for .{}", info(*any).text, text_of(space));
  }
  const bool is_volatile = has(instruction, Modifier::Volatile);
  if (is_volatile && (eviction || eviction2 || has(instruction, Modifier::L2CacheHint))) {
    return fmt::format(".volatile and .{} do not stand together", info(*any).text);
  }
  if (const auto cache = instruction.modifiers.of(ModifierGroup::Cache); cache && (eviction || eviction2)) {
    return fmt::format(".{} and .{} do not stand together", info(*cache).text, info(*any).text);
  }
  const std::uint32_t elements = vector_size(instruction.modifiers);
  if (eviction2 && (elements == 1 || bits_of(source_type(instruction)) * elements != 256)) {
    return fmt::format(".{} stands with vectors of 256 bits: .v8.b32 and .v4.b64", info(*eviction2).text);
  }
  const bool hint = has(instruction, Modifier::L2CacheHint);
  const bool policy = !row.operands.empty() && row.operands.back().optional && !std::holds_alternative<Absent>(instruction.operands.back());
  if (hint != policy) {
    return hint ? ".L2::cache_hint needs a policy, a further operand" : "a cache policy, the last operand, needs .L2::cache_hint";
  }
  if (row.mnemonic == "red" && (has(instruction, Modifier::Acquire) || has(instruction, Modifier::AcqRel))) {
    return "red has no result, so that it acquires nothing: it is .relaxed or .release";
  }
  return "";
}

/// Vectors have at most 128 bits, and, in global memory, 256.
std::string wrong_vector(const Instruction& instruction) {
  const FormInfo& row = info(instruction.form);
  const std::uint32_t elements = vector_size(instruction.modifiers);
  const auto in_braces = [&](std::size_t k) { return std::holds_alternative<Vector>(instruction.operands[k]); };
  if (row.kind == Kind::Move && elements == 1 && in_braces(0) && in_braces(1)) {
    return fmt::format("one side of '{}' is a whole number", print_mnemonic(instruction));
  }
  if (elements == 1 || (row.kind != Kind::Load && row.kind != Kind::Store && row.kind != Kind::Move)) {
    return "";
  }
  const Space space = space_of(instruction.modifiers);
  const bool global = row.mnemonic != "mov" && row.mnemonic != "ldu" && (space == Space::Generic || space == Space::Global);
  const std::uint32_t most = global && source_type(instruction) != Type::B128 ? 256 : 128;
  const std::uint32_t bits = bits_of(source_type(instruction)) * elements;
  return bits > most ? fmt::format("'{}' has {} bits: vectors have at most {} here", print_mnemonic(instruction), bits, most) : "";
}

}  // namespace

/// What the slots of a form do not say: which modifiers need which others.
void FunctionResolver::check_modifiers(const Instruction& instruction) {
  for (const auto wrong : {wrong_comparison, wrong_arithmetic, wrong_conversion, wrong_order, wrong_caching, wrong_vector}) {
    if (std::string message = wrong(instruction); !message.empty()) {
      error(instruction.mnemonic_place, std::move(message));
      return;
    }
  }
}

}  // namespace lockstep::ptx
