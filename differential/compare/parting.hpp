#pragma once
// Where two executions part.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "differential/compare/compare.hpp"
#include "semantics/base/source.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::differential {

/// Who wrote an element last, in the interpreter.
struct Writer {
  std::uint64_t group = 0;
  unsigned item = 0;
  SourceSpan span;  ///< of the store
};
/// Runs the launch once more, step by step. Nothing if nobody writes the element, or the launch is too long to be looked at again.
std::optional<Writer> last_writer(const Reference& reference, const Mismatch& mismatch);

/// The first store of the evaluator, in the order in which it executes them, that changes an element of a buffer to a number which the
/// interpreter never writes there from the same place of the source. Of InfReg-IR that was read from a text of its own, whose operations
/// do not say which line of the kernel they come from: never writes there at all.
struct Parting {
  std::string operation;  ///< as InfReg-IR has it
  std::string place;      ///< "k.cl:3": of the text that the InfReg-IR comes from
  std::string buffer;
  std::uint64_t index = 0;
  std::string stored;                ///< by the evaluator
  std::vector<std::string> written;  ///< by the interpreter instead; empty: nothing
};
/// Nothing if there is no such store: then the evaluator leaves one out that the interpreter executes, or has another order.
std::optional<Parting> first_parting(const infreg::Kernel& kernel, const Reference& reference);

}  // namespace lockstep::differential
