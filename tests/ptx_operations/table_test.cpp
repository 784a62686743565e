// Every instruction of the table that computes has a loop, whatever its types and modifiers.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "interpreter/ptx/lane_operations.hpp"
#include "interpreter/ptx/rows.hpp"
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

ptx::resolved::Instruction on_registers(const ptx::FormInfo& form, const ptx::Types& types,
                                        std::vector<ptx::resolved::RegisterInfo>& registers) {
  ptx::resolved::Instruction instruction;
  instruction.form = form.form;
  instruction.types = types;
  for (const ptx::OperandShape& shape : form.operands) {
    instruction.operands.emplace_back(ptx::resolved::Register{static_cast<std::uint32_t>(registers.size())});
    registers.push_back({"%r", ptx::type_of(shape, types).value_or(ptx::Type::Pred)});
  }
  return instruction;
}

/// An instruction on rows of 64 lanes.
struct Rows {
  static constexpr std::size_t lanes = 64;
  std::vector<std::uint8_t> bytes;  ///< of an element; operand 0 is the result
  std::vector<ptx_machine::RowStorage> rows;

  explicit Rows(const std::vector<ptx::resolved::RegisterInfo>& registers) {
    for (const ptx::resolved::RegisterInfo& reg : registers) {
      bytes.push_back(static_cast<std::uint8_t>(reg.bytes()));
      rows.emplace_back(lanes * bytes.back());
    }
  }
  std::uint64_t get(std::size_t k, std::size_t lane) const {
    std::uint64_t number = 0;
    std::memcpy(&number, rows[k].data() + lane * bytes[k], bytes[k]);
    return number;
  }
  void set(std::size_t k, std::size_t lane, std::uint64_t number) { std::memcpy(rows[k].data() + lane * bytes[k], &number, bytes[k]); }
  void run(const ptx_machine::LaneOperation& operation) {
    ptx_machine::LaneRows pointers;
    pointers.to[0] = rows[0].data();
    for (std::size_t k = 1; k < rows.size(); ++k) {
      pointers.from[k - 1] = rows[k].data();
    }
    operation(pointers, lanes);
  }
};

/// Which bits of the result change with bit `bit` of operand k, in some lane.
std::uint64_t changed_by(Rows& rows, const ptx_machine::LaneOperation& operation, std::size_t k, unsigned bit) {
  std::vector<std::uint64_t> before;
  rows.run(operation);
  for (std::size_t lane = 0; lane < Rows::lanes; ++lane) {
    before.push_back(rows.get(0, lane));
    rows.set(k, lane, rows.get(k, lane) ^ std::uint64_t{1} << bit);
  }
  rows.run(operation);
  std::uint64_t changed = 0;
  for (std::size_t lane = 0; lane < Rows::lanes; ++lane) {
    changed |= before[lane] ^ rows.get(0, lane);
    rows.set(k, lane, rows.get(k, lane) ^ std::uint64_t{1} << bit);
  }
  return changed;
}

/// Lanes that differ in the operands of which something may be undefined, and in no others.
void fill(Rows& rows, const ptx::FormInfo& form, const std::vector<ptx::resolved::RegisterInfo>& registers, std::mt19937_64& random) {
  for (std::size_t k = 1; k < rows.rows.size(); ++k) {
    const bool is_pred = registers[k].type == ptx::Type::Pred;
    // Positions and counts are mostly small.
    const std::uint64_t alike = is_pred ? random() % 2 : random() % 4 == 0 ? random() : random() % 40;
    for (std::size_t lane = 0; lane < Rows::lanes; ++lane) {
      rows.set(k, lane, form.operands[k].undefined == ptx::Undefined::Nothing ? alike : random());
    }
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
      std::vector<ptx::resolved::RegisterInfo> registers;
      ptx::resolved::Instruction instruction = on_registers(form, types, registers);
      for_modifiers(form, [&](const ptx::Modifiers& modifiers) {
        instruction.modifiers = modifiers;
        INFO(ptx::name_of(form.form, modifiers, types));
        CHECK_NOTHROW(ptx_machine::lane_operation(instruction, registers).value());
        ++instructions;
      });
    });
  }
  CHECK((instructions > 2000));
}

TEST_CASE("what the table lets be undefined of operands comes to those bits of the result that it says", "[ptx][table]") {
  std::mt19937_64 random(5);
  std::size_t instructions = 0;
  for (const ptx::FormInfo& form : ptx::forms()) {
    const auto copies = [](const ptx::OperandShape& shape) { return shape.undefined != ptx::Undefined::Nothing; };
    if (std::ranges::none_of(form.operands, copies)) {
      continue;
    }
    REQUIRE((form.kind == ptx::Kind::Compute));
    for_types(form, [&](const ptx::Types& types) {
      std::vector<ptx::resolved::RegisterInfo> registers;
      ptx::resolved::Instruction instruction = on_registers(form, types, registers);
      for_modifiers(form, [&](const ptx::Modifiers& modifiers) {
        instruction.modifiers = modifiers;
        INFO(ptx::name_of(form.form, modifiers, types));
        const auto operation = ptx_machine::lane_operation(instruction, registers).value();
        Rows rows(registers);
        ++instructions;
        for (std::size_t k = 1; k < form.operands.size(); ++k) {
          const ptx::Undefined undefined = form.operands[k].undefined;
          const auto bits = static_cast<unsigned>(8 * rows.bytes[k]);
          if (undefined == ptx::Undefined::Nothing || (undefined == ptx::Undefined::Half && bits != 32)) {
            continue;
          }
          for (int trial = 0; trial < 8; ++trial) {
            fill(rows, form, registers, random);
            std::uint64_t changed = 0;  // by the bits so far
            bool apart = true;
            for (unsigned bit = 0; bit < bits; ++bit) {
              const std::uint64_t by_this = changed_by(rows, operation, k, bit);
              apart = apart &&
                      (undefined == ptx::Undefined::Half ? (by_this & (bit < 16 ? 0xffff0000 : 0xffff)) == 0 : (by_this & changed) == 0);
              changed |= by_this;
            }
            CHECK(apart);
          }
        }
      });
    });
  }
  CHECK((instructions > 300));
}
