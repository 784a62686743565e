#include "semantics/prove/theorems/typed_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "semantics/base/internal_error.hpp"
#include "semantics/prove/value_expression.hpp"
#include "semantics/prove/value_term.hpp"
#include "semantics/typed/parse.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::prove {

using musimd::RuleId;

namespace {

/// Labels of entries of Π, targets and returns that are none of the program's.
constexpr typed::Label elsewhere = 1000;

bool names_constant(const Line& line) { return line.text.find("@fixed") != std::string::npos; }

std::shared_ptr<const typed::Program> program_with(const Line& line, unsigned items, bool in_function) {
  const bool in_void = line.where == Line::Where::Void;
  const auto body = [&](const char* end, bool has_line) {
    return fmt::format(
        ".var {0} c, row[{1}]\n.var global {0}* p\n.var private {0}* own\n{2}\n        {3}\nNext:   own = &row\n        {4}\n",
        info(line.type).name, elements, line.registers, has_line ? line.text : "", end);
  };
  const Signature& of = line.signature;
  static_assert(elements == 2);
  const std::string one = written_one(line.type);
  const std::string fixed = names_constant(line) ? fmt::format(".constant {} fixed[2]: {} {}\n", info(line.type).name, one, one) : "";
  const std::string text = fmt::format(".typed\n.wg_size {}\n.local {} tile[{}]\n", items, info(line.type).name, elements) + fixed +
                           fmt::format(".kernel k({})\n", of.parameters) + body("stop", !in_function) +  //
                           fmt::format(".function {} f({})\n", of.result, of.parameters) +
                           body(("ret " + of.returned).c_str(), in_function && !in_void) +  //
                           fmt::format(".function void v({})\n", of.parameters) + body("ret", in_function && in_void);
  auto program = typed::parse(std::make_shared<const SourceFile>("line.mus", text));
  if (!program) {
    throw InternalError("a theorem about no instruction: " + line.text);
  }
  return std::make_shared<const typed::Program>(std::move(*program));
}

ThreadSet unknown_set(unsigned items, const std::string& name) {
  std::vector<Truth> members;
  for (unsigned t = 0; t < items; ++t) {
    members.push_back(Truth::named(fmt::format("{}_{}", name, t)));
  }
  return ThreadSet(std::move(members));
}

/// The objects that an arbitrary pointer may lead to: none, memory, one that is gone, and the array of the present frame. A pointer that is
/// reinterpreted leads to bytes, and to no elements that are larger.
std::vector<std::uint32_t> pointees(const World& world) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t k = 0; k < world.memory->objects.size(); ++k) {
    const MemoryObject& object = world.memory->objects[k];
    if (!world.has_bytes() || object.bytes || object.count == 0 || size_of(object.element) == 1) {
      all.push_back(k);
    }
  }
  if (!world.has_bytes()) {
    all.push_back(world.state.bank.back().first_object);
    if (world.state.bank.size() > 1) {
      all.push_back(world.state.bank[world.state.bank.size() - 2].first_object);
    }
  }
  all.push_back(elsewhere);
  return all;
}

std::vector<PointsTo> pointer_cases(const World& world, const std::string& name) {
  std::vector<PointsTo> cases;
  Truth none_before(true);
  const std::vector<std::uint32_t> objects = pointees(world);
  const Value far = Value::named(ScalarType::Long, name + "_element");
  // Of bytes, any number of them that a pointer can be away: less than 2^39, forwards or backwards.
  const Value element = world.has_bytes() ? primitive(Primitive::ShiftRight, far, Value::number(ScalarType::Long, 64 - 40)) : far;
  for (const std::uint32_t object : objects) {
    const Truth chosen = object == objects.back() ? Truth(true) : Truth::named(fmt::format("{}_leads_to_{}", name, object));
    cases.push_back({none_before && chosen, object, element});
    none_before = none_before && !chosen;
  }
  return cases;
}

Value unknown_pointer(const World& world, const std::string& name) {
  Value value;
  const std::vector<PointsTo> cases = pointer_cases(world, name);
  for (std::size_t k = cases.size(); k-- > 0;) {
    const Value here = Value::pointer(cases[k].object, cases[k].element);
    value = k + 1 == cases.size() ? here : choose(cases[k].condition, here, value);
  }
  return value;
}

