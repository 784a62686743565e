#pragma once
// β: the registers of a call, for all lanes of a pack, and the stack of calls.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "semantics/base/lane_set.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::launch {

/// Where a register lies in its frame. An array has `count` rows, one element of every lane each.
struct RegisterLayout {
  std::size_t data = 0;  ///< byte offset of row 0
  std::size_t stride = 0;
  std::uint32_t count = 1;
  unsigned size = 4;
  ScalarType type = ScalarType::Int;
  bool is_pointer = false;
  bool is_array = false;
  bool always_written = false;
  std::size_t written = 0;  ///< word offset of row 0's bit set, rows one behind the other
  std::size_t poison = 0;
};

struct FrameLayout {
  std::vector<RegisterLayout> registers;
  std::size_t data_bytes = 0;
  std::size_t bit_words = 0;
  std::size_t lanes = 0;                     ///< that it is made for
  std::size_t bytes_per_lane = 0;            ///< as the function below gives it
  std::vector<typed::RegisterId> addressed;  ///< register arrays that pointers may point to
};

/// What a frame of `function` costs each item, for the memory limit: its registers, and two bits for each of their elements.
std::size_t bytes_per_lane(const typed::Function& function);

/// The layout of `function`'s frames for `lanes` lanes.
FrameLayout lay_out(const typed::Function& function, const std::vector<typed::RegisterId>& addressed, std::size_t lanes);

/// One activation's registers. What holds for a register as a whole is in two flags: all present lanes hold one number (`uniform`),
/// and some lane may be poison.
struct Frame {
  typed::FunctionId function = 0;
  unsigned users = 0;  ///< fragments whose stack it is on
  std::byte* data = nullptr;
  std::uint64_t* bits = nullptr;
  std::uint8_t* uniform = nullptr;
  std::uint8_t* may_be_poison = nullptr;
  std::uint32_t first_object = 0;  ///< of its addressed arrays
};

/// Frames of a pack; returned ones are used again.
class FramePool {
 public:
  explicit FramePool(const std::vector<FrameLayout>& layouts);
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  ~FramePool();

  /// A frame in which nothing is written yet.
  Frame* take(typed::FunctionId function);
  void give_back(Frame* frame);
  /// Bytes of all frames that are in use, each counted for the lanes that it is made for, and of their call records.
  std::uint64_t bytes_in_use() const { return bytes_in_use_; }
  /// What one more frame of `function` would add.
  std::uint64_t bytes_of(typed::FunctionId function) const;

 private:
  const std::vector<FrameLayout>& layouts_;
  std::uint64_t bytes_in_use_ = 0;
  std::vector<std::vector<Frame*>> free_;
  std::vector<Frame*> all_;
};

/// A call that has not returned: what RET brings back.
struct CallRecord {
  Frame* frame = nullptr;
  typed::Label return_pc = 0;
  LaneSet active;              ///< Θ at the call
  std::size_t frame_base = 0;  ///< of the caller's Π
  std::size_t contexts = 0;    ///< |Λ| at the call
  std::optional<typed::RegisterId> result;
};

/// The stack of calls of a fragment. Copies share the frames: their lanes are disjoint.
class Bank {
 public:
  explicit Bank(FramePool* pool = nullptr) : pool_(pool) {}
  Bank(const Bank& other);
  Bank(Bank&& other) noexcept;
  Bank& operator=(const Bank& other);  ///< keeps the room that it has
  Bank& operator=(Bank&& other) noexcept;
  ~Bank();

  Frame& top() const { return *calls_.back().frame; }
  const std::vector<CallRecord>& calls() const { return calls_; }
  std::size_t depth() const { return calls_.size(); }
  LaneSet& active_at_call(std::size_t level) { return calls_[level].active; }

  /// Pushes `record` with a fresh frame of `function`.
  Frame& push(typed::FunctionId function, CallRecord record);
  void clear();
  /// Pops the top call; its frame is gone when nobody else uses it. False: somebody does.
  bool pop();

  /// Bytes of all frames on the stack, per lane.
  std::size_t bytes_per_lane = 0;

 private:
  FramePool* pool_;
  std::vector<CallRecord> calls_;
};

}  // namespace lockstep::launch
