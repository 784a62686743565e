// The commands that show values of a PTX launch: of registers, variables and memory.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/ptx/stepper.hpp"
#include "interpreter/debug/shown.hpp"
#include "interpreter/ptx/arguments.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/nearest.hpp"

namespace lockstep {

using ptx_machine::Object;

namespace {

constexpr std::size_t cells_in_row = 8;
constexpr std::uint64_t max_printed_cells = 1024;

/// The value, or why there is none.
std::string why_text(const KernelValue& value) { return value.why.empty() ? text_of(value) : fmt::format("no value ({})", value.why); }

}  // namespace

void PtxStepper::show_cells(std::string_view name, const std::vector<std::string>& texts, std::uint64_t first) {
  out_ << name << "\n";
  for (std::size_t k = 0; k < texts.size(); k += cells_in_row) {
    out_ << fmt::format("{:>4}:", first + k);
    for (std::size_t i = k; i < std::min(texts.size(), k + cells_in_row); ++i) {
      out_ << " " << texts[i];
    }
    out_ << "\n";
  }
}

void PtxStepper::show_object(const Object& object) {
  const PtxView v = view();
  const ptx::Type type = v.type_of(object).value_or(ptx::Type::B8);
  const std::uint64_t size = ptx::bytes_of(type);
  const std::uint64_t count = object.bytes / size;
  std::vector<std::string> texts;
  for (std::uint64_t e = 0; e < std::min(count, shown::cells); ++e) {
    texts.push_back(text_of(v.element(object, static_cast<std::int64_t>(e * size), type, 0)));
  }
  const std::string name = shortened(object.name);
  show_cells(fmt::format("{} {} {}[{}]", ptx::text_of(object.space), ptx::info(type).text, name, count), texts, 0);
  out_ << (count > shown::cells ? fmt::format("      … {} more ('print {}[A..B]')\n", count - shown::cells, name) : "");
}

bool PtxStepper::memory(std::string_view arguments) {
  const ptx_machine::AddressSpace& space = history_.run().memory().space;
  const auto parameter = ptx_machine::parameter_named(program().kernel(), arguments);
  const auto* points = parameter ? std::get_if<BufferNumber>(&history_.run().arguments().values[*parameter]) : nullptr;
  const Object* wanted = points != nullptr ? &view().buffer(points->number) : nullptr;  // perhaps another parameter's
  std::vector<std::string_view> names;
  bool any = false;
  for (std::uint32_t k = 0; k < space.size(); ++k) {
    const Object& object = space[k];
    if (object.space == ptx::Space::Local || object.space == ptx::Space::Param) {
      continue;
    }
    names.push_back(object.name);
    if (arguments.empty() || &object == wanted || object.name == arguments) {
      show_object(object);
      any = true;
    }
  }
  if (!any && !arguments.empty()) {
    return fail(fmt::format("there is no buffer or variable '{}' that threads have in common{}", shortened(arguments),
                            suggestion(arguments, names)));
  }
  out_ << (any ? "" : "no buffers and no variables\n");
  return true;
}

void PtxStepper::info_locals() {
  const ptx_machine::Fragment* f = looked_at();
  if (f == nullptr) {
    out_ << "the threads that are looked at have ended: they have no registers\n";
    return;
  }
  const PtxView v = view();
  const std::uint32_t function = scope().function;
  const auto& registers = program().module().functions[function].registers;
  const unsigned first = first_lane();
  const std::size_t level = level_.value_or(SIZE_MAX);
  std::vector<TableRow> rows;
  std::vector<TableRow> wide;
  std::size_t more = 0;
  for (std::uint32_t id = 0; id < registers.size(); ++id) {
    const auto value = [=, this](unsigned lane) {
      return v.read(first + lane, function, id, program().register_type(function, id), level);
    };
    bool any = false;
    for (unsigned lane = 0; lane < v.warp_size(warp()) && !any; ++lane) {
      any = v.is_defined(first + lane, function, id, level);
    }
    if (any && rows.size() + wide.size() < shown::rows) {
      (registers[id].bytes() > 4 ? wide : rows).push_back({shortened(registers[id].name), [value](unsigned lane) {
                                                             return text_of(value(lane));
                                                           }});
    } else {
      more += any ? 1U : 0U;
    }
  }
  out_ << fmt::format("{}, {}, warp {}{}\n", shortened(program().module().functions[function].name), block_text(v, v.block().index()),
                      warp(), rows.empty() && wide.empty() ? ": nothing has been written to a register" : "");
  out_ << warp_tables(warp(), rows, wide);
  out_ << (more != 0 ? fmt::format("… {} more registers ('print NAME')\n", more) : "");
}

/// Elements first to last of NAME[…], where `text` has its brackets from `bracket` to `end`; without a last one, all of them.
void PtxStepper::print_elements(std::string_view text, std::size_t bracket, std::size_t end, std::uint64_t first,
                                std::optional<std::uint64_t> last) {
  const std::string name = printable(trimmed(text.substr(0, bracket)));
  const PtxView v = view();
  const PtxScope where = scope();
  std::vector<TableRow> rows;
  std::vector<std::string> texts;
  std::string heading = name;
  std::uint64_t k = first;
  for (; k <= last.value_or(UINT64_MAX) && texts.size() < max_printed_cells && rows.size() < shown::rows; ++k) {
    const std::string one = fmt::format("{}[{}]{}", text.substr(0, bracket), k, text.substr(end + 1));
    const auto e = parse_expression(one, where);
    if (!e || !is_present(*e)) {
      return;
    }
    const unsigned lane = lane_of(*e);
    const KernelValue value = e->value(moment(), lane);
    if (value.why == "it lies outside") {
      if (last || k == first) {
        fail(fmt::format("{}[{}]: {}", name, k, value.why));
        return;
      }
      break;
    }
    if (e->per_item() && !e->thread() && !thread_) {
      rows.push_back({fmt::format("{}[{}]", name, k), [this, e, base = lane / ptx_machine::warp_threads * ptx_machine::warp_threads](
                                                          unsigned item) { return text_of(e->value(moment(), base + item)); }});
      continue;
    }
    heading = e->per_item() ? fmt::format("{} in thread {}", name, thread_text(v, lane)) : name;
    texts.push_back(text_of(value));
  }
  if (!rows.empty()) {
    out_ << warp_table(warp(), rows);
  } else {
    show_cells(heading, texts, first);
  }
  if (!last && (texts.size() == max_printed_cells || rows.size() == shown::rows)) {
    out_ << fmt::format("… and so on ('print {}[{}..{}]')\n", name, k, k + shown::rows - 1);
  }
}

void PtxStepper::print_range(std::string_view text, std::size_t bracket, std::size_t dots) {
  const std::size_t end = text.find(']', dots);
  if (end == std::string_view::npos) {
    fail("a range is written NAME[A..B]");
    return;
  }
  const PtxScope where = scope();
  const auto first = parse_expression(text.substr(bracket + 1, dots - bracket - 1), where);
  const auto last = first ? parse_expression(text.substr(dots + 2, end - dots - 2), where) : std::nullopt;
  if (!last) {
    return;
  }
  const KernelValue from = first->value(moment(), lane_of(*first));
  const KernelValue to = last->value(moment(), lane_of(*last));
  const auto is_index = [](const KernelValue& v) {
    return v.is_number() && is_integer(v.type.scalar) && static_cast<std::int64_t>(v.bits) >= 0;
  };
  if (!is_index(from) || !is_index(to) || to.bits < from.bits || to.bits - from.bits >= max_printed_cells) {
    fail(fmt::format("a range is NAME[A..B] with numbers 0 ≤ A ≤ B, at most {} elements", max_printed_cells));
    return;
  }
  print_elements(text, bracket, end, from.bits, to.bits);
}

/// A value in all threads of the warp, or in one.
void PtxStepper::print_one(const PtxExpression& e, std::string_view name) {
  const PtxMoment now = moment();
  const unsigned lane = lane_of(e);
  if (!e.per_item() || e.thread() || thread_) {
    out_ << fmt::format("{} = {}\n", name, why_text(e.value(now, lane)));
    return;
  }
  const unsigned warp = lane / ptx_machine::warp_threads;
  const unsigned first = warp * ptx_machine::warp_threads;
  out_ << warp_table(warp, {{std::string(name), [&](unsigned item) { return text_of(e.value(now, first + item)); }}});
}

bool PtxStepper::print_value(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("print what? For example 'print %r3', 'print out[0..15]', 'print shared.f32[%r2]' or 'print %r3 in thread 2'");
  }
  const std::size_t dots = arguments.find("..");
  const std::size_t star = arguments.find("[*]");
  if (dots != std::string_view::npos) {
    const std::size_t bracket = arguments.rfind('[', dots);
    if (bracket == std::string_view::npos) {
      return fail("a range is written NAME[A..B]");
    }
    print_range(arguments, bracket, dots);
    return true;
  }
  if (star != std::string_view::npos) {
    print_elements(arguments, star, star + 2, 0, std::nullopt);
    return true;
  }
  const auto e = parse_expression(arguments, scope());
  if (e && is_present(*e)) {
    print_one(*e, printable(arguments));
  }
  return true;
}

}  // namespace lockstep
