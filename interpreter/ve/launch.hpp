#pragma once
// Running a function of an object file: what it gets, how it is run, and what came of it.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "interpreter/ve/fault.hpp"
#include "interpreter/ve/machine.hpp"
#include "semantics/base/argument.hpp"
#include "semantics/ve/decode.hpp"
#include "semantics/ve/object.hpp"

namespace lockstep::ve_machine {

/// 64 bits as they come into a register, or the buffer that they point into.
using ParameterValue = std::variant<std::uint64_t, BufferNumber>;

struct Arguments {
  std::vector<ParameterValue> values;  ///< by position
  std::vector<launch::Buffer> buffers;
};

struct LaunchOptions {
  std::uint64_t max_steps = 100'000'000;  ///< instructions
  std::size_t stack_bytes = std::size_t{1} << 20;
};

struct Outcome {
  std::optional<Fault> fault;  ///< empty: the function has returned
  Counters counters;
  Cycles cycles;  ///< modelled
  Word result;    ///< %s0 at the end
};

/// The function of that name, the only one without a name; the error is a sentence.
std::expected<const ve::Symbol*, std::string> find_kernel(const ve::Object& object, const std::string& wanted);

/// A function that is about to be called: the machine, and what it works on beside the buffers.
struct Call {
  Machine machine;
  ve::Object loaded;  ///< with addresses in its sections
  ve::Code code;
  std::vector<std::byte> stack;
  std::vector<std::byte> thread;  ///< what a thread has for itself
};

/// The error is a sentence about what cannot be run: names that the object needs and nobody has, and instructions that the machine has not.
/// The call works on `arguments.buffers`, which outlive it.
std::expected<std::unique_ptr<Call>, std::string> prepare(const ve::Object& object, const ve::Decoder& decoder, const ve::Symbol& kernel,
                                                          Arguments& arguments, const LaunchOptions& options);

/// As prepare. `arguments.buffers` are changed in place; after a fault they hold what had been written when it was met.
std::expected<Outcome, std::string> run(const ve::Object& object, const ve::Decoder& decoder, const ve::Symbol& kernel,
                                        Arguments& arguments, const LaunchOptions& options);

/// `K.o:saxpy+0x38: error: …` and the instruction in a line of its own.
std::string render(const ve::Object& object, const ve::Decoder& decoder, const Fault& fault);

/// "saxpy+0x38"
std::string place_text(const ve::Object& object, const Place& place);

}  // namespace lockstep::ve_machine
