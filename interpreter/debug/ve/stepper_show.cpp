// The commands that show the present state of a core of VE.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/shown.hpp"
#include "interpreter/debug/ve/record.hpp"
#include "interpreter/debug/ve/stepper.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/lane_set_text.hpp"

namespace lockstep {

using ve::Operand;

namespace {

constexpr std::size_t cells_in_row = 8;
constexpr std::uint64_t max_printed_cells = 1024;
constexpr std::string_view outside = "it lies outside";

/// The value, or why there is none.
std::string why_text(const KernelValue& value) { return value.why.empty() ? text_of(value) : fmt::format("no value ({})", value.why); }

/// "%s3", "0x10"
std::string operand_text(const VeView& view, const Operand& operand, const VeType& type) {
  const unsigned number = operand.number;
  switch (operand.kind) {
    case Operand::Kind::Scalar:
    case Operand::Kind::Quad:
      return fmt::format("%s{} = {}", number, scalar_text(view, view.state().scalars[number], ve_type("i64")));
    case Operand::Kind::Vector:
      return fmt::format("%v{}.{} = {}", number, type.name, vector_text(view, number, type, view.active()));
    case Operand::Kind::Mask:
      return fmt::format("%vm{} = {}", number, to_text(view.mask(number)));
    case Operand::Kind::MaskPair:
      return fmt::format("%vm{} = {}, %vm{} = {}", number, to_text(view.mask(number)), number + 1, to_text(view.mask(number + 1)));
    case Operand::Kind::Number:
    case Operand::Kind::None:
      break;
  }
  return "";
}

}  // namespace

bool VeStepper::info(std::string_view arguments) {
  static const Topic topics[] = {{"registers", &VeStepper::info_registers}, {"vectors", &VeStepper::info_vectors},
                                 {"masks", &VeStepper::info_masks},         {"break", &VeStepper::info_break},
                                 {"watch", &VeStepper::info_watch},         {"line", &VeStepper::info_line}};
  return show_topic(topics, arguments, "registers, vectors, masks, break, watch or line");
}

void VeStepper::info_registers() {
  const VeView v = view();
  out_ << fmt::format("vl = {}\n", text_of(v.length()));
  for (unsigned k = 0; k < ve::scalar_registers; ++k) {
    const ve_machine::Word& word = v.state().scalars[k];
    if (word.undefined != ~std::uint64_t{0}) {
      out_ << fmt::format("%s{} = 0x{:016x}   {}\n", k, word.bits & ~word.undefined, scalar_text(v, word, ve_type("i64")));
    }
  }
}

void VeStepper::info_vectors() {
  const VeView v = view();
  bool any = false;
  for (unsigned k = 0; k < ve::vector_registers; ++k) {
    LaneSet defined(ve::max_length);
    for (unsigned i = 0; i < ve::max_length; ++i) {
      if (!ve_machine::has(v.state().vectors[k].undefined, i)) {
        defined.insert(i);
      }
    }
    if (!defined.empty()) {
      out_ << fmt::format("%v{}.f64 = {}\n", k, vector_text(v, k, ve_type("f64"), defined));
      any = true;
    }
  }
  out_ << (any ? "" : "nothing has been written to a vector register\n");
}

void VeStepper::info_masks() {
  const VeView v = view();
  bool any = false;
  for (unsigned k = 1; k < ve::mask_registers; ++k) {
    if (v.state().masks[k].undefined != ve_machine::all_lanes) {
      out_ << fmt::format("%vm{} = {}\n", k, to_text(v.mask(k)));
      any = true;
    }
  }
  out_ << (any ? "" : "nothing has been written to a mask register\n");
}

void VeStepper::info_line() {
  const auto place = program().place(view().state().place);
  const std::string source = place ? source_text(*place) : std::string();
  out_ << (source.empty() ? "nobody says which line this comes from (clang does with -g)\n" : source + "\n");
}

bool VeStepper::where(std::string_view) {
  tell_place();
  return true;
}

bool VeStepper::list(std::string_view arguments) {
  constexpr std::uint32_t around = 5;
  const auto here = history_.run().next_place();
  std::uint32_t middle = here.value_or(0);
  if (!arguments.empty()) {
    const auto places = places_named(arguments);
    if (places.empty()) {
      return true;
    }
    middle = places.front();
  }
  const bool goes_on = arguments.empty() && listed_until_ != 0;
  const std::uint32_t begin = goes_on ? listed_until_ : middle > around ? middle - around : 0;
  const auto end = std::min(static_cast<std::uint32_t>(program().places()), begin + 2 * around + 1);
  for (VeProgram::Place place = begin; place < end; ++place) {
    const std::string source =
        program().line_name(place).empty() || !(place == begin || program().is_beginning(place)) ? "" : source_text(place);
    out_ << (source.empty() ? source : "  " + source + "\n") << fmt::format("{}   {}\n", place == here ? "→" : " ", place_text(place));
  }
  listed_until_ = end == program().places() ? 0 : end;
  return true;
}

bool VeStepper::explain(std::string_view) {
  const VeView v = view();
  const ve::Instruction* next = history_.run().next();
  if (next == nullptr) {
    tell_place();
    return true;
  }
  out_ << fmt::format("{}\n{}\n", program().instruction_text(*history_.run().next_place()), ve::info(next->row).sentence);
  const VeType& type = result_type(*next);
  for (const Operand& source : next->sources) {
    const std::string text = operand_text(v, source, type);
    out_ << (text.empty() ? text : "  " + text + "\n");
  }
  const std::string mask = operand_text(v, next->mask, type);
  out_ << (mask.empty() ? mask : "  under " + mask + "\n");
  const LaneSet active = v.active();
  out_ << (active.empty() ? "" : fmt::format("  elements {}\n", to_text(active)));
  const auto accesses = ve_machine::accesses_of(history_.run().machine(), *next);
  out_ << (accesses.addresses.empty()
               ? ""
               : fmt::format("  {} {}\n", accesses.writes ? "writes" : "reads", accesses_text(v, accesses, type, nullptr)));
  return true;
}

// ---- values -------------------------------------------------------------------------------------------------------------

void VeStepper::show_cells(std::string_view name, const std::vector<std::string>& texts, std::uint64_t first) {
  out_ << name << "\n";
  for (std::size_t k = 0; k < texts.size(); k += cells_in_row) {
    out_ << fmt::format("{:>4}:", first + k);
    for (std::size_t i = k; i < std::min(texts.size(), k + cells_in_row); ++i) {
      out_ << " " << texts[i];
    }
    out_ << "\n";
  }
}

bool VeStepper::memory(std::string_view arguments) {
  const ve_machine::Arguments& given = history_.run().arguments();
  const auto wanted = number_in(arguments);
  const auto has_buffer = [&](std::uint64_t k) { return k < given.values.size() && std::holds_alternative<BufferNumber>(given.values[k]); };
  if (!arguments.empty() && (!wanted || !has_buffer(*wanted))) {
    return fail(fmt::format("no buffer has the position '{}'", shortened(arguments)));
  }
  for (std::size_t k = 0; k < given.values.size(); ++k) {
    if (!has_buffer(k) || (wanted && *wanted != k)) {
      continue;
    }
    const auto& of = std::get<BufferNumber>(given.values[k]);
    const launch::Buffer& buffer = given.buffers[of.number];
    std::vector<std::string> texts;
    for (std::uint64_t e = of.first; e < std::min(buffer.count, of.first + shown::cells); ++e) {
      texts.push_back(launch::element_text(buffer, e));
    }
    const std::uint64_t count = buffer.count - of.first;
    show_cells(fmt::format("arg{} {}[{}]", k, lockstep::info(buffer.type).name, count), texts, 0);
    out_ << (count > shown::cells ? fmt::format("      … {} more ('print arg{}[A..B]')\n", count - shown::cells, k) : "");
  }
  return true;
}

/// Elements first to last of NAME[…], where `text` has its brackets from `bracket` to `end`.
void VeStepper::print_elements(std::string_view text, std::size_t bracket, std::size_t end, std::uint64_t first, std::uint64_t last) {
  const std::string name = printable(trimmed(text.substr(0, bracket)));
  std::vector<std::string> texts;
  for (std::uint64_t k = first; k <= last && texts.size() < max_printed_cells; ++k) {
    const auto e = parse_expression(fmt::format("{}[{}]{}", text.substr(0, bracket), k, text.substr(end + 1)));
    if (!e) {
      return;
    }
    const KernelValue value = e->value(moment(), e->element().value_or(0));
    if (value.why == outside) {
      if (last != UINT64_MAX || k == first) {
        fail(fmt::format("{}[{}]: {}", name, k, value.why));
        return;
      }
      break;
    }
    texts.push_back(text_of(value));
  }
  show_cells(name, texts, first);
  if (last == UINT64_MAX && texts.size() == max_printed_cells) {
    out_ << fmt::format("… and so on ('print {}[{}..{}]')\n", name, first + max_printed_cells, first + 2 * max_printed_cells - 1);
  }
}

/// In all elements side by side, as far as a screen goes, or in one.
void VeStepper::print_one(const VeExpression& e, std::string_view name) {
  if (!e.per_item() || e.element()) {
    out_ << fmt::format("{} = {}\n", name, why_text(e.value(moment(), e.element().value_or(0))));
    return;
  }
  std::vector<std::string> texts;
  for (unsigned lane = 0; lane < shown::cells; ++lane) {
    texts.push_back(text_of(e.value(moment(), lane)));
  }
  show_cells(name, texts, 0);
  out_ << fmt::format("      … {} more ('print … in element E', 'print %v0[A..B]')\n", ve::max_length - shown::cells);
}

bool VeStepper::print_value(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("print what? For example 'print %s3', 'print %v1.f32[0..9]', 'print arg2[*]' or 'print f64[%s1 + 8]'");
  }
  const std::size_t dots = arguments.find("..");
  const std::size_t star = arguments.find("[*]");
  if (star != std::string_view::npos) {
    print_elements(arguments, star, star + 2, 0, UINT64_MAX);
    return true;
  }
  if (dots != std::string_view::npos) {
    const std::size_t bracket = arguments.rfind('[', dots);
    const std::size_t end = arguments.find(']', dots);
    const auto is_range = bracket != std::string_view::npos && end != std::string_view::npos;
    const auto first = is_range ? number_in(trimmed(arguments.substr(bracket + 1, dots - bracket - 1))) : std::nullopt;
    const auto last = is_range ? number_in(trimmed(arguments.substr(dots + 2, end - dots - 2))) : std::nullopt;
    if (!first || !last || *last < *first || *last - *first >= max_printed_cells) {
      return fail(fmt::format("a range is NAME[A..B] with numbers 0 ≤ A ≤ B, at most {} elements", max_printed_cells));
    }
    print_elements(arguments, bracket, end, *first, *last);
    return true;
  }
  if (const auto e = parse_expression(arguments)) {
    print_one(*e, printable(arguments));
  }
  return true;
}

}  // namespace lockstep
