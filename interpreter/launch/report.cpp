#include "interpreter/launch/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "semantics/base/diagnostic.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::launch {

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::UninitialisedVariable:
      return "uninitialised-variable";
    case FaultKind::UninitialisedCell:
      return "uninitialised-cell";
    case FaultKind::OutOfBounds:
      return "out-of-bounds";
    case FaultKind::Misaligned:
      return "misaligned";
    case FaultKind::NotReadable:
      return "not-readable";
    case FaultKind::NotWritable:
      return "not-writable";
    case FaultKind::PoisonAddress:
      return "poison-address";
    case FaultKind::PoisonBranch:
      return "poison-branch";
    case FaultKind::DivisionByZero:
      return "division-by-zero";
    case FaultKind::DivisionOverflow:
      return "division-overflow";
    case FaultKind::ConversionOverflow:
      return "conversion-overflow";
    case FaultKind::PointerMismatch:
      return "pointer-mismatch";
    case FaultKind::DivergentBarrier:
      return "divergent-barrier";
    case FaultKind::BarrierNotReached:
      return "barrier-not-reached";
    case FaultKind::Stuck:
      return "stuck";
    case FaultKind::StepLimit:
      return "step-limit";
    case FaultKind::MemoryLimit:
      return "memory-limit";
    case FaultKind::DepthLimit:
      return "depth-limit";
    case FaultKind::Race:
      break;
  }
  return "race";
}

namespace {

/// "second"
std::string ordinal(unsigned number) {
  static constexpr std::array names = {"first", "second", "third", "fourth", "fifth"};
  return number <= names.size() ? names.at(number - 1) : fmt::format("{}th", number);
}

}  // namespace

std::string text_of_cell(const std::string& name, std::uint64_t index, std::uint64_t count, const std::vector<std::uint64_t>& extents) {
  if (count == 1) {
    return name;
  }
  std::string indices;
  for (std::size_t k = extents.size(); k > 1; --k) {
    indices.insert(0, fmt::format("[{}]", index % extents[k - 1]));
    index /= extents[k - 1];
  }
  return fmt::format("{}[{}]{}", name, index, indices);
}

std::string text_of_value(ScalarType type, std::uint64_t bits) { return ops::text_of(type, bits); }

std::string sentence(const Pirch::Trouble& t) {
  const std::string value = t.has_value ? text_of_value(t.value_type, t.value) : std::string();
  switch (t.kind) {
    case FaultKind::UninitialisedVariable:
      return fmt::format("'{}' is read before it has a value", t.variable);
    case FaultKind::UninitialisedCell:
      return fmt::format("'{}' is read before anything is stored there", t.variable);
    case FaultKind::OutOfBounds:
      if (t.limit == Pirch::beyond_memory) {
        return fmt::format("a pointer{} is moved by {} elements, beyond all memory",
                           t.variable.empty() ? "" : fmt::format(" into '{}'", t.variable), value);
      }
      if (t.index_number != 0) {
        return fmt::format("the {} index of '{}' is {}, outside of 0 to {}", ordinal(t.index_number), t.variable, value, t.limit - 1);
      }
      if (t.variable.empty()) {
        return t.limit == 0 ? "the pointer points to nothing: it is null, or the call with its array has returned"
                            : fmt::format("index {} is outside of 0 to {}", value, t.limit - 1);
      }
      return fmt::format("index {} is outside of '{}', which has {} element{}{}", value, t.variable, t.limit, t.limit == 1 ? "" : "s",
                         t.as_type ? fmt::format(" as {}", info(*t.as_type).name) : "");
    case FaultKind::Misaligned:
      return fmt::format("{} bytes are accessed at byte {} of '{}', which is no multiple of their number", t.limit, value, t.variable);
    case FaultKind::NotReadable:
      return fmt::format("'{}' is read, but the launch says that the kernel only writes that buffer", t.variable);
    case FaultKind::NotWritable:
      return fmt::format("'{}' is written, but the launch says that the kernel only reads that buffer", t.variable);
    case FaultKind::PoisonAddress:
      return "an address or index is poison: it comes from a shuffle that found nothing, or from a part of a vector or structure without a "
             "value";
    case FaultKind::PoisonBranch:
      return "control depends on poison: on a shuffle that found nothing, or on a part of a vector or structure without a value";
    case FaultKind::DivisionByZero:
      return t.variable.empty() ? fmt::format("{} is divided by zero", value)
                                : fmt::format("{} is divided by '{}', which is zero", value, t.variable);
    case FaultKind::DivisionOverflow:
      return t.variable.empty() ? fmt::format("{} / -1 does not fit its type", value)
                                : fmt::format("{} is divided by '{}', which is -1: the quotient does not fit its type", value, t.variable);
    case FaultKind::ConversionOverflow:
      return t.variable.empty() ? fmt::format("{} does not fit the integer type that it is converted to", value)
                                : fmt::format("'{}' is {}, which does not fit the integer type that it is converted to", t.variable, value);
    case FaultKind::PointerMismatch:
      return "pointers into different objects have neither a difference nor an order";
    default:
      return std::string(name_of(t.kind));
  }
}

