#pragma once
// From one kernel to one LLVM function, which runs one pack of groups.
//
// A value of a layout other than Pack is cut into chunks: vectors of C lanes, lane number k * C + j of the layout in element j of chunk k.
// Where C is 1 they are scalars: LLVM 19 compiles some operations on vectors of one element wrongly (docs/found.md).
// The last chunk may be partly filled; its other elements hold some number, which never reaches memory. Values of up to `most_ssa_chunks`
// chunks live in SSA form, one LLVM value for each chunk. Bigger ones live in scratch memory, and operations on them are loops over chunks;
// as many consecutive operations on the same layout as possible share one loop. What gives chunk k of a result from chunk k of the operands
// is the same code for both (chunk_of).
//
// Poison of InfReg-IR is emitted as some number (often 0), never as LLVM's poison or undef: scratch memory begins as zeros, shift counts
// are masked, divisors replaced, conversions saturate. So LLVM's own poison decides nothing.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/emit/llvm/metadata.hpp"
#include "codegen/emit/llvm/uses.hpp"
#include "semantics/infreg/kernel.hpp"

namespace llvm {
class BasicBlock;
class FixedVectorType;
class Function;
class GlobalVariable;
class IRBuilderBase;
class Module;
class PHINode;
class Type;
class Value;
}  // namespace llvm

namespace lockstep::emit_llvm {

/// How a kernel is cut into chunks.
struct Cut {
  unsigned chunk_lanes = 8;
  unsigned most_ssa_chunks = 16;
};

/// What the target has instructions for.
struct Abilities {
  /// Gathers or scatters of chunks of this type, a vector.
  std::function<bool(llvm::Type*)> gathers;
  std::function<bool(llvm::Type*)> scatters;
  /// Its code for conversions of vectors of 64-bit integers to float goes by way of double, so that numbers are rounded twice
  /// (docs/found.md).
  bool rounds_twice = false;
};

/// The scratch memory of an object for a pack of this shape, in bytes: none for constants, which are the module's. Beyond 1 TiB, that.
std::uint64_t bytes_of(const infreg::Object& object, infreg::Shape shape);

/// One chunk of a layout, in the code that is being made.
struct Position {
  infreg::Layout layout;
  std::size_t slot = 0;                 ///< which of the chunks that are computed side by side
  std::optional<std::uint64_t> number;  ///< the chunk's number, if it is known now
  llvm::Value* first = nullptr;         ///< i64: the number of its first lane
  bool one_row = false;                 ///< its lanes belong to one item (or group, if the layout has no items), with ascending ix
  llvm::Value* wg = nullptr;            ///< i64, of the first lane, as the next two; only if one_row
  llvm::Value* wi = nullptr;
  llvm::Value* ix = nullptr;
};

/// A number of each lane: uniform + varying, i64. Unless the position is neither in one row nor known, varying is 0 in the first lane.
struct Sum {
  llvm::Value* uniform = nullptr;
  llvm::Value* varying = nullptr;  ///< a vector; none: 0
};

class Lowering {
 public:
  /// The function's arguments are the kernel's parameters, the number of the pack's first group, how many groups the launch
  /// has, and the scratch memory.
  /// With metadata, instructions say which lanes they make (metadata.hpp).
  Lowering(const infreg::Kernel& kernel, infreg::Shape shape, Cut cut, Abilities abilities, llvm::Function& function,
           llvm::IRBuilderBase& builder, bool with_metadata);

  /// Fills the function. Call it once.
  void run();

  /// Bytes of scratch memory that the function needs, with an alignment of 64.
  std::uint64_t scratch_bytes() const { return scratch_bytes_; }

 private:
  /// A piece of scratch memory.
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  /// Where a value is kept.
  struct Kept {
    std::vector<llvm::Value*> chunks;          ///< in SSA form; one scalar for the layout Pack
    llvm::Value* memory = nullptr;             ///< where lane 0 lies, if it lies in memory
    std::optional<Piece> owned;                ///< given back after the value's last use
    const infreg::Operation* again = nullptr;  ///< kept nowhere: computed again at each use
  };
  using Chunks = std::vector<llvm::Value*>;

