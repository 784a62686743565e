// Property 1 for typed programs: under Inv exactly one candidate applies, or none, and it is known when.

#include <fmt/format.h>

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/typed_subjects.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

using musimd::RuleId;

namespace {

/// What a twin breaks: Inv is not assumed, a premise is not asked, or all rules ask for a pair on Λ, as IT did as it is printed.
struct TypedDeterminismSetup {
  bool with_invariant = true;
  std::optional<Skipped> skipped = std::nullopt;
  bool needs_a_frame = false;
};

/// Where the stacks are as the rule wants them, its premises of definedness say what is expected, no more and no less.
Truth defined_as_expected(const Expected& expected, const std::vector<Candidate>& candidates) {
  Truth result(true);
  for (const Candidate& each : candidates) {
    if (!each.failed || each.failed == musimd::PremiseKind::Defined) {
      result = result && same(each.defined, expected.defined);
    }
  }
  return result;
}

void add(Obligation& result, const TypedSubject& subject, const World& world, const TypedDeterminismSetup& setup) {
  std::vector<Candidate> candidates = candidates_of(world, setup.skipped);
  if (setup.needs_a_frame) {
    for (Candidate& each : candidates) {
      each.applies = each.applies && Truth(!world.state.context.empty());
    }
  }
  const Expected expected = subject.expected(world);
  const Truth applicable = Truth(expected.not_stuck) && expected.defined;
  const bool is_shuffle = std::holds_alternative<musimd::Shfl<TypedSymbolic>>(world.instruction);
  const bool is_guard =
      std::holds_alternative<musimd::LeaveBlock<TypedSymbolic>>(world.instruction);  // what it asks of Π is no definedness
  Truth goal = same(any(candidates), applicable) &&
               (is_shuffle ? each_thread_one(world.state.active, applicable, candidates) : at_most_one(candidates)) &&
               (is_guard ? Truth(true) : defined_as_expected(expected, candidates));
  for (std::size_t k = 0; k < expected.chosen.size(); ++k) {
    goal = goal && same(candidates[k].applies, applicable && expected.chosen[k]);
  }
  result.goals.push_back(goal);
  append(result.fires, firings(world, candidates));
  if (expected.defined.known() != true) {
    result.reachable.push_back({"undefined: " + subject.line.text, !expected.defined});
  }
}

Obligation determinism(const std::vector<TypedSubject>& subjects, const Case& c, const TypedDeterminismSetup& setup) {
  Obligation result;
  bool first = true;
  for (const TypedSubject& subject : subjects) {
    for (const bool again : {false, true}) {
      if (!fits(subject.line, c) || (again && (!subject.line.text.starts_with("bz ") || c.depths.back() == 0))) {
        continue;
      }
      const World world = arbitrary_world(c, subject.line, again);
      add(result, subject, world, setup);
      if (std::exchange(first, false)) {
        show(result.shown, world);
        if (setup.with_invariant) {
          result.hypotheses.push_back(typed_invariant(world.state));
        }
      }
    }
  }
  return result;
}

using What = TypedGroup::What;

bool converts_float(const TypedGroup& group) { return group.what == What::Conversions && is_float(group.type); }

/// Floats are IEEE numbers where it matters which they are.
Obligation determinism(const TypedGroup& group, const std::vector<TypedSubject>& subjects, const Case& c,
                       const TypedDeterminismSetup& setup) {
  const FloatTheory floats(converts_float(group) ? FloatMode::Exact : FloatMode::Uninterpreted, !converts_float(group));
  return determinism(subjects, c, setup);
}

/// Numbers of IEEE 754 make hard questions: they are asked of one item, whose operand no other item has to do with. Lanes are: they are
/// asked in blocks, too.
std::vector<Case> cases_of(const TypedGroup& group, bool full) {
  if (converts_float(group)) {
    return {{1, {0}, {}}};
  }
  if (group.what == What::Bytes) {  // of more items, `ld` and `st` of short are typed_subjects'
    return full ? typed_data_cases(1) : std::vector<Case>{{1, {0}, {}}};
  }
  if (group.what == What::Lanes || full) {
    return typed_data_cases(full ? 4 : 3);
  }
  if (group.what == What::Calls) {
    return typed_data_cases(2);
  }
  return {{1, {0}, {}}, {2, {0}, {}}};
}

std::string says(const TypedGroup& group) {
  const std::string of(info(group.type).name);
  switch (group.what) {
    case What::Values:
      return "copies, elements, shuffles, loads and stores of " + of + " are defined exactly where their operands are";
    case What::Operations:
      return "an operation on " + of + ": BP applies exactly where its numbers have a result, or one is poison";
    case What::Conversions:
      return "a conversion from " + of + ": BP applies exactly where the number fits, or is poison";
    case What::Bitcasts:
      return "the bits of " + of + " as another type are defined where there are any";
    case What::Pointers:
      return "moving, subtracting or comparing pointers to " + of + ", which count elements or bytes";
    case What::Bytes:
      return "loads and stores of " + of +
             " among bytes are defined exactly where they lie on a multiple of their size, in the object, and " +
             "a load on bytes that are all written";
    case What::Calls:
      return "arguments and results of type " + of + ", and pointers to it: CALL and RET apply exactly where their operands are defined";
    case What::Lanes:
      return "lanes of type " + of + ": jmp_mask goes where the mask has the lane, and is defined where all items name one";
  }
  return {};
}

/// Premises without which the theorem fails: each is one of a rule that the group's instructions have.
std::vector<Skipped> needed(const TypedGroup& group) {
  std::vector<Skipped> all = {{RuleId::MV, 2}};
  const bool divides = group.what == What::Operations && !is_float(group.type) && group.type != ScalarType::Bool;
  if (divides || converts_float(group) || group.what == What::Pointers || group.what == What::Values || group.what == What::Calls) {
    all.push_back({RuleId::BP, 3});  // quotients, conversions of floats, what pointers of different objects have not, indices
  }
  if (group.what == What::Bytes || group.what == What::Values) {
    all.insert(all.end(), {{RuleId::LD, 3}, {RuleId::MM, 2}, {RuleId::ST, 4}});
  }
  if (group.what == What::Lanes) {
    all.insert(all.end(), {{RuleId::BA, 4}, {RuleId::BI, 4}});
    if (group.type != ScalarType::Bool) {
      all.insert(all.end(), {{RuleId::BA, 3}, {RuleId::BI, 3}});
    }
  }
  return all;
}

struct Slipping {
  Slip slip;
  const char* name;
  const char* says;
};
/// Wrong readings of how memory lies in bytes. Those of a load differ in numbers of more bytes than one.
constexpr Slipping slips[] = {{Slip::Misaligned, "misaligned", "any place in the object will do"},
                              {Slip::PartlyOutside, "partly-outside", "it is enough that the first byte lies in the object"},
                              {Slip::PartlyWritten, "partly-written", "it is enough that the first byte is written"}};

/// A jmp_mask that takes lanes from 2^63 on for one and the same, as if they were signed and ended there.
std::vector<TypedSubject> clamped_lanes() {
  const Operand clamped = [](const World& world, unsigned item) {
    Reading x = register_named("x")(world, item);
    const Value most = Value::number(ScalarType::ULong, ~std::uint64_t{0} >> 1U);
    x.value = choose(less(most, x.value), most, x.value);
    return x;
  };
  return {mask_jump({"jmp_mask x, Next", ".var ulong x"}, clamped, ScalarType::ULong)};
}

constexpr int typed_determinism_property = 1;

}  // namespace