std::string sentence(FaultKind kind, const LaunchOptions& options) {
  switch (kind) {
    case FaultKind::StepLimit:
      return fmt::format("no end after {} steps (--max-steps)", options.max_steps);
    case FaultKind::MemoryLimit:
      return fmt::format("the registers of the calls that have not returned take more than {} bytes (--frame-memory)",
                         options.frame_memory);
    case FaultKind::DepthLimit:
      return fmt::format("calls or blocks are nested more than {} deep (--max-depth)", options.max_depth);
    case FaultKind::DivergentBarrier:
      return "this item does not reach the barrier together with the others of its warp";
    case FaultKind::BarrierNotReached:
      return "this item does not come to the barrier at which others of its group wait";
    default:
      return std::string(name_of(kind));
  }
}

bool ends_without_value(const typed::Program& program, typed::Label pc, const Pirch::Trouble& trouble) {
  return trouble.kind == FaultKind::UninitialisedVariable && std::holds_alternative<typed::Return>(program.code[pc].instruction) &&
         program.code[pc].span == typed::function_at(program, pc).span;
}

std::string sentence_of_missing_value(const typed::Function& function) {
  return fmt::format("'{}' has ended without a value, which is used here", function.name);
}

namespace {

std::string place_in(const std::array<std::uint64_t, 3>& sizes, std::uint64_t number) {
  if (sizes[1] == 1 && sizes[2] == 1) {
    return std::to_string(number);
  }
  const std::string xy = fmt::format("{},{}", number % sizes[0], number / sizes[0] % sizes[1]);
  return sizes[2] == 1 ? fmt::format("({})", xy) : fmt::format("({},{})", xy, number / sizes[0] / sizes[1]);
}

Diagnostic diagnostic(const Party& party, const std::string& message, const Places& places) {
  return {Severity::Error, party.span, fmt::format("{} ({})", message, place_text(party, places)), {}};
}

}  // namespace

std::string place_text(const Party& party, const Places& places) {
  return fmt::format("group {}, item {}", place_in(places.groups, party.group), place_in(places.items, party.item));
}

std::string render(const typed::Program& program, const Fault& fault, const Places& places) {
  return lockstep::render(*program.source, diagnostic(fault.party, fault.message, places));
}

namespace {

/// The cell of the race. Its object is a __local one or a buffer, and a kernel has no two of one name.
std::string cell_of(const typed::Program& program, const Race& race) {
  const auto is_this = [&](const typed::Object& object) { return object.space == AddressSpace::Local && object.name == race.object; };
  const auto found = std::ranges::find_if(program.objects, is_this);
  return found == program.objects.end() ? fmt::format("{}[{}]", race.object, race.index)
                                        : text_of_cell(race.object, race.index, found->count, found->extents);
}

}  // namespace

std::string render(const typed::Program& program, const Race& race, const Places& places) {
  const auto verb = [](bool writes, bool is_atomic) {
    return is_atomic ? writes ? "atomically changes" : "atomically reads" : writes ? "writes" : "reads";
  };
  Diagnostic d = diagnostic(race.second,
                            fmt::format("{}: this item {} {}, {}", race.of_equal_values() ? "race of equal values" : "race",
                                        verb(race.second_writes, race.second_is_atomic), cell_of(program, race),
                                        race.second_writes ? "storing " + race.second_value : "finding " + race.second_value),
                            places);
  d.severity = Severity::Warning;
  Diagnostic note = diagnostic(race.first,
                               fmt::format("while this one {} it{}", verb(race.first_writes, race.first_is_atomic),
                                           race.first_writes ? ", storing " + race.first_value : std::string()),
                               places);
  note.severity = Severity::Note;
  d.notes.push_back(note);
  return lockstep::render(*program.source, d);
}

}  // namespace lockstep::launch
