// Where poison comes from in typed programs, and where it goes; and that what is no poison is the number that it should be.

#include <fmt/format.h>

#include <algorithm>

#include "semantics/prove/theorems/families.hpp"
#include "semantics/prove/theorems/typed_subjects.hpp"
#include "semantics/prove/value_bytes.hpp"
#include "semantics/prove/value_expression.hpp"

namespace lockstep::prove {

namespace {

using What = TypedGroup::What;

// ---- who makes poison ----------------------------------------------------------------------------------------------------

struct MakingSetup {
  bool may_be_poison = false;
  bool may_find_nothing = false;
};

bool is_shuffle(const World& world) {
  return std::holds_alternative<musimd::Shfl<TypedSymbolic>>(world.instruction) ||
         std::holds_alternative<typed::Exchange<TypedSymbolic>>(world.instruction);
}

/// Where nothing is poison, nothing becomes it: of shuffles, if every item finds a number.
Obligation makes_none(const std::vector<TypedSubject>& subjects, const Case& c, const MakingSetup& setup) {
  const FloatTheory floats(FloatMode::Uninterpreted, true);
  Obligation result;
  for (const TypedSubject& subject : subjects) {
    if (!fits(subject.line, c)) {
      continue;
    }
    const World world = arbitrary_world(c, subject.line);
    if (result.shown.truths.empty()) {
      show(result.shown, world);
    }
    Truth assumed = setup.may_be_poison ? Truth(true) : no_poison(world.state, *world.memory);
    if (is_shuffle(world) && !setup.may_find_nothing) {
      assumed = assumed && for_active(world, [&](unsigned t) { return !subject.result(world, t).poison; });
    }
    for (const TypedSuccessor& next : step(world)) {
      result.goals.push_back(implies(assumed && next.condition, no_poison(next.state, next.memory)));
    }
    append(result.fires, where(assumed, firings(world)));
  }
  return result;
}

/// All but SI.shfl, which is for those who find nothing.
Rules making_rules(const std::vector<TypedSubject>& subjects) {
  Rules rules = rules_of(subjects);
  rules.erase(musimd::RuleId::SI_shfl);
  return rules;
}

// ---- where it goes -------------------------------------------------------------------------------------------------------

/// What is claimed of a step. A twin breaks the rules so that one claim fails, and the others hold.
enum class Claim {
  Poison,  ///< what is written is poison exactly where its operand is
  Number,  ///< else it is the operand's number
  Others   ///< nothing else is written: no other item's register, no other register, no other cell of memory
};

struct FlowSetup {
  std::optional<Claim> broken = std::nullopt;
  std::optional<Claim> not_claimed = std::nullopt;
};

/// A cell after the step, what it was before, and what is written there, by one item after the other, if the condition holds.
struct Effect {
  struct Write {
    Truth here;
    Reading what;
  };
  Cell* now;
  Cell before;
  std::vector<Write> writes;
  bool is_byte = false;
};

Truth is_written(const Effect& effect) {
  Truth result(false);
  for (const Effect::Write& each : effect.writes) {
    result = result || each.here;
  }
  return result;
}

void break_rule(Claim claim, const Effect& effect) {
  const Truth written = is_written(effect);
  Cell& cell = *effect.now;
  switch (claim) {
    case Claim::Poison:
      cell.poison = cell.poison && !written;
      break;
    case Claim::Number:
      cell.value = choose(written,
                          has_pointer(cell.value) ? Value::pointer(0, Value::named(ScalarType::Long, "another"))
                                                  : Value::named(cell.value.type(), "another"),
                          cell.value);
      break;
    case Claim::Others:
      cell.written = choose(written, cell.written, !cell.written);
      break;
  }
}

/// The cell is what is written, in what is any number, poison or not; what it was, where nothing is.
Truth is_as_expected(const Effect& effect, const FlowSetup& setup) {
  const Cell& now = *effect.now;
  const Value value = effect.is_byte ? value_of(Terms::Byte{now.value, now.byte}) : now.value;
  Truth expected = setup.not_claimed == Claim::Others ? Truth(true) : same_cell(now, effect.before);
  for (const Effect::Write& each : effect.writes) {
    const bool any = each.what.value.is_any() || setup.not_claimed == Claim::Number;
    const Truth number = any ? Truth(true) : same_value(value, each.what.value);
    const Truth poison = setup.not_claimed == Claim::Poison ? Truth(true) : same(now.poison, each.what.poison);
    expected = choose(each.here, now.written && poison && (each.what.poison || number), expected);
  }
  return expected;
}

/// The register that an assignment names first: an element of it where it has an index.
std::vector<Effect> assigned(const World& world, const TypedSubject& subject, TypedState& after) {
  const std::string target = subject.line.text.substr(0, subject.line.text.find_first_of(" ["));
  std::vector<Cell>& cells = after.bank.back().registers[world.id(target)];
  std::vector<Effect> effects;
  for (std::uint64_t e = 0; e < cells.size() / world.width(); ++e) {
    for (unsigned t = 0; t < world.width(); ++t) {
      const Truth here = world.state.active[t] && (subject.index ? equal_number(subject.index(world, t).value, e) : Truth(true));
      effects.push_back({&cells[e * world.width() + t], world.cell(target, t, e), {{here, subject.result(world, t)}}});
    }
  }
  return effects;
}

/// The parameters, in the new frame, whose other cells nobody has written.
std::vector<Effect> passed(const World& world, const TypedSubject& subject, TypedState& after) {
  std::vector<Effect> effects;
  std::vector<std::vector<Cell>>& registers = after.bank.back().registers;
  for (std::size_t r = 0; r < registers.size(); ++r) {
    for (std::size_t k = 0; k < registers[r].size(); ++k) {
      const auto t = static_cast<unsigned>(k % world.width());
      Effect& effect = effects.emplace_back(Effect{&registers[r][k], Cell{Value(), Truth(false), Truth(false)}, {}});
      if (r < subject.arguments.size()) {
        effect.writes.push_back({world.state.active[t], subject.arguments[r](world, t)});
      }
    }
  }
  return effects;
}

/// In the caller's frame, the register that waits for the result.
std::vector<Effect> returned(const World& world, const TypedSubject& subject, TypedState& after) {
  const typed::RegisterId id = *world.state.bank.back().result;
  const std::vector<Cell>& before = world.state.bank[world.state.bank.size() - 2].registers[id];
  std::vector<Effect> effects;
  for (unsigned t = 0; t < world.width(); ++t) {
    effects.push_back({&after.bank.back().registers[id][t], before[t], {{world.state.active[t], subject.result(world, t)}}});
  }
  return effects;
}

/// The cells of memory, and of the items' own arrays: of those who store there the last one's value, or a byte of it.
std::vector<Effect> stored(const World& world, const TypedSubject& subject, const World& after) {
  std::vector<Effect> effects;
  const auto add = [&](std::uint32_t object, unsigned first_item, unsigned end) {
    const std::vector<const Cell*> before = cells_of(world, object, first_item);
    const std::vector<const Cell*> now = cells_of(after, object, first_item);
    for (std::size_t k = 0; k < before.size(); ++k) {
      Effect& effect = effects.emplace_back(Effect{const_cast<Cell*>(now[k]), *before[k], {}});  // it is the caller's
      for (unsigned t = first_item; t < end; ++t) {
        for (const Spot& spot : subject.spots(world, t)) {
          if (spot.object == object && k >= spot.first && k < spot.first + spot.count) {
            Reading what = subject.result(world, t);
            effect.is_byte = spot.bytes;
            what.value = spot.bytes ? byte_of(what.value, static_cast<unsigned>(k - spot.first)) : what.value;
            effect.writes.push_back({world.state.active[t] && spot.here, what});
          }
        }
      }
    }
  };
  for (std::uint32_t object = 0; object < world.memory->objects.size(); ++object) {
    add(object, 0, world.width());
  }
  for (const TypedSymbolic::Frame& frame : world.state.bank) {
    for (unsigned t = 0; t < world.width(); ++t) {
      add(frame.first_object, t, t + 1);
    }
  }
  return effects;
}

/// All that no effect speaks of is what it was: registers of the frames that are there before and after, and memory.
Truth rest_is_kept(const World& world, const World& after, const std::vector<Effect>& effects) {
  std::vector<Cell> now;
  for (const Effect& effect : effects) {
    now.push_back(*effect.now);
    *effect.now = effect.before;
  }
  TypedState before = world.state;
  TypedState rest = after.state;
  const std::size_t frames = std::min(before.bank.size(), rest.bank.size());
  before.bank.resize(frames);
  rest.bank.resize(frames);
  const Truth result = same_bank(before, rest) && same_objects(*world.memory, *after.memory);
  for (std::size_t k = 0; k < effects.size(); ++k) {
    *effects[k].now = now[k];
  }
  return result;
}

void add_flow(Obligation& result, const TypedSubject& subject, const World& world, TypedSuccessor next, const FlowSetup& setup) {
  World after = world;
  after.state = std::move(next.state);
  after.memory = std::make_shared<LaunchMemory>(std::move(next.memory));
  const bool calls = std::holds_alternative<typed::Enter<TypedSymbolic>>(world.instruction);
  const bool returns = std::holds_alternative<typed::Leave<TypedSymbolic>>(world.instruction);
  const std::vector<Effect> effects = subject.spots ? stored(world, subject, after)
                                      : calls       ? passed(world, subject, after.state)
                                      : returns     ? returned(world, subject, after.state)
                                                    : assigned(world, subject, after.state);
  Truth assumed = next.condition;
  if (returns) {
    assumed = assumed && same(world.state.active, world.state.bank.back().active);
  }
  Truth some_poison(false);
  Truth all(true);
  for (const Effect& effect : effects) {
    if (setup.broken) {
      break_rule(*setup.broken, effect);
    }
    all = all && is_as_expected(effect, setup);
    for (const Effect::Write& each : effect.writes) {
      some_poison = some_poison || (each.here && each.what.poison);
    }
  }
  result.goals.push_back(implies(assumed, all && rest_is_kept(world, after, effects)));
  if (some_poison.known() != false && !setup.broken) {
    result.reachable.push_back({"poison: " + subject.line.text, assumed && some_poison});
  }
}

Obligation goes_on(const std::vector<TypedSubject>& subjects, const Case& c, const FlowSetup& setup) {
  const FloatTheory floats(FloatMode::Uninterpreted, true);
  Obligation result;
  for (const TypedSubject& subject : subjects) {
    if (!fits(subject.line, c)) {
      continue;
    }
    const World world = arbitrary_world(c, subject.line);
    if (result.shown.truths.empty()) {
      show(result.shown, world);
    }
    for (TypedSuccessor& next : step(world)) {
      add_flow(result, subject, world, std::move(next), setup);
    }
    append(result.fires, firings(world));
  }
  return result;
}

/// Those of which it is said what they compute.
std::vector<TypedSubject> computing(std::vector<TypedSubject> all) {
  std::erase_if(all, [](const TypedSubject& each) { return !each.result && each.arguments.empty(); });
  return all;
}

constexpr int typed_poison_property = 0;

/// What a theorem of a family is about: a kind of instruction, or a group.
struct About {
  std::string name;
  std::function<std::vector<TypedSubject>()> subjects;
  std::vector<Case> making;
  std::vector<Case> flow;
};

constexpr TypedKind computing_kinds[] = {TypedKind::Move,     TypedKind::Fetch, TypedKind::Put,   TypedKind::Shfl,
                                         TypedKind::Exchange, TypedKind::Poll,  TypedKind::Enter, TypedKind::Leave};

/// Of the kinds that take the stack cases, poison has nothing to do with the stacks.
std::vector<Case> making_cases(TypedKind kind) {
  if (kind != TypedKind::EndEverywhere && kind != TypedKind::Sync) {
    return typed_data_cases();
  }
  std::vector<Case> cases;
  for (unsigned items = 1; items <= 4; ++items) {
    cases.push_back({items, {0, 1}, {}});
  }
  return cases;
}

std::vector<Case> flow_cases(TypedKind kind) {
  switch (kind) {
    case TypedKind::Leave:
      return {{1, {0, 0}, {true}}, {2, {0, 0}, {true}}};
    case TypedKind::Shfl:
    case TypedKind::Exchange:
    case TypedKind::Poll:
      return typed_data_cases(3);
    default:
      return {{1, {0}, {}}, {2, {0}, {}}};
  }
}

std::vector<About> abouts() {
  std::vector<About> all;
  for (const TypedKind kind : typed_kinds) {
    const bool computes = std::ranges::find(computing_kinds, kind) != std::end(computing_kinds);
    all.push_back(
        {name(kind), [kind] { return typed_subjects(kind); }, making_cases(kind), computes ? flow_cases(kind) : std::vector<Case>{}});
  }
  const std::vector<Case> one = {{1, {0}, {}}};
  const std::vector<Case> few = {{1, {0}, {}}, {2, {0}, {}}};
  for (const TypedGroup& group : typed_groups()) {
    const bool in_blocks = group.what == What::Lanes || group.what == What::Calls;
    const bool alone = group.what == What::Operations || group.what == What::Conversions || group.what == What::Bytes;
    const auto subjects = [group] {  // how far an index leads is determinism's
      return group.what == What::Bytes ? typed_bytes(group.type, Slip::None, false) : typed_subjects(group);
    };
    all.push_back({name(group), subjects, in_blocks ? typed_data_cases(2) : few, in_blocks ? typed_data_cases(2) : alone ? one : few});
  }
  return all;
}

constexpr Claim claims[] = {Claim::Poison, Claim::Number, Claim::Others};
constexpr const char* claim_names[] = {"loses-poison", "another-number", "writes-more"};
constexpr const char* claim_words[] = {"where an active item writes poison, there is a number", "what an active item writes is any number",
                                       "what nobody writes is changed"};

/// Of votes there is no poison to lose.
bool has(const About& about, Claim claim) { return claim != Claim::Poison || about.name != name(TypedKind::Poll); }

/// A twin's rules; `with_claim`: as a twin.
std::vector<Theorem> broken_flows(bool with_claim) {
  std::vector<Theorem> result;
  for (const About& about : abouts()) {
    for (const Claim claim : claims) {
      if (about.flow.empty() || !has(about, claim)) {
        continue;
      }
      const auto k = static_cast<std::size_t>(claim);
      const std::string of = "poison.flow." + about.name;
      const FlowSetup setup{claim, with_claim ? std::nullopt : std::optional(claim)};
      result.push_back({of + "/" + claim_names[k], typed_poison_property, claim_words[k], of, about.flow,
                        [about, setup](const Case& c) { return goes_on(computing(about.subjects()), c, setup); }});
    }
  }
  return result;
}

}  // namespace

std::vector<Theorem> typed_poison_theorems() {
  std::vector<Theorem> result;
  for (const About& about : abouts()) {
    result.push_back({"poison.made." + about.name, typed_poison_property,
                      about.name + " makes no poison from operands without any, if each item of a shuffle finds a number in the mask", "",
                      about.making, [about](const Case& c) { return makes_none(about.subjects(), c, {}); },
                      [about] { return making_rules(about.subjects()); }});
  }
  for (const About& about : abouts()) {
    if (!about.flow.empty()) {
      result.push_back({"poison.flow." + about.name, typed_poison_property,
                        about.name + ": the result is poison exactly where the operand is, else its number, and nothing else is written",
                        "", about.flow, [about](const Case& c) { return goes_on(computing(about.subjects()), c, {}); },
                        [about] { return rules_of(computing(about.subjects())); }});
    }
  }
  return result;
}

std::vector<Theorem> typed_poison_twins() {
  std::vector<Theorem> result;
  for (const About& about : abouts()) {
    const std::string of = "poison.made." + about.name;
    result.push_back({of + "/from-poison", typed_poison_property, "there may be poison before", of, about.making,
                      [about](const Case& c) { return makes_none(about.subjects(), c, {.may_be_poison = true}); }});
    if (about.name == name(TypedKind::Shfl) || about.name == name(TypedKind::Exchange)) {
      result.push_back({of + "/from-outside", typed_poison_property, "an item may find nothing", of, about.making,
                        [about](const Case& c) { return makes_none(about.subjects(), c, {.may_find_nothing = true}); }});
    }
  }
  for (Theorem& each : broken_flows(true)) {
    result.push_back(std::move(each));
  }
  for (const TypedGroup& group : typed_groups()) {
    if (group.what == What::Bytes && size_of(group.type) > 1) {
      const std::string of = "poison.flow." + name(group);
      result.push_back({of + "/first-byte",
                        typed_poison_property,
                        "the first byte of a number decides whether it is poison",
                        of,
                        {{1, {0}, {}}},
                        [group](const Case& c) { return goes_on(typed_bytes(group.type, Slip::PartlyPoison, false), c, {}); }});
    }
  }
  return result;
}

std::vector<Theorem> typed_poison_controls() { return broken_flows(false); }

}  // namespace lockstep::prove
