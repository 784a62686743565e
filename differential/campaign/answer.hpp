#pragma once
// What came of a kernel.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "differential/compare/reference.hpp"

namespace lockstep::differential {

/// How often something happened, by name: "statement: if", "pass: fold", "wg_size: 4".
using Counts = std::map<std::string, std::uint64_t>;

/// An element of a buffer, by the numbers of both.
struct Element {
  std::size_t buffer = 0;
  std::uint64_t index = 0;
};

/// What came of a kernel.
struct FuzzAnswer {
  enum class Ending : std::uint8_t {
    Equal,
    Undefined,  ///< what it does is undefined: nothing to compare
    Races,      ///< groups race: likewise
    Limit,      ///< the interpreter or the evaluator has reached a limit
    Refused,    ///< it cannot be compiled (recursion), or the back end says so
    Finding,
    Missing,  ///< the back end, or the compiler, cannot do any kernel: it is not there, or has wrong options
    Stopped   ///< this process was asked to end
  } ending = Ending::Equal;
  std::string kind;                  ///< of a finding, in a few words: what shrinking must not change
  std::string sentence;              ///< of a finding, and of Missing
  std::vector<std::string> buffers;  ///< those that differ
  std::optional<Element> first;      ///< that differs
};

inline FuzzAnswer finding(std::string kind, std::string sentence) {
  return {FuzzAnswer::Ending::Finding, std::move(kind), std::move(sentence), {}, {}};
}

/// "equal", "undefined", "races", "limit", "refused", "finding", "missing" or "stopped".
std::string_view name_of(FuzzAnswer::Ending ending);

/// A finding that `target` differs, if it does: the buffers that it left are not the reference's.
std::optional<FuzzAnswer> judged(const std::string& target, const Reference& reference, const std::vector<launch::Buffer>& buffers);

/// What `work` answers; an exception is a finding.
FuzzAnswer answer_from(const std::function<FuzzAnswer()>& work);

/// What stands in the way of a process that ended with this status (waitpid's): "crashed by signal 11 (Segmentation fault)", or "endless".
FuzzAnswer crash(int status);

}  // namespace lockstep::differential
