// Branches, calls and the ends of threads.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "interpreter/ptx/block.hpp"

namespace lockstep::ptx_machine {

namespace resolved = ptx::resolved;

Block::Flow Block::execute(const Branch& a) {
  fragments_[current_].pc = a.target;
  return Flow::Jumped;
}

/// The threads `taken` go on at `target`, the others of the present fragment behind the instruction.
Block::Flow Block::go_apart(const LaneSet& taken, std::uint32_t target) {
  const std::uint32_t branch = fragments_[current_].pc;
  const std::size_t others = split(current_, fragments_[current_].lanes - taken);
  fragments_[current_].pc = target;
  fragments_[others].pc = branch + 1;
  if (program_.options.schedule == Schedule::Stack) {
    part(fragments_[current_], fragments_[others], branch);
  }
  return Flow::Choose;
}

/// Two fragments part at a branch: they wait for each other where its ways meet again, if they do so before the function's end.
void Block::part(Fragment& a, Fragment& b, std::uint32_t pc) {
  const std::uint32_t meeting = orders_[a.function].meeting[pc];
  if (meeting == program_.code[a.function].steps.size()) {
    return;
  }
  const Reconvergence parting{++splits_, meeting, static_cast<std::uint32_t>(a.calls.size())};
  for (Fragment* f : {&a, &b}) {
    f->partings.push_back(parting);
  }
}

/// Fragments that have come to where they meet those that they have parted from, on whatever way, wait there for them.
void Block::wait_at_meetings() {
  for (std::size_t k = 0; k < fragments_.size();) {
    Fragment& f = fragments_[k];
    if (!is_ready(f) || !is_at_meeting(f)) {
      ++k;
      continue;
    }
    f.waiting = Waiting::Reconvergence;
    join_partings(Reconvergence(f.partings.back()));
    k = 0;  // who goes on may be at the meeting of the parting outside of it
  }
}

/// The fragments that have parted there go on if all of them have come to where they meet; what runs first takes the others in.
void Block::join_partings(const Reconvergence& parting) {
  const auto has = [&](const Fragment& f) { return std::ranges::find(f.partings, parting) != f.partings.end(); };
  const auto waits = [&](const Fragment& f) { return f.waiting == Waiting::Reconvergence && f.partings.back() == parting; };
  if (!std::ranges::all_of(fragments_, [&](const Fragment& f) { return !has(f) || waits(f); })) {
    return;
  }
  for (Fragment& f : fragments_) {
    if (has(f)) {
      f.waiting = Waiting::No;
      f.partings.pop_back();
    }
  }
}

Block::Flow Block::execute(const IndexedBranch& a) {
  if (!require(a.index)) {
    return Flow::Stop;
  }
  const std::uint32_t branch = fragments_[current_].pc;
  LaneSet left = active_.set;
  std::vector<std::pair<std::uint32_t, LaneSet>> ways;
  while (!left.empty()) {
    const std::uint64_t index = lane_number(a.index, left.first());
    if (index >= a.targets.size()) {
      fail(FaultKind::BranchIndex, left.first(), fmt::format("the index {} is outside of the list of {} targets", index, a.targets.size()));
      return Flow::Stop;
    }
    LaneSet alike(threads_);
    left.for_each([&](unsigned lane) {
      if (lane_number(a.index, lane) == index) {
        alike.insert(lane);
      }
    });
    left -= alike;
    ways.emplace_back(a.targets[index], std::move(alike));
  }
  if (ways.size() == 1) {
    fragments_[current_].pc = ways[0].first;
    return Flow::Jumped;
  }
  const std::uint32_t function = fragments_[current_].function;
  const bool stack =
      program_.options.schedule == Schedule::Stack && orders_[function].meeting[branch] != program_.code[function].steps.size();
  const Reconvergence parting{++splits_, stack ? orders_[function].meeting[branch] : 0,
                              static_cast<std::uint32_t>(fragments_[current_].calls.size())};
  const auto go = [&](Fragment& f, std::uint32_t target) {
    f.pc = target;
    if (stack) {
      f.partings.push_back(parting);
    }
  };
  for (std::size_t k = 1; k < ways.size(); ++k) {
    go(fragments_[split(current_, ways[k].second)], ways[k].first);
  }
  go(fragments_[current_], ways[0].first);
  return Flow::Choose;
}

/// Makes a frame of the function for the instruction's threads, in which nothing is defined. False: a fault.
bool Block::enter(std::uint32_t function, std::size_t depth) {
  if (depth >= program_.options.max_depth) {
    return fail(FaultKind::DepthLimit, lanes_->set.first(), fmt::format("there are {} calls inside of each other (--max-depth)", depth));
  }
  const FunctionCode& code = program_.code[function];
  if (frames_.size() <= depth) {
    frames_.resize(depth + 1);
  }
  frames_[depth].resize(program_.code.size());
  std::unique_ptr<Frame>& frame = frames_[depth][function];
  if (frame == nullptr) {
    std::size_t bytes = layouts_[function].bytes + code.row_bytes.size() * padded_ / 8;
    for (const resolved::VariableInfo& variable : code.function->variables) {
      const std::uint64_t most = program_.options.frame_memory / (2 * std::size_t{threads_});
      bytes += variable.bytes > most ? program_.options.frame_memory : 2 * variable.bytes * threads_;
      bytes = std::min(bytes, 2 * program_.options.frame_memory + 1);
    }
    frame_bytes_ += bytes;
    if (frame_bytes_ > program_.options.frame_memory) {
      return fail(FaultKind::MemoryLimit, lanes_->set.first(),
                  fmt::format("registers and local memory take more than {} bytes (--frame-memory)", program_.options.frame_memory));
    }
    frame = std::make_unique<Frame>(code, layouts_[function], padded_);
    if (watches_open_) {
      frame->watch_open();
    }
    frame_ = frame.get();
    if (!make_variables(function, depth)) {
      frame.reset();  // who tries again fails again
      return false;
    }
  }
  forget_lanes(*frame);
  return true;
}

/// The variables of a function that lie with each thread get their bytes and addresses. False: a fault.
bool Block::make_variables(std::uint32_t function, std::size_t depth) {
  const FunctionCode& code = program_.code[function];
  Frame& frame = *frames_[depth][function];
  const std::vector<resolved::VariableInfo>& variables = code.function->variables;
  frame.objects.assign(variables.size(), 0);
  frame.variables.resize(variables.size());
  frame.written.resize(variables.size());
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const resolved::VariableInfo& variable = variables[v];
    if (program_.placement.of_functions[function][v]) {
      continue;
    }
    const std::uint64_t stride = (variable.bytes + 15) / 16 * 16;
    frame.variables[v] = RowStorage(stride * threads_);
    frame.written[v].assign(stride * threads_, 0);
    Object object;
    object.name = variable.name;
    object.space = ptx::Space::Local;
    object.data = frame.variables[v].data();
    object.written = frame.written[v].data();
    object.unwritten = variable.bytes * threads_;
    object.bytes = variable.bytes;
    object.stride = stride;
    const auto number = space_.add(std::move(object));
    if (!number) {
      return fail(FaultKind::MemoryLimit, lanes_->set.first(), "there are too many local variables for a space of 32 bits");
    }
    frame.objects[v] = *number;
  }
  for (const FrameAddress& address : code.addresses) {
    const std::uint64_t number = space_[frame.objects[address.variable]].address + static_cast<std::uint64_t>(address.offset);
    for (unsigned lane = 0; lane < padded_; ++lane) {
      std::memcpy(frame.row(address.row) + std::size_t{lane} * address.bytes, &number, address.bytes);
    }
  }
  return true;
}

