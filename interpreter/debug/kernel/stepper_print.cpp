// The commands that show values: of variables, arrays and memory.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/kernel/stepper.hpp"
#include "interpreter/debug/shown.hpp"
#include "interpreter/debug/table.hpp"
#include "interpreter/debug/text.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/nearest.hpp"

namespace lockstep {

namespace {

constexpr std::int64_t cells_in_row = 8;
constexpr std::int64_t max_printed_cells = 1024;

/// The value, or why there is none.
std::string why_text(const KernelView& view, const KernelValue& value) {
  return value.why.empty() ? text_of(view, value) : fmt::format("no value ({})", value.why);
}

/// The name of what a print is of: its text without `in item …`.
std::string name_in(std::string_view text) {
  const std::size_t suffix = text.find(" in ");
  return printable(trimmed(text.substr(0, suffix)));
}

}  // namespace

void KernelStepper::show_cells(std::string_view name, const std::vector<std::string>& texts, std::int64_t first) {
  out_ << name << "\n";
  for (std::size_t k = 0; k < texts.size(); k += cells_in_row) {
    out_ << fmt::format("{:>4}:", first + static_cast<std::int64_t>(k));
    for (std::size_t i = k; i < std::min(texts.size(), k + cells_in_row); ++i) {
      out_ << " " << texts[i];
    }
    out_ << "\n";
  }
}

void KernelStepper::show_object(const launch::Object& object, unsigned lane) {
  const KernelView v = view();
  KernelValue array;
  array.is_array = true;
  array.object = &object;
  array.count = object.count;
  std::vector<std::string> texts;
  for (std::uint64_t e = 0; e < std::min(object.count, shown::cells); ++e) {
    texts.push_back(text_of(v, v.element(array, static_cast<std::int64_t>(e), lane)));
  }
  const std::string space(name_of(object.space));
  show_cells(fmt::format("{} {} {}[{}]", space, lockstep::info(object.element).name, *object.name, object.count), texts, 0);
  out_ << (object.count > shown::cells ? fmt::format("      … {} more ('print {}[A..B]')\n", object.count - shown::cells, *object.name)
                                       : "");
}

bool KernelStepper::memory(std::string_view arguments) {
  const KernelView v = view();
  const auto& objects = v.pack().domain().objects();
  const std::size_t until = v.pack().domain().first_program_object + program().objects.size();
  std::string_view wanted = arguments;
  if (const auto parameter = launch::parameter_named(program(), arguments)) {  // it may point into the buffer of another one
    const auto* points = std::get_if<BufferNumber>(&moment().arguments[*parameter]);
    wanted = points != nullptr ? *objects[points->number + 1].name : wanted;
  }
  std::vector<std::string_view> names;
  bool any = false;
  for (std::size_t k = 1; k < until; ++k) {
    names.push_back(*objects[k].name);
    if (arguments.empty() || *objects[k].name == wanted) {
      show_object(objects[k], first_lane());
      any = true;
    }
  }
  if (!any && !arguments.empty()) {
    return fail(fmt::format("there is no buffer or __local variable '{}'{}", shortened(arguments), suggestion(arguments, names)));
  }
  out_ << (any ? "" : "no buffers and no __local variables\n");
  return true;
}

/// `print a[*]`: every element, of an array in registers one row each.
void KernelStepper::print_all(const KernelExpression& e, std::string_view name) {
  const KernelView v = view();
  const KernelMoment now = moment();
  const unsigned first = e.item() || item_ || e.group() ? lane_of(e) : first_lane();
  const KernelValue sample = e.value(now, first);
  const bool one_item = e.item() || item_;
  if (sample.is_array && sample.frame != nullptr && !one_item) {
    std::uint64_t below = 1;
    for (const std::uint64_t extent : sample.extents) {
      below *= extent;
    }
    std::vector<TableRow> rows;
    const std::uint64_t count = sample.count;
    const unsigned begin = first / v.lanes().wg_size * v.lanes().wg_size;
    for (std::uint64_t k = 0; k < std::min(count, shown::rows); ++k) {
      const std::string index =
          below == 1 ? fmt::format("[{}]", k) : fmt::format("[{}]{}", k / below, below == count ? "" : fmt::format("[{}]", k % below));
      rows.push_back({std::string(name) + index, [&, k](unsigned item) {
                        KernelValue array = e.value(now, begin + item);
                        array.extents = {};
                        return text_of(v, v.element(array, static_cast<std::int64_t>(k), begin + item));
                      }});
    }
    out_ << table_text("item", v.lanes().wg_size, [&](unsigned item) { return v.active(begin + item); }, rows);
    out_ << (count > shown::rows ? fmt::format("… {} more elements\n", count - shown::rows) : "");
    return;
  }
  KernelValue array = sample;
  array.extents = {};
  std::vector<std::string> texts;
  for (std::int64_t k = 0; k < max_printed_cells; ++k) {
    const KernelValue element = v.element(array, k, first);
    if (!element.why.empty()) {
      break;
    }
    texts.push_back(text_of(v, element));
  }
  if (texts.empty()) {
    fail(fmt::format("{} has no elements{}", name, sample.why.empty() ? "" : fmt::format(" ({})", sample.why)));
    return;
  }
  const bool registers = sample.frame != nullptr || e.item();
  show_cells(registers ? fmt::format("{} in item {} of group {}", name, v.item_of(first), v.group_of(first)) : std::string(name), texts, 0);
}

void KernelStepper::print_range(std::string_view text, std::size_t bracket, std::size_t dots) {
  const std::size_t end = text.find(']', dots);
  if (end == std::string_view::npos) {
    fail("a range is written NAME[A..B]");
    return;
  }
  const std::string whole = std::string(text.substr(0, bracket)) + std::string(text.substr(end + 1));
  const KernelScope where = scope();
  const auto e = parse_expression(whole, where);
  const auto first = e ? parse_expression(text.substr(bracket + 1, dots - bracket - 1), where) : std::nullopt;
  const auto last = first ? parse_expression(text.substr(dots + 2, end - dots - 2), where) : std::nullopt;
  if (!last || !is_present(*e)) {
    return;
  }
  const KernelView v = view();
  const unsigned lane = lane_of(*e);
  const KernelValue from = first->value(moment(), lane);
  const KernelValue to = last->value(moment(), lane);
  const auto number = [](const KernelValue& n) { return static_cast<std::int64_t>(n.bits); };
  if (!from.is_number() || !to.is_number() || number(from) < 0 || number(to) < number(from) ||
      number(to) - number(from) >= max_printed_cells) {
    fail(fmt::format("a range is NAME[A..B] with numbers 0 ≤ A ≤ B, at most {} elements", max_printed_cells));
    return;
  }
  const KernelValue array = e->value(moment(), lane);
  if (!array.extents.empty()) {
    const std::string name = name_in(text.substr(0, bracket));
    fail(fmt::format("the elements of {} are arrays; name one, as in {}[0][A..B]", name, name));
    return;
  }
  std::vector<std::string> texts;
  for (std::int64_t k = number(from); k <= number(to); ++k) {
    const KernelValue element = v.element(array, k, lane);
    if (!element.why.empty()) {
      fail(fmt::format("{}[{}]: {}", name_in(text.substr(0, bracket)), k, element.why));
      return;
    }
    texts.push_back(text_of(v, element));
  }
  const bool per_item = e->per_item();
  const std::string name = name_in(text.substr(0, bracket));
  show_cells(per_item ? fmt::format("{} in item {} of group {}", name, v.item_of(lane), v.group_of(lane)) : name, texts, number(from));
}

/// A value in all items of the group, or in one.
void KernelStepper::print_one(const KernelExpression& e, std::string_view name) {
  const KernelView v = view();
  const KernelMoment now = moment();
  if (!e.per_item() || e.item() || item_) {
    const unsigned lane = lane_of(e);
    out_ << fmt::format("{} = {}\n", name, why_text(v, e.value(now, lane)));
    return;
  }
  const unsigned first = lane_of(e) / v.lanes().wg_size * v.lanes().wg_size;
  out_ << table_text("item", v.lanes().wg_size, [&](unsigned item) { return v.active(first + item); },
                     {{std::string(name), [&](unsigned item) { return text_of(v, e.value(now, first + item)); }}});
}

bool KernelStepper::print_value(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("print what? For example 'print k', 'print a[*]', 'print out[0..15]' or 'print k in item 2'");
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
  const std::string text = star == std::string_view::npos
                               ? std::string(arguments)
                               : std::string(arguments.substr(0, star)) + std::string(arguments.substr(star + 3));
  const auto e = parse_expression(text, scope());
  if (!e || !is_present(*e)) {
    return true;
  }
  if (star != std::string_view::npos || e->value(moment(), lane_of(*e)).is_array) {
    print_all(*e, name_in(star == std::string_view::npos ? arguments : arguments.substr(0, star)));
  } else {
    print_one(*e, printable(arguments));
  }
  return true;
}

}  // namespace lockstep
