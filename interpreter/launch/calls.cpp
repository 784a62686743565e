// Call frames: how they begin and end, and the numbers of the arrays in them that pointers may point to.

#include <utility>

#include "interpreter/launch/domain.hpp"
#include "semantics/memory/pointer.hpp"

namespace lockstep::launch {

std::uint32_t Pirch::free_numbers(std::size_t count) {
  const auto begins = static_cast<std::uint32_t>(objects_.size());
  for (;;) {
    if (next_private_ + count > memory::max_objects) {
      next_private_ = begins;
    }
    const auto taken = private_objects_.lower_bound(next_private_);
    if (taken == private_objects_.end() || taken->first >= next_private_ + count) {
      const std::uint32_t first = next_private_;
      next_private_ += static_cast<std::uint32_t>(count);
      return first;
    }
    next_private_ = taken->first + 1;
  }
}

void Pirch::push_frame(State& s, Function f, const Result& result, const ArgumentValues& arguments) {
  CallRecord record;
  record.return_pc = s.pc + 1;
  record.active = s.active;
  record.frame_base = s.frame_base;
  record.contexts = s.context.size();
  record.result = result;
  Frame& frame = s.bank.push(f, std::move(record));
  s.bank.bytes_per_lane += layouts_[f].bytes_per_lane;
  frame.first_object = free_numbers(layouts_[f].addressed.size());
  std::uint32_t number = frame.first_object;
  for (const typed::RegisterId id : layouts_[f].addressed) {
    const RegisterLayout& r = layouts_[f].registers[id];
    Object object;
    object.data = frame.data + r.data;
    object.count = r.count;
    object.element = r.type;
    object.space = AddressSpace::Private;
    object.name = &program_.functions[f].registers[id].variable;
    object.row = static_cast<std::uint32_t>(padded_);
    object.written = frame.bits + r.written;
    object.poison = frame.bits + r.poison;
    object.may_be_poison = &frame.may_be_poison[id];
    object.words = s.active.word_count();
    private_objects_.emplace(number++, object);
  }
  if (arguments.values != nullptr) {
    for (std::size_t k = 0; k < arguments.values->size(); ++k) {
      assign_row(s, static_cast<typed::RegisterId>(k), 0, (*arguments.values)[k], s.active);
    }
  }
}

void Pirch::pop_frame(State& s, const Values* result) {
  const CallRecord record = s.bank.calls().back();
  const FrameLayout& layout = layouts_[record.frame->function];
  const std::uint32_t first = record.frame->first_object;
  s.bank.bytes_per_lane -= layout.bytes_per_lane;
  if (s.bank.pop() && !layout.addressed.empty()) {
    for (std::size_t k = 0; k < layout.addressed.size(); ++k) {
      private_objects_.erase(first + static_cast<std::uint32_t>(k));  // pointers into it point to nothing
    }
  }
  s.active = record.active;
  s.frame_base = record.frame_base;
  s.pc = record.return_pc;
  if (result != nullptr && record.result) {
    assign_row(s, *record.result, 0, *result, s.active);
  }
}

void Pirch::start(State& s, const std::vector<Argument>& arguments) {
  stack_.resize(depth_ + 3);
  s.active = all_;
  s.pc = program_.kernel().begin;
  s.bank = Bank(&pool_);
  push_frame(s, 0, std::nullopt, {});
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    std::uint64_t bits = 0;
    if (const auto* buffer = std::get_if<BufferNumber>(&arguments[k])) {
      bits = memory::pointer_to(*buffer, program_.kernel().registers[k].type.scalar);
    } else {
      bits = std::get<ScalarBits>(arguments[k]).bits;
    }
    Values v;
    v.lanes = reinterpret_cast<const std::byte*>(&bits);
    v.uniform = true;
    v.everywhere = false;
    assign_row(s, static_cast<typed::RegisterId>(k), 0, v, s.active);
  }
}

}  // namespace lockstep::launch
