#pragma once
// From one kernel to the statements that run one pack of its groups.
//
// Values of few chunks live in registers: C++ variables, a vector each, and code for them is unrolled. Bigger ones live in memory: arrays
// of the function's own, or the kernel's buffer itself where it is loaded whole and not written meanwhile. Operations wait until something
// needs what they leave; then one sweep over their layout does them all, a tile of rows at a time, so that what stays in the same lanes
// stays in registers. A rolled loop whose carried values are only looked at lane by lane runs inside of the sweep, once for each tile: that
// is what keeps a tile of C in registers while GEMM goes through A and B.
//
// Within a sweep the bounds of the row, of the elements and of loop variables are known (ranges.hpp). Sweeps over items are cut where a
// mask changes, so that for LDUS the pivot row and the rows below it have code of their own, and the rows above it none.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/emit/avx512/code.hpp"
#include "codegen/emit/avx512/geometry.hpp"
#include "codegen/emit/avx512/permute.hpp"
#include "codegen/emit/avx512/ranges.hpp"
#include "codegen/emit/avx512/scalars.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_avx512 {

/// How a kernel is cut, and what may be assumed.
struct Plan {
  unsigned chunk_lanes = 8;       ///< 8 or 16
  unsigned most_chunks = 16;      ///< of values in registers
  bool parameters_apart = false;  ///< no store to one buffer meets a load from another within a pack
  Allowed forms;                  ///< of reorderings in registers
  bool columns = true;            ///< as EmitOptions
  bool from_memory = true;        ///< as EmitOptions
  bool streams = true;            ///< stores past the caches may be made
  bool whole_packs = false;       ///< the code leaves the loop over packs before one in which the kernel's guard does not hold everywhere
  Arrangement arrangement = Arrangement::Rows;
  bool near = false;  ///< quotients and roots need not be exact: Approx::Rcp14
};

/// One chunk of a value in the code that is made: a vector, or for truth values a mask.
struct Piece {
  std::string text;                   ///< a variable; may be empty if `scalar` or `bits` say it all
  std::string scalar;                 ///< the number that all lanes have, if that is known
  std::optional<std::uint32_t> bits;  ///< of a mask: the lanes, if they are known
};

/// One chunk of a layout. Its lanes have the coordinates first + step, where first may mention the symbols of the present row.
struct Coordinate {
  infreg::Polynomial first;
  std::vector<std::int64_t> steps;  ///< none: the same in all lanes
  std::string vector;               ///< added: a vector of int64 that is only known at run time; empty: none
};
struct Position {
  infreg::Layout layout;
  std::size_t slot = 0;                 ///< which of the chunks that are computed side by side
  std::optional<std::uint64_t> number;  ///< the chunk's number, if it is known now
  std::uint32_t valid = 0;              ///< the lanes that exist
  infreg::Polynomial place;             ///< of its first lane in memory of ours
  Coordinate wg, wi, ix;                ///< wg counts in the pack
  bool is_flat = false;                 ///< the lanes are counted through all rows and groups, from `place` on; no coordinates
  Ranges ranges;                        ///< of Item and Element over all lanes, and of loop variables
};

/// A number for each lane.
struct Sum {
  infreg::Polynomial uniform;
  std::vector<std::int64_t> steps;  ///< none: 0
  std::string vector;               ///< of int64; empty: none

  bool is_uniform() const { return steps.empty() && vector.empty(); }
};

/// Constants of all functions: arrays, and their names by what they hold.
struct Tables {
  Code code;
  std::map<std::string, std::string> names;
  std::vector<std::string> texts;
};

/// Rounds of a loop within a sweep that are written out, if it has no more.
inline constexpr std::int64_t most_rounds_unrolled = 8;
/// Chunks of a row that one tile may hold.
inline constexpr std::uint64_t most_row_chunks = 8;

/// True if lanes of the result may come from other lanes of the operands: reorder, shuffle, and spread from groups or items.
bool moves_lanes(const infreg::Kernel& kernel, const infreg::Node& node);
/// The layout that an operation without regions works on: its result's, or that of what it stores.
infreg::Layout layout_of(const infreg::Kernel& kernel, const infreg::Operation& operation);

