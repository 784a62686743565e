#pragma once
// From a kernel and its plan to the text of one C function, which runs what lies side by side. Nothing is chosen here.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/c/names.hpp"
#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_ve {

class Writer {
 public:
  /// What is called after `symbol` and `suffix` is unique in a file.
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

 private:
  /// What is computed: of which group of the packs, item and array element, as text.
  struct At {
    std::string p = "0";
    std::string wi = "wi";
    std::string ix = "0";
  };
  /// A number as text: an std::int64_t, or a std::uint64_t that is computed modulo 2^64.
  struct Number {
    std::string text;
    bool is_wide = false;
  };
  /// An operand: a number of C, a vector, or a mask.
  struct Operand {
    enum class Kind : std::uint8_t { Number, Vector, Mask };
    std::string text;
    Kind kind = Kind::Number;

    bool is_number() const { return kind == Kind::Number; }
  };

  // ---- text.cpp
  void line(const std::string& text);
  void open(const std::string& text);
  void close(const std::string& text = "}");
  /// Loops over the groups of a pack, and the items and elements of a layout, and `inside` for each.
  void each(infreg::Layout layout, const std::function<void(const At&)>& inside);
  void each_of_group(infreg::Layout layout, const At& group, const std::function<void(const At&)>& inside);
  void each_element(infreg::Layout layout, const At& item, const std::function<void(const At&)>& inside);
  std::string dimensions(infreg::Layout layout) const;
  std::string indices(infreg::Layout layout, const At& at) const;
  /// The name of a table of numbers, which is defined in front of the function.
  std::string table(const std::string& type, const std::string& what, const std::vector<std::string>& numbers);
  void make_tables();

  // ---- numbers.cpp
  Number number(const infreg::Polynomial& polynomial, infreg::Layout layout, const At& at) const;
  std::string term(const infreg::Monomial& monomial, bool is_wide, const At& at) const;
  std::string factor(infreg::Symbol symbol, bool is_wide, const At& at) const;
  /// As an std::int64_t.
  std::string signed_number(const infreg::Polynomial& polynomial, infreg::Layout layout, const At& at) const;
  /// As the index of one of so many elements.
  std::string index_within(const infreg::Polynomial& polynomial, std::uint64_t count, infreg::Layout layout, const At& at) const;
  infreg::Polynomial alike_part(const infreg::Polynomial& polynomial) const;
  /// From one lane to the next, if that is the same for all: a polynomial that all lanes have alike.
  std::optional<infreg::Polynomial> step_of(const infreg::Polynomial& polynomial) const;
  /// Of a polynomial that speaks of the group.
  std::string vector_of(const infreg::Polynomial& polynomial, infreg::Layout layout, const At& at) const;
  std::string number_comparison(const infreg::Mask::Comparison& one, infreg::Layout layout, const At& at) const;
  std::string mask_comparison(const infreg::Mask::Comparison& one, infreg::Layout layout, const At& at) const;

  // ---- operands.cpp
  Operand operand(infreg::ValueId value, const At& at) const;
  /// Where the vector lies; empty if it does not lie in memory.
  std::string scratch(infreg::ValueId value, const At& at) const;
  static std::string pair_of(const std::string& number);
  std::string vector(infreg::ValueId value, const At& at) const;
  std::string mask(infreg::ValueId value, const At& at) const;
  std::string as_vector(const Operand& operand, infreg::Element element) const;
  Operand compute(const infreg::Operation& operation, const At& at) const;
  Operand constant_lanes(infreg::ValueId value, const infreg::ConstantLanes& node, const At& at) const;
  Operand index(const infreg::Index& node, const At& at) const;
  Operand comparisons(const infreg::Mask& node, const At& at) const;
  Operand address_of(const infreg::AddressOf& node, const At& at) const;
  static std::string place_in_row(const std::string& row, std::uint64_t elements, const std::string& ix);
  std::string c_type(infreg::ValueId value) const;

  // ---- elementwise.cpp: of numbers, and of vectors
  std::string number_operation(const infreg::Elementwise& node, const At& at) const;
  Operand vector_operation(const infreg::Elementwise& node, const At& at) const;
  Operand truth_operation(const infreg::Elementwise& node, const At& at) const;
  std::string intrinsic(std::string_view name, bool commutes, infreg::ValueId left, infreg::ValueId right, const At& at) const;
  std::string fused(const infreg::Elementwise& node, const At& at) const;
  Operand select(const infreg::Select& node, bool is_alike, const At& at) const;
  Operand convert(infreg::ValueId source, ScalarType to, bool is_alike, const At& at) const;
  Operand bitcast(infreg::ValueId source, ScalarType to, bool is_alike, const At& at) const;
  Operand pointer_offset(const infreg::PointerOffset& node, bool is_alike, const At& at) const;
  Operand pointer_distance(const infreg::PointerDistance& node, bool is_alike, const At& at) const;
  Operand pointer_compare(const infreg::PointerCompare& node, bool is_alike, const At& at) const;

