#include "interpreter/debug/ptx/run.hpp"

#include <algorithm>
#include <utility>

#include "semantics/base/internal_error.hpp"

namespace lockstep {

using ptx_machine::Object;

namespace {

/// Whether blocks hand the object's bytes on to each other.
bool lasts(const Object& object) { return object.space == ptx::Space::Global && object.stride == 0; }

std::vector<ptx_machine::FunctionCode> prepared(const PtxProgram& program, ptx_machine::LaunchMemory& memory, ptx_machine::Pool& pool) {
  if (const auto problem = memory.make()) {
    throw InternalError("a launch that cannot be made: " + *problem);
  }
  return ptx_machine::prepare(program.module(), memory.placement, memory.space, pool);
}

}  // namespace

std::size_t PtxRun::Start::size() const {
  std::size_t sum = sizeof(Start) + objects.size() * sizeof(ObjectState);
  for (const ObjectState& object : objects) {
    sum += object.bytes.size() + object.written.size();
  }
  return sum;
}

std::optional<std::string> PtxRun::complaint(const PtxProgram& program, const Arguments& arguments, const Options& options) {
  if (auto problem = ptx_machine::complaint(program.module(), program.kernel(), arguments, options)) {
    return problem;
  }
  Arguments copy = arguments;
  return ptx_machine::LaunchMemory(program.module(), program.kernel_index(), copy, options).make();
}

PtxRun::PtxRun(std::shared_ptr<const PtxProgram> program, const Arguments& arguments, const Options& options, bool log)
    : program_(std::move(program)),
      arguments_(arguments),
      options_(options),
      memory_(program_->module(), program_->kernel_index(), arguments_, options_),
      pool_(ptx_machine::padded(static_cast<unsigned>(options.geometry.block.count()))),
      code_(prepared(*program_, memory_, pool_)),
      prepared_{program_->module(), memory_.placement, code_, options_},
      block_(prepared_, memory_.space, pool_, log ? &watch_ : nullptr) {
  if (log) {
    watch_.log = &log_.emplace();
  }
  begin(0);
}

void PtxRun::begin(std::uint64_t number) {
  at_start_ = true;
  memory_.begin_block();
  block_.begin(number);
  settle();
}

/// At the end of a block the next one begins.
void PtxRun::settle() {
  if (!block_.fault() && block_.next_fragment() != nullptr) {
    return;
  }
  ended_ = block_.fault() || number() + 1 == count();
  if (!ended_) {
    begin(number() + 1);
  }
}

std::optional<PtxProgram::Place> PtxRun::next_place() const {
  const ptx_machine::Fragment* next = block_.next_fragment();
  return ended_ || next == nullptr ? std::nullopt : std::optional(program_->place(next->function, next->pc));
}

bool PtxRun::step(Fired*) {
  if (ended_) {
    return false;
  }
  at_start_ = false;
  const bool taken = block_.step();
  position_ += taken ? 1U : 0U;
  settle();
  return taken;
}

PtxRun::Start PtxRun::start() const {
  Start start{number(), position_, block_.steps(), block_.thread_steps(), block_.open_results(), {}};
  for (std::uint32_t k = 0; k < memory_.space.size(); ++k) {
    const Object& object = memory_.space[k];
    Start::ObjectState& state = start.objects.emplace_back();
    state.open = object.open;
    state.origin = object.origin;
    if (lasts(object) && object.writable) {
      state.bytes.assign(object.data, object.data + object.bytes);
      state.unwritten = object.unwritten;
      if (object.written != nullptr) {
        state.written.assign(object.written, object.written + object.bytes);
      }
    }
  }
  return start;
}

void PtxRun::go_back_to(const Start& start) {
  for (std::uint32_t k = 0; k < memory_.space.size(); ++k) {
    Object& object = memory_.space[k];
    if (k >= start.objects.size()) {  // a variable of a function that was not entered yet
      object.open = false;
      continue;
    }
    const Start::ObjectState& state = start.objects[k];
    object.open = state.open;
    object.origin = state.origin;
    if (lasts(object) && object.writable) {
      std::copy(state.bytes.begin(), state.bytes.end(), object.data);
      if (object.written != nullptr && state.written.empty()) {  // all had a number, and nobody watched that yet
        std::fill(object.written, object.written + object.bytes, std::uint8_t{ptx_machine::Written});
      } else {
        std::copy(state.written.begin(), state.written.end(), object.written);
      }
      object.unwritten = state.unwritten;
    }
  }
  block_.set_back(start.steps, start.thread_steps, start.open_results);
  position_ = start.position;
  ended_ = false;
  begin(start.number);
}

}  // namespace lockstep
