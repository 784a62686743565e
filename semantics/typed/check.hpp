#pragma once

#include "semantics/base/diagnostic.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// Well-formedness of a typed program (docs/wellformed.md): each function is judged by musimd::check on its skeleton (skeleton.hpp).
/// The findings are as of musimd::check, function by function, errors before warnings, at most musimd::max_findings of each;
/// musimd::well_formed and musimd::undecided read them. Of functions besides the kernel they name the function. That the kernel ends in
/// `stop` and the others in `ret` belongs to condition 4.
Diagnostics check(const Program& program);

}  // namespace lockstep::typed
