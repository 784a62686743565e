#include "semantics/infreg/parse_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "semantics/base/nearest.hpp"
#include "semantics/base/refused_line.hpp"
#include "semantics/infreg/limits.hpp"
#include "semantics/infreg/numbers.hpp"

namespace lockstep::infreg {

namespace {

using Text = std::string_view;

constexpr std::uint64_t max_numbers = std::uint64_t{1} << 24;

/// The name behind '%' or '@'.
Text behind_sign(Text word) { return word.substr(1); }

}  // namespace

// ---- lines -------------------------------------------------------------------------------------------------------------

bool Reader::next_line() {
  if (errors_.size() > max_errors || !lines_.next()) {
    return false;
  }
  object_ = {};
  type_ = {};
  has_pack_ = false;
  result_names_.clear();
  result_types_.clear();
  operands_.clear();
  list_.clear();
  negative_ = false;
  sum_ = {};
  polynomials_.clear();
  comparisons_.clear();
  place_ = {};
  arguments_.clear();
  return true;
}

Diagnostic Reader::explained(const char* where, const std::string& what) const {
  const auto at = static_cast<std::size_t>(where - line().data());
  const auto word_end = [&] {
    std::size_t end = at;
    while (end < line().size() && is_name(line().substr(end, 1))) {
      ++end;
    }
    return end > at ? end : std::min(line().size(), at < line().size() ? character_end(line(), at) : at);
  };
  const Text word = line().substr(at, word_end() - at);
  Explanation found = plain_explanation({line(), 0, at, what}, word_end(), "");
  if (what == "an operation" && is_name(word)) {
    found.message = fmt::format("unknown operation {}{}", quoted(word), suggestion(word, operation_words()));
  }
  return {Severity::Error, span(line().substr(found.begin, found.end - found.begin)), found.message, {}};
}

void Reader::refuse_line(Diagnostic error) {
  errors_.push_back(std::move(error));
  recover(line());
}

/// Braces of a refused line count, so that the lines behind it are read in the right region.
void Reader::recover(Text line) {
  if (!head_read_ && line.starts_with("kernel") && line.ends_with('{')) {
    open_kernel();
    return;
  }
  if (open_.empty()) {
    return;
  }
  if (line.starts_with('}')) {
    open_.pop_back();
    ended_ = open_.empty();
  }
  if (line.ends_with('{') && !ended_ && open_.size() < max_depth) {
    open_.push_back({new_region(), std::nullopt});
  }
}

std::expected<Kernel, Diagnostics> Reader::finish() {
  const auto end = static_cast<std::uint32_t>(text_.size());
  if (lines_.at_end() && !ended_ && errors_.empty()) {
    errors_.push_back({Severity::Error, {end, end}, head_read_ ? "expected '}' at the kernel's end" : "expected a kernel", {}});
  }
  if (errors_.empty()) {
    check_names();
  }
  if (errors_.empty()) {
    check_promises();
  }
  if (!errors_.empty()) {
    return std::unexpected(limited(std::move(errors_)));
  }
  return std::move(kernel_);
}

void Reader::check_names() {
  std::vector<Text> known;
  for (const auto& [name, entry] : names_) {
    if (entry.definition) {
      known.push_back(name);
    }
  }
  std::ranges::sort(known);
  for (const auto& [name, entry] : names_) {
    if (!entry.definition) {
      errors_.push_back({Severity::Error, entry.first, fmt::format("there is no {}{}", quoted(name), suggestion(name, known)), {}});
    }
  }
}

void Reader::check_promises() {
  for (const Promise& promise : promises_) {
    Operation& operation = kernel_.regions[promise.region].operations[promise.operation];
    if (auto* elementwise = std::get_if<Elementwise>(&operation.node)) {
      const Element element = kernel_.type_of(elementwise->operands.front()).element;
      elementwise->operand_type = element.scalar;
      const bool of_floats = is_float(element.scalar) && !element.is_pointer;
      if (of_floats != promise.of_floats) {
        errors_.push_back({Severity::Error,
                           operation.span,
                           fmt::format("the operation is one of {}, but its first operand is {}", promise.of_floats ? "floats" : "integers",
                                       text_of(element)),
                           {}});
      }
    } else if (const auto* reorder = std::get_if<Reorder>(&operation.node)) {
      const bool from_items = kernel_.type_of(reorder->source).layout.kind == Layout::Kind::Item;
      if (from_items != promise.from_items) {
        errors_.push_back({Severity::Error,
                           operation.span,
                           from_items ? "the source has items: behind '<-' stand an item and an element"
                                      : "the source has no items: behind '<-' stands an element alone",
                           {}});
      }
    }
  }
}

// ---- names and numbers ---------------------------------------------------------------------------------------------------

std::uint64_t Reader::number(Text digits) const {
  std::uint64_t value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) {
    refuse(span(digits), "the number is too big: at most 18446744073709551615");
  }
  return value;
}

std::uint32_t Reader::count(Text digits) const {
  const std::uint64_t value = number(digits);
  if (value == 0 || value > max_lanes) {
    refuse(span(digits), fmt::format("expected a number from 1 to {}", max_lanes));
  }
  return static_cast<std::uint32_t>(value);
}

Reader::Named& Reader::found(Text word) {
  const auto [entry, is_new] = names_.try_emplace(behind_sign(word));
  if (is_new) {
    entry->second.first = span(word);
  }
  return entry->second;
}

ValueId Reader::mentioned(Text word) {
  Named& entry = found(word);
  if (entry.memory) {
    refuse(span(word), fmt::format("{} is memory, not a value; its beginning is the value of 'address {}'", quoted(word), shortened(word)));
  }
  if (!entry.value) {
    entry.value = static_cast<ValueId>(kernel_.values.size());
    kernel_.values.push_back({{}, std::string(behind_sign(word))});
  }
  return *entry.value;
}