  // ---- lanes.cpp
  /// Where a reordering reads.
  At source_of(const infreg::Reorder& reorder, const At& at) const;
  Operand shuffle(const infreg::Shuffle& node, const At& at) const;
  void vote(const infreg::Operation& operation, const infreg::Vote& node);
  void count_votes(const infreg::Vote& node, const std::string& so_far, const At& group);

  // ---- rows.cpp: what lies in lanes there
  bool is_rows() const { return plan_.arrangement == Arrangement::Rows; }
  std::optional<infreg::Polynomial> step_of_rows(const infreg::Polynomial& polynomial) const;
  /// Vectors: each lane's item, and its group, counted from the pack's first one.
  std::string items() const;
  std::string groups() const;
  void make_lane_tables();
  std::string table_of_rows(const std::string& what, const infreg::ConstantLanes& lanes);
  std::string table_of_vectors(const std::string& what, const std::vector<std::vector<std::uint64_t>>& vectors);
  void make_table_of_way(infreg::ValueId result, const infreg::Reorder& node);
  Operand reorder(infreg::ValueId result, const infreg::Reorder& node, const At& at) const;
  static Operand number_of_word(const std::string& word, infreg::Element element);
  static Operand of_words(const std::string& words, infreg::Element element);
  std::string places_of(const infreg::Reorder& node, const infreg::Reorder::Affine& affine, const At& at) const;
  std::string first_word(const infreg::Reorder& node, const infreg::Reorder::Affine& affine, const At& at) const;
  Operand gather_rows(const infreg::Reorder& node, const At& at) const;
  Operand shuffle_rows(const infreg::Shuffle& node, const At& at) const;
  void vote_rows(const infreg::Operation& operation, const infreg::Vote& node);

  // ---- memory.cpp
  /// Where the elements of an access lie: a stride apart from a pointer, or anywhere.
  struct Where {
    std::string pointer;
    std::string stride;     ///< in bytes; empty: `addresses`
    std::string addresses;  ///< a vector
  };
  std::string copies_of(infreg::ObjectId id, const At& at) const;
  std::optional<infreg::Polynomial> bytes_apart(const infreg::Place& place, ScalarType type) const;
  Where where(const infreg::Place& place, ScalarType type, infreg::Layout layout, const At& at) const;
  static std::string addresses_of(const Where& where);
  std::string object_at(infreg::ObjectId id, const At& at) const;
  std::string base_of(const infreg::Place& place, ScalarType type, const At& at) const;
  std::string cell_number(const infreg::Place& place, infreg::Layout layout, const At& at) const;
  std::string cell(const infreg::Place& place, ScalarType type, infreg::Layout layout, const At& at) const;
  /// An atomic change, as an expression of what was there before.
  std::string changed(const infreg::Atomic& node, const At& at) const;
  Operand load(const infreg::Load& node, bool is_alike, const At& at) const;
  void store(const infreg::Store& node, const At& at);
  void declare_objects();

  // ---- control.cpp
  void region(infreg::RegionId id);
  void run(infreg::RegionId region, const Run& run);
  void define(const infreg::Operation& operation, const At& at);
  void declare(infreg::ValueId value);
  void assign(const std::string& to, infreg::ValueId from);
  void assign(infreg::ValueId to, infreg::ValueId from);
  void branch(const infreg::Operation& operation, const infreg::If& node);
  void counted(const infreg::For& node);
  void while_loop(const infreg::Loop& node);
  void enter(const std::vector<infreg::ValueId>& inits, std::span<const infreg::ValueId> arguments);
  void next_round(std::span<const infreg::ValueId> arguments, const std::vector<infreg::ValueId>& yields);

  infreg::Layout layout_of(infreg::ValueId value) const { return kernel_.type_of(value).layout; }
  infreg::Element element_of(infreg::ValueId value) const { return kernel_.type_of(value).element; }
  const std::string& name(infreg::ValueId value) const { return names_.values[plan_.named[plan_.storage[value]]]; }
  /// The variable of a value that lies in scratch memory, within the loop that computes it.
  std::string kept_name(infreg::ValueId value) const { return names_.values[value] + "_here"; }

  const infreg::Kernel& kernel_;
  const Plan& plan_;
  const emit_c::Names& names_;
  std::string symbol_;
  std::string suffix_;
  std::vector<const infreg::Operation*> definitions_;
  std::set<infreg::ValueId> here_;  ///< values of Plan::kept that the present loop has computed
  bool is_lane_by_lane_ = false;    ///< the present store
  std::string text_;
  std::string tables_;
  unsigned depth_ = 1;
  std::map<infreg::ValueId, std::string> lane_tables_;           ///< of ConstantLanes: the numbers
  std::map<const infreg::Reorder*, std::string> source_tables_;  ///< of Reorder::Table: the sources' lanes
};

/// "uint16_t"; of a pointer the number of its address.
std::string c_type(infreg::Element element);
/// "u16", "f64": as InfReg-IR has it; of a pointer "u64".
std::string_view short_type(infreg::Element element);

/// Without parentheses around all of it, for where others are.
std::string bare(const std::string& text);
/// As a factor, or behind a minus or a cast.
std::string in_parentheses(const std::string& text);

/// The number as an expression of that type.
std::string literal(infreg::Element element, std::uint64_t bits);

}  // namespace lockstep::emit_ve