std::string cell_name(std::size_t frame, const std::string& name, std::size_t element, unsigned item) {
  return fmt::format("f{}_{}_{}_{}", frame, name, element, item);
}

/// Pointers of older frames are nobody's: no rule follows them.
void fill_registers(World& world, std::size_t frame) {
  TypedSymbolic::Frame& of = world.state.bank[frame];
  const auto& infos = world.program->functions[of.function].registers;
  for (std::size_t r = 0; r < infos.size(); ++r) {
    for (std::size_t k = 0; k < of.registers[r].size(); ++k) {
      const std::string name = cell_name(frame, infos[r].name, k / world.width(), static_cast<unsigned>(k % world.width()));
      const bool follows = infos[r].type.is_pointer && frame + 1 == world.state.bank.size() && infos[r].name != "own";
      const Value value = follows                    ? unknown_pointer(world, name)
                          : infos[r].type.is_pointer ? Value::pointer(0, Value::number(ScalarType::Long, 0))
                                                     : Value::named(infos[r].type.scalar, name);
      of.registers[r][k] = {value, Truth::named(name + "_poison"), Truth::named(name + "_written")};
    }
  }
}

std::vector<Cell> arbitrary_cells(ScalarType type, const std::string& name, std::uint64_t count) {
  std::vector<Cell> cells;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::string cell = fmt::format("{}_{}", name, k);
    cells.push_back({Value::named(type, cell), Truth::named(cell + "_poison"), Truth::named(cell + "_written")});
  }
  return cells;
}

typed::RegisterId register_of(const typed::Function& function, const std::string& name) {
  return static_cast<typed::RegisterId>(std::ranges::find(function.registers, name, &typed::RegisterInfo::name) -
                                        function.registers.begin());
}

void fill_stacks(World& world, const Case& c, typed::FunctionId function, const std::string& target) {
  TypedState& s = world.state;
  // In a function that returns something, all frames are of the one function, and of the kernel, which has the same registers.
  const auto waiting = function == 1 ? std::optional(register_of(world.program->functions[function], target)) : std::nullopt;
  s.active = unknown_set(world.width(), fmt::format("theta{}", c.depths.size() - 1));
  s.pc = elsewhere;
  world.d->push_frame(s, 0, std::nullopt, {});
  for (std::size_t f = 0; f < c.depths.size(); ++f) {
    const std::size_t above = c.depths.size() - 1 - f;  // what is unknown is named by it: a frame below all others changes no name
    for (unsigned k = 0; k < c.depths[f]; ++k) {
      const std::string entry = fmt::format("pi{}_{}", above, k);
      const auto label = static_cast<typed::Label>(elsewhere + 8 * above + 2 * k);
      s.sync.push_back({label, unknown_set(world.width(), entry + "_done"), label + 1, unknown_set(world.width(), entry + "_todo")});
    }
    if (f + 1 == c.depths.size()) {
      break;
    }
    if (f < c.is_call.size() && c.is_call[f]) {
      s.pc = static_cast<typed::Label>(elsewhere + 500 + above);
      world.d->push_frame(s, function, waiting, {});
    } else {
      s.context.push_back({s.active, s.frame_base});
    }
    s.frame_base = s.sync.size();
    s.active = unknown_set(world.width(), fmt::format("theta{}", above - 1));
  }
}

}  // namespace

typed::RegisterId World::id(const std::string& name) const { return register_of(function(), name); }
const Cell& World::cell(const std::string& name, unsigned item, std::uint64_t e) const {
  return state.bank.back().registers.at(id(name)).at(e * width() + item);
}
std::vector<PointsTo> World::cases_of(const std::string& name, unsigned item) const {
  return pointer_cases(*this, cell_name(state.bank.size() - 1, name, 0, item));
}

std::string written_one(ScalarType type) {
  constexpr std::array ones = {"true", "1c", "1uc", "1s", "1us", "1", "1u", "1l", "1ul", "1.0f", "1.0"};
  return ones[static_cast<std::size_t>(type)];
}

bool fits(const Line& line, const Case& c) { return line.where != Line::Where::Called || std::ranges::count(c.is_call, true) > 0; }

