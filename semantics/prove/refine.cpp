#include "semantics/prove/refine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "semantics/base/line_origins.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/memory/bytes.hpp"
#include "semantics/musimd/check.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/context.hpp"
#include "semantics/prove/infreg_domain.hpp"
#include "semantics/prove/questions.hpp"
#include "semantics/prove/typed_run.hpp"
#include "semantics/typed/check.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::prove {

namespace {

using Clock = std::chrono::steady_clock;

/// Questions on the way decide whether a loop goes on: an answer that comes late is worth less than a round too many.
constexpr unsigned question_on_the_way_ms = 1'000;

const std::string& name_of(const typed::Program& program, std::size_t parameter) {
  const typed::RegisterInfo& info = program.kernel().registers[parameter];
  return info.variable.empty() ? info.name : info.variable;
}

const typed::ValueType& type_of(const typed::Program& program, std::size_t parameter) { return program.kernel().registers[parameter].type; }

/// For each parameter a name that no other one has: that of its variable, or if two have one variable's name, that of its register.
std::vector<std::string> names_of(const typed::Program& program) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    names.push_back(name_of(program, i));
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      names[i] = program.kernel().registers[i].name;
    }
  }
  return names;
}

/// What is wrong with one side. Executed without forking, an ill-formed program may seem to do what it does not.
std::optional<std::string> fault_of(const typed::Program& program) {
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    const typed::ValueType& type = type_of(program, i);
    if (type.is_pointer && type.space != AddressSpace::Global && type.space != AddressSpace::Constant) {
      return fmt::format("parameter {}, '{}', points to memory that no launch can give", i + 1, name_of(program, i));
    }
  }
  const Diagnostics findings = typed::check(program);
  if (musimd::well_formed(findings)) {
    return std::nullopt;
  }
  const std::string where = file_and_line(*program.source, findings.front().span);
  return musimd::undecided(findings)
             ? fmt::format("{}: whether this program is well-formed is {}", where, findings.front().message)
             : fmt::format("{}: this program is ill-formed, and of such nothing is proved ('lockstep check' says more): {}", where,
                           findings.front().message);
}
std::optional<std::string> fault_of(const infreg::Kernel& kernel) {
  const std::vector<infreg::Fault> faults = infreg::verify(kernel);
  return faults.empty() ? std::nullopt : std::optional("the verifier of InfReg-IR refuses this kernel: " + faults.front().sentence);
}

std::optional<std::string> misfit(const typed::Program& program, const infreg::Kernel& kernel) {
  if (kernel.shape.wg_size != program.wg_size) {
    return fmt::format("the groups of the one have {} items, those of the other {}", program.wg_size, kernel.shape.wg_size);
  }
  if (kernel.parameters.size() != program.kernel().parameter_count) {
    return fmt::format("the one has {} parameters, the other {}", program.kernel().parameter_count, kernel.parameters.size());
  }
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const infreg::Parameter& parameter = kernel.parameters[i];
    const typed::ValueType& type = type_of(program, i);
    if (parameter.is_pointer != type.is_pointer || parameter.scalar != type.scalar) {
      return fmt::format("parameter {}, '{}', has another type in the other kernel", i + 1, name_of(program, i));
    }
  }
  return std::nullopt;
}

std::optional<std::string> misfit(const typed::Program& program, const typed::Program& other) {
  if (other.wg_size != program.wg_size) {
    return fmt::format("the groups of the one have {} items, those of the other {}", program.wg_size, other.wg_size);
  }
  if (other.kernel().parameter_count != program.kernel().parameter_count) {
    return fmt::format("the one has {} parameters, the other {}", program.kernel().parameter_count, other.kernel().parameter_count);
  }
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    const typed::ValueType& type = type_of(program, i);
    const typed::ValueType& other_type = type_of(other, i);
    if (type.is_pointer != other_type.is_pointer || type.scalar != other_type.scalar) {
      return fmt::format("parameter {}, '{}', has another type in the other kernel", i + 1, name_of(program, i));
    }
  }
  return std::nullopt;
}

