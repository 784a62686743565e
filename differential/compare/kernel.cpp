#include "differential/compare/kernel.hpp"

#include "semantics/core/translate.hpp"

namespace lockstep::differential {

LoadedKernel load(const core::Program& program, const core::Function& kernel) {
  LoadedKernel loaded{
      std::make_shared<const typed::Program>(core::translate(program, kernel)), {}, {}, program.options.wg_shape, kernel.group_parameters};
  for (std::size_t i = 0; i < kernel.parameter_count; ++i) {
    const core::Type& type = kernel.variables[i].type;
    loaded.writable.push_back(type.is_pointer() && type.space == AddressSpace::Global && !type.is_const);
    loaded.restricted.push_back(kernel.variables[i].is_restrict);
  }
  return loaded;
}

}  // namespace lockstep::differential
