#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// A line of a kernel's text: an operation (an index that is the number of the region's operations: its yields); none: the kernel's head.
using LineOf = std::optional<OperationId>;

struct PrintOptions {
  /// Behind each operation the line of Kernel::source that it comes from, as a comment ("; line 12").
  bool source_lines = false;
  /// Comments below a line, each on a line of its own; none if empty.
  std::function<std::vector<std::string>(LineOf)> below = {};
};

/// The canonical text of a kernel (docs/infreg-ir.md): parse(print(k)) is the same kernel (same.hpp) for every k that verifies. The text
/// does not depend on how values and regions are numbered. Any kernel can be printed: what there is not is shown as `%?17`, a region that
/// stands twice or too deep as `...`.
std::string print(const Kernel& kernel, const PrintOptions& options = {});

/// One operation without what its regions hold: "%x : i32 = add %a, %b".
std::string print(const Kernel& kernel, const Operation& operation);

/// "wg.ix*16 + wi*4 + ix".
std::string print(const Kernel& kernel, const Polynomial& polynomial);

}  // namespace lockstep::infreg
