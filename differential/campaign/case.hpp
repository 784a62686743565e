#pragma once
// Which kernels a campaign is made of, and on what they are tried.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "semantics/generate/kernel.hpp"
#include "semantics/generate/kernel_change.hpp"
#include "targets/target.hpp"

namespace lockstep::differential {

/// A proof takes as long as some ten kernels.
inline constexpr std::uint64_t usual_proved_one_in = 64;

/// What a campaign tries, and on what.
struct FuzzPlan {
  enum class Subject : std::uint8_t {
    Target,   ///< of ours, behind the passes and the evaluator of InfReg-IR
    Backend,  ///< somebody else's compiler
    Pairs     ///< what the prover says of two kernels
  } subject = Subject::Target;
  const targets::Target* target = nullptr;  ///< of Subject::Target; null, or InfReg-IR's evaluator: no further than that
  targets::Settings settings;               ///< of the target's options: for all kernels
  std::uint64_t seed = 1;
  bool portable = false;                              ///< kernels of the portable subset alone
  unsigned max_lanes = 16;                            ///< WG_SIZE times WG_PACK
  std::string backend;                                ///< of Subject::Backend: the command
  unsigned timeout = 60;                              ///< seconds that the command may take
  std::uint64_t proved_one_in = usual_proved_one_in;  ///< of so many kernels one is proved, if it is small; 0: none
  unsigned patience = 30;                             ///< seconds that a kernel may take which is run in a process of its own
  std::string scratch;                                ///< the folder in which the folders of commands and compilers are made
};

/// Whether kernels are compiled many at a time, and then run in processes of their own.
bool is_batched(const FuzzPlan& plan);

/// Wide kernels have more lanes (WG_SIZE times WG_PACK) than that.
inline constexpr unsigned narrow_lanes = 16;
/// The most that kernels have, unless --max-lanes or --backend says otherwise.
inline constexpr unsigned usual_lanes = 128;
/// One in so many kernels is wide, if they may be.
inline constexpr unsigned wide_one_in = 10;

/// One kernel in so many gets two pointers into one buffer, if it has two of one type.
inline constexpr unsigned overlap_one_in = 8;

/// A pointer into another one's buffer, which is long enough for both.
struct Overlap {
  std::string pointer;      ///< a parameter
  std::string into;         ///< the one whose buffer it is
  std::uint64_t first = 0;  ///< the element that it points to
};

/// A kernel of a campaign, and how it is compiled.
struct FuzzCase {
  std::uint64_t number = 0;
  generate::Kernel kernel;
  unsigned wg_pack = 1;
  std::optional<unsigned> chunk_lanes;
  targets::Settings settings;      ///< of the target's options
  std::optional<Overlap> overlap;  ///< if the kernel means something with it; else its pointers have buffers of their own
  bool streaming = false;          ///< of passes::PipelineOptions
  bool proved = false;             ///< its lowering is proved at a small size, unless it is too long for that
  bool watched = false;            ///< it is counted which passes change it, which costs time
  generate::Change change;         ///< of Subject::Pairs: what makes the other kernel of it
};

/// Kernel `number` of a campaign: depends on the plan alone.
FuzzCase fuzz_case(const FuzzPlan& plan, std::uint64_t number);

/// What the target is asked for this kernel.
targets::Asked asked_for(const FuzzPlan& plan, const FuzzCase& fuzz_case);

/// The same for another kernel, the change at the same place.
FuzzCase with_kernel(const FuzzCase& like, const generate::Kernel& kernel);

/// What so many kernels are made of, by the names of generate::Census.
struct FuzzCensus {
  struct Construct {
    std::uint64_t occurrences = 0;
    std::uint64_t kernels = 0;  ///< that it stands in
  };
  std::uint64_t kernels = 0;
  std::map<std::string, Construct> constructs;
};
FuzzCensus take_census(const FuzzPlan& plan, std::uint64_t first, std::uint64_t kernels);
}  // namespace lockstep::differential