/// Whether bits of a float become an integer, or may.
bool shows_bits(const typed::Program& program) {
  bool shows = false;
  for (const typed::Statement& statement : program.code) {
    const auto* atomic = std::get_if<typed::Atomic>(&statement.instruction);
    shows = shows || (atomic != nullptr && atomic->compare && is_float(atomic->value.type().scalar));
    typed::for_each_expression(statement.instruction, [&](const typed::Expr& expression) {
      for (const typed::ExprNode& node : expression.nodes) {
        const auto* bitcast = std::get_if<typed::Bitcast>(&node.node);
        const auto* bytes = std::get_if<typed::Reinterpret>(&node.node);
        shows = shows || bytes != nullptr || (bitcast != nullptr && is_float(bitcast->from) && !is_float(node.type.scalar));
      }
    });
  }
  return shows;
}
bool shows_bits(const infreg::Kernel& kernel) {
  const auto shows = [&](const infreg::Operation& operation) {
    const auto* bitcast = std::get_if<infreg::Bitcast>(&operation.node);
    return bitcast != nullptr && is_float(kernel.type_of(bitcast->source).element.scalar) && !is_float(bitcast->to);
  };
  return std::ranges::any_of(kernel.regions, [&](const infreg::Region& region) { return std::ranges::any_of(region.operations, shows); });
}

/// Whether the program meets memory as elements of several types.
bool puns(const typed::Program& program, ScalarType element) { return typed::Puns(program)(AddressSpace::Global, element); }
bool puns(const infreg::Kernel&, ScalarType) { return false; }

/// Something that has to hold, and what that says.
struct Goal {
  Truth holds;
  std::string name;
  std::string meaning;
};

class Proof {
 public:
  Proof(const typed::Program& program, const Target& target, const RefineOptions& options)
      : program_(program),
        target_(target),
        options_(options),
        theory_(options.floats, shows_bits(program) || std::visit([](const auto* other) { return shows_bits(*other); }, target)),
        start_(Clock::now()),
        names_(names_of(program)) {}

  Refinement run() {
    const Budget budget(options_.allowance);
    try {
      prepare();
      if (options_.groups > 1 && any_in_bytes(std::vector<bool>(buffers_.size(), true))) {
        unknown("which bytes of a buffer groups race at is not found out where a program puns it; ask for one group");
      } else if (any_in_bytes(read_only_)) {
        unknown("who stores to a buffer that can only be read is not found out where a program puns it");
      } else if (options_.groups > 1 && packs_several() && typed::atomic_order(program_) == typed::AtomicOrder::Matters) {
        unknown("the groups of a pack change memory atomically in turns, which is another order than group after group; ask for one group");
      } else {
        decide();
      }
    } catch (const OutOfBudget& out) {
      nothing_left(out.what);
    }
    result_.units = budget.units();
    result_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::move(result_);
  }

 private:
  void tell(const std::string& what, std::size_t done = 0, std::size_t all = 0) {
    doing_ = what;
    if (options_.progress) {
      options_.progress({what, done, all});
    }
  }
  bool packs_several() const {
    const auto* kernel = std::get_if<const infreg::Kernel*>(&target_);
    return kernel != nullptr && (*kernel)->shape.wg_pack > 1;
  }
  ParameterSize said_of(std::size_t parameter) const {
    return parameter < options_.parameters.size() ? options_.parameters[parameter] : ParameterSize();
  }
  void unknown(std::string what, std::optional<SourceSpan> span = std::nullopt) {
    result_.kind = Refinement::Kind::Unknown;
    result_.what = std::move(what);
    result_.span = span;
  }

  static std::string_view word_of(Spent what) { return what == Spent::Time ? "time" : what == Spent::Memory ? "memory" : "budget"; }

  /// Keeps the first reason why nothing is known.
  void nothing_left(Spent what) {
    if (result_.kind != Refinement::Kind::Unknown || result_.what.empty()) {
      unknown(fmt::format("there was no {} left; the last thing looked at: {}", word_of(what), doing_));
      result_.spent = what;
    }
  }