/// Whether the lanes' numbers are one behind the other, as far as the lanes matter.
bool is_run(const Sum& index, std::uint32_t lanes);

class Lowering {
 public:
  /// `code`: the function's body, in which the parameters' names are reserved. `names`: of the kernel's parameters.
  Lowering(const infreg::Kernel& kernel, infreg::Shape shape, const Plan& plan, Code& code, Tables& tables, std::vector<std::string> names);

  void run();

  /// An array of the function: TYPE NAME[count].
  struct Array {
    std::string type;
    std::string name;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    bool is_whole = false;  ///< all of it is written before something reads it
  };
  const std::vector<Array>& arrays() const { return arrays_; }
  /// For people: what was chosen where.
  const std::vector<std::string>& choices() const { return choices_; }
  /// Whether the code is another one if parameters are assumed to be apart.
  bool asked_apart() const { return asked_apart_; }
  /// Conditions (far_condition) that must hold for the code, beside parameters being apart.
  const std::set<std::string>& far() const { return far_; }
  /// Whether the code does leave that loop (Plan::whole_packs).
  bool ends_early() const { return assumed_; }
  /// The parameters that the template parameter Stream says something about: whether stores to them go past the caches.
  const std::set<infreg::ParameterId>& streamed() const { return streamed_; }
  /// Whether the code has that template parameter: for such stores, or because it asks for what comes later.
  bool has_stream() const { return !streamed_.empty() || prefetches_; }

  using Body = std::function<void(std::span<const Position>)>;
  /// Calls body with the positions of one tile after the other, within the loops that go through them (sweeps.cpp).
  void sweep_layout(infreg::Layout layout, const Body& body);

 private:
  /// The kernel's buffer, where a value lies as long as nobody writes there.
  struct View {
    infreg::ParameterId parameter = 0;
    infreg::Polynomial index;
    infreg::Access access = infreg::Access::Gather;
  };
  struct Kept {
    std::vector<Piece> chunks;  ///< in registers; one for scalars
    std::string array;          ///< in memory of ours
    std::optional<View> view;
    const infreg::Operation* again = nullptr;  ///< nowhere: computed where it is used
    std::optional<std::int64_t> number;        ///< of a scalar: what it is
  };
  using Slots = std::vector<Piece>;
  /// Where lanes lie in memory.
  struct Cells {
    std::string base;     ///< of type `MEMORY*`; empty: the addresses are in `address`
    std::string address;  ///< a vector of byte addresses
    Sum index;
  };

  // ---- lowering.cpp: regions and phases ---------------------------------------------------------------------------------------
  void bind();
  void find_choices();
  void region(infreg::RegionId id);
  void operation(const infreg::Operation& operation);
  bool is_cheap(const infreg::Node& node) const;
  bool is_view(const infreg::Operation& operation, const infreg::Load& node) const;
  void scalar_operation(const infreg::Operation& operation);
  void flush();
  bool is_unwanted(const infreg::Operation& operation, const Position& position);
  void emit(const infreg::Operation& operation, std::span<const Position> positions);
  Piece wanted_chunk(const infreg::Operation& operation, const Position& position);
  void define(infreg::ValueId value, std::vector<Piece> chunks);
  std::string array_for(infreg::ValueId value);
  std::string new_array(const infreg::Type& type, std::string_view wanted);
  std::string store_text(infreg::ValueId value, const Position& position, const Piece& piece);
  std::string address_text(const std::string& base, const infreg::Polynomial& offset);
  void copy(infreg::ValueId source, const std::string& array);

  // ---- ahead.cpp: what packs will come to -----------------------------------------------------------------------------------------------
  void find_ahead();
  bool has_tiles() const;
  bool has_rounds() const;
  void begin_prefetch();
  void end_prefetch();
  void prefetch(const std::function<bool(infreg::ParameterId)>& wanted);
  void prefetch_rows(infreg::Layout layout, const infreg::Polynomial& row, std::uint64_t rows);
  void prefetch_in_rounds(const infreg::Polynomial& round, std::int64_t rounds);

  // ---- guard.cpp: packs without masks ---------------------------------------------------------------------------------------------------
  const infreg::Operation* guard_of_kernel() const;
  std::string bounds_of(infreg::ValueId guard);
  void assume(infreg::ValueId guard);