World arbitrary_world(const Case& c, const Line& line, bool again) {
  World world;
  const bool in_function = std::ranges::count(c.is_call, true) > 0;
  const typed::FunctionId function = line.where == Line::Where::Void ? 2 : 1;
  world.program = program_with(line, c.threads, in_function);
  world.memory = std::make_shared<LaunchMemory>();
  const bool has_bytes = line.text.find("as.global.") != std::string::npos || line.text.find("as.constant.") != std::string::npos;
  const MemoryObject of_elements{"buffer", line.type, AddressSpace::Global, elements, arbitrary_cells(line.type, "buffer", elements)};
  const MemoryObject of_bytes{
      "buffer", ScalarType::UChar, AddressSpace::Global, bytes_of_buffer, arbitrary_cells(ScalarType::UChar, "byte", bytes_of_buffer),
      true};
  world.memory->objects = {{"", line.type, AddressSpace::Global, 0, {}},
                           has_bytes ? of_bytes : of_elements,
                           {"tile", line.type, AddressSpace::Local, elements, arbitrary_cells(line.type, "tile", elements)}};
  if (names_constant(line)) {
    world.memory->objects.push_back({"fixed", line.type, AddressSpace::Constant, elements, arbitrary_cells(line.type, "fixed", elements)});
  }
  world.memory->first_of_program = 2;
  world.d = std::make_shared<TypedSymbolic>(*world.program, *world.memory, 0, 1);
  fill_stacks(world, c, function, line.signature.target);
  for (std::size_t f = 0; f < world.state.bank.size(); ++f) {
    fill_registers(world, f);
  }
  world.state.pc = world.program->functions[world.state.bank.back().function].begin;
  if (again && !world.state.sync_empty()) {
    world.state.sync.back().branch_pc = world.state.pc;
  }
  world.instruction = translate(world.program->code[world.state.pc].instruction);
  return world;
}

std::vector<const Cell*> cells_of(const World& world, std::uint32_t object, unsigned item) {
  std::vector<const Cell*> cells;
  if (object < world.memory->objects.size()) {
    for (const Cell& cell : world.memory->objects[object].cells) {
      cells.push_back(&cell);
    }
    return cells;
  }
  for (const TypedSymbolic::Frame& frame : world.state.bank) {
    if (frame.first_object == object) {
      const typed::RegisterId row = register_of(world.program->functions[frame.function], "row");
      for (std::uint64_t k = 0; k < elements; ++k) {
        cells.push_back(&frame.registers[row][k * world.width() + item]);
      }
    }
  }
  return cells;
}

std::vector<Frame> typed_frames(const TypedState& s) {
  std::vector<Frame> result;
  std::size_t call = 1;
  for (std::size_t k = 0; k <= s.context.size(); ++k) {
    for (; call < s.bank.size() && s.bank[call].contexts <= k; ++call) {
      result.push_back({s.bank[call].active, s.bank[call].frame_base, 0});
    }
    if (k < s.context.size()) {
      result.push_back({s.context[k].mask, s.context[k].sync_base, 0});
    }
  }
  result.push_back({s.active, s.frame_base, s.sync.size()});
  for (std::size_t k = 0; k + 1 < result.size(); ++k) {
    result[k].end = result[k + 1].begin;
  }
  return result;
}

Truth frame_invariant(const TypedState& s, const Frame& frame) {
  std::vector<ThreadSet> sets = {frame.mask};
  for (std::size_t k = frame.begin; k < frame.end; ++k) {
    sets.push_back(s.sync[k].done);
    sets.push_back(s.sync[k].todo);
  }
  Truth result = !empty(frame.mask);
  for (std::size_t a = 0; a < sets.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      result = result && empty(sets[a] & sets[b]);
    }
  }
  return result;
}

Truth typed_invariant(const TypedState& s) {
  Truth result(true);
  for (const Frame& frame : typed_frames(s)) {
    result = result && frame_invariant(s, frame);
  }
  return result;
}

Truth equal_number(const Value& v, std::uint64_t number) { return equal(v, Value::number(ScalarType::Char, number)); }

Truth same_value(const Value& a, const Value& b) {
  if (identical(a, b)) {
    return Truth(true);
  }
  if (!has_pointer(a) && !has_pointer(b)) {
    return same_result(a, b);
  }
  return by_cases(a, [&](const Value& x) {
    return by_cases(b, [&](const Value& y) {
      const bool one_object = x.as_pointer() != nullptr && y.as_pointer() != nullptr && x.as_pointer()->object == y.as_pointer()->object;
      return one_object ? equal(x.as_pointer()->element, y.as_pointer()->element) : Truth(false);
    });
  });
}

