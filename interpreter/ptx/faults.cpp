// What went wrong, where, and with which thread.

#include <fmt/format.h>

#include "interpreter/ptx/block.hpp"

namespace lockstep::ptx_machine {

/// The present instruction is at fault, in this lane. Always false.
bool Block::fail(FaultKind kind, unsigned lane, std::string message) {
  fail_at(fragments_[current_], kind, lane, std::move(message));
  return false;
}

void Block::fail_at(const Fragment& f, FaultKind kind, unsigned lane, std::string message) {
  if (!fault_) {
    const Geometry& geometry = program_.options.geometry;
    fault_ = Fault{kind, {geometry.grid.at(index_), geometry.block.at(lane), f.function, f.pc}, std::move(message)};
  }
}

std::string Block::register_name(const Source& source) const {
  const auto& registers = program_.code[fragments_[current_].function].function->registers;
  return source.index < registers.size() ? shortened(registers[source.index].name) : std::string("of an address");
}

std::string Block::thread_text(unsigned lane) const {
  const Dim3 thread = program_.options.geometry.block.at(lane);
  return fmt::format("thread ({},{},{})", thread.x, thread.y, thread.z);
}

}  // namespace lockstep::ptx_machine
