#pragma once
// What everybody who makes packs needs first: a launch that has been looked at, its buffers as objects, and the layouts of its frames.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/launch/frame.hpp"
#include "interpreter/launch/launch.hpp"
#include "interpreter/launch/objects.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::launch {

/// The buffers of a launch as all of its packs see them. The program and the buffers must outlive it; the objects point into it and into
/// the buffers' bytes.
class PreparedBuffers {
 public:
  PreparedBuffers(const typed::Program& program, const std::vector<Argument>& arguments, std::vector<Buffer>& buffers);
  PreparedBuffers(const PreparedBuffers&) = delete;
  PreparedBuffers& operator=(const PreparedBuffers&) = delete;
  ~PreparedBuffers() { drop_states(); }

  /// By number of the buffer. Object::watched: some store may reach it.
  const std::vector<Object>& objects() const { return objects_; }
  /// By number: the name of its owner (owner_of).
  const std::vector<std::string>& names() const { return names_; }

  /// CellState of every cell of a buffer, null while all are numbers.
  const std::uint8_t* states(std::size_t buffer) const { return states_[buffer].load(); }
  /// Copies `states` (CellState of every cell; empty: all are numbers) to a buffer's.
  void set_states(std::size_t buffer, const std::vector<std::uint8_t>& states);
  /// All cells are what they were before the launch: numbers, but for those without a value.
  void forget_states();

 private:
  void drop_states();

  std::vector<Object> objects_;
  std::vector<std::vector<std::uint64_t>> uninitialised_;  // elements of each buffer
  std::vector<std::atomic<std::uint8_t*>> states_;
  std::vector<std::string> names_;
};

/// A sentence about an argument or option with which the program cannot be launched.
std::optional<std::string> complaint(const typed::Program& program, const Arguments& arguments, const LaunchOptions& options);

/// The fault of a launch whose kernel's own frame and arrays exceed the memory limit: to be asked before anything is allocated. Counts
/// what one group needs before it calls anything: registers as they are counted in calls (bytes_per_lane of padded lanes), and __local
/// and __constant arrays with what is known of their cells.
std::optional<Fault> too_large(const typed::Program& program, const LaunchOptions& options);

/// How many warps a group has.
std::uint64_t warps_of_group(const typed::Program& program, const LaunchOptions& options);

/// The layouts of all functions' frames for packs of `lanes` lanes.
std::vector<FrameLayout> layouts_for(const typed::Program& program, std::size_t lanes);

/// WG_PACK, where the options ask for it: never more than fit the machine or than there are groups, and 1 for schedules that order the
/// warps of one group.
unsigned allowed_pack(const typed::Program& program, const LaunchOptions& options, std::uint64_t wanted);

/// What --strict makes of a race.
Fault fault_of(const Race& race);

}  // namespace lockstep::launch
