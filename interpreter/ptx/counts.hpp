#pragma once
// What a launch asks of hardware: the instructions that warps issue, by class, and the memory that their accesses touch. Counted while it
// runs, so that loops, branches and addresses are what they are.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpreter/ptx/address_space.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx_machine {

/// By what an instruction costs: the unit that executes it, and its width.
enum class IssueClass : std::uint8_t {
  Integer,    ///< arithmetic, logic and shifts of up to 32 bits
  Integer64,  ///< of 64 bits
  Half,
  Float,
  Double,
  DivideFloat,  ///< quotients, reciprocals and square roots, which are sequences of others
  DivideDouble,
  DivideInteger,
  Compare,
  CompareDouble,
  Select,
  Select64,
  Predicate,  ///< logic of predicates
  Convert,
  ConvertDouble,  ///< to or from 64 bits of a float
  Move,           ///< also packing, unpacking, and conversions of addresses: compilers need few of them
  Control,
  Shuffle,
  Vote,     ///< also match, redux, elect and activemask
  Meeting,  ///< barriers of a warp or block, and fences
  Parameter,
  Load,  ///< of all other memory, and so on
  Store,
  Atomic,
  Other,
};
inline constexpr std::size_t issue_classes = static_cast<std::size_t>(IssueClass::Other) + 1;

/// "divide_double": as JSON names it.
std::string_view name_of(IssueClass one);
IssueClass issue_class(const ptx::resolved::Instruction& instruction);

inline constexpr std::uint64_t sector_bytes = 32;
inline constexpr std::uint64_t line_bytes = 128;

/// Accesses of one kind to one space.
struct AccessCount {
  std::uint64_t instructions = 0;  ///< of warps
  std::uint64_t bytes = 0;         ///< that threads ask for
  /// Of global and local memory, sectors of 32 bytes, in each instruction each once. Of shared memory, the passes that its 32 banks of 4
  /// bytes need.
  std::uint64_t transactions = 0;
  std::uint64_t lines = 0;  ///< of global and local memory, those of 128 bytes in which the sectors lie, in each instruction each once
};

struct Counts {
  std::array<std::uint64_t, issue_classes> issued{};  ///< instructions of warps
  struct Accesses {
    AccessCount loads;
    AccessCount stores;  ///< also atomic operations
  };
  Accesses global;
  Accesses shared;
  Accesses local;
  std::uint64_t sectors_read = 0;  ///< of global memory: different ones, in the whole launch
  std::uint64_t sectors_written = 0;
  /// Of loads from global memory, the sectors that the warp has touched before, by how many sectors it has touched since: number k of
  /// distances from 2^(k-1) on. A cache that holds fewer has lost them.
  std::array<std::uint64_t, 48> again{};

  std::uint64_t of(IssueClass one) const { return issued[static_cast<std::size_t>(one)]; }
};

/// Counts what one launch does.
class Counter {
 public:
  void issue(IssueClass one, std::uint64_t warps) { counts_.issued[static_cast<std::size_t>(one)] += warps; }

  /// A thread's access: its number in the block, and the bytes within the object.
  struct Touch {
    unsigned thread = 0;
    const Object* object = nullptr;
    std::uint64_t byte = 0;
  };
  /// The accesses of an instruction, `size` bytes each, in the order of threads.
  void access(std::span<const Touch> touches, unsigned size, bool writes, bool reads);

  /// Warps of the next block have touched nothing.
  void begin_block() { touched_.clear(); }

  const Counts& counts() const { return counts_; }

 private:
  void access_of_warp(std::span<const Touch> touches, unsigned size, bool writes);
  void note_distance(std::uint64_t warp, std::uint64_t sector, bool writes);
  void note_sectors(const Touch& touch, unsigned size, bool writes, bool reads);

  Counts counts_;
  struct Seen {
    std::vector<bool> read;
    std::vector<bool> written;
  };
  std::vector<Seen> seen_;  ///< of objects, by sector
  std::vector<std::uint64_t> sectors_;
  /// Of a warp of the present block: the sectors that it has touched, and when.
  struct Touched {
    std::unordered_map<std::uint64_t, std::uint64_t> when;
    std::uint64_t now = 0;
  };
  std::vector<Touched> touched_;
};

}  // namespace lockstep::ptx_machine
