#pragma once

#include <stdexcept>
#include <string>

namespace lockstep {

/// A fault of ours, never of the user's program: two rules that apply at once, a broken invariant of the code.
/// It is the only exception that Lockstep throws on purpose.
class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& what) : std::logic_error("internal error: " + what) {}
};

}  // namespace lockstep
