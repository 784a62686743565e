#pragma once
// A model of how long a GPU takes for what the PTX machine has counted. All that comes out of it are *estimates*: it ranks variants and
// shows what bounds them, and proves no speed.
//
// A kernel's time is the longest of the times for which one thing each would be busy, with warps enough to hide what each of them waits
// for:
//
//   issue       a scheduler starts one instruction a cycle; four schedulers a multiprocessor
//   arithmetic  the units for integers, floats, doubles, and special functions, each with so many lanes
//   shuffles    the unit that moves data between lanes, shared memory and the first cache does an instruction of a warp a cycle: shuffles,
//   shared      passes over the banks of shared memory,
//   accesses    4 sectors of 32 bytes, and a line of 128 bytes in `line_cycles`: rows of 32 lanes are 32 lines, and what lies side by side
//   4 memory      each different sector that is read or written once, at the bandwidth of the memory; of the second cache, all that is read
//               once, and all stores. What a warp reads again comes from the first cache if it has not touched more since than its share of
//               that; else from the second one, if that has a larger share by the same rule, or from memory
//
// Too few warps for that are what registers allow: the units' times grow as there are fewer than `warps_wanted`.
//
// Figures: lanes by the CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions" (7.0 and 9.0); clocks, bandwidths and
// numbers of multiprocessors by NVIDIA's data sheets and white papers of TITAN V, V100 and H100 SXM5; the second cache's bytes a cycle by
// Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018), and the A100's white paper (5120 bytes a cycle
// in all), taken to hold for H100. A line's cycles are what an H100 took for GEMA where each element was an access of its own, and lines
// were all that could last so long (docs/cuda-counts.md): 19.9 ns for 3 * 32 accesses of 32 lines, and 1.5 to 1.6 cycles a line likewise of
// 16 rows and in double. Quotients are sequences of instructions: what ptxas makes of div.rn, estimated.

#include <cstdint>
#include <string_view>
#include <vector>

#include "interpreter/ptx/counts.hpp"
#include "interpreter/ptx/live_registers.hpp"

namespace lockstep::bench {

struct Gpu {
  std::string_view name;
  double multiprocessors;
  double gigahertz;
  double integer_lanes;  ///< of a multiprocessor: results in a cycle
  double float_lanes;
  double double_lanes;
  double special_lanes;  ///< reciprocals, and conversions from and to 64 bits
  double memory_bytes;   ///< of a multiprocessor, in a cycle
  double cache_bytes;    ///< of the second cache, likewise
  double shared_bytes;   ///< of a multiprocessor
  double near_bytes;     ///< first cache and shared memory together
  double far_bytes;      ///< second cache, of a multiprocessor
};

inline constexpr Gpu h100 = {
    "H100", 132, 1.755, 64, 128, 64, 16, 3350 / (132 * 1.755), 5120.0 / 132, 227.0 * 1024, 256.0 * 1024, 50.0 * 1024 * 1024 / 132};
inline constexpr Gpu titan_v = {
    "TITAN V", 80, 1.455, 64, 64, 32, 16, 652.8 / (80 * 1.455), 2048.0 / 80, 96.0 * 1024, 128.0 * 1024, 4.5 * 1024 * 1024 / 80};

inline constexpr double schedulers = 4;
inline constexpr double line_cycles = 1.5;
inline constexpr double warp_lanes = 32;
inline constexpr double registers_of_multiprocessor = 65536;
inline constexpr double most_warps = 64;
inline constexpr double most_registers = 255;  ///< of a thread; what is more goes to local memory
/// Registers of a thread that hold nothing of the program's.
inline constexpr double registers_besides = 8;
/// Two a scheduler, whose instructions do not all wait for one another.
inline constexpr double warps_wanted = 8;

/// What an instruction of a class takes.
struct Cost {
  double slots;  ///< instructions that are issued
  double integers;
  double floats;
  double doubles;
  double specials;
};
Cost cost_of(ptx_machine::IssueClass one);

/// What has been counted, of a launch.
struct Counted {
  ptx_machine::Counts counts;
  ptx_machine::LiveRegisters live;
  std::uint64_t shared_bytes = 0;  ///< of a block
  double warps_of_block = 1;
  double problems = 1;
};

struct Estimate {
  double nanoseconds = 0;  ///< for a problem, of many
  std::string_view limit;  ///< "memory"
  double warps = 0;        ///< that a multiprocessor has
  double busy = 0;         ///< cycles of a multiprocessor for what is not memory, nor the second cache
};
Estimate estimate(const Counted& counted, const Gpu& gpu);

}  // namespace lockstep::bench
