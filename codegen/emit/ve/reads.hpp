#pragma once
// What operations read in the end: values that have a place of their own, behind those that are computed where they are used.

#include <functional>
#include <vector>

#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

class Reads {
 public:
  /// Called with a value, and whether it is that of another item or element than the present one.
  using Reader = std::function<void(infreg::ValueId, bool elsewhere)>;

  /// `homes` may change afterwards.
  Reads(const infreg::Kernel& kernel, const std::vector<Home>& homes);

  void of(infreg::ValueId value, bool elsewhere, const Reader& reader) const;
  void of(const infreg::Operation& operation, const Reader& reader) const;

  /// The comparisons that make the value; null if it is made otherwise.
  const infreg::Mask* mask_of(infreg::ValueId value) const;

 private:
  const std::vector<Home>& homes_;
  std::vector<const infreg::Operation*> definitions_;
};

}  // namespace lockstep::emit_ve