/// In a frame that is entered nothing has been written yet by the instruction's threads.
void Block::forget_lanes(Frame& frame) {
  frame.forget(lanes_->set);
  for (std::size_t v = 0; v < frame.objects.size(); ++v) {
    if (frame.written[v].empty()) {
      continue;
    }
    Object& object = space_[frame.objects[v]];
    for_each_lane(*lanes_, [&](unsigned lane) {
      std::uint8_t* written = object.written + lane * object.stride;
      object.unwritten += static_cast<std::uint64_t>(std::count(written, written + object.bytes, std::uint8_t{Written}));
      std::memset(written, Unwritten, object.bytes);
    });
  }
}

Block::Flow Block::execute(const Call& a) {
  std::uint32_t function = a.function.value_or(0);
  if (!a.function) {
    if (!require(a.callee)) {
      return Flow::Stop;
    }
    const std::uint64_t address = lane_number(a.callee, active_.set.first());
    const auto callee = function_at(address);
    if (!callee || *callee >= program_.code.size() || program_.code[*callee].function == nullptr) {
      fail(FaultKind::BadCall, active_.set.first(), fmt::format("{:#x} is not the address of a function that has a body", address));
      return Flow::Stop;
    }
    function = *callee;
    LaneSet others(threads_);
    active_.set.for_each([&](unsigned lane) {
      if (lane_number(a.callee, lane) != address) {
        others.insert(lane);
      }
    });
    if (!others.empty()) {
      split(current_, others);  // they call another function later
      use(fragments_[current_]);
      watch_rank_ = 0;
    }
  }
  Frame& caller = *frame_;
  const resolved::Function& callee = *program_.code[function].function;
  if (callee.parameters.size() != a.call->arguments.size() || callee.results.size() != a.call->results.size()) {
    fail(FaultKind::BadCall, active_.set.first(),
         fmt::format("'{}' has {} parameters and {} results, and is called with {} and {}", callee.name, callee.parameters.size(),
                     callee.results.size(), a.call->arguments.size(), a.call->results.size()));
    return Flow::Stop;
  }
  const std::size_t depth = fragments_[current_].calls.size() + 1;
  if (!enter(function, depth)) {
    return Flow::Stop;
  }
  for (std::size_t k = 0; k < callee.parameters.size(); ++k) {
    pass(a.call->arguments[k], caller, callee.parameters[k], *frames_[depth][function], false);
  }
  Fragment& f = fragments_[current_];
  f.calls.push_back({f.function, f.pc, rank_of(f)});
  f.function = function;
  f.pc = 0;
  return fragments_.size() > 1 ? Flow::Choose : Flow::Jumped;
}

