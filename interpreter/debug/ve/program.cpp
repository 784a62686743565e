#include "interpreter/debug/ve/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/ve/instruction.hpp"

namespace lockstep {

namespace {

std::string_view file_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// "0x38"
std::optional<std::uint64_t> offset_in(std::string_view text) {
  std::uint64_t value = 0;
  if (!text.starts_with("0x")) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

VeProgram::VeProgram(ve::Object object, ve::Decoder decoder, std::size_t kernel, ve::Lines lines, Texts texts)
    : object_(std::move(object)), decoder_(std::move(decoder)), kernel_(kernel), lines_(std::move(lines)), texts_(std::move(texts)) {
  Place next = 0;
  for (const auto& section : lines_.at) {
    first_place_.push_back(next);
    next += static_cast<Place>(section.size());
  }
  first_place_.push_back(next);
}

std::optional<VeProgram::Place> VeProgram::place(const ve_machine::Place& at) const {
  const bool is_code = at.index < lines_.at[at.section].size();
  return is_code ? std::optional(first_place_[at.section] + static_cast<Place>(at.index)) : std::nullopt;
}

ve_machine::Place VeProgram::at(Place place) const {
  const auto behind = std::upper_bound(first_place_.begin(), first_place_.end(), place);
  const auto section = static_cast<std::size_t>(behind - first_place_.begin()) - 1;
  return {section, place - first_place_[section]};
}

std::string VeProgram::name_of(Place place) const {
  const ve_machine::Place where = at(place);
  return ve::place_text(object_, where.section, where.index * ve::instruction_bytes);
}

std::string VeProgram::instruction_text(Place place) const {
  const ve_machine::Place where = at(place);
  const std::span<const std::byte> bytes(object_.sections[where.section].bytes);
  return decoder_.text(bytes.subspan(where.index * ve::instruction_bytes, ve::instruction_bytes));
}

const ve::Line& VeProgram::line_of(Place place) const {
  const ve_machine::Place where = at(place);
  return lines_.at[where.section][where.index];
}

std::string VeProgram::line_name(Place place) const { return ve::line_name(lines_, line_of(place)); }

std::string VeProgram::line_text(Place place) const {
  const ve::Line& line = line_of(place);
  return line.number == 0 || texts_[line.file] == nullptr ? std::string() : printable(texts_[line.file]->line_text(line.number));
}

bool VeProgram::is_beginning(Place place) const {
  const ve::Line& line = line_of(place);
  return line.number == 0 || at(place).index == 0 || line_of(place - 1) != line;
}

std::vector<VeProgram::Place> VeProgram::places_of_line(std::string_view file, std::uint64_t number) const {
  std::vector<Place> found;
  for (Place place = 0; place < places(); ++place) {
    const ve::Line& line = line_of(place);
    if (line.number != 0 && line.number == number && file_part(lines_.files[line.file]) == file && is_beginning(place)) {
      found.push_back(place);
    }
  }
  return found;
}

std::optional<VeProgram::Place> VeProgram::place_in(const ve::Symbol& function, std::uint64_t offset) const {
  const std::uint64_t byte = function.value + offset;
  return byte % ve::instruction_bytes == 0 ? place({*function.section, byte / ve::instruction_bytes}) : std::nullopt;
}

std::vector<VeProgram::Place> VeProgram::places_named(std::string_view word) const {
  const std::string_view stem = word.substr(0, word.find('+'));
  std::optional<std::uint64_t> offset =
      stem.size() == word.size() ? std::optional<std::uint64_t>(0) : offset_in(word.substr(stem.size() + 1));
  const ve::Symbol* function = nullptr;
  if (const auto byte = offset_in(word)) {
    function = &kernel();
    offset = byte;
  }
  for (const ve::Symbol& symbol : object_.symbols) {
    if (symbol.function && symbol.section && symbol.name == stem) {
      function = &symbol;
    }
  }
  if (function != nullptr) {
    const auto found = offset ? place_in(*function, *offset) : std::nullopt;
    return found ? std::vector{*found} : std::vector<Place>();
  }
  const std::size_t colon = word.rfind(':');
  if (const auto number = number_in(colon == std::string_view::npos ? word : word.substr(colon + 1))) {
    const auto first = place_in(kernel(), 0);
    const ve::Line* line = first && line_of(*first).number != 0 ? &line_of(*first) : nullptr;
    const std::string_view own = line == nullptr ? std::string_view() : file_part(lines_.files[line->file]);
    return places_of_line(colon == std::string_view::npos ? own : file_part(word.substr(0, colon)), *number);
  }
  std::vector<Place> found;
  for (Place place = 0; place < places(); ++place) {
    if (const std::string text = instruction_text(place); std::string_view(text).substr(0, text.find(' ')) == word) {
      found.push_back(place);
    }
  }
  return found;
}

}  // namespace lockstep
