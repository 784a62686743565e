#include "interpreter/ve/cost.hpp"

#include <algorithm>

#include "interpreter/ve/machine.hpp"

namespace lockstep::ve_machine {

using ve::Class;
using ve::Kind;
using ve::Operand;

namespace {

/// Cycles that a vector takes a pipe.
unsigned turns_of(unsigned length) { return (length + cost_model::lanes - 1) / cost_model::lanes; }

}  // namespace

Cycles::Bound Cycles::largest() const { return static_cast<Bound>(std::ranges::max_element(least) - least.begin()); }

double Cycles::total() const { return std::ranges::max(least) + lengths; }

std::string_view name_of(Cycles::Bound bound) {
  switch (bound) {
    case Cycles::Bound::Steps:
      return "instructions";
    case Cycles::Bound::VectorSteps:
      return "vector instructions";
    case Cycles::Bound::Floats:
      return "floats";
    case Cycles::Bound::Integers:
      return "integers";
    case Cycles::Bound::Quotients:
      return "quotients";
    case Cycles::Bound::Cache:
      return "the cache";
    case Cycles::Bound::Memory:
      return "memory";
    case Cycles::Bound::Chain:
      return "dependences";
  }
  return "";
}

double& Cost::ready(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Scalar:
    case Operand::Kind::Quad:
      return scalars_[operand.number];
    case Operand::Kind::Vector:
      return vectors_[operand.number];
    case Operand::Kind::Mask:
    case Operand::Kind::MaskPair:
      return masks_[operand.number];
    case Operand::Kind::None:
    case Operand::Kind::Number:
      break;
  }
  nothing_ = 0;
  return nothing_;
}

/// A line comes from memory once, and goes there once. The stack stays in the cache.
template <class AddressOf>
void Cost::touch(Machine& machine, unsigned length, bool writes, AddressOf address_of) {
  std::uint32_t number = 0;
  const MemoryObject* object = nullptr;
  std::vector<bool>* lines = nullptr;
  for (unsigned i = 0; i < length; ++i) {
    const std::uint64_t address = address_of(i);
    if (i == 0 || memory::object_of(address) != number) {
      number = memory::object_of(address);
      object = machine.memory.object(number);
      lines = nullptr;
      if (object != nullptr && object->states.empty()) {
        Lines& those = touched_[number];
        lines = writes ? &those.written : &those.read;
        lines->resize(object->bytes / cost_model::line + 1);
      }
    }
    const std::int64_t offset = memory::offset_of(address);
    if (lines == nullptr || offset < 0 || static_cast<std::uint64_t>(offset) >= object->bytes) {
      continue;
    }
    const std::uint64_t line = static_cast<std::uint64_t>(offset) / cost_model::line;
    if (!(*lines)[line]) {
      (*lines)[line] = true;
      ++lines_;
    }
  }
}

void Cost::access(Machine& machine, const ve::Instruction& instruction, unsigned length, bool is_strided, bool writes) {
  if (is_strided) {
    const std::uint64_t stride = machine.read(instruction.sources[0]).bits;
    const std::uint64_t first = machine.read(instruction.sources[1]).bits;
    const MemoryObject* object = machine.memory.object_at(first);
    if (object != nullptr && object->states.empty()) {
      touch(machine, length, writes, [&](unsigned i) { return first + i * stride; });
    }
    cache_ += turns_of(length);
    return;
  }
  if (instruction.sources[0].kind == Operand::Kind::Vector) {
    touch(machine, length, writes,
          [&elements = machine.state.vectors[instruction.sources[0].number].elements](unsigned i) { return elements[i]; });
  }
  cache_ += length * cost_model::gather_element;
}

/// The longest way through registers, and through vectors that are read where they were written.
void Cost::follow(Machine& machine, const ve::Instruction& instruction, double latency, double busy) {
  double begin = instruction.mask.kind == Operand::Kind::None ? 0 : std::max(ready(instruction.mask), ready(instruction.result));
  for (const Operand& source : instruction.sources) {
    begin = std::max(begin, ready(source));
  }
  const Kind kind = ve::info(instruction.row).kind;
  if (kind == Kind::VectorLoad || kind == Kind::VectorStore) {
    const std::uint64_t first = machine.read(instruction.sources[1]).bits;
    if (kind == Kind::VectorStore) {
      stored_[first] = begin + latency;
    } else if (const auto found = stored_.find(first); found != stored_.end()) {
      begin = std::max(begin, found->second);
    }
  }
  if (instruction.result.kind != Operand::Kind::None) {
    ready(instruction.result) = begin + latency;
  }
  chain_ = std::max(chain_, begin + latency + busy);
}

void Cost::add(Machine& machine, const ve::Instruction& instruction) {
  ++steps_;
  const ve::RowInfo& row = ve::info(instruction.row);
  const auto length = static_cast<unsigned>(machine.state.length.undefined == 0 ? machine.state.length.bits : 0);
  const unsigned turns = turns_of(length);
  double latency = cost_model::vector_latency;
  switch (row.kind_class) {
    case Class::Scalar:
    case Class::Memory:
    case Class::Control:
      return follow(machine, instruction, cost_model::scalar_latency, 0);
    case Class::VectorFloat:
      floats_ += turns;
      break;
    case Class::VectorMove:
    case Class::VectorInteger:
    case Class::Reduction:
    case Class::Mask:
      integers_ += turns;
      break;
    case Class::VectorDivide:
      quotients_ += turns;
      latency = cost_model::divide_latency;
      break;
    case Class::VectorLoad:
    case Class::VectorStore:
    case Class::Gather:
    case Class::Scatter: {
      const bool writes = row.kind_class == Class::VectorStore || row.kind_class == Class::Scatter;
      access(machine, instruction, length, row.kind == Kind::VectorLoad || row.kind == Kind::VectorStore, writes);
      latency = writes ? cost_model::vector_latency : cost_model::load_latency;
      break;
    }
  }
  ++vector_steps_;
  changes_ += length != last_length_ ? 1U : 0U;
  last_length_ = length;
  follow(machine, instruction, latency, turns);
}

Cycles Cost::cycles() const {
  Cycles found;
  found.least = {static_cast<double>(steps_) / cost_model::steps,
                 static_cast<double>(vector_steps_) / cost_model::vector_steps,
                 floats_ / cost_model::float_pipes,
                 integers_ / cost_model::integer_pipes,
                 quotients_ / cost_model::divide_pipes,
                 cache_,
                 static_cast<double>(lines_ * cost_model::line) / cost_model::memory_bytes,
                 chain_};
  found.lengths = static_cast<double>(changes_) * cost_model::length_change;
  return found;
}

}  // namespace lockstep::ve_machine