  /// The arguments: pointers to the buffers, scalars of which nothing or everything is known.
  void prepare() {
    std::uint32_t buffer = 1;
    for (std::size_t i = 0; i < program_.kernel().parameter_count; ++i) {
      const typed::ValueType& type = type_of(program_, i);
      const std::string& name = names_[i];
      if (type.is_pointer) {
        arguments_.push_back(Value::pointer(buffer++, Value::number(ScalarType::Long, 0)));
        buffers_.push_back({name, type.scalar, AddressSpace::Global, 0, {}});
        pointers_.push_back(i);
        read_only_.push_back(said_of(i).read_only || type.space == AddressSpace::Constant);
      } else {
        const auto bits = said_of(i).bits;
        arguments_.push_back(bits ? Value::number(type.scalar, *bits) : Value::named(type.scalar, name));
      }
    }
    find_sizes();
    for (MemoryObject& object : buffers_) {
      object.cells = unknown_cells(object.element, object.name, object.count);
      result_.counts.push_back(object.count);
    }
  }

  static LaunchMemory memory_of(const typed::Program& program, const std::vector<MemoryObject>& buffers) {
    LaunchMemory memory;
    memory.objects.emplace_back();
    memory.objects.insert(memory.objects.end(), buffers.begin(), buffers.end());
    memory.first_of_program = memory.objects.size();
    add_program_objects(memory, program);
    return memory;
  }

  TypedRunOptions run_options() const { return {options_.groups, options_.bound, 20'000'000, {}, Truth(true)}; }