  // ---- waiting.cpp: what waits for its sweep --------------------------------------------------------------------------------------------
  void enqueue(const infreg::Operation& operation, infreg::Layout layout);
  bool waits(infreg::ValueId value) const;
  bool uses(const infreg::Operation& operation, infreg::ValueId value) const;
  bool uses_waiting(const infreg::Operation& operation) const;
  bool conflicts(const infreg::Operation& operation);
  bool keep_order(const infreg::Operation& first, const infreg::Operation& second);
  bool overwrites(const infreg::Operation& store, const infreg::Operation& reader);
  void for_each_read_view(const infreg::Operation& operation, const std::function<void(infreg::ValueId, bool)>& f) const;
  bool is_far(const infreg::Polynomial& distance, infreg::Layout layout);
  bool groups_apart(const infreg::Polynomial& index, infreg::Layout layout) const;
  bool reads_other_rows(const infreg::Operation& operation, infreg::ValueId value, bool rows_first) const;
  bool is_made_of(infreg::ValueId value, infreg::ValueId source) const;
  bool overtakes(const infreg::Operation& operation) const;
  bool has_rows(infreg::Layout layout) const;

  // ---- sweeps.cpp: positions and loops over them ----------------------------------------------------------------------------------
  void sweep_columns(infreg::Layout layout, const infreg::Polynomial& row, const Range& range, const Body& body);
  void sweep_short_rows(infreg::Layout layout, const Body& body);
  void sweep_rows(infreg::Layout layout, const Body& body);
  bool is_flat(const infreg::Operation& operation) const;
  bool is_flat(infreg::Access access, const infreg::Polynomial& index, infreg::Layout layout) const;
  void sweep_flat(infreg::Layout layout, const Body& body);
  void open_count(infreg::Symbol symbol, std::string_view wanted, const infreg::Polynomial& from, const infreg::Polynomial& to,
                  std::int64_t step, std::string_view before = "");
  std::vector<infreg::Polynomial> cuts(infreg::Symbol symbol, std::int64_t count) const;
  Position position(infreg::Layout layout, std::uint64_t number) const;
  std::vector<Position> row_chunks(infreg::Layout layout, const infreg::Polynomial& row, const Range& range,
                                   const infreg::Polynomial& column, std::uint64_t columns, const Range& column_range) const;
  std::uint64_t carried_registers() const;
  std::uint64_t tile_rows(infreg::Layout layout) const;
  std::uint64_t tile_chunks() const;

  // ---- groups.cpp: groups side by side --------------------------------------------------------------------------------------------------
  void load_whole(const infreg::Operation& operation, const infreg::Load& node);
  void store_whole(const infreg::Store& node);
  void emit_for_row(const Position& row);
  void sweep_groups(infreg::Layout layout, const Body& body);
  Position group_chunk(infreg::Layout layout, const infreg::Polynomial& row, const Range& range, const infreg::Polynomial& column,
                       const Range& column_range) const;

  // ---- staged.cpp: rows on their way past the caches ----------------------------------------------------------------------------------
  bool may_stage(const infreg::Store& node) const;
  void stage_stores(const std::vector<const infreg::Operation*>& phase);
  void store_staged();

  // ---- joined.cpp: rows without gaps ----------------------------------------------------------------------------------------------------
  bool joins_rows(infreg::Layout layout) const;
  bool is_joinable(const infreg::Operation& operation) const;
  void sweep_joined_rows(infreg::Layout layout, const Body& body);

