#pragma once
// A module of PTX for the stepper: what people call the places in it, and as what its registers are shown.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/ptx/resolve.hpp"
#include "semantics/ptx/syntax.hpp"

namespace lockstep {

/// A module and one of its kernels. A *place* is an instruction, or the end of a function; places are numbered through the module. A
/// *beginning* is the first instruction of a line.
class PtxProgram {
 public:
  using Place = std::uint32_t;

  /// `module` is what `syntax` means.
  PtxProgram(const ptx::Module& syntax, ptx::resolved::Module module, std::uint32_t kernel);

  const ptx::resolved::Module& module() const { return module_; }
  std::uint32_t kernel_index() const { return kernel_; }
  const ptx::resolved::Function& kernel() const { return module_.functions[kernel_]; }
  const SourceFile& source() const { return *module_.source; }

  std::size_t places() const { return function_of_.size(); }
  Place place(std::uint32_t function, std::size_t pc) const;
  std::uint32_t function_at(Place place) const { return function_of_[place]; }
  std::uint32_t pc_at(Place place) const { return place - first_place_[function_of_[place]]; }
  /// The instruction; null at the end of a function.
  const ptx::resolved::Instruction* instruction_at(Place place) const;

  std::uint32_t line_of(Place place) const { return lines_[place]; }
  bool is_beginning(Place place) const { return beginnings_[place]; }
  /// The first line from `line` on that has an instruction.
  std::optional<std::uint32_t> line_with_code(std::uint64_t line) const;
  /// The beginnings of a line, ascending.
  std::vector<Place> beginnings_of(std::uint32_t line) const;
  /// Where code that was compiled from that line of a file begins; a file is named by the end of its path.
  std::vector<Place> places_of_source(std::string_view file, std::uint64_t line) const;

  struct LabelPlace {
    std::string name;
    Place place = 0;
  };
  const std::vector<LabelPlace>& labels() const { return labels_; }

  /// The text of the instruction, on one line.
  std::string instruction_text(Place place) const;
  /// "saxpy.cu:5:3", or nothing.
  std::string source_text(Place place) const;

  /// As what a register is shown: the type that it has; if that is bits, what the instructions that name it take it for: a float if one of
  /// them does and none takes it for an integer, else an integer, signed if one of them says so.
  ptx::Type register_type(std::uint32_t function, std::uint32_t index) const { return register_types_[function][index]; }

 private:
  void number_places();
  void find_labels(const ptx::Module& syntax);
  void find_types();

  ptx::resolved::Module module_;
  std::uint32_t kernel_;
  std::vector<Place> first_place_;  // of each function
  std::vector<std::uint32_t> function_of_;
  std::vector<std::uint32_t> lines_;
  std::vector<bool> beginnings_;
  std::vector<LabelPlace> labels_;
  std::vector<std::vector<ptx::Type>> register_types_;
};

/// Calls f(register, role, type) for each register that an instruction names; `type` is that of the operand, if it has one.
template <class F>
void for_each_register(const ptx::resolved::Instruction& instruction, F&& f) {
  using namespace ptx::resolved;
  if (instruction.guard) {
    f(instruction.guard->predicate, ptx::OperandRole::Predicate, std::optional(ptx::Type::Pred));
  }
  const auto& shapes = ptx::info(instruction.form).operands;
  for (std::size_t k = 0; k < instruction.operands.size() && !shapes.empty(); ++k) {
    const ptx::OperandShape& shape = shapes[std::min(k, shapes.size() - 1)];
    const auto type = ptx::type_of(shape, instruction.types);
    if (const auto* reg = std::get_if<Register>(&instruction.operands[k])) {
      f(reg->index, shape.role, type);
    } else if (const auto* vector = std::get_if<Vector>(&instruction.operands[k])) {
      for (const Value& element : vector->elements) {
        if (const auto* one = std::get_if<Register>(&element)) {
          f(one->index, shape.role, type);
        }
      }
    } else if (const auto* address = std::get_if<Address>(&instruction.operands[k])) {
      if (const auto* base = std::get_if<Register>(&address->base)) {
        f(base->index, ptx::OperandRole::Address, std::optional<ptx::Type>());
      }
    }
  }
}

}  // namespace lockstep
