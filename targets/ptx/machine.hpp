#pragma once
// PTX that a compiler made, on the PTX machine: what targets that run there have in common.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "differential/compare/reference.hpp"
#include "interpreter/ptx/launch.hpp"
#include "semantics/ptx/resolve.hpp"
#include "targets/option.hpp"

namespace lockstep::targets {

/// The schedules under which a kernel is run, one after the other: those of an option, or the usual ones.
struct Schedules {
  std::optional<ptx_machine::Schedule> only;
  std::uint64_t seed = 1;  ///< of random schedules

  std::vector<ptx_machine::Schedule> all() const;
  /// "random:1"
  std::string name_of(ptx_machine::Schedule schedule) const;
  /// "lowest-pc, fair, random:1"
  std::string names() const;
};

/// `--ptx-schedule`, whose value is stored as store_number does it.
Option schedule_option();
std::optional<std::string> store_schedules(Schedules& into, const std::string& value);

/// PTX that is ready to run.
struct PtxModule {
  ptx::resolved::Module resolved;
  const ptx::resolved::Function* kernel = nullptr;
  std::vector<std::string> lines;  ///< of the text
};

/// The error says what is wrong with the text.
std::expected<PtxModule, std::string> read_ptx(const std::string& text, const std::string& kernel);

/// A parameter that points to shared memory, among those of the kernel.
struct SharedParameter {
  std::size_t position = 0;
  std::uint64_t bytes = 0;
};

struct PtxLaunch {
  std::uint32_t blocks = 1;
  std::uint32_t threads = 1;              ///< of a block
  std::vector<std::uint64_t> more = {};   ///< parameters of 64 bits behind those of the kernel
  bool strict = false;                    ///< what depends on a result that PTX leaves open counts as undefined, but for the bits of a NaN
  ptx_machine::Counts* counts = nullptr;  ///< where it is written what the launch asks of hardware; may be null
  std::optional<ptx_machine::Geometry> geometry = {};  ///< in place of blocks and threads, in several dimensions
  std::vector<SharedParameter> shared = {};            ///< by ascending position
  launch::WrittenParameters written = {};              ///< of a kernel that is compiled from its own text
};

/// One run on what the kernel gets: the buffers behind it. What is clean in the interpreter is clean here.
std::variant<std::vector<launch::Buffer>, differential::Failure> run_ptx(const PtxModule& module, const launch::Arguments& before,
                                                                         const PtxLaunch& launch, ptx_machine::Schedule schedule,
                                                                         std::uint64_t seed);

}  // namespace lockstep::targets