  // ---- lowering.cpp: the regions, and where values are kept -----------------------------------------------------------------
  void bind_parameters();
  void bind_objects();
  void region(infreg::RegionId id);
  void operation(const infreg::Operation& operation);
  void small(const infreg::Operation& operation, infreg::Layout layout);
  void define(infreg::ValueId value, Chunks chunks);
  void release(infreg::RegionId region, std::size_t operation);
  Piece take(std::uint64_t bytes);
  Piece take_for(const infreg::Type& type);
  void give(Piece piece);
  llvm::Value* address(Piece piece);
  llvm::Value* lane_zero(Piece piece, infreg::Element element);
  void keep(infreg::ValueId value, Piece piece, bool owned);

  // ---- loops.cpp: operations on big values ------------------------------------------------------------------------------------
  void enqueue(const infreg::Operation& operation, infreg::Layout layout);
  void flush();
  bool waits(infreg::ValueId value) const;
  bool uses_waiting(const infreg::Operation& operation) const;
  bool conflicts(const infreg::Operation& operation) const;
  bool keep_order(const infreg::Operation& first, const infreg::Operation& second) const;
  void output_pieces();
  void sweep(infreg::Layout layout, const std::function<void(std::span<const Position>)>& body);
  void sweep_rows(infreg::Layout layout, const std::function<void(std::span<const Position>)>& body);
  void counted_loop(std::uint64_t count, std::string_view name, const std::function<void(llvm::Value*)>& body);
  void copy(infreg::ValueId source, llvm::Value* memory);

  // ---- control.cpp --------------------------------------------------------------------------------------------------------------
  void branch(const infreg::Operation& operation, const infreg::If& node);
  void rolled_loop(const infreg::Operation& operation, const infreg::For& node);
  void while_loop(const infreg::Operation& operation, const infreg::Loop& node);
  struct Carried;
  Carried enter_loop(const infreg::Operation& operation, std::span<const infreg::ValueId> inits, std::span<const infreg::ValueId> arguments,
                     const infreg::Region& body);
  void bind_carried(const Carried& carried);
  void next_round(const Carried& carried, const infreg::Region& body);
  void leave_loop(const Carried& carried, const infreg::Operation& operation);
  void prefer_piece(infreg::ValueId argument, infreg::ValueId yield, const infreg::Region& body, Piece piece);

  // ---- lanes.cpp: chunks, positions and polynomials ----------------------------------------------------------------------------
  bool is_big(infreg::Layout layout) const;
  std::uint64_t chunks(infreg::Layout layout) const;
  std::uint64_t items(infreg::Layout layout) const;
  Position position(infreg::Layout layout, std::uint64_t chunk) const;
  std::vector<infreg::Lane> lanes_of(const Position& position) const;
  std::vector<std::uint64_t> numbers_of(const Position& position) const;
  bool in_one_group(const Position& position) const;
  llvm::Type* scalar_type(infreg::Element element) const;
  llvm::Type* memory_type(infreg::Element element) const;
  unsigned memory_bytes(infreg::Element element) const;
  llvm::Type* vector_of(llvm::Type* scalar) const;
  /// Whether a chunk is one number, and a scalar.
  bool is_single(infreg::Layout layout) const;
  llvm::Value* in_all_lanes(llvm::Value* scalar);
  llvm::Value* lane_of(llvm::Value* chunk, std::uint64_t lane);
  llvm::Value* with_lane(llvm::Value* chunk, llvm::Value* scalar, std::uint64_t lane);
  llvm::Type* chunk_type(const infreg::Type& type) const;
  llvm::Value* i64(std::uint64_t number) const;
  llvm::Value* splat(llvm::Value* scalar, infreg::Layout layout);
  llvm::Value* constant_vector(std::span<const std::int64_t> numbers) const;
  enum class Coordinate : std::uint8_t { Wg, Wi, Ix };
  Sum coordinate(Coordinate which, const Position& position);
  llvm::Value* table(std::string_view name, infreg::Layout layout, const std::vector<std::uint32_t>& numbers);
  llvm::Value* from_table(llvm::Value* table, const Position& position);
  Sum plus(Sum a, Sum b);
  Sum times(Sum a, Sum b);
  Sum sum_of(const infreg::Polynomial& polynomial, const Position& position);
  llvm::Value* joined(Sum sum, infreg::Layout layout);
  llvm::Value* uniform(const infreg::Polynomial& polynomial);
  llvm::Value* to_memory(llvm::Value* chunk, infreg::Element element);
  llvm::Value* from_memory(llvm::Value* chunk, infreg::Element element);
  llvm::Value* load_chunk(llvm::Value* memory, infreg::Element element, llvm::Value* first_lane, bool aligned);
  void store_chunk(llvm::Value* memory, infreg::Element element, llvm::Value* first_lane, llvm::Value* chunk);

