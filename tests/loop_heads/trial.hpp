#pragma once
// One loop head as a kernel, by the interpreter and by the evaluator of what it is lowered to.

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/loop_heads/grammar.hpp"

namespace lockstep::test {

/// What came of a head.
struct HeadAnswer {
  enum class Ending : std::uint8_t {
    Equal,
    Long,       ///< neither comes to an end in time
    Undefined,  ///< in the interpreter
    Wrong
  } ending = Ending::Equal;
  std::string kind;      ///< of what is wrong: "different", "undefined", "endless", "ends", "refused", "internal error", "crash", "hangs"
  std::string sentence;  ///< in full
};

/// The head in a kernel, below the command that runs it: docs/loop-heads.md says what the kernel is. `number` chooses WG_PACK.
std::string kernel_text(const Head& head, std::size_t number);

/// A head that the front end does not take is wrong as well: the grammar should not make it.
HeadAnswer try_head(const Head& head, std::size_t number);

}  // namespace lockstep::test