Truth same_cell(const Cell& a, const Cell& b) {
  const Truth alike = same(a.poison, b.poison) && (a.poison || same_value(a.value, b.value));
  return same(a.written, b.written) && implies(a.written, alike);
}

namespace {

Truth same_cells(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  Truth result(a.size() == b.size());
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    result = result && same_cell(a[k], b[k]);
  }
  return result;
}

}  // namespace

Truth same_bank(const TypedState& a, const TypedState& b) {
  Truth result(a.bank.size() == b.bank.size());
  for (std::size_t f = 0; f < std::min(a.bank.size(), b.bank.size()); ++f) {
    for (std::size_t r = 0; r < a.bank[f].registers.size(); ++r) {
      result = result && same_cells(a.bank[f].registers[r], b.bank[f].registers[r]);
    }
  }
  return result;
}

Truth same_objects(const LaunchMemory& a, const LaunchMemory& b) {
  Truth result(a.objects.size() == b.objects.size());
  for (std::size_t k = 0; k < std::min(a.objects.size(), b.objects.size()); ++k) {
    result = result && same_cells(a.objects[k].cells, b.objects[k].cells);
  }
  return result;
}

Truth same_control(const TypedState& a, const TypedState& b) {
  if (a.sync.size() != b.sync.size() || a.context.size() != b.context.size() || a.bank.size() != b.bank.size() ||
      a.frame_base != b.frame_base || a.pc != b.pc) {
    return Truth(false);
  }
  Truth result = same(a.active, b.active);
  for (std::size_t k = 0; k < a.sync.size(); ++k) {
    result = result && Truth(a.sync[k].branch_pc == b.sync[k].branch_pc && a.sync[k].resume_at == b.sync[k].resume_at) &&
             same(a.sync[k].done, b.sync[k].done) && same(a.sync[k].todo, b.sync[k].todo);
  }
  for (std::size_t k = 0; k < a.context.size(); ++k) {
    result = result && same(a.context[k].mask, b.context[k].mask) && Truth(a.context[k].sync_base == b.context[k].sync_base);
  }
  for (std::size_t k = 0; k < a.bank.size(); ++k) {
    const TypedSymbolic::Frame& x = a.bank[k];
    const TypedSymbolic::Frame& y = b.bank[k];
    result = result && same(x.active, y.active) &&
             Truth(x.function == y.function && x.return_pc == y.return_pc && x.frame_base == y.frame_base && x.contexts == y.contexts &&
                   x.result == y.result);
  }
  return result;
}

namespace {

Truth no_poison(const std::vector<Cell>& cells) {
  Truth result(true);
  for (const Cell& cell : cells) {
    result = result && !cell.poison;
  }
  return result;
}

}  // namespace

Truth no_poison(const TypedState& s, const LaunchMemory& memory) {
  Truth result(true);
  for (const TypedSymbolic::Frame& frame : s.bank) {
    for (const std::vector<Cell>& cells : frame.registers) {
      result = result && no_poison(cells);
    }
  }
  for (const MemoryObject& object : memory.objects) {
    result = result && no_poison(object.cells);
  }
  return result;
}

void show(Shown& shown, const World& world) {
  const TypedState& s = world.state;
  for (unsigned t = 0; t < world.width(); ++t) {
    shown.truths.push_back({fmt::format("item {} in theta", t), s.active[t]});
    for (std::size_t k = 0; k < s.sync.size(); ++k) {
      shown.truths.push_back({fmt::format("item {} in done of entry {} of the sync stack", t, k), s.sync[k].done[t]});
      shown.truths.push_back({fmt::format("item {} in todo of entry {} of the sync stack", t, k), s.sync[k].todo[t]});
    }
    for (std::size_t r = 0; r < world.function().registers.size(); ++r) {
      const std::string name = fmt::format("{} of item {}", world.function().registers[r].name, t);
      const Cell& cell = s.bank.back().registers[r][t];
      shown.truths.push_back({name + " is poison", cell.poison});
      shown.truths.push_back({name + " is uninitialised", !cell.written});
    }
  }
}

// ---- the rules ---------------------------------------------------------------------------------------------------------