  // ---- elementwise.cpp ------------------------------------------------------------------------------------------------------------
  llvm::Value* chunk(infreg::ValueId value, const Position& position);
  llvm::Value* chunk_of(const infreg::Operation& operation, const Position& position);
  llvm::Value* constant(const infreg::Type& type, std::uint64_t bits);
  llvm::Value* constant_lanes(const infreg::ConstantLanes& node, const Position& position);
  llvm::Value* index(const infreg::Index& node, const Position& position);
  llvm::Value* mask(const infreg::Mask& node, const Position& position);
  llvm::Value* elementwise(const infreg::Elementwise& node, const Position& position);
  llvm::Value* applied(Op op, ScalarType type, llvm::Value* a, llvm::Value* b, llvm::Value* c = nullptr);
  llvm::Value* integer(Op op, ScalarType type, llvm::Value* a, llvm::Value* b);
  llvm::Value* division(Op op, ScalarType type, llvm::Value* a, llvm::Value* b);
  llvm::Value* floating(Op op, llvm::Value* a, llvm::Value* b, llvm::Value* c);
  llvm::Value* comparison(Op op, bool of_floats, bool of_signed, llvm::Value* a, llvm::Value* b);
  llvm::Value* rounded_to_odd(llvm::Value* source, bool of_signed);
  llvm::Value* convert(llvm::Value* source, ScalarType from, ScalarType to);

  // ---- reorder.cpp ------------------------------------------------------------------------------------------------------------------
  llvm::Value* spread(const infreg::Spread& node, const Position& position);
  llvm::Value* spread_lanes(infreg::ValueId source, const Position& position);
  llvm::Value* reorder(const infreg::Reorder& node, const Position& position);
  llvm::Value* reorder_affine(const infreg::Reorder& node, const infreg::Reorder::Affine& pattern, const Position& position);
  llvm::Value* shuffle(const infreg::Shuffle& node, const Position& position);
  using SourceLanes = std::vector<std::optional<std::uint64_t>>;
  llvm::Value* from_lanes(infreg::ValueId source, const SourceLanes& lanes);
  llvm::Value* from_chunks(const Chunks& chunks, const SourceLanes& lanes);
  llvm::Value* from_any_lanes(infreg::ValueId source, llvm::Value* lanes);
  llvm::Value* from_one_lane(infreg::ValueId source, llvm::Value* lane);
  llvm::Value* from_run(infreg::ValueId source, llvm::Value* first_lane);

  // ---- votes.cpp --------------------------------------------------------------------------------------------------------------------
  void vote(const infreg::Operation& operation, const infreg::Vote& node);
  llvm::Value* ayes(const infreg::Vote& node, const Position& position);
  Chunks small_vote(const infreg::Vote& node, infreg::Layout layout);
  Piece big_vote(const infreg::Vote& node, infreg::Layout layout);
  llvm::Value* count_in(const infreg::Vote& node, llvm::Value* so_far, llvm::Value* bits, llvm::Value* first_item);
  llvm::Value* vote_result(const infreg::Vote& node, llvm::Value* counted);

