// Which modifiers go together.

#include <fmt/format.h>

#include <utility>

#include "semantics/ptx/print.hpp"
#include "semantics/ptx/resolve_function.hpp"

namespace lockstep::ptx {

/// What the slots of a form do not say: which modifiers need which others.
void FunctionResolver::check_modifiers(const Instruction& instruction) {
  const FormInfo& row = info(instruction.form);
  const auto has = [&](Modifier modifier) { return instruction.modifiers.has(modifier); };
  const auto refuse = [&](std::string message) { error(instruction.mnemonic_place, std::move(message)); };
  const Type type = instruction.types.empty() ? Type::B32 : instruction.types[instruction.types.size() - 1];
  if (row.mnemonic == "setp" || row.mnemonic == "set") {
    const bool equality = has(Modifier::Eq) || has(Modifier::Ne);
    const bool of_unsigned = has(Modifier::Lo) || has(Modifier::Ls) || has(Modifier::Hi) || has(Modifier::Hs);
    if (is_bits(type) && !equality) {
      refuse(fmt::format("bits have no order: .{} is compared by .eq and .ne", info(type).text));
    } else if (of_unsigned && !is_integer(type)) {
      refuse(fmt::format(".lo, .ls, .hi and .hs compare unsigned integers, not .{}", info(type).text));
    } else if (of_unsigned && is_signed(type)) {
      refuse(fmt::format(".lo, .ls, .hi and .hs compare unsigned integers, and .{} has a sign", info(type).text));
    }
  }
  const bool exact_only =
      type == Type::F64 && row.kind == Kind::Compute && row.mnemonic != "cvt" && row.mnemonic != "rcp" && row.mnemonic != "rsqrt";
  if (exact_only && (has(Modifier::Ftz) || has(Modifier::Sat))) {
    refuse(fmt::format("'{}' of .f64 takes no .{}", row.mnemonic, has(Modifier::Ftz) ? "ftz" : "sat"));
  }
  if (has(Modifier::Xorsign) != (has(Modifier::Xorsign) && has(Modifier::Abs))) {
    refuse(".xorsign stands with .abs");
  }
  const bool extreme = row.kind == Kind::Compute && (row.mnemonic == "min" || row.mnemonic == "max") && is_float(type);
  if (extreme && row.operands.size() == 3 && has(Modifier::Abs) && !has(Modifier::Xorsign)) {
    refuse(fmt::format("of two operands, '{}' has .abs with .xorsign", row.mnemonic));
  } else if (extreme && type == Type::F64 && (has(Modifier::PropagateNan) || has(Modifier::Abs))) {
    refuse(fmt::format("'{}' of .f64 takes no .{}", row.mnemonic, has(Modifier::Abs) ? "abs" : "NaN"));
  }
  const bool of_bf16 = (type == Type::BF16 || type == Type::BF16x2) && row.kind == Kind::Compute && row.mnemonic != "ex2";
  if (of_bf16 && row.mnemonic != "cvt" && (has(Modifier::Ftz) || has(Modifier::Sat))) {
    refuse(fmt::format("'{}' of .{} takes no .{}", row.mnemonic, info(type).text, has(Modifier::Ftz) ? "ftz" : "sat"));
  }
  if (row.mnemonic == "red" && (has(Modifier::Acquire) || has(Modifier::AcqRel))) {
    refuse("red has no result, so that it acquires nothing: it is .relaxed or .release");
  }
  if (row.mnemonic == "ld" || row.mnemonic == "st") {
    const auto order = instruction.modifiers.of(ModifierGroup::Order);
    const bool scoped = order && *order != Modifier::Weak && *order != Modifier::Volatile;
    if (scoped && !instruction.modifiers.of(ModifierGroup::Scope)) {
      refuse(fmt::format("'{}' needs a scope: .cta, .cluster, .gpu or .sys",
                         print_mnemonic(instruction.form, instruction.modifiers, instruction.types)));
    }
  }
  if (has(Modifier::L2CacheHint) && std::holds_alternative<Absent>(instruction.operands.back())) {
    refuse(".L2::cache_hint needs a policy, a further operand");
  }
  const bool policy = row.kind == Kind::Load || row.kind == Kind::Store || row.kind == Kind::Atomic;
  const bool takes_policy = policy && !row.operands.empty() && row.operands.back().optional;
  if (takes_policy && !has(Modifier::L2CacheHint) && !std::holds_alternative<Absent>(instruction.operands.back())) {
    refuse("a cache policy, the last operand, needs .L2::cache_hint");
  }
}

}  // namespace lockstep::ptx
