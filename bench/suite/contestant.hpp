#pragma once
// Who takes part in a measurement.

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/suite/data.hpp"
#include "bench/suite/kernels.hpp"

namespace lockstep::bench {

/// How a contestant's results are compared with the interpreter's.
enum class Agreement : std::uint8_t {
  Bits,       ///< all bits are the same
  Bound,      ///< within the bound of check.hpp, because operations have another order or fuse elsewhere
  UnitLower,  ///< of LDUS within the bound, but for what the result is: L with a unit diagonal and D U
  UnitUpper,  ///< likewise: L D, and U with a unit diagonal
  None        ///< nothing is computed: a limit of the machine
};

enum class Side : std::uint8_t { Ours, Peer, Limit };

/// Does all the work of a batch once. The arrays are those that it was prepared for.
using Run = std::function<void()>;

struct Contestant {
  std::string name;  ///< "llvm", "g++ loops"
  Side side = Side::Peer;
  Agreement agreement = Agreement::Bound;
  std::string note{};                ///< what it does otherwise than asked, for the report; a clause, mostly empty
  bool is_apart = false;             ///< another algorithm: counts as no peer in comparisons
  bool is_for_hot = true;            ///< whether a call costs so little that data in the caches can be measured
  unsigned wg_size = 0;              ///< of ours
  std::string wg_pack{};             ///< of ours, as it was asked for
  std::uint64_t most = 0;            ///< problems that it is given at most, because it is slow; 0: any number
  std::optional<LimitKind> limit{};  ///< of limits: which
  double units = 0;                  ///< of limits but traffic: operations of a run on one thread

  /// What is run, on so many threads, with data that lives as long. May compile. The error is a sentence.
  std::function<std::expected<Run, std::string>(const Data& data, unsigned threads)> prepare;
};

}  // namespace lockstep::bench
