#pragma once
// Object code of VE for the stepper: what people call the places in it, and the lines that it comes from.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/ve/state.hpp"
#include "semantics/base/source.hpp"
#include "semantics/ve/decode.hpp"
#include "semantics/ve/lines.hpp"
#include "semantics/ve/object.hpp"

namespace lockstep {

/// An object and the function of it that is called. A *place* is an instruction; places are numbered through the sections. A *beginning* is
/// an instruction of another line of the source than the one in front of it; without debug information each is one.
class VeProgram {
 public:
  using Place = std::uint32_t;
  /// The texts of the files that the object comes from, by their numbers in `lines`; null where there is none.
  using Texts = std::vector<std::shared_ptr<const SourceFile>>;

  /// `kernel` is one of the object's symbols. All of the code runs.
  VeProgram(ve::Object object, ve::Decoder decoder, std::size_t kernel, ve::Lines lines, Texts texts);

  const ve::Object& object() const { return object_; }
  const ve::Decoder& decoder() const { return decoder_; }
  const ve::Symbol& kernel() const { return object_.symbols[kernel_]; }

  std::size_t places() const { return first_place_.back(); }
  /// None where no instruction is.
  std::optional<Place> place(const ve_machine::Place& at) const;
  ve_machine::Place at(Place place) const;

  /// "saxpy+0x38"
  std::string name_of(Place place) const;
  /// "vld %v0, 8, %s1"
  std::string instruction_text(Place place) const;
  /// "saxpy.c:8", or nothing.
  std::string line_name(Place place) const;
  /// What stands in that line, if the text is there.
  std::string line_text(Place place) const;
  const ve::Line& line_of(Place place) const;
  bool is_beginning(Place place) const;

  /// The instructions that `word` names: a function, `saxpy+0x38`, `0x38` of the kernel, a line of the kernel's file, FILE:LINE, or a
  /// mnemonic. Of a line, where it begins. Empty: there is no such place.
  std::vector<Place> places_named(std::string_view word) const;

 private:
  std::vector<Place> places_of_line(std::string_view file, std::uint64_t number) const;
  std::optional<Place> place_in(const ve::Symbol& function, std::uint64_t offset) const;

  ve::Object object_;
  ve::Decoder decoder_;
  std::size_t kernel_;
  ve::Lines lines_;
  Texts texts_;
  std::vector<Place> first_place_;  // of each section, and behind the last one
};

}  // namespace lockstep
