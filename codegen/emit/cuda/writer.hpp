#pragma once
// From a kernel and its plan to the text of one device function, which runs one pack of groups on one slot of a warp. Nothing is chosen
// here.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/emit/cuda/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

class Writer {
 public:
  /// The function's name is `symbol` and `suffix`; what is called after it is unique in a file.
  Writer(const infreg::Kernel& kernel, const Plan& plan, const emit_c::Names& names, std::string symbol, std::string suffix)
      : kernel_(kernel),
        plan_(plan),
        names_(names),
        symbol_(std::move(symbol)),
        suffix_(std::move(suffix)),
        definitions_(kernel.values.size(), nullptr) {}

  /// The body, indented by two blanks.
  std::string body();
  /// Tables of numbers that the body reads: definitions in front of the function.
  const std::string& tables() const { return tables_; }
  /// Whether accesses to several elements at once can be so, which the body calls `is_aligned`; empty if it has none.
  const std::string& alignment() const { return alignment_; }

 private:
  /// The element that is computed: of which group of the pack, vector and array element, as text.
  struct At {
    std::string p = "0";
    std::string vector = "0";
    std::string ix = "0";
    std::string wi = "wi";
    unsigned width = 1;  ///< of the run
    unsigned piece = 1;  ///< likewise
  };
  /// A number as text: an int, or a std::uint64_t that is computed modulo 2^64.
  struct Number {
    std::string text;
    bool is_small = true;
  };

  // ---- text.cpp
  void ask_alignment();
  void line(const std::string& text);
  void open(const std::string& text);
  void close(const std::string& text = "}");
  /// Loops over the elements of a layout, and `inside` for each.
  void each(infreg::Layout layout, const std::function<void(const At&)>& inside);
  /// The same of one group of the pack.
  void each_of_group(infreg::Layout layout, const At& group, const std::function<void(const At&)>& inside);
  std::string dimensions(infreg::Layout layout) const;
  std::string indices(infreg::Layout layout, const At& at) const;
  std::string unroll(infreg::Layout layout) const;

  // ---- numbers.cpp
  infreg::Shape padded() const { return {plan_.geometry.vectors * plan_.geometry.lanes, kernel_.shape.wg_pack}; }
  Number number(const infreg::Polynomial& polynomial, infreg::Layout layout, const At& at) const;
  std::string term(const infreg::Monomial& monomial, bool is_wide, const At& at) const;
  std::string factor(infreg::Symbol symbol, bool is_wide, const At& at) const;
  /// As the index of one of so many elements.
  std::string index_within(const infreg::Polynomial& polynomial, std::uint64_t count, infreg::Layout layout, const At& at) const;
  std::string comparison(const infreg::Mask::Comparison& one, infreg::Layout layout, const At& at) const;

  // ---- values.cpp
  std::string value(infreg::ValueId value, const At& at) const;
  std::string expression(const infreg::Operation& operation, const At& at) const;
  bool is_shuffled_here(infreg::ValueId value) const;
  std::string elementwise(const infreg::Elementwise& node, bool is_rounded, const At& at) const;
  std::string type(infreg::ValueId value) const;
  std::string address_of(const infreg::AddressOf& node, const At& at) const;

  // ---- lanes.cpp
  /// The source's place that a reordering reads for an element.
  struct Source {
    std::string item;     ///< within the group
    std::string element;  ///< within the source's elements
  };
  Source source_of(const infreg::Reorder& reorder, const At& at) const;
  std::string from_register(const infreg::Reorder& reorder, const At& at) const;
  std::string among_others(infreg::ValueId others, const infreg::Reorder& reorder, const At& at) const;
  std::string moved(infreg::ValueId source, const Source& from, const At& at) const;
  void reorder(const infreg::Operation& operation, const infreg::Reorder& node, const At& at);
  void stage(const infreg::Reorder& node, bool is_all);
  std::string staged(const infreg::Reorder& node, bool is_all, const At& at) const;
  std::uint64_t row_elements(const infreg::Reorder& node) const;
  void through_memory(const infreg::Operation& operation, const infreg::Reorder& node);
  void shuffle(const infreg::Operation& operation, const infreg::Shuffle& node, const At& at);
  void search(const infreg::Operation& operation, infreg::ValueId source, const Source& wanted, bool other_items, bool other_elements,
              const At& at);
  void vote(const infreg::Operation& operation, const infreg::Vote& node);
  /// The name of a table of numbers, which is defined in front of the function.
  std::string table(const std::string& type, const std::string& what, const std::vector<std::string>& numbers);
  void make_tables();