Block::Flow Block::execute(const Return&) {
  Fragment& f = fragments_[current_];
  if (f.calls.empty()) {
    return execute(Exit{});
  }
  const resolved::Function& callee = *program_.code[f.function].function;
  Frame& from = *frame_;
  const CallRecord record = f.calls.back();
  f.calls.pop_back();
  f.function = record.function;
  f.pc = record.pc + 1;
  frame_ = &frame_of(f);
  const auto& call = std::get<Call>(program_.code[record.function].steps[record.pc].action);
  for (std::size_t k = 0; k < callee.results.size(); ++k) {
    pass(call.call->results[k], *frame_, callee.results[k], from, true);
  }
  return fragments_.size() > 1 ? Flow::Choose : Flow::Jumped;
}

/// Where the bytes of an argument or result lie, lane by lane.
struct Block::Passed {
  std::byte* data = nullptr;
  std::size_t stride = 0;  ///< from one lane to the next
  std::size_t bytes = 0;
  std::uint64_t* defined = nullptr;  ///< of a register
  Frame* frame = nullptr;            ///< likewise
  std::uint32_t row = 0;
  std::uint64_t* open = nullptr;    ///< of a register, where that is watched
  Object* object = nullptr;         ///< of a variable
  std::uint32_t* origin = nullptr;  ///< of what is open there
};

Block::Passed Block::passed(const resolved::Value& value, Frame& frame) {
  if (const auto* reg = std::get_if<resolved::Register>(&value)) {
    // The function whose frame it is knows the register's width; rows lie one behind the other.
    const std::uint8_t bytes = frame.row_bytes(reg->index);
    std::uint64_t* open = watches_open_ ? frame.open(reg->index) : nullptr;
    return {frame.row(reg->index),
            bytes,
            bytes,
            frame.defined(reg->index),
            &frame,
            reg->index,
            open,
            nullptr,
            open != nullptr ? &frame.origin(reg->index) : nullptr};
  }
  if (const auto* address = std::get_if<resolved::AddressOf>(&value)) {
    Object& object = space_[frame.objects[address->variable.index]];
    return {.data = object.data, .stride = object.stride, .bytes = object.bytes, .object = &object, .origin = &object.origin};
  }
  if (const auto* number = std::get_if<resolved::Constant>(&value)) {
    std::byte* row = scratch_[0].data();
    for_each_lane(*lanes_, [&](unsigned lane) { std::memcpy(row + std::size_t{lane} * 16, number->bits.data(), 16); });
    return {.data = row, .stride = 16, .bytes = 16};
  }
  return {};
}