std::vector<Theorem> typed_determinism_theorems(bool full) {
  std::vector<Theorem> result;
  for (const TypedKind kind : typed_kinds) {
    const std::string what =
        kind == TypedKind::Shfl
            ? "each item of Θ takes exactly one of SV and SI.shfl where the lane operand is defined, else no rule applies"
            : "at most one rule applies, and one does exactly where the instruction is defined and not stuck";
    result.push_back({"determinism." + name(kind), typed_determinism_property, name(kind) + " under Inv: " + what, "", cases_of(kind, full),
                      [kind](const Case& c) { return determinism(typed_subjects(kind), c, {}); }, [kind] { return rules_of(kind); }});
  }
  result.push_back({"determinism.typed.conditions", typed_determinism_property, "bz and votes take numbers of every type", "",
                    typed_data_cases(), [](const Case& c) { return determinism(typed_conditions(), c, {}); },
                    [] { return rules_of(typed_conditions()); }});
  for (const TypedGroup& group : typed_groups()) {
    result.push_back({"determinism." + name(group), typed_determinism_property, says(group), "", cases_of(group, full),
                      [group](const Case& c) { return determinism(group, typed_subjects(group), c, {}); },
                      [group] { return rules_of(typed_subjects(group)); }});
  }
  return result;
}

