#pragma once
// WG_SIZE, and kernels that require one: OpenCL's `__attribute__((reqd_work_group_size(x, y, z)))`.

#include "semantics/core/sema/context.hpp"

namespace lockstep::core::sema {

/// Makes Options::wg_size a number if it is 0, and reports kernels that require another one than it is.
void settle_group_size(Unit& unit, const syntax::TranslationUnit& file);

}  // namespace lockstep::core::sema