/// Copies an argument to its parameter, or, `back`, a result to where the caller wants it. What is undefined stays so.
void Block::pass(const resolved::Value& value, Frame& caller, const resolved::Parameter& parameter, Frame& callee, bool back) {
  const Passed outside = passed(value, caller);
  const Passed inside = std::holds_alternative<resolved::Register>(parameter)
                            ? passed(resolved::Value(std::get<resolved::Register>(parameter)), callee)
                            : passed(resolved::Value(resolved::AddressOf{std::get<resolved::VariableRef>(parameter), 0}), callee);
  const Passed& from = back ? inside : outside;
  const Passed& to = back ? outside : inside;
  if (to.data == nullptr || from.data == nullptr) {
    return;  // nobody wants the result
  }
  const std::size_t common = std::min(from.bytes, to.bytes);
  const bool is_open = from.object != nullptr ? from.object->open
                                              : from.open != nullptr && std::any_of(from.open, from.open + padded_ / 64,
                                                                                    [](std::uint64_t word) { return word != 0; });
  if (is_open && to.object != nullptr) {
    to.object->open = true;
  }
  if (is_open && to.origin != nullptr) {
    *to.origin = *from.origin;
  }
  for_each_lane(*lanes_, [&](unsigned lane) {
    std::memcpy(to.data + lane * to.stride, from.data + lane * from.stride, common);
    const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
    const bool has_number = from.defined == nullptr || (from.defined[lane / 64] & bit) != 0;
    const std::uint8_t* has_bytes = from.object != nullptr ? from.object->written + lane * from.stride : nullptr;
    bool all = has_number;
    for (std::size_t k = 0; k < common; ++k) {
      const bool has = has_bytes != nullptr ? has_bytes[k] == Written : has_number;
      all = all && has;
      if (to.object != nullptr) {
        std::uint8_t& written = to.object->written[lane * to.stride + k];
        to.object->unwritten = to.object->unwritten + (written == Written ? 1U : 0U) - (has ? 1U : 0U);
        written = has ? Written : Unwritten;
      }
    }
    if (to.open != nullptr) {
      const bool open = from.open != nullptr ? (from.open[lane / 64] & bit) != 0 : from.object != nullptr && from.object->open;
      to.open[lane / 64] = (to.open[lane / 64] & ~bit) | (open ? bit : 0);
    }
    if (to.defined != nullptr) {
      to.defined[lane / 64] |= all ? bit : 0;
      if (!all) {
        to.frame->undefine(to.row, lane, nullptr);
      }
    }
  });
}

Block::Flow Block::execute(const Exit&) { return end_threads() ? Flow::Choose : Flow::Stop; }

/// The present fragment's threads end. False: a fault.
bool Block::end_threads() {
  const std::vector<Reconvergence> partings = fragments_[current_].partings;
  const LaneSet ended = active_.set;
  // Those who wait for one of them in their warp wait for ever.
  for (const Fragment& f : fragments_) {
    if (f.waiting != Waiting::Collective) {
      continue;
    }
    for (unsigned lane = f.lanes.first(); lane < threads_; ++lane) {
      if (!f.lanes.contains(lane)) {
        continue;
      }
      for (unsigned k = 0; k < warp_threads; ++k) {
        const unsigned member = lane / warp_threads * warp_threads + k;
        if ((masks_[lane] >> k & 1U) != 0 && ended.contains(member)) {
          fail_at(f, FaultKind::MissingMember, lane,
                  fmt::format("lane {} of the mask {:#010x} has ended, and never comes here", k, masks_[lane]));
          return false;
        }
      }
    }
  }
  finish(current_);
  std::for_each(partings.rbegin(), partings.rend(), [&](const Reconvergence& parting) { join_partings(parting); });
  return true;
}

Block::Flow Block::execute(const Trap&) {
  fail(FaultKind::Trap, active_.set.first(), "the kernel has come to a trap");
  return Flow::Stop;
}

Block::Flow Block::execute(const Refused& a) {
  fail(FaultKind::DoesNotRun, active_.set.first(), a.sentence);
  return Flow::Stop;
}

}  // namespace lockstep::ptx_machine
