#pragma once
// The rules and premises of rules.def as data, and the switches that bring printed rules back.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace lockstep::musimd {

enum class RuleId : std::uint8_t {
#define RULE(id, slug, figure, instruction, statement, errata) id,
#define PREMISE(rule, number, kind, text, erratum)
#include "semantics/musimd/rules.def"
#undef RULE
#undef PREMISE
};

/// What it means that a premise fails; see rules.def.
enum class PremiseKind : std::uint8_t { Match, Guard, Defined };

/// One premise of rules.def. `number` counts from 1 within the rule.
struct PremiseInfo {
  RuleId rule;
  int number;
  PremiseKind kind;
  std::string_view text;
  std::string_view erratum;  ///< "", "E2" (only as printed), "!E1" (not as printed) or "typed" (only typed programs ask it)
};

/// One rule of rules.def.
struct RuleInfo {
  RuleId id;
  std::string_view name;    ///< "BD", "SI.sync"
  std::string_view figure;  ///< "Fig. 4", or "typed": only typed programs have it
  std::string_view instruction;
  std::string_view statement;
  std::string_view errata;
};

inline constexpr std::array rule_table = {
#define RULE(id, slug, figure, instruction, statement, errata) RuleInfo{RuleId::id, slug, figure, instruction, statement, errata},
#define PREMISE(rule, number, kind, text, erratum)
#include "semantics/musimd/rules.def"
#undef RULE
#undef PREMISE
};

inline constexpr std::array premise_table = {
#define RULE(id, slug, figure, instruction, statement, errata)
#define PREMISE(rule, number, kind, text, erratum) PremiseInfo{RuleId::rule, number, PremiseKind::kind, text, erratum},
#include "semantics/musimd/rules.def"
#undef RULE
#undef PREMISE
};

inline constexpr std::size_t rule_count = rule_table.size();

constexpr const RuleInfo& info(RuleId id) { return rule_table[static_cast<std::size_t>(id)]; }
constexpr std::string_view name(RuleId id) { return info(id).name; }

/// Whether only typed programs have the rule, or are asked the premise. Every premise of such a rule is such a premise.
constexpr bool only_typed(const RuleInfo& rule) { return rule.figure == "typed"; }
constexpr bool only_typed(const PremiseInfo& premise) { return premise.erratum == "typed"; }

/// Index of a premise in premise_table; a constant where its arguments are. Asking for one that is not in rules.def is
/// refused by the compiler in constant expressions and is premise_table.size() otherwise.
constexpr std::size_t premise_index(RuleId rule, int number) {
  for (std::size_t i = 0; i < premise_table.size(); ++i) {
    if (premise_table[i].rule == rule && premise_table[i].number == number) {
      return i;
    }
  }
  return premise_table.size();
}

/// The rule with this name ("BD", "SI.sync"; upper and lower case count), if there is one.
constexpr std::optional<RuleId> rule_named(std::string_view text) {
  for (const RuleInfo& rule : rule_table) {
    if (rule.name == text) {
      return rule.id;
    }
  }
  return std::nullopt;
}

/// Errata whose printed reading can be executed (docs/errata.md).
enum class Erratum : std::uint8_t { E1, E2, E3, E4, E5, E7, E8, E10 };
inline constexpr std::array<std::string_view, 8> erratum_names = {"E1", "E2", "E3", "E4", "E5", "E7", "E8", "E10"};

/// A set of errata that are switched back to the printed reading; empty is the reference semantics.
class AsPrinted {
 public:
  constexpr AsPrinted() = default;
  constexpr AsPrinted(std::initializer_list<Erratum> errata) {
    for (const Erratum e : errata) {
      insert(e);
    }
  }
  constexpr void insert(Erratum e) { bits_ = static_cast<std::uint16_t>(bits_ | bit(e)); }
  constexpr bool contains(Erratum e) const { return (bits_ & bit(e)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const AsPrinted&) const = default;

 private:
  static constexpr unsigned bit(Erratum e) { return 1U << static_cast<unsigned>(e); }
  std::uint16_t bits_ = 0;
};

/// The erratum with this name ("E3"), if its printed reading can be executed.
constexpr std::optional<Erratum> erratum_named(std::string_view text) {
  for (std::size_t i = 0; i < erratum_names.size(); ++i) {
    if (erratum_names[i] == text) {
      return static_cast<Erratum>(i);
    }
  }
  return std::nullopt;
}

/// Whether an untyped program is asked `premise` under these switches.
constexpr bool asked(const PremiseInfo& premise, AsPrinted printed) {
  if (premise.erratum.empty()) {
    return true;
  }
  const bool negated = premise.erratum.front() == '!';
  const std::optional<Erratum> erratum = erratum_named(negated ? premise.erratum.substr(1) : premise.erratum);
  return erratum && printed.contains(*erratum) != negated;
}

}  // namespace lockstep::musimd
