#pragma once
// Numbers of the whole launch that are computed from the kernel's scalars: offsets like `2 * batch`.

#include <optional>
#include <string>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_avx512 {

class Scalars {
 public:
  /// `names`: of the parameters. Both must outlive the object.
  Scalars(const infreg::Kernel& kernel, const std::vector<std::string>& names);

  /// The number in C++ that can stand before the kernel's code, by the functions of the support header; none for what is more than sums,
  /// differences and products of integers of 32 and 64 bits.
  std::optional<std::string> text(infreg::ValueId value) const { return text(value, 0); }

 private:
  std::optional<std::string> text(infreg::ValueId value, unsigned depth) const;

  const infreg::Kernel& kernel_;
  const std::vector<std::string>& names_;
  std::vector<const infreg::Operation*> definitions_;
};

}  // namespace lockstep::emit_avx512
