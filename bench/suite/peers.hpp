#pragma once
// The peers and the machine's limits. They are compiled for the processor of the machine that builds them, and linked to libraries that
// nobody else needs, so they are a module of their own that only `lockstep bench` loads.

#include <expected>
#include <string>
#include <vector>

#include "bench/suite/contestant.hpp"

namespace lockstep::bench {

/// Something that could take part.
struct PeerPresence {
  std::string name;
  bool is_present = false;
  std::string what;  ///< its version and what it makes of this processor; or why it is missing
};

/// A figure of the machine.
struct MachineFigure {
  std::string name;  ///< "triad, 512 MiB, streaming stores"
  std::string unit;  ///< "GB/s"
  double value = 0;
};

struct PeerModule {
  std::vector<PeerPresence> (*presence)();
  /// Peers and limits for a task, limits behind.
  std::vector<Contestant> (*contestants)(const Task& task);
  /// One thread; takes about a second. `is_quick`: without large arrays.
  std::vector<MachineFigure> (*machine)(bool is_quick);
};

/// The name of the module's only function, which returns a `const PeerModule*`.
inline constexpr const char* peer_module_entry = "lockstep_bench_peers";

/// Loads the module, once. `path`: the file; empty: lockstep_peers.so beside the command, or in ../lib/lockstep. The error is a
/// sentence: there is no such file, or it was built for a processor with more instructions. Libraries that choose kernels
/// by the processor's name, and do not know this one, are told what it can do (OPENBLAS_CORETYPE), whatever the environment says.
std::expected<const PeerModule*, std::string> load_peers(const std::string& path = "");

}  // namespace lockstep::bench
