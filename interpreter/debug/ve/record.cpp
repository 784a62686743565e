#include "interpreter/debug/ve/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interpreter/debug/shown.hpp"
#include "semantics/base/lane_set_text.hpp"

namespace lockstep {

using ve::Operand;

const VeType& result_type(const ve::Instruction& instruction) {
  const ve::RowInfo& row = ve::info(instruction.row);
  // The function's first field: "F64" of (Binary<F64, Add>).
  const std::string_view front = row.function.substr(0, row.function.find_first_of(",>"));
  const std::string_view field = front.substr(front.rfind('<') + 1);
  constexpr auto fields = std::to_array<std::pair<std::string_view, std::string_view>>({{"F64", "f64"},
                                                                                        {"F32", "f32"},
                                                                                        {"F32Lower", "f32lo"},
                                                                                        {"I64", "i64"},
                                                                                        {"I32", "i32"},
                                                                                        {"I32Zero", "i32"},
                                                                                        {"I32Upper", "i32up"},
                                                                                        {"U32", "u32"},
                                                                                        {"U32Upper", "u32up"}});
  const auto* found = std::ranges::find(fields, field, [](const auto& pair) { return pair.first; });
  if (found != fields.end()) {
    return ve_type(found->second);
  }
  switch (row.part) {
    case ve::Part::Upper4:
      return ve_type("f32");
    case ve::Part::Signed4:
      return ve_type("i32");
    case ve::Part::Unsigned4:
      return ve_type("u32");
    case ve::Part::Signed2:
      return ve_type("i16");
    case ve::Part::Unsigned2:
      return ve_type("u16");
    case ve::Part::Signed1:
      return ve_type("i8");
    case ve::Part::Unsigned1:
      return ve_type("u8");
    case ve::Part::Whole8:
    case ve::Part::Float8:
      break;
  }
  const bool moves = row.kind_class == ve::Class::VectorMove && row.kind != ve::Kind::Sequence;
  const bool is_vector = row.kind_class >= ve::Class::VectorLoad;
  return ve_type(moves || is_vector ? "f64" : "i64");
}

std::string scalar_text(const VeView& view, const ve_machine::Word& word, const VeType& type) {
  const bool is_whole = type.bytes() == 8 && is_integer(type.type);
  return is_whole && word.undefined == 0 && view.is_address(word.bits) ? "&" + view.address_text(word.bits)
                                                                       : text_of(VeView::value(word, type));
}

std::string vector_text(const VeView& view, unsigned number, const VeType& type, const LaneSet& told) {
  std::string out;
  unsigned end = 0;
  told.for_each([&](unsigned lane) { end = lane + 1; });
  for (unsigned lane = 0; lane < std::min<std::size_t>(end, shown::cells_in_line); ++lane) {
    out += (lane == 0 ? "" : " ") + (told.contains(lane) ? text_of(view.element(number, lane, type)) : std::string("•"));
  }
  return out + (end > shown::cells_in_line ? fmt::format(" … {} more", end - shown::cells_in_line) : "");
}

std::string accesses_text(const VeView& view, const ve_machine::Accesses& accesses, const VeType& type, const char* arrow) {
  std::vector<std::string> told;
  for (const auto& [element, address] : accesses.addresses) {
    if (told.size() == shown::cells_in_line) {
      break;
    }
    // What is stored lies in memory from its first byte on.
    told.push_back(
        view.address_text(address, accesses.bytes) +
        (arrow == nullptr ? std::string() : fmt::format(" {} {}", arrow, text_of(view.at_address(address, view.type_at(address, type))))));
  }
  const std::size_t more = accesses.addresses.size() - told.size();
  return fmt::format("{}{}", fmt::join(told, ", "), more != 0 ? fmt::format(", … {} more", more) : "");
}

VeRecord::VeRecord(const VeView& view)
    : place_(*view.run().next_place()),
      instruction_(*view.run().next()),
      type_(&result_type(instruction_)),
      active_(view.active()),
      accesses_(ve_machine::accesses_of(view.run().machine(), instruction_)),
      scalars_(view.state().scalars) {
  if (!accesses_.addresses.empty() && instruction_.result.kind == Operand::Kind::Vector) {
    type_ = &view.type_at(accesses_.addresses.front().second, *type_);
  }
}

std::string VeRecord::header(const VeView& view) const {
  const VeProgram& program = view.run().program();
  return fmt::format("{}  {}", program.name_of(place_), program.instruction_text(place_));
}

std::string VeRecord::cells(const VeView& view, const char* arrow) const {
  if (accesses_.addresses.empty()) {
    return "";
  }
  return accesses_.writes ? fmt::format("  {}\n", accesses_text(view, accesses_, *type_, arrow))
                          : fmt::format("  read {}\n", accesses_text(view, accesses_, *type_, nullptr));
}

std::string VeRecord::values(const VeView& view, const char* arrow) const {
  const Operand& result = instruction_.result;
  const unsigned number = result.number;
  switch (result.kind) {
    case Operand::Kind::Scalar:
      return fmt::format("  %s{} {} {}\n", number, arrow, scalar_text(view, view.state().scalars[number], *type_));
    case Operand::Kind::Vector:
      return fmt::format("  %v{}.{} {} {}\n", number, type_->name, arrow, vector_text(view, number, *type_, active_));
    case Operand::Kind::Mask:
      return fmt::format("  %vm{} {} {}\n", number, arrow, to_text(view.mask(number)));
    case Operand::Kind::MaskPair:
    case Operand::Kind::Quad: {
      std::string out;
      for (unsigned k = number; k < number + 2; ++k) {
        out += result.kind == Operand::Kind::Quad
                   ? fmt::format("  %s{} {} {}\n", k, arrow, scalar_text(view, view.state().scalars[k], *type_))
                   : fmt::format("  %vm{} {} {}\n", k, arrow, to_text(view.mask(k)));
      }
      return out;
    }
    case Operand::Kind::None:
    case Operand::Kind::Number:
      break;
  }
  return ve::info(instruction_.row).kind == ve::Kind::SetLength ? fmt::format("  vl {} {}\n", arrow, text_of(view.length())) : "";
}

std::string VeRecord::text(const VeView& view, std::uint64_t step) const {
  std::string out = fmt::format("step {}: {}\n{}{}", step, header(view), cells(view, ":="), values(view, ":="));
  // A library function has been run by the call of it.
  for (unsigned k = 0; k < ve::scalar_registers && ve::info(instruction_.row).kind_class == ve::Class::Control; ++k) {
    const ve_machine::Word& now = view.state().scalars[k];
    const bool is_result = instruction_.result.kind == Operand::Kind::Scalar && instruction_.result.number == k;
    if (!is_result && now.undefined == 0 && (scalars_[k].undefined != 0 || scalars_[k].bits != now.bits)) {
      out += fmt::format("  %s{} := {}\n", k, scalar_text(view, now, *type_));
    }
  }
  return out;
}

std::string VeRecord::undone_text(const VeView& view, std::uint64_t step) const {
  return fmt::format("undone: step {}: {}\n{}{}", step, header(view), accesses_.writes ? cells(view, "is again") : "",
                     values(view, "is again"));
}

}  // namespace lockstep