  // ---- memory.cpp
  std::string cell(const infreg::Place& place, ScalarType type, infreg::Layout layout, const At& at) const;
  std::string active(std::optional<infreg::ValueId> mask, infreg::Layout layout, const At& at) const;
  /// An atomic change, as an expression of what was there before; and as a statement.
  std::string changed(const infreg::Atomic& node, const At& at) const;
  void change(const infreg::Atomic& node, const At& at);
  std::string load(const infreg::Load& node, const At& at) const;
  void store(infreg::OperationId id, const infreg::Store& node);
  void store_element(infreg::OperationId id, const infreg::Store& node, const At& at);
  void store_in_turns(const infreg::Store& node);
  void put(const infreg::Store& node, const At& at, const std::string& condition);
  void declare_private_objects();

  // ---- together.cpp: of runs in parts. `part` is the first of `width` elements.
  void open_part(unsigned width);
  void move_together(infreg::OperationId id, const infreg::Operation& operation, const At& part);
  void move_piece(const infreg::Operation& operation, const At& at);
  std::string from_there(infreg::ValueId value, const At& at) const;
  std::string together(infreg::ValueId value, const At& at, unsigned count);
  void make_room(infreg::ValueId result, const At& part);

  // ---- tiled.cpp
  void fetch_tiles(infreg::RegionId region, const Run& run, const At& part);
  void move_tile(infreg::OperationId id, const infreg::Operation& operation, const At& part);
  void move_pieces(const infreg::Operation& operation, const At& part, bool is_some, const std::string& registers);
  std::string tile_arguments(const At& part) const;
  std::string tile_slot(infreg::RegionId region) const;

  // ---- control.cpp
  void region(infreg::RegionId id);
  void run(infreg::RegionId region, const Run& run);
  void run_in_parts(infreg::RegionId region, const Run& run, infreg::Layout layout);
  std::string target(infreg::ValueId result, const At& at) const;
  void define(const infreg::Operation& operation, const At& at);
  void declare(infreg::ValueId value);
  void assign(const std::string& to, infreg::ValueId from);
  void branch(const infreg::Operation& operation, const infreg::If& node);
  void counted(infreg::OperationId id, const infreg::Operation& operation, const infreg::For& node);
  void counted_by_numbers(const infreg::For& node);
  void while_loop(const infreg::Operation& operation, const infreg::Loop& node);
  void enter(const infreg::Operation& operation, const std::vector<infreg::ValueId>& inits, std::span<const infreg::ValueId> arguments);
  void next_round(std::span<const infreg::ValueId> arguments, const std::vector<infreg::ValueId>& yields);
  bool reads_one_of(infreg::ValueId value, std::span<const infreg::ValueId> variables) const;

  infreg::Layout held(infreg::ValueId value) const { return plan_.held(value, kernel_.type_of(value).layout); }
  const std::string& name(infreg::ValueId value) const { return aliases_[value].empty() ? names_.values[value] : aliases_[value]; }

  const infreg::Kernel& kernel_;
  const Plan& plan_;
  const emit_c::Names& names_;
  std::string symbol_;
  std::string suffix_;
  std::vector<const infreg::Operation*> definitions_;
  std::vector<std::string> aliases_;  ///< of values that share another one's variable
  std::string text_;
  std::string alignment_;
  std::string tables_;
  unsigned depth_ = 1;
  bool has_met_ = false;  ///< of a tile: the lanes have met for it
  /// Of ConstantLanes with infinities or NaNs the table has bits.
  static infreg::Element table_element(const infreg::ConstantLanes& lanes);

  std::map<infreg::ValueId, std::string> lane_tables_;           ///< of ConstantLanes: the numbers
  std::map<const infreg::Reorder*, std::string> source_tables_;  ///< of Reorder::Table: the sources' lanes
};

/// "uint16_t"; of a pointer the number of its address.
std::string c_type(infreg::Element element);

/// The number as an expression of that type.
std::string literal(infreg::Element element, std::uint64_t bits);
/// Whether it is one that compilers know by itself: no infinity or NaN.
bool is_usual(infreg::Element element, std::uint64_t bits);
/// The number for an array that is there before anything runs. nvcc makes a signalling NaN quiet.
std::string constant(infreg::Element element, std::uint64_t bits);

}  // namespace lockstep::emit_cuda