  // ---- control.cpp: branches and loops -------------------------------------------------------------------------------------------------
  std::vector<std::string> declare(infreg::ValueId value, const std::vector<Piece>* first);
  std::vector<Piece> pieces_of(const std::vector<std::string>& names, const infreg::Type& type) const;
  std::vector<Piece> all_chunks(infreg::ValueId value);
  void branch(const infreg::Operation& operation, const infreg::If& node);
  struct Carried;
  Carried carry(std::span<const infreg::ValueId> inits, std::span<const infreg::ValueId> arguments, const infreg::Region& body,
                infreg::RegionId home);
  void prefer(infreg::ValueId argument, infreg::ValueId yield, const infreg::Region& body, const std::string& array);
  void bind(const Carried& carried);
  void next_round(const Carried& carried, const infreg::Region& body);
  void leave(const Carried& carried, const infreg::Operation& operation);
  void rolled_loop(const infreg::Operation& operation, const infreg::For& node);
  bool unrolls(const infreg::For& node) const;
  bool unrolls_with_arrays(const infreg::For& node) const;
  void write_out(const infreg::For& node, const std::function<void()>& round);
  void unrolled(const infreg::Operation& operation, const infreg::For& node);
  std::vector<std::int64_t> chunk_cuts(const infreg::For& node, std::int64_t from, std::int64_t limit) const;
  void while_loop(const infreg::Operation& operation, const infreg::Loop& node);
  std::string open_for(infreg::ValueId variable, const infreg::Polynomial& from, const infreg::Polynomial& limit, std::int64_t step,
                       bool quiet);
  std::optional<Range> range_of(const infreg::Polynomial& from, const infreg::Polynomial& limit, std::int64_t step) const;

  // ---- tile_loops.cpp: loops within a sweep --------------------------------------------------------------------------------------------
  bool is_local(const infreg::For& node, infreg::Layout layout) const;
  bool is_local(const infreg::For& node, infreg::Layout layout, std::unordered_set<infreg::ValueId>& inside) const;
  void local_round(const infreg::Region& body, std::span<const Position> positions);
  Slots chunks_at(infreg::ValueId value, std::span<const Position> positions);
  bool unrolls_within(const infreg::For& node, std::size_t slots) const;
  void unrolled_within(const infreg::Operation& operation, const infreg::For& node, std::span<const Position> positions);
  void local_loop(const infreg::Operation& operation, const infreg::For& node, std::span<const Position> positions);

  // ---- numbers.cpp: polynomials and types -------------------------------------------------------------------------------------------
  bool is_scalar(infreg::Layout layout) const;
  bool is_big(infreg::Layout layout) const;
  Geometry geometry(infreg::Layout layout) const { return geometry_of(layout, shape_, plan_.chunk_lanes, plan_.arrangement); }
  bool by_groups() const { return plan_.arrangement == Arrangement::Groups; }
  std::uint64_t items(infreg::Layout layout) const;
  static Sum coordinate(const Coordinate& coordinate) { return {coordinate.first, coordinate.steps, coordinate.vector}; }
  Sum plus(const Sum& a, const Sum& b);
  Sum times(const Sum& a, const Sum& b);
  enum class Groups : std::uint8_t { OfLaunch, OfPack };
  Sum sum_of(const infreg::Polynomial& polynomial, const Position& position, Groups groups);
  std::string vector_text(const Sum& sum);
  std::string steps_text(const std::vector<std::int64_t>& steps);
  std::string index_text(const infreg::Polynomial& polynomial);
  infreg::Polynomial with_known(const infreg::Polynomial& polynomial) const;
  std::uint32_t full() const { return plan_.chunk_lanes == 16 ? 0xffffU : 0xffU; }

  // ---- text.cpp: types and single pieces ----------------------------------------------------------------------------------------------
  std::string held(infreg::Element element) const;
  std::string in_memory(infreg::Element element) const;
  std::string vector_type(infreg::Element element) const;
  std::string number_text(infreg::Element element, std::uint64_t bits) const;
  std::string text_of(const Piece& piece, const infreg::Type& type);
  Piece named(const infreg::Type& type, std::string_view wanted, const std::string& expression);
  Piece uniform(const infreg::Type& type, std::string scalar) const;
  Piece mask(std::uint32_t bits) const;
  Piece both(const Piece& a, const Piece& b);
  Piece either(const Piece& a, const Piece& b);
  std::string mask_text(const Piece& piece);
  std::string all_lanes(std::uint32_t bits) const;
  std::string name_of(infreg::ValueId value) const { return kernel_.values[value].name; }

