#pragma once
// Pairs of programs with known verdicts: what the prover has to say of them is reasoned by hand from the semantics, never copied from what
// it says. The files beside this one hold them (tests/proofs/pairs/README.md says how they are written).

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::test {

/// What is so. Of a bounded pair nothing is said beyond the bound.
enum class Stated : std::uint8_t { Refines, Bounded, Refuted, Undefined, Unknown, Refused };

struct Pair {
  std::string name;    ///< "integers/shift-count.2": the second program of that section
  std::string first;   ///< the text of a kernel, or of a typed program
  std::string second;  ///< likewise, or InfReg-IR, or "lowered N": the first one, lowered with that WG_PACK
  std::vector<std::pair<std::string, std::string>> options;  ///< "wg-size", "groups", "bound", "fp", or a parameter's name
  Stated stated = Stated::Refines;
  std::string says;  ///< a part of the sentence that comes with the verdict; may be empty
  std::string why;
};

/// The pairs of a file NAME.pairs, in their order. The error is a sentence with the line.
std::expected<std::vector<Pair>, std::string> read_pairs(const std::string& path);

/// Those of all files of a folder, by their names.
std::expected<std::vector<Pair>, std::string> read_all_pairs(const std::string& folder);

/// What came of a pair.
struct Trial {
  enum class Ending : std::uint8_t { AsStated, Otherwise, OutOfTime } ending = Ending::AsStated;
  std::string sentence;  ///< of the others: what it was instead
};

/// Asks the prover, and runs both programs: what is refuted has to be so on an input that the interpreter is run on, and what is stated to
/// refine must not differ on inputs at the edges of its types.
Trial try_pair(const Pair& pair);

}  // namespace lockstep::test
