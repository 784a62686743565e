#pragma once
// What a finding becomes: a small kernel, and the line at which it goes wrong.

#include <optional>
#include <string>
#include <vector>

#include "differential/campaign/answer.hpp"
#include "differential/campaign/case.hpp"

namespace lockstep::differential {

/// Where two executions part.
struct PartingLine {
  unsigned number = 0;   ///< of the kernel's text, from 1
  std::string differs;   ///< what differs there: a variable, or an element "io2[0]"
  bool is_last = false;  ///< the element is written there for the last time; otherwise the variable is assigned there
};

/// One finding, shrunk.
struct Finding {
  FuzzCase smallest;
  FuzzAnswer answer;                ///< to it
  std::optional<PartingLine> line;  ///< the first at which the two part, if that could be found out
  std::vector<std::string> others;  ///< further findings of the same kind: "kernel 17"
  std::string folder;               ///< where it has been written; empty: nowhere
};

/// Makes a finding's kernel small, and looks for the line at which the two part. If this process is asked to end, what has been done so
/// far is the result.
Finding shrink(const FuzzPlan& plan, const FuzzCase& found, const FuzzAnswer& answer);

/// "kernel.cl:3, where 'v1' differs", as far as that is known.
std::string text_of(const PartingLine& line);

}  // namespace lockstep::differential
