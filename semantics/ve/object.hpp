#pragma once
// ELF64-VE object files: what of them a machine needs. Wrong files of every kind are an error, and nothing is read beyond their end.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::ve {

/// A section that takes room when the program runs.
struct Section {
  std::string name;
  std::vector<std::byte> bytes;
  bool writable = false;
  bool executable = false;
};

struct Symbol {
  std::string name;
  std::optional<std::size_t> section;  ///< in Object::sections; none: defined elsewhere, or nowhere
  std::uint64_t value = 0;             ///< from the section's beginning
  std::uint64_t size = 0;
  bool absolute = false;  ///< value is the address
  bool function = false;
  bool global = false;
  bool weak = false;
};

/// How an address is written into a section, as the ABI numbers it.
enum class RelocationType : std::uint8_t {
  None = 0,
  Long = 1,  ///< 4 bytes
  Quad = 2,
  Relative32 = 3,
  High32 = 4,
  Low32 = 5,
  RelativeHigh32 = 6,
  RelativeLow32 = 7,
};

struct Relocation {
  std::size_t section = 0;
  std::uint64_t offset = 0;
  RelocationType type = RelocationType::None;
  std::size_t symbol = 0;  ///< in Object::symbols
  std::int64_t addend = 0;
};

/// What the object says about the text that its code was compiled from: sections of DWARF, with addresses as code_address has them. Empty
/// where it says nothing.
struct DebugSections {
  std::string line;
  std::string line_names;
  std::string names;
};

/// A place in the code as one number.
constexpr std::uint64_t code_address(std::size_t section, std::uint64_t offset) { return (std::uint64_t{section} << 32U) + offset; }

struct Object {
  std::string name;  ///< of the file
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  std::vector<Relocation> relocations;
  DebugSections debug;
};

/// Whether a file begins as one of ELF.
bool looks_like_object(std::string_view bytes);

/// Reads the file. Its sections take at most `limit` bytes. The error is a sentence without the file's name.
std::expected<Object, std::string> read_object(std::string name, std::string_view bytes, std::uint64_t limit);

/// The global functions, in the order of the file.
std::vector<const Symbol*> functions_of(const Object& object);

/// "saxpy+0x38"; ".text+0x38" where no symbol says what it belongs to.
std::string place_text(const Object& object, std::size_t section, std::uint64_t offset);

}  // namespace lockstep::ve
