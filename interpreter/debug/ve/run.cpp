#include "interpreter/debug/ve/run.hpp"

#include <algorithm>

#include "semantics/base/internal_error.hpp"

namespace lockstep {

using ve_machine::MemoryObject;

namespace {

/// Calls f(object) for each object that may be written.
template <class Memory, class F>
void for_each_writable(Memory& memory, F&& f) {
  for (std::uint32_t number = 1; number <= memory.count(); ++number) {
    if (auto& object = *memory.object(number); object.rights.write) {
      f(object);
    }
  }
}

std::unique_ptr<ve_machine::Call> prepared(const VeProgram& program, VeRun::Arguments& arguments, const VeRun::Options& options) {
  auto call = ve_machine::prepare(program.object(), program.decoder(), program.kernel(), arguments, options);
  if (!call) {
    throw InternalError("a call on VE that cannot be made: " + call.error());
  }
  return std::move(*call);
}

}  // namespace

std::size_t VeRun::Start::size() const {
  std::size_t sum = sizeof(Start) + counters.rows.size() * sizeof counters.rows[0];
  for (const Bytes& object : objects) {
    sum += sizeof(Bytes) + object.values.size() + object.states.size();
  }
  return sum;
}

std::optional<std::string> VeRun::complaint(const VeProgram& program, const Arguments& arguments, const Options& options) {
  Arguments copy = arguments;
  const auto call = ve_machine::prepare(program.object(), program.decoder(), program.kernel(), copy, options);
  return call ? std::nullopt : std::optional(program.object().name + ": " + call.error());
}

VeRun::VeRun(std::shared_ptr<const VeProgram> program, const Arguments& arguments, const Options& options, bool)
    : program_(std::move(program)), arguments_(arguments), options_(options), call_(prepared(*program_, arguments_, options_)) {}

std::optional<VeProgram::Place> VeRun::next_place() const { return ended() ? std::nullopt : program_->place(machine().state.place); }

const ve::Instruction* VeRun::next() const {
  const ve_machine::Place at = machine().state.place;
  return next_place() ? &call_->code[at.section][at.index] : nullptr;
}

bool VeRun::step(Fired*) { return !ended() && ve_machine::step(call_->machine, call_->code, options_.max_steps); }

VeRun::Start VeRun::start() const {
  ve_machine::Machine& m = machine();
  Start start{number(), position(), m.state, m.counters, m.halted, {}};
  for_each_writable(
      m.memory, [&](const MemoryObject& object) { start.objects.push_back({{object.data, object.data + object.bytes}, object.states}); });
  return start;
}

// NOLINTNEXTLINE(readability-make-member-function-const): the machine is another one afterwards
void VeRun::go_back_to(const Start& start) {
  ve_machine::Machine& m = machine();
  m.state = start.state;
  m.counters = start.counters;
  m.halted = start.halted;
  m.fault.reset();
  auto kept = start.objects.begin();
  for_each_writable(m.memory, [&](MemoryObject& object) {
    std::ranges::copy(kept->values, object.data);
    object.states = kept->states;
    ++kept;
  });
}

}  // namespace lockstep