void Reader::define(Text word, Named& entry) {
  if (entry.definition) {
    refuse(span(word), fmt::format("the name {} is given twice", quoted(word)), first_one(*entry.definition));
  }
  entry.definition = span(word);
}

ValueId Reader::defined_value(Text word, Type type) {
  define(word, found(word));
  const ValueId value = mentioned(word);
  kernel_.values[value].type = type;
  return value;
}

// ---- the head --------------------------------------------------------------------------------------------------------------

void Reader::before_kernel() {
  if (head_read_) {
    refuse(span(line()), "a text holds one kernel");
  }
}

void Reader::kernel_name(Text word) { kernel_.name = std::string(behind_sign(word)); }

void Reader::parameter_name(Text word) {
  kernel_.parameters.emplace_back().name = std::string(behind_sign(word));
  object_name_ = word;
}

void Reader::parameter_end() {
  Parameter& parameter = kernel_.parameters.back();
  if (!parameter.is_pointer) {
    parameter.value = defined_value(object_name_, {Element::of(parameter.scalar), Layout::pack()});
    return;
  }
  Named& entry = found(object_name_);
  define(object_name_, entry);
  entry.memory = OfParameter{static_cast<ParameterId>(kernel_.parameters.size() - 1)};
}

void Reader::open_kernel() {
  head_read_ = true;
  kernel_.body = new_region();
  open_.push_back({kernel_.body, std::nullopt});
}

void Reader::before_object() {
  if (open_.size() != 1 || !region().operations.empty()) {
    refuse(span(line()), "objects stand at the beginning of a kernel, before its operations");
  }
}

void Reader::object_end() {
  Named& entry = found(object_name_);
  if (entry.value && !entry.definition) {
    refuse(span(object_name_), fmt::format("{} was used above as a value", quoted(object_name_)));
  }
  define(object_name_, entry);
  entry.memory = OfObject{static_cast<ObjectId>(kernel_.objects.size())};
  object_.name = std::string(behind_sign(object_name_));
  kernel_.objects.push_back(std::move(object_));
}

// ---- types -----------------------------------------------------------------------------------------------------------------

void Reader::element(Element element) {
  type_ = {element, Layout::pack()};
  has_pack_ = false;
}

void Reader::extent_pack(Text digits) {
  if (count(digits) != kernel_.shape.wg_pack || kernel_.shape.wg_pack == 1) {
    refuse(span(digits),
           fmt::format("the kernel has wg_pack {}{}", kernel_.shape.wg_pack, kernel_.shape.wg_pack == 1 ? ": types do not say 'wg'" : ""));
  }
  has_pack_ = true;
}

void Reader::extent_item(Text digits) {
  if (count(digits) != kernel_.shape.wg_size) {
    refuse(span(digits), fmt::format("the kernel has wg_size {}", kernel_.shape.wg_size));
  }
  type_.layout = Layout::item();
}

void Reader::extent_element(Text digits) {
  const std::uint32_t elements = count(digits);
  if (!has_pack_ && kernel_.shape.wg_pack != 1) {
    refuse(span(digits), fmt::format("the type must begin with 'wg {} x': the kernel has a pack of {} groups", kernel_.shape.wg_pack,
                                     kernel_.shape.wg_pack));
  }
  type_.layout = type_.layout.kind == Layout::Kind::Item ? Layout::item(elements) : Layout::group(elements);
}

// ---- lists -----------------------------------------------------------------------------------------------------------------

void Reader::append(std::uint64_t item, Text text) {
  if (++numbers_ > max_numbers) {
    refuse(span(text), fmt::format("the lists of a text hold at most {} numbers", max_numbers));
  }
  list_.push_back(item);
}

void Reader::list_number(Text word) {
  const auto bits = read_number(list_type_, word);
  if (!bits) {
    refuse(span(word), bits.error());
  }
  append(*bits, word);
}

void Reader::list_lane(Text digits) {
  const std::uint64_t lane = number(digits);
  if (lane >= max_lanes) {
    refuse(span(digits), "there is no such lane");
  }
  append(lane, digits);
}

void Reader::list_nowhere(Text word) { append(Reorder::Table::nowhere, word); }

void Reader::list_times(Text digits) {
  const std::uint64_t times = number(digits);
  const bool is_allowed = times != 0 && times <= max_numbers;
  numbers_ += is_allowed ? times - 1 : 0;
  if (!is_allowed || numbers_ > max_numbers) {
    refuse(span(digits), fmt::format("an item stands at least once, and the lists of a text hold at most {} numbers", max_numbers));
  }
  list_.resize(list_.size() + times - 1, list_.back());
}

// ---- polynomials -------------------------------------------------------------------------------------------------------------

void Reader::term_end(Text text) {
  if (factors_.size() > max_factors || sum_.terms().size() > max_terms) {
    refuse(span(text), fmt::format("a polynomial has at most {} terms of {} factors", max_terms, max_factors));
  }
  Polynomial term(static_cast<std::int64_t>(negative_ ? 0 - coefficient_ : coefficient_));
  for (const Symbol symbol : factors_) {
    term = term * symbol;
  }
  sum_ += term;
  negative_ = false;
}

void Reader::polynomial_end() { polynomials_.push_back(std::exchange(sum_, {})); }

Polynomial Reader::take_polynomial() {
  Polynomial last = std::move(polynomials_.back());
  polynomials_.pop_back();
  return last;
}

}  // namespace lockstep::infreg