  // ---- elementwise.cpp -----------------------------------------------------------------------------------------------------------------
  Piece chunk(infreg::ValueId value, const Position& position);
  Piece chunk_of(const infreg::Operation& operation, const Position& position);
  Piece constant_lanes(const infreg::ConstantLanes& node, const Position& position);
  Piece index(const infreg::Index& node, const Position& position);
  Piece compared(const infreg::Mask& node, const Position& position);
  Piece elementwise(const infreg::Operation& operation, const infreg::Elementwise& node, const Position& position);
  bool is_near(const infreg::Elementwise& node) const;
  Piece of_truths(const infreg::Elementwise& node, const Piece& a, const Piece& b, bool scalar);
  Piece select(const infreg::Operation& operation, const infreg::Select& node, const Position& position);
  Piece convert(const infreg::Operation& operation, const infreg::Convert& node, const Position& position);
  Piece converted_choice(const infreg::Operation& operation, const infreg::Convert& node, const Position& position);
  Piece bitcast(const infreg::Operation& operation, const infreg::Bitcast& node, const Position& position);
  Piece converted(const Piece& source, const infreg::Type& from, const infreg::Type& to, std::string_view wanted,
                  std::string_view function = "convert");
  const infreg::Operation* defined_by(infreg::ValueId value) const { return definitions_[value]; }

  // ---- reorder.cpp ---------------------------------------------------------------------------------------------------------------------
  Piece spread(const infreg::Operation& operation, const infreg::Spread& node, const Position& position);
  Piece reorder(const infreg::Operation& operation, const infreg::Reorder& node, const Position& position);
  Position at_pattern(const infreg::Reorder::Affine& pattern, const Position& position);
  Piece lanes_there(infreg::Layout from, const infreg::Reorder::Affine& pattern, const Position& position);
  Piece scalar_lane(infreg::ValueId source, const infreg::Reorder::Affine& pattern, const Position& position, std::string_view wanted);
  bool lies_together(infreg::ValueId source, const Position& lanes, std::uint32_t valid);
  Cells memory_of(infreg::ValueId value, const Position& lanes);
  std::vector<std::uint64_t> chunks_of(const std::vector<std::optional<std::uint64_t>>& places) const;
  bool is_column(infreg::ValueId source, const std::vector<std::optional<std::uint64_t>>& places) const;
  Piece chunk_piece(infreg::ValueId source, std::uint64_t k);
  Piece column(const infreg::Type& type, const std::map<std::uint64_t, Piece>& rows,
               const std::vector<std::optional<std::uint64_t>>& places, std::string_view wanted);
  Piece from_lanes(infreg::ValueId source, const infreg::Reorder::Affine& pattern, const Position& position, std::string_view wanted);
  Piece from_table(infreg::ValueId source, const infreg::Reorder& node, const Position& position, std::string_view wanted);
  Piece from_registers(infreg::ValueId source, const std::vector<std::optional<std::uint64_t>>& places, std::string_view wanted);
  Piece truths_from_registers(infreg::ValueId source, const std::vector<std::optional<std::uint64_t>>& places, std::string_view wanted);
  Piece shuffle(const infreg::Operation& operation, const infreg::Shuffle& node, const Position& position);
  bool is_remade(infreg::ValueId value, const infreg::Reorder::Affine& pattern) const;
  Piece remade(infreg::ValueId value, const infreg::Reorder::Affine& pattern, const Position& position);
  bool is_remade(infreg::ValueId value, bool is_known, std::size_t& count) const;

  // ---- memory.cpp ----------------------------------------------------------------------------------------------------------------------
  Cells cells(const infreg::Place& place, infreg::Element element, const Position& position);
  bool may_stream(const infreg::Place& place, const Sum& index, infreg::Element element) const;
  Piece load(const infreg::Operation& operation, const infreg::Load& node, const Position& position);
  void store(const infreg::Store& node, const Position& position);
  Piece change(const infreg::Operation& operation, const infreg::Atomic& node, const Position& position);
  std::string read_halves(const Cells& cells, const infreg::Type& type, std::string_view wanted);
  Piece read_cells(const Cells& cells, const infreg::Type& type, const Piece& active, std::string_view wanted);
  Piece read_own(infreg::ValueId value, const Position& position);
  Piece active(const std::optional<infreg::ValueId>& asked, const Position& position);
  infreg::Polynomial object_offset(infreg::ObjectId id) const;
  Piece address_of(const infreg::Operation& operation, const infreg::AddressOf& node, const Position& position);
  Piece pointer_offset(const infreg::Operation& operation, const infreg::PointerOffset& node, const Position& position);
  Piece pointer_distance(const infreg::Operation& operation, const infreg::PointerDistance& node, const Position& position);
  Piece pointer_compare(const infreg::Operation& operation, const infreg::PointerCompare& node, const Position& position);
  std::string table(std::string_view type, std::string_view wanted, const std::vector<std::string>& numbers);

