#pragma once

#include <vector>

#include "semantics/infreg/walk.hpp"

namespace lockstep::passes::clean {

/// Values that are replaced by others. The walk of a pass renames each operation that it comes to.
class Replacements {
 public:
  explicit Replacements(std::size_t values) : by_(values, none) {}

  /// `value` is not used from now on, `other` (which is met already, and not replaced) takes its place.
  void replace(infreg::ValueId value, infreg::ValueId other) { by_[value] = other; }

  infreg::ValueId operator()(infreg::ValueId value) const { return by_[value] == none ? value : by_[value]; }

  /// Whether something was renamed.
  bool rename(infreg::Node& node) const {
    bool is_concerned = false;
    infreg::for_each_use(node, [&](infreg::ValueId value) { is_concerned = is_concerned || by_[value] != none; });
    if (is_concerned) {
      infreg::rename_uses(node, *this);
    }
    return is_concerned;
  }
  bool rename(std::vector<infreg::ValueId>& values) const {
    bool is_concerned = false;
    for (infreg::ValueId& value : values) {
      is_concerned = is_concerned || by_[value] != none;
      value = (*this)(value);
    }
    return is_concerned;
  }

 private:
  static constexpr infreg::ValueId none = ~infreg::ValueId{0};
  std::vector<infreg::ValueId> by_;
};

}  // namespace lockstep::passes::clean