namespace {

template <class R, class I>
void add_successor(const World& world, const I& i, std::vector<TypedSuccessor>& out) {
  using musimd::rules::facts;
  using typed::facts;
  const auto f = facts(*world.d, world.state, i);
  Candidate candidate = new_candidate(musimd::fired<R, I>());
  Collect ask{candidate};
  Truth condition(musimd::premises_hold<R>(ask, *world.d, world.state, i, f) ? candidate.applies : Truth(false));
  if constexpr (std::is_same_v<I, musimd::Shfl<TypedSymbolic>>) {
    for (const TypedSuccessor& each : out) {
      condition = condition && !each.condition;
    }
  }
  if (condition.known() == false) {
    return;
  }
  const LaunchMemory before = *world.memory;
  TypedState next = world.state;
  musimd::conclude<R>(*world.d, next, i, f);
  out.push_back({candidate.rule, condition, std::move(next), *world.memory});
  *world.memory = before;
}

template <class I, class... R>
void add_all(musimd::RuleList<R...>, const World& world, const I& i, std::vector<TypedSuccessor>& out) {
  (add_successor<R>(world, i, out), ...);
}

template <class I, class R, class... Rest>
void conclude_first(musimd::RuleList<R, Rest...>, const World& world, TypedState& onto, const I& i) {
  using musimd::rules::facts;
  using typed::facts;
  const auto f = facts(*world.d, world.state, i);
  musimd::conclude<R>(*world.d, onto, i, f);
}

}  // namespace

std::vector<Candidate> candidates_of(const World& world, std::optional<Skipped> skipped) {
  CollectAll ask{skipped, {}};
  std::visit([&](const auto& i) { musimd::ask_candidates(ask, *world.d, world.state, i); }, world.instruction);
  return std::move(ask.all);
}

std::vector<Firing> firings(const World& world, const std::vector<Candidate>& candidates) {
  std::vector<Firing> fires = firings(candidates);
  bool asks_number = false;
  typed::for_each_expression(world.program->code[world.state.pc].instruction, [&](const typed::Expr& expression) {
    for (const typed::ExprNode& node : expression.nodes) {
      const auto* ask = std::get_if<typed::Ask>(&node.node);
      asks_number = asks_number || (ask != nullptr && ask->query == typed::Query::LocalId);
    }
  });
  if (asks_number) {
    fires.push_back({RuleId::MT, any(candidates)});
  }
  return fires;
}

std::vector<Firing> firings(const World& world) { return firings(world, candidates_of(world)); }

std::vector<TypedSuccessor> step(const World& world) {
  std::vector<TypedSuccessor> out;
  std::visit([&](const auto& i) { add_all(candidates(i), world, i, out); }, world.instruction);
  return out;
}

void conclude_onto(const World& world, TypedState& onto) {
  std::visit(
      [&]<class I>(const I& i) {
        if constexpr (musimd::is_control_flow<I>) {
          throw InternalError("a control flow instruction has no data effect");
        } else {
          conclude_first(candidates(i), world, onto, i);
        }
      },
      world.instruction);
}

std::vector<Case> typed_cases(bool full) {
  const unsigned deepest = full ? 3 : 2;
  std::vector<Case> result;
  for (unsigned items = 1; items <= 4; ++items) {
    for (unsigned frames = 0; frames <= deepest; ++frames) {
      for (unsigned calls = 0; calls < 1U << frames; ++calls) {
        std::vector<bool> is_call;
        for (unsigned k = 0; k < frames; ++k) {
          is_call.push_back((calls >> k & 1U) != 0);
        }
        if (!full && frames == 2 && is_call[0] == is_call[1]) {
          continue;
        }
        const unsigned least = full ? 0 : 1;
        for (unsigned saved = least; saved <= (full && frames > 0 ? deepest : least); ++saved) {
          for (unsigned present = 0; present <= deepest; ++present) {
            Case& c = result.emplace_back(Case{items, std::vector<unsigned>(frames, saved), is_call});
            c.depths.push_back(present);
          }
        }
      }
    }
  }
  return result;
}

std::vector<Case> typed_data_cases(unsigned most) {
  std::vector<Case> result;
  for (unsigned items = 1; items <= most; ++items) {
    result.push_back({items, {0}, {}});
    result.push_back({items, {0, 0}, {}});
    result.push_back({items, {0, 0}, {true}});
  }
  return result;
}

}  // namespace lockstep::prove
