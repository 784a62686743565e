#pragma once
// A kernel as it is run: what the front end leaves, and its translation.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "interpreter/launch/arguments.hpp"
#include "semantics/base/argument.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::differential {

/// A kernel that is ready to run.
struct LoadedKernel {
  std::shared_ptr<const typed::Program> program;
  std::vector<bool> writable;    ///< of each parameter: a pointer through which the kernel may write
  std::vector<bool> restricted;  ///< of each parameter: declared `restrict`
  /// How the items of a group lie; nothing for a typed program, whose text does not say it.
  std::optional<std::array<unsigned, 3>> shape = std::nullopt;
  std::optional<std::size_t> group_parameters = std::nullopt;  ///< core::Function::group_parameters
  launch::Structures structures = {};
  launch::WrittenParameters written_parameters = {};
};

/// Whether the kernel may write to a buffer: through any of the parameters that get it.
inline bool may_write(const LoadedKernel& kernel, const std::vector<Argument>& arguments, std::size_t buffer) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto* points = std::get_if<BufferNumber>(&arguments[k]);
    if (points != nullptr && points->number == buffer && kernel.writable[k]) {
      return true;
    }
  }
  return false;
}

/// A kernel as the front end leaves it.
struct ReadKernel {
  core::Program program;
  const core::Function* function = nullptr;  ///< one of program.functions; moving this leaves it where it is
};

/// The translation of one kernel of a program.
LoadedKernel load(const core::Program& program, const core::Function& kernel);

}  // namespace lockstep::differential