std::vector<Theorem> typed_determinism_twins() {
  struct Twin {
    TypedKind kind;
    const char* name;
    const char* statement;
    TypedDeterminismSetup setup;
  };
  const auto without = [](RuleId rule, int number) { return TypedDeterminismSetup{true, Skipped{rule, number}}; };
  const TypedDeterminismSetup framed{true, std::nullopt, true};
  const Twin list[] = {
      {TypedKind::Stop, "without-SP.2", "SP does not ask for Π = []", without(RuleId::SP, 2)},
      {TypedKind::Stop, "without-SP.3", "SP does not ask for Λ = []", without(RuleId::SP, 3)},
      {TypedKind::Jmp, "needs-a-frame", "JP asks for a pair on Λ", framed},
      {TypedKind::Bz, "without-inv", "Θ may be empty", {false}},
      {TypedKind::Bz, "without-MV.2", "the condition may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Bz, "without-BP.2", "the condition may divide by zero", without(RuleId::BP, 2)},
      {TypedKind::Bz, "without-BT.3", "BT takes a condition that is poison", without(RuleId::BT, 3)},
      {TypedKind::Bz, "without-BF.3", "BF takes a condition that is poison", without(RuleId::BF, 3)},
      {TypedKind::Bz, "without-BD.3", "BD takes a condition that is poison", without(RuleId::BD, 3)},
      {TypedKind::Bz, "without-BT.4", "BT does not ask that no item stays", without(RuleId::BT, 4)},
      {TypedKind::Bz, "without-BF.4", "BF does not ask that no item goes", without(RuleId::BF, 4)},
      {TypedKind::Bz, "without-BD.5", "BD does not ask that an item stays", without(RuleId::BD, 5)},
      {TypedKind::JmpMask, "without-MV.2", "the lane may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::JmpMask, "without-BP.2", "the lane may divide by zero", without(RuleId::BP, 2)},
      {TypedKind::JmpMask, "without-BA.3", "BA takes lanes that differ", without(RuleId::BA, 3)},
      {TypedKind::JmpMask, "without-BI.3", "BI takes lanes that differ", without(RuleId::BI, 3)},
      {TypedKind::JmpMask, "without-BI.4", "BI does not ask e ∉ Θ'", without(RuleId::BI, 4)},
      {TypedKind::JmpMask, "without-BA.4", "BA does not ask e ∈ Θ'", without(RuleId::BA, 4)},
      {TypedKind::Sync, "without-SS.3", "SS does not ask todo ≠ ∅", without(RuleId::SS, 3)},
      {TypedKind::Sync, "without-SI.sync.3", "SI.sync does not ask todo = ∅", without(RuleId::SI_sync, 3)},
      {TypedKind::Everywhere, "needs-a-frame", "EB asks for a pair on Λ", framed},
      {TypedKind::EndEverywhere, "without-EE.3", "EE does not ask that Π is converged", without(RuleId::EE, 3)},
      {TypedKind::Move, "without-MV.2", "operands may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Move, "without-BP.3", "operands may be undefined", without(RuleId::BP, 3)},
      {TypedKind::Move, "without-CT.1", "CT takes copies and operations", without(RuleId::CT, 1)},
      {TypedKind::Drop, "needs-a-frame", "IT asks for a pair on Λ", framed},
      {TypedKind::Fetch, "without-MV.2", "addresses may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Fetch, "without-BP.3", "addresses may be undefined", without(RuleId::BP, 3)},
      {TypedKind::Fetch, "without-LD.3", "loads may be outside of the object", without(RuleId::LD, 3)},
      {TypedKind::Fetch, "without-MM.2", "loads may meet uninitialised cells", without(RuleId::MM, 2)},
      {TypedKind::Put, "without-MV.2", "addresses and values may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Put, "without-BP.3", "addresses and values may be undefined", without(RuleId::BP, 3)},
      {TypedKind::Put, "without-ST.4", "stores may be outside of the object", without(RuleId::ST, 4)},
      {TypedKind::Change, "without-MV.2", "addresses and values may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Change, "without-BP.3", "addresses and values may be undefined", without(RuleId::BP, 3)},
      {TypedKind::Change, "without-AT.2", "elements may be outside of the object", without(RuleId::AT, 2)},
      {TypedKind::Change, "without-AT.3", "elements may be uninitialised", without(RuleId::AT, 3)},
      {TypedKind::Shfl, "without-inv", "Θ may be empty, and then neither SV nor SI.shfl has an item", {false}},
      {TypedKind::Shfl, "without-MV.2", "the lane may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Shfl, "without-BP.2", "the lane may divide by zero", without(RuleId::BP, 2)},
      {TypedKind::Exchange, "without-MV.2", "the lane may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Exchange, "without-BP.3", "the lane may be undefined", without(RuleId::BP, 3)},
      {TypedKind::Poll, "without-MV.2", "votes may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Poll, "without-BP.3", "votes may be undefined", without(RuleId::BP, 3)},
      {TypedKind::Poll, "without-SVA.2", "votes may be poison", without(RuleId::SVA, 2)},
      {TypedKind::Enter, "without-MV.2", "arguments may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Enter, "without-BP.3", "arguments may be undefined", without(RuleId::BP, 3)},
      {TypedKind::Leave, "without-RET.2", "RET does not ask for Π = []", without(RuleId::RET, 2)},
      {TypedKind::Leave, "without-RET.3", "RET does not ask for Λ as at the call", without(RuleId::RET, 3)},
      {TypedKind::Leave, "without-RET.4", "RET does not ask for a caller", without(RuleId::RET, 4)},
      {TypedKind::Leave, "without-MV.2", "the result may be uninitialised", without(RuleId::MV, 2)},
      {TypedKind::Leave, "without-BP.3", "the result may be undefined", without(RuleId::BP, 3)},
      {TypedKind::Wait, "needs-a-frame", "BR asks for a pair on Λ", framed},
  };
  std::vector<Theorem> result;
  for (const TypedGroup& group : typed_groups()) {
    const std::string of = "determinism." + name(group);
    for (const Skipped& each : needed(group)) {
      const std::string premise = fmt::format("{}.{}", musimd::name(each.rule), each.number);
      result.push_back({fmt::format("{}/without-{}", of, premise), typed_determinism_property, premise + " is not asked", of,
                        cases_of(group, false),
                        [group, each](const Case& c) { return determinism(group, typed_subjects(group), c, {true, each}); }});
    }
    for (const Slipping& each : slips) {
      if (group.what == What::Bytes && size_of(group.type) > 1) {
        result.push_back(
            {of + "/" + each.name, typed_determinism_property, each.says, of, cases_of(group, false),
             [group, slip = each.slip](const Case& c) { return determinism(group, typed_bytes(group.type, slip, true), c, {}); }});
      }
    }
  }
  const TypedGroup ulongs{What::Lanes, ScalarType::ULong};
  result.push_back({"determinism." + name(ulongs) + "/clamped", typed_determinism_property, "lanes from 2^63 on are all the same",
                    "determinism." + name(ulongs), cases_of(ulongs, false),
                    [](const Case& c) { return determinism(clamped_lanes(), c, {}); }});
  result.push_back({"determinism.typed.conditions/without-MV.2", typed_determinism_property, "they may be uninitialised",
                    "determinism.typed.conditions", typed_data_cases(),
                    [without](const Case& c) { return determinism(typed_conditions(), c, without(RuleId::MV, 2)); }});
  for (const Twin& twin : list) {
    const std::string of = "determinism." + name(twin.kind);
    result.push_back({of + "/" + twin.name, typed_determinism_property, twin.statement, of, cases_of(twin.kind, false),
                      [kind = twin.kind, setup = twin.setup](const Case& c) { return determinism(typed_subjects(kind), c, setup); }});
  }
  return result;
}

}  // namespace lockstep::prove