  // ---- memory.cpp -------------------------------------------------------------------------------------------------------------------
  /// Where the lanes of an access lie: one after the other from `pointer`, all there, or each at its own (a vector).
  struct Cells {
    llvm::Value* pointer = nullptr;
    enum class Kind : std::uint8_t { Run, One, Each } kind = Kind::Each;
  };
  Cells cells(const infreg::Place& place, infreg::Access access, infreg::Element element, const Position& position);
  bool is_run(const infreg::Place& place, infreg::Access access, const Position& position) const;
  Sum object_offset(infreg::ObjectId object, const Position& position);
  llvm::Value* active(std::optional<infreg::ValueId> mask, const Position& position);
  llvm::Value* nowhere();
  void each_lane(llvm::Value* pointers, llvm::Value* mask, const std::function<void(unsigned, llvm::Value*)>& access);
  llvm::Value* gather(llvm::Value* pointers, infreg::Element element, llvm::Value* mask);
  void scatter(llvm::Value* value, llvm::Value* pointers, infreg::Element element, llvm::Value* mask);
  llvm::Value* load(const infreg::Load& node, const Position& position);
  void store(const infreg::Store& node, const Position& position);
  llvm::Value* atomic(const infreg::Atomic& node, const Position& position);
  llvm::Value* changed_atomically(AtomicOp op, ScalarType type, llvm::Value* pointer, llvm::Value* compare, llvm::Value* value);
  llvm::Value* address_of(const infreg::AddressOf& node, const Position& position);
  llvm::Value* pointer_offset(const infreg::PointerOffset& node, const Position& position);
  llvm::Value* pointer_distance(const infreg::PointerDistance& node, const Position& position);
  llvm::Value* pointer_compare(const infreg::PointerCompare& node, const Position& position);

  const infreg::Kernel& kernel_;
  const infreg::Shape shape_;
  const Cut cut_;
  const Abilities abilities_;
  llvm::Function& function_;
  llvm::IRBuilderBase& b_;
  const bool with_metadata_;
  llvm::Module& module_;
  const Uses uses_;

  llvm::BasicBlock* entry_ = nullptr;  ///< where the addresses of scratch memory are computed
  llvm::Value* group_ = nullptr;
  std::optional<Metadata> metadata_;
  llvm::Value* num_groups_ = nullptr;
  llvm::Value* scratch_ = nullptr;
  llvm::Value* nowhere_ = nullptr;
  std::vector<llvm::Value*> pointers_;  ///< of parameters
  std::vector<llvm::Value*> objects_;   ///< where they begin, for the first item of the pack
  std::vector<Kept> kept_;              ///< of values
  std::unordered_map<const infreg::ConstantLanes*, llvm::GlobalVariable*> constant_lanes_;  ///< of big values, in memory
  std::unordered_map<const infreg::Reorder*, llvm::Value*> reorder_tables_;                 ///< source lanes of big results, in memory
  std::map<std::uint64_t, llvm::Value*> addresses_;

  std::uint64_t scratch_bytes_ = 0;
  std::multimap<std::uint64_t, std::uint64_t> free_;  ///< pieces that are free: bytes, offset
  std::vector<Piece> returned_;                       ///< free once what waits is done

  std::vector<const infreg::Operation*> waiting_;  ///< for the next loop over chunks
  infreg::Layout waiting_layout_;
  std::unordered_map<infreg::ValueId, Chunks> in_flight_;  ///< of the loop that is being made, by slot
  std::vector<std::optional<Piece>> preferred_;            ///< of values: where a loop carries it on
  std::vector<infreg::ValueId> preferred_argument_;        ///< of those: the argument that lies there
};

}  // namespace lockstep::emit_llvm
