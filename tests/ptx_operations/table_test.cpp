// Every instruction of the table that computes has a loop, whatever its types and modifiers.

#include <catch2/catch.hpp>

#include "interpreter/ptx/lane_operations.hpp"
#include "semantics/ptx/form.hpp"

using namespace lockstep;

namespace {

/// Calls f for every choice of one element of each list; an optional one may be left out.
template <class List, class T, class F>
void for_choices(const std::vector<std::vector<T>>& slots, const std::vector<bool>& optional, std::size_t at, List chosen, const F& f) {
  if (at == slots.size()) {
    f(chosen);
    return;
  }
  if (optional[at]) {
    for_choices(slots, optional, at + 1, chosen, f);
  }
  for (const T word : slots[at]) {
    List more = chosen;
    more.push_back(word);
    for_choices(slots, optional, at + 1, more, f);
  }
}

template <class F>
void for_modifiers(const ptx::FormInfo& form, const F& f) {
  std::vector<std::vector<ptx::Modifier>> slots;
  std::vector<bool> optional;
  for (const ptx::ModifierSlot& slot : form.modifiers) {
    slots.push_back(slot.words);
    optional.push_back(slot.optional);
  }
  for_choices(slots, optional, 0, ptx::Modifiers{}, f);
}
template <class F>
void for_types(const ptx::FormInfo& form, const F& f) {
  for (const std::vector<ptx::TypeSlot>& alternative : form.types) {
    std::vector<std::vector<ptx::Type>> slots;
    for (const ptx::TypeSlot& slot : alternative) {
      slots.push_back(slot.types);
    }
    for_choices(slots, std::vector<bool>(slots.size(), false), 0, ptx::Types{}, f);
  }
}

}  // namespace

TEST_CASE("every computing instruction of the table has a loop", "[ptx][table]") {
  std::size_t instructions = 0;
  for (const ptx::FormInfo& form : ptx::forms()) {
    if (form.kind != ptx::Kind::Compute) {
      continue;
    }
    for_types(form, [&](const ptx::Types& types) {
      ptx::resolved::Instruction instruction;
      instruction.form = form.form;
      instruction.types = types;
      std::vector<ptx::resolved::RegisterInfo> registers;
      for (const ptx::OperandShape& shape : form.operands) {
        instruction.operands.emplace_back(ptx::resolved::Register{static_cast<std::uint32_t>(registers.size())});
        registers.push_back({"%r", ptx::type_of(shape, types).value_or(ptx::Type::Pred)});
      }
      for_modifiers(form, [&](const ptx::Modifiers& modifiers) {
        instruction.modifiers = modifiers;
        INFO(ptx::name_of(form.form, modifiers, types));
        CHECK_NOTHROW(ptx_machine::lane_operation(instruction, registers).value());
        ++instructions;
      });
    });
  }
  CHECK(instructions > 2000);
}