  /// Buffers of which nothing is said get as many elements as the known indices of either side reach. Where there are unknown ones they get
  /// more than there are items: elements that one side confuses have to be there.
  void find_sizes() {
    bool all_said = true;
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      const auto count = said_of(pointers_[b]).count;
      buffers_[b].count = count.value_or(0);
      all_said = all_said && count.has_value();
    }
    if (all_said) {
      return;
    }
    tell("the sizes of buffers");
    std::vector<MemoryObject> grown = buffers_;
    for (MemoryObject& buffer : grown) {
      buffer.cells = unknown_cells(buffer.element, buffer.name, buffer.count);
    }
    std::vector<bool> has_unknown_index(grown.size(), false);
    reach(program_, grown, has_unknown_index);
    std::visit([&](const auto* target) { reach(*target, grown, has_unknown_index); }, target_);
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      if (!said_of(pointers_[b]).count) {
        const std::uint64_t unknown = count_for_unknown_indices() * elements_of_widest(buffers_[b].element);
        buffers_[b].count = std::max(grown[b].count, has_unknown_index[b] ? std::min(unknown, most_cells) : 1);
      }
    }
  }

  /// Where one of the two puns such elements, an unknown index may count larger ones.
  std::uint64_t elements_of_widest(ScalarType element) const {
    return lies_in_bytes(element) ? memory::max_scalar_bytes / size_of(element) : 1;
  }
  bool lies_in_bytes(ScalarType element) const {
    return puns(program_, element) || std::visit([&](const auto* target) { return puns(*target, element); }, target_);
  }
  /// Whether one of these buffers does.
  bool any_in_bytes(const std::vector<bool>& of_buffers) const {
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      if (of_buffers[b] && lies_in_bytes(buffers_[b].element)) {
        return true;
      }
    }
    return false;
  }

  /// No power of two: an index of which only some bits are taken is another one.
  std::uint64_t count_for_unknown_indices() const {
    const std::uint64_t count = options_.groups * program_.wg_size + 3;
    return std::min(std::has_single_bit(count) ? count + 1 : count, most_cells);
  }

  void reach(const typed::Program& program, std::vector<MemoryObject>& buffers, std::vector<bool>& has_unknown_index) {
    LaunchMemory memory = memory_of(program, buffers);
    memory.grows = true;
    memory.has_unknown_index.assign(memory.objects.size(), false);
    Explorer explorer(question_on_the_way_ms);
    TypedRunOptions shorter = run_options();
    shorter.bound -= shorter.bound > 1 ? 1 : 0;  // so that a loop over a buffer leaves it, and is undefined, within the bound
    run_typed(program, arguments_, memory, explorer, shorter);
    result_.questions += explorer.questions();
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      buffers[b].count = std::max(buffers[b].count, memory.objects[b + 1].count);
      has_unknown_index[b] = has_unknown_index[b] || memory.has_unknown_index[b + 1];
    }
    restart(buffers);
  }
  void reach(const infreg::Kernel& kernel, std::vector<MemoryObject>& buffers, std::vector<bool>& has_unknown_index) {
    Explorer explorer(question_on_the_way_ms);
    InfregRunOptions options;
    options.groups = options_.groups;
    options.rounds = options_.bound > 1 ? options_.bound - 1 : 1;
    options.unknown_indices = &has_unknown_index;
    run_infreg(kernel, arguments_, buffers, explorer, options);
    result_.questions += explorer.questions();
    restart(buffers);
  }
  /// As they are before anything is executed.
  static void restart(std::vector<MemoryObject>& buffers) {
    for (MemoryObject& buffer : buffers) {
      buffer.cells = unknown_cells(buffer.element, buffer.name, buffer.count);
    }
  }

  void decide() {
    Explorer explorer(question_on_the_way_ms);
    tell("the kernel");
    LaunchMemory memory = memory_of(program_, buffers_);
    memory.accesses = no_accesses();
    const TypedRun run = run_typed(program_, arguments_, memory, explorer, run_options());
    result_.bound_met = !run.beyond.empty();
    most_rounds_ = run.most_rounds;
    if (const auto* end = std::get_if<TypedRun::GivenUp>(&run.end)) {
      result_.questions += explorer.questions();
      return unknown(end->sentence, end->span);
    }
    accesses_ = std::move(memory.accesses);
    for_each_element([&](std::size_t b, std::uint64_t k) { explorer.assume(!accesses_.race(b + 1, k)); });
    const std::vector<MemoryObject> left(memory.objects.begin() + 1,
                                         memory.objects.begin() + static_cast<std::ptrdiff_t>(memory.first_of_program));
    std::vector<Goal> goals;
    const auto found = std::visit([&](const auto* target) { return run_target(*target, explorer, goals); }, target_);
    result_.questions += explorer.questions();
    if (!found) {
      return;
    }
    compare(left, *found, goals);
    ask(goals, explorer);
  }

  /// Those of the buffers, where something is to be known of them; before anybody does anything.
  Accesses no_accesses() const {
    if (!notes_accesses()) {
      return {};
    }
    std::vector<std::uint64_t> counts{0};
    for (const MemoryObject& buffer : buffers_) {
      counts.push_back(buffer.count);
    }
    return Accesses(counts);
  }
  bool notes_accesses() const { return options_.groups > 1 || std::ranges::find(read_only_, true) != read_only_.end(); }

  /// Calls f(buffer, element), if accesses are noted.
  template <class F>
  void for_each_element(F&& f) const {
    for (std::size_t b = 0; notes_accesses() && b < buffers_.size(); ++b) {
      for (std::uint64_t k = 0; k < buffers_[b].count; ++k) {
        f(b, k);
      }
    }
  }

  /// What the target's accesses must not be. A race that is one of the program's, term by term, has been assumed away.
  void demand_order(const Accesses& found, std::vector<Goal>& goals) {
    for_each_element([&](std::size_t b, std::uint64_t k) {
      const std::string& name = buffers_[b].name;
      const Truth race = found.race(b + 1, k);
      if (race.known() != false) {
        goals.push_back({identical(race, accesses_.race(b + 1, k)) ? Truth(true) : !race, fmt::format("race-{}-{}", name, k),
                         fmt::format("no two groups race at {}[{}]", name, k)});
      }
      const Truth stored = read_only_[b] ? found.stored(b + 1, k) : Truth(false);
      if (stored.known() != false) {
        goals.push_back({implies(stored, accesses_.stored(b + 1, k)), fmt::format("stored-{}-{}", name, k),
                         fmt::format("nothing is stored to {}[{}], which the kernel can only read", name, k)});
      }
    });
  }

  std::optional<std::vector<MemoryObject>> run_target(const infreg::Kernel& kernel, Explorer& explorer, std::vector<Goal>& goals) {
    tell("InfReg-IR");
    std::vector<MemoryObject> buffers = buffers_;
    InfregRunOptions options;
    options.groups = options_.groups;
    options.rounds = std::max<std::uint64_t>(options_.bound, most_rounds_) + 2;  // what is certain in the program need not be so here
    options.notes_accesses = notes_accesses();
    const InfregRun run = run_infreg(kernel, arguments_, buffers, explorer, options);
    if (run.given_up) {
      unknown("the execution of InfReg-IR met a limit of time or operations");
      return std::nullopt;
    }
    for (const Demand& demand : run.demands) {
      const infreg::Operation& operation = kernel.regions[demand.operation.region].operations[demand.operation.index];
      const std::string value = operation.results.empty() ? "a store" : "%" + kernel.values[operation.results[0]].name;
      const std::string where = fmt::format("group {}, item {}, element {}", demand.group, demand.lane.wi, demand.lane.ix);
      const bool ends = demand.kind == Demand::Kind::LoopEnds;
      goals.push_back({demand.holds, fmt::format("defined-{}", goals.size()),
                       ends ? fmt::format("the loop {} ends (group {})", value, demand.group)
                            : fmt::format("{} is defined: {} ({})", value, sentence(demand.cause), where)});
    }
    demand_order(run.accesses, goals);
    return buffers;
  }

  std::optional<std::vector<MemoryObject>> run_target(const typed::Program& program, Explorer& explorer, std::vector<Goal>& goals) {
    tell("the second kernel");
    // Its own undefined behaviour is not assumed away: a second explorer, that knows the same.
    Explorer own(question_on_the_way_ms);
    for (const Truth& truth : explorer.assumptions()) {
      own.assume(truth);
    }
    LaunchMemory memory = memory_of(program, buffers_);
    memory.accesses = no_accesses();
    TypedRunOptions options = run_options();
    options.bound += 2;
    const TypedRun run = run_typed(program, arguments_, memory, own, options);
    result_.questions += own.questions();
    if (const auto* end = std::get_if<TypedRun::GivenUp>(&run.end)) {
      unknown("the second kernel: " + end->sentence);
      return std::nullopt;
    }
    for (const Beyond& each : run.beyond) {
      goals.push_back({!each.somebody, fmt::format("loops-end-{}", goals.size()),
                       fmt::format("the second kernel's loops end with those of the first (line {}, group {})", line_of(program, each.pc),
                                   each.group)});
    }
    for (const MayFail& each : run.undefined) {
      goals.push_back({!each.fails, fmt::format("defined-{}", goals.size()),
                       fmt::format("line {} of the second kernel is defined (group {})", line_of(program, each.pc), each.group)});
    }
    demand_order(memory.accesses, goals);
    return std::vector<MemoryObject>(memory.objects.begin() + 1,
                                     memory.objects.begin() + static_cast<std::ptrdiff_t>(memory.first_of_program));
  }

  static std::string line_of(const typed::Program& program, typed::Label pc) {
    return LineOrigins(*program.source).name(program.source->place(program.code[pc].span.begin).line);
  }

  static std::string_view sentence(infreg::Cause cause) {
    switch (cause) {
      case infreg::Cause::PoisonMask:
        return "its mask is not poison";
      case infreg::Cause::PoisonAddress:
        return "its address is not poison";
      case infreg::Cause::NoSuchCell:
        return "its cell exists";
      case infreg::Cause::ReadOnly:
        return "its cell can be written";
      case infreg::Cause::PoisonCondition:
        return "its condition is not poison";
      case infreg::Cause::PoisonBound:
        break;
    }
    return "its bounds are not poison";
  }

  void compare(const std::vector<MemoryObject>& left, const std::vector<MemoryObject>& found, std::vector<Goal>& goals) {
    result_.conditions = goals.size();
    for (std::size_t b = 0; b < left.size(); ++b) {
      for (std::uint64_t k = 0; k < left[b].count; ++k) {
        const Cell wanted = element_of(left[b], k);
        const Cell there = element_of(found[b], k);
        ++result_.cells;
        goals.push_back({wanted.poison || (!there.poison && same_result(wanted.value, there.value)), fmt::format("{}-{}", left[b].name, k),
                         fmt::format("{}[{}] is the same", left[b].name, k)});
      }
    }
  }

  void ask(const std::vector<Goal>& goals, const Explorer& explorer) {
    Questions questions(explorer.assumptions(), arguments_, options_.query_ms);
    ++result_.questions;
    if (!explorer.is_consistent() || questions.ask(Truth(false)) == Answer::Unsatisfiable) {
      result_.is_vacuous = true;
      return unknown(
          "at these sizes the kernel is undefined on all inputs, or its groups race on all: whatever it is made into would refine it");
    }
    result_.kind = result_.bound_met ? Refinement::Kind::RefinesUpToBound : Refinement::Kind::Refines;
    std::vector<Goal> open;
    for (const Goal& goal : goals) {
      doing_ = goal.meaning;
      Budget::check();
      if (goal.holds.known() == true || questions.holds_by_form(goal.holds)) {
        ++result_.folded;
      } else {
        open.push_back(goal);
      }
    }
    for (std::size_t k = 0; k < open.size(); ++k) {
      const Goal& goal = open[k];
      tell(goal.meaning, k, open.size());
      if (const auto spent = Budget::spent()) {
        if (result_.kind != Refinement::Kind::Unknown) {
          unknown(fmt::format("there was no {} left to ask whether {}", word_of(*spent), goal.meaning));
          result_.query = goal.name;
          result_.spent = spent;
        }
        return;
      }
      if (options_.query) {
        options_.query({goal.name, goal.meaning, questions.smt_lib(goal.holds)});
      }
      ++result_.questions;
      const Answer answer = questions.ask(goal.holds);
      if (answer == Answer::Satisfiable) {
        result_.kind = Refinement::Kind::Refuted;
        result_.what = goal.meaning;
        result_.query = goal.name;
        result_.inputs = inputs_from(questions);
        return;
      }
      if (answer == Answer::Unknown && result_.kind != Refinement::Kind::Unknown) {
        const auto spent = Budget::spent();
        unknown((spent ? fmt::format("there was no {} left to know whether ", word_of(*spent)) : "the solver does not know whether ") +
                goal.meaning);
        result_.query = goal.name;
        result_.spent = spent;
      }
    }
  }

  Inputs inputs_from(const Questions& questions) const {
    Inputs inputs;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      inputs.scalars.push_back(type_of(program_, i).is_pointer ? 0 : questions.bits_of(arguments_[i]));
    }
    for (const MemoryObject& object : buffers_) {
      std::vector<std::uint64_t>& elements = inputs.elements.emplace_back();
      for (const Cell& cell : object.cells) {
        elements.push_back(questions.bits_of(cell.value));
      }
    }
    return inputs;
  }

  const typed::Program& program_;
  const Target& target_;
  const RefineOptions& options_;
  FloatTheory theory_;
  Clock::time_point start_;
  std::vector<std::string> names_;  // of the parameters
  std::vector<Value> arguments_;
  std::vector<MemoryObject> buffers_;  // as the launch begins
  std::vector<std::size_t> pointers_;  // the parameters that they belong to
  std::vector<bool> read_only_;        // of each buffer
  Accesses accesses_;                  // the program's
  std::uint64_t most_rounds_ = 0;      // of a loop of the program's
  std::string doing_;
  Refinement result_;
};

}  // namespace

std::expected<Refinement, std::string> refine(const typed::Program& program, const Target& target, const RefineOptions& options) {
  if (const auto problem = std::visit([&](const auto* other) { return misfit(program, *other); }, target)) {
    return std::unexpected(*problem);
  }
  const auto other_fault = std::visit([](const auto* other) { return fault_of(*other); }, target);
  if (const auto problem = fault_of(program); problem || other_fault) {
    return std::unexpected(problem ? *problem : *other_fault);
  }
  const FreshTerms terms;
  return Proof(program, target, options).run();
}

}  // namespace lockstep::prove
