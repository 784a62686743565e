#include "interpreter/launch/frame.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "interpreter/launch/lane_kernels.hpp"

namespace lockstep::launch {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

std::size_t bytes_per_lane(const typed::Function& function) {
  std::size_t bytes = 0;
  for (const typed::RegisterInfo& info : function.registers) {
    const std::size_t count = info.count.value_or(1);
    bytes += (info.type.is_pointer ? 8 : size_of(info.type.scalar)) * count + (count + 3) / 4;
  }
  return bytes;
}

FrameLayout lay_out(const typed::Function& function, const std::vector<typed::RegisterId>& addressed, std::size_t lanes) {
  FrameLayout layout;
  const std::size_t words = (lanes + 63) / 64;
  for (const typed::RegisterInfo& info : function.registers) {
    RegisterLayout r;
    r.type = info.type.scalar;
    r.is_pointer = info.type.is_pointer;
    r.size = r.is_pointer ? 8 : size_of(r.type);
    r.is_array = info.count.has_value();
    r.count = static_cast<std::uint32_t>(info.count.value_or(1));
    r.always_written = info.always_written && !r.is_array;
    r.data = layout.data_bytes;
    r.stride = padded_lanes(lanes) * r.size;
    layout.data_bytes = aligned(layout.data_bytes + r.stride * r.count);
    r.written = layout.bit_words;
    r.poison = r.written + words * r.count;
    layout.bit_words = r.poison + words * r.count;
    layout.registers.push_back(r);
  }
  layout.lanes = lanes;
  layout.bytes_per_lane = bytes_per_lane(function);
  layout.addressed = addressed;
  return layout;
}

FramePool::FramePool(const std::vector<FrameLayout>& layouts) : layouts_(layouts), free_(layouts.size()) {}

FramePool::~FramePool() {
  for (Frame* frame : all_) {
    std::free(frame->data);  // NOLINT(cppcoreguidelines-no-malloc): aligned storage
    delete frame;
  }
}

Frame* FramePool::take(typed::FunctionId function) {
  const FrameLayout& layout = layouts_[function];
  const std::size_t registers = layout.registers.size();
  Frame* frame = nullptr;
  if (free_[function].empty()) {
    const std::size_t bytes = aligned(layout.data_bytes + layout.bit_words * sizeof(std::uint64_t) + 2 * registers + 1);
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): aligned storage
    auto* data = static_cast<std::byte*>(std::aligned_alloc(alignment, bytes));
    if (data == nullptr) {
      throw std::bad_alloc();
    }
    std::memset(data, 0, layout.data_bytes);  // lanes that nobody wrote are computed with all the same
    frame = new Frame;
    all_.push_back(frame);
    frame->function = function;
    frame->data = data;
    frame->bits = reinterpret_cast<std::uint64_t*>(data + layout.data_bytes);
    frame->uniform = reinterpret_cast<std::uint8_t*>(frame->bits + layout.bit_words);
    frame->may_be_poison = frame->uniform + registers;
  } else {
    frame = free_[function].back();
    free_[function].pop_back();
  }
  std::memset(frame->bits, 0, layout.bit_words * sizeof(std::uint64_t));
  std::memset(frame->uniform, 0, 2 * registers);
  frame->users = 1;
  bytes_in_use_ += bytes_of(function);
  return frame;
}

void FramePool::give_back(Frame* frame) {
  free_[frame->function].push_back(frame);
  bytes_in_use_ -= bytes_of(frame->function);
}

std::uint64_t FramePool::bytes_of(typed::FunctionId function) const {
  const FrameLayout& layout = layouts_[function];
  return std::uint64_t{layout.bytes_per_lane} * padded_lanes(layout.lanes) + sizeof(CallRecord);
}

Bank::Bank(const Bank& other) : bytes_per_lane(other.bytes_per_lane), pool_(other.pool_), calls_(other.calls_) {
  for (const CallRecord& call : calls_) {
    ++call.frame->users;
  }
}

Bank::Bank(Bank&& other) noexcept : bytes_per_lane(other.bytes_per_lane), pool_(other.pool_), calls_(std::exchange(other.calls_, {})) {}

Bank& Bank::operator=(const Bank& other) {
  if (this != &other) {
    clear();
    calls_ = other.calls_;
    for (const CallRecord& call : calls_) {
      ++call.frame->users;
    }
    bytes_per_lane = other.bytes_per_lane;
    pool_ = other.pool_;
  }
  return *this;
}

Bank& Bank::operator=(Bank&& other) noexcept {
  std::swap(bytes_per_lane, other.bytes_per_lane);
  std::swap(pool_, other.pool_);
  std::swap(calls_, other.calls_);
  return *this;
}

Bank::~Bank() { clear(); }

void Bank::clear() {
  while (!calls_.empty()) {
    pop();
  }
}

Frame& Bank::push(typed::FunctionId function, CallRecord record) {
  record.frame = pool_->take(function);
  calls_.push_back(std::move(record));
  return *calls_.back().frame;
}

bool Bank::pop() {
  Frame* frame = calls_.back().frame;
  calls_.pop_back();
  if (--frame->users != 0) {
    return false;
  }
  pool_->give_back(frame);
  return true;
}

}  // namespace lockstep::launch
