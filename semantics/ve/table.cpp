#include "semantics/ve/table.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace lockstep::ve {

namespace {

constexpr RowInfo all_rows[] = {
#define SCALAR(name, mnemonic, operands, kind_class, function, sentence) \
  {Row::name, #name, mnemonic, operands, Class::kind_class, Kind::Scalar, #function, Part::Whole8, sentence},
#define VECTOR(name, mnemonic, operands, kind_class, function, sentence) \
  {Row::name, #name, mnemonic, operands, Class::kind_class, Kind::Vector, #function, Part::Whole8, sentence},
#define REDUCE(name, mnemonic, operands, kind_class, function, sentence) \
  {Row::name, #name, mnemonic, operands, Class::kind_class, Kind::Reduce, #function, Part::Whole8, sentence},
#define MASK(name, mnemonic, operands, kind_class, function, sentence) \
  {Row::name, #name, mnemonic, operands, Class::kind_class, Kind::Mask, #function, Part::Whole8, sentence},
#define FORM_MASK(name, mnemonic, operands, kind_class, field, sentence) \
  {Row::name, #name, mnemonic, operands, Class::kind_class, Kind::FormMask, #field, Part::Whole8, sentence},
#define RULE(name, mnemonic, operands, kind_class, kind, part, sentence) \
  {Row::name, #name, mnemonic, operands, Class::kind_class, Kind::kind, "", Part::part, sentence},
#include "semantics/ve/instructions.def"
};

const std::map<std::string_view, Row>& rows_by_name() {
  static const auto table = [] {
    std::map<std::string_view, Row> made;
    for (const RowInfo& row : all_rows) {
      made.emplace(row.name, row.row);
    }
    return made;
  }();
  return table;
}

}  // namespace

std::string_view name_of(Class c) {
  constexpr std::array<std::string_view, class_count> names = {
      "scalar",        "memory", "control",     "vector-move",  "vector-integer", "vector-float", "vector-divide",
      "vector-reduce", "mask",   "vector-load", "vector-store", "gather",         "scatter"};
  return names.at(static_cast<std::size_t>(c));
}

std::span<const RowInfo> rows() { return all_rows; }

const RowInfo& info(Row row) { return all_rows[static_cast<std::size_t>(row)]; }

std::optional<Shape> shape_of(std::string_view llvm_name) {
  const auto is_shape = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto stem_end = static_cast<std::size_t>(std::ranges::find_if(llvm_name, is_shape) - llvm_name.begin());
  std::string_view stem = llvm_name.substr(0, stem_end);
  std::string_view letters = llvm_name.substr(stem_end);
  letters = letters.substr(0, letters.find('_'));
  for (const std::string_view always : {std::string_view("na"), std::string_view("a")}) {
    if (letters.starts_with(always)) {
      stem = llvm_name.substr(0, stem_end + always.size());
      letters.remove_prefix(always.size());
      break;
    }
  }
  const auto found = rows_by_name().find(stem);
  return found == rows_by_name().end() ? std::nullopt : std::optional(Shape{found->second, std::string(letters)});
}

}  // namespace lockstep::ve
