#pragma once
// Runs a kernel of InfReg-IR on buffers, by the rules of evaluate_rules.hpp on machine numbers.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/argument.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// What a pointer parameter points to.
struct Buffer {
  ScalarType type = ScalarType::Int;
  std::uint64_t count = 0;           ///< elements
  std::vector<std::byte> bytes;      ///< count * size_of(type), in the host's order
  std::vector<std::uint8_t> poison;  ///< one for each element: 1 where it is poison
};

/// A buffer of `count` elements that are 0.
Buffer make_buffer(ScalarType type, std::uint64_t count);

/// The lanes of a value, in the order of layout.hpp.
struct LanesView {
  ValueId value = 0;
  Type type;
  std::span<const std::uint64_t> bits;   ///< as core::Literal; of pointers and of poison lanes, nothing is promised
  std::span<const std::uint8_t> poison;  ///< 1 where a lane is poison
};

/// An operation that has just been executed by a pack. Loops and ifs come after the operations in them.
struct Executed {
  OperationId id;
  const Operation& operation;
  std::uint64_t first_group = 0;       ///< of the pack
  Shape shape;                         ///< of the pack: wg_pack is 1 in groups beyond the last full pack
  std::span<const LanesView> results;  ///< valid during the call
};
using Observer = std::function<void(const Executed&)>;

struct Limits {
  std::uint64_t lane_operations =
      std::uint64_t{10'000'000'000};  ///< the lanes of all executed operations together; of a pack, itself and its objects' cells
  std::uint64_t bytes = std::uint64_t{1} << 30;  ///< values and objects of a pack
};

struct EvaluateOptions {
  std::uint64_t groups = 1;
  Limits limits;
  Observer observer;  ///< may be empty
};

struct Finished {
  bool operator==(const Finished&) const = default;
};
/// The program is undefined (kernel.hpp says where that is so). Buffers are as they were left.
struct Undefined {
  OperationId operation;
  SourceSpan span;                    ///< the operation's
  std::uint64_t group = 0;            ///< of the launch; the pack's first where the lane is that of the whole pack
  std::optional<std::uint32_t> item;  ///< none for layouts without items
  std::uint32_t element = 0;
  std::string sentence;  ///< "index 7 lies outside of %a, which has 4 elements"
};
/// A limit was reached before the end.
struct LimitReached {
  std::string sentence;
};

struct Outcome {
  std::variant<Finished, Undefined, LimitReached> end;
  std::uint64_t lane_operations = 0;  ///< executed
};

/// Runs `kernel` (which the verifier accepts) for options.groups groups: packs of shape.wg_pack one after the other, then each group that
/// is left in a pack of its own. `arguments`: one for each parameter; a buffer's type must be the parameter's (an InternalError otherwise).
/// NaN payloads are the host's.
Outcome evaluate(const Kernel& kernel, std::span<const Argument> arguments, std::vector<Buffer>& buffers, const EvaluateOptions& options);

}  // namespace lockstep::infreg
