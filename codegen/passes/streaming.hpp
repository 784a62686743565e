#pragma once
// The streaming option (borG paper, section 4.1): data is loaded from memory upon each access and written back after each update, which
// limits register pressure.

#include "codegen/passes/assignments.hpp"

namespace lockstep::passes {

/// Replaces private arrays by the memory that they are filled from, element by element: element j of the array is the cell from which a
/// loop over all of it loads element j. An array that is not changed later is replaced where nothing is stored meanwhile that may be the
/// same buffer; one that is changed only if a loop stores all of it back to the same cells, every item has cells of its own, and nobody
/// else touches what may be that buffer in between. Others stay arrays. To be run before `arrays`.
void stream_arrays(Assignments& assignments);

}  // namespace lockstep::passes