  // ---- votes.cpp -----------------------------------------------------------------------------------------------------------------------
  Piece ayes(const infreg::Vote& node, const Position& position);
  void vote(const infreg::Operation& operation, const infreg::Vote& node);
  void scalar_vote(infreg::ValueId result, const infreg::Vote& node);
  std::string new_counters(std::uint64_t count);

  const infreg::Kernel& kernel_;
  const infreg::Shape shape_;
  const Plan plan_;
  Code& code_;
  Tables& tables_;
  const std::vector<std::string> parameters_;
  Scalars scalars_;

  std::vector<Kept> kept_;
  std::vector<const infreg::Operation*> definitions_;  ///< of values that one operation without regions defines
  std::vector<infreg::RegionId> region_of_;            ///< of values that operations define: where the operation stands
  std::vector<std::uint32_t> uses_;                    ///< of values: how many operands and yields they are
  std::vector<bool> in_memory_;                        ///< of values: some lane of them is read where only memory will do
  std::vector<std::uint32_t> column_reads_;            ///< of values: how many reorderings take a column of them
  std::vector<const infreg::Select*> only_for_;        ///< of values: the only choice that they are for, as its first arm
  std::vector<bool> view_allowed_;                     ///< of loaded values: nobody writes there while they live
  std::vector<std::string> objects_;
  std::map<infreg::Symbol, std::string> symbols_;  ///< the present row, and the pack's group
  Ranges value_ranges_;                            ///< of loop variables

  std::vector<const infreg::Operation*> waiting_;
  infreg::Layout waiting_layout_;
  std::unordered_map<infreg::ValueId, Slots> in_flight_;
  std::unordered_map<infreg::ValueId, Piece>
      of_row_;                          ///< results of operations that wait, where all elements of the present row have the same
  std::span<const Position> tile_;      ///< the chunks that are computed side by side now
  bool has_outputs_ = false;            ///< something behind the present sweep needs what it leaves
  bool in_unrolled_ = false;            ///< within a round of a loop with arrays that is unrolled
  bool remaking_ = false;               ///< values that wait are computed again, for other lanes
  std::vector<std::string> array_of_;   ///< of values: their own arrays
  std::vector<std::string> preferred_;  ///< of values: the array of the loop that carries it on
  std::vector<infreg::ValueId> preferred_argument_;  ///< of those: the argument that lies there

  std::vector<Array> arrays_;
  std::vector<std::string> choices_;
  bool asked_apart_ = false;
  std::set<std::string> far_;
  std::set<infreg::ParameterId> streamed_;
  /// A matrix of the packs to come: where it begins for the pack's first group, in elements of `size` bytes.
  struct Ahead {
    infreg::ParameterId parameter = 0;
    infreg::Polynomial begin;
    infreg::Layout layout;
    std::int64_t size = 0;
  };
  std::vector<Ahead> ahead_;  ///< those that have not been asked for
  /// A part of one, of elements of `size` bytes.
  struct Due {
    infreg::ParameterId parameter = 0;
    infreg::Polynomial begin;
    std::int64_t size = 0;
    std::int64_t elements = 0;
  };
  std::vector<Due> due_;  ///< what is to be asked for while the tile is computed
  bool prefetches_ = false;
  bool assumed_ = false;
  std::vector<bool> is_loaded_;                ///< of parameters: something may be loaded from them
  std::vector<std::uint32_t> stores_through_;  ///< of parameters: how many stores
  /// Rows on their way to a parameter's buffer (staged.cpp).
  struct Staged {
    std::string array;
    std::string rows;  ///< a pointer: to the array, or where they belong
    std::string to;    ///< where the pack's rows belong
    std::uint64_t count = 0;
  };
  std::map<infreg::ParameterId, Staged> staged_;  ///< of the present sweep
};

}  // namespace lockstep::emit_avx512
