#pragma once
// From the texts of a command line (`--arg NAME=VALUE`) to the arguments of a launch, and from buffers back to numbers.
//
// VALUE of a scalar parameter is one number, or hex:BYTES; of a pointer one of
//   [1,2,3]                                 these numbers
//   hex:BYTES                               these bytes, two hexadecimal digits each, in the order of memory
//   @FILE                                   a NumPy file, with exactly the parameter's element type; for char and uchar also the bytes of
//                                           any other file
//   LEN:zeros|iota|const:V|random[:SEED]    LEN elements: 0s; 0, 1, 2, …; Vs; the SplitMix64 sequence of SEED (0 if left out), of which
//                                           integers take the low bits, a float the high 24 and a double the high 53 as a number in [0, 1)
//   LEN:uninitialised                       LEN elements that have no value before something is stored there
//   null                                    no buffer: the null pointer
//   NAME, NAME+N                            what another pointer parameter gets, from its element N on (behind the last one at most). It
//                                           has elements of the same type and, __constant or not, the same rights, and a buffer of its own
// Integers are decimal or hexadecimal (0x…), with an optional sign, and must fit the type; floats are written as in C, or inf, or nan, and
// are rounded to nearest, to 0 as well, but not to infinity; a certain NaN is nan(0x7fc00001), with all its bits; bool takes 0, 1, false
// and true.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "semantics/base/scalar_type.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::launch {

/// The bytes of a file, which must not be more than `limit`; the error is a sentence that names the file.
using FileReader = std::function<std::expected<std::string, std::string>(const std::string& path, std::size_t limit)>;

/// A number as the head of this file says; the result has the form of core::Literal's bits. The error is a sentence that quotes `text`.
std::expected<std::uint64_t, std::string> parse_scalar(ScalarType type, std::string_view text);

/// A buffer of elements of one type from its text, of at most `left` bytes: all of the above but the name of another parameter. The error
/// is a sentence.
std::expected<Buffer, std::string> parse_buffer(ScalarType type, std::string_view text, std::size_t left, const FileReader& read);

/// The name of a parameter of the program's kernel, as its source has it. O(1).
const std::string& parameter_name(const typed::Program& program, std::size_t index);

/// A number as parse_scalar reads it, to the bit: ops::text_of, and NaNs other than `nan` itself by their bits.
std::string argument_text(ScalarType type, std::uint64_t bits);

/// The kernel's parameter of that name, if it has one.
std::optional<std::size_t> parameter_named(const typed::Program& program, std::string_view name);

/// Of each parameter, whether the kernel may write through it. Messages call a __global pointer `const` if it may not. A typed program does
/// not say: with no elements, nothing is called so.
using Writable = std::vector<bool>;

/// Of each parameter, whether it is declared `restrict`: it shares no buffer with another one through which, or through itself, the kernel
/// may write. With no elements, none is.
using Restricted = std::vector<bool>;

/// A number in a structure.
struct StructureMember {
  std::string name;  ///< "at.v[1]"
  ScalarType type = ScalarType::Int;
  std::uint64_t offset = 0;  ///< in bytes
};

/// A pointer parameter that points to structures in the kernel's text: its buffer consists of the words that they are made of.
struct Structure {
  std::size_t parameter = 0;
  std::uint64_t bytes = 0;  ///< of one structure
  std::vector<StructureMember> members;
};

/// Of a kernel. A typed program has none.
using Structures = std::vector<Structure>;

/// A kernel's parameter as it is written, of which the front end makes one for each number in it (docs/kernel-language.md).
struct WrittenParameter {
  std::string name;
  std::size_t first = 0;  ///< of the program's parameters, those of the numbers
  /// Where a number lies in the parameter's memory, in bytes.
  struct Piece {
    std::uint64_t offset = 0;
    unsigned bytes = 0;
  };
  std::vector<Piece> pieces;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> element_bytes = {};  ///< of a pointer: how large what it points to is, a structure or a number
  bool local = false;                               ///< a pointer to __local memory, which no parameter of the program is

  /// A vector or a structure.
  bool is_split() const { return !local && (pieces.size() > 1 || pieces.front().bytes != bytes); }
};

/// In their order. A typed program has none.
using WrittenParameters = std::vector<WrittenParameter>;

/// The one that the parameter points to, or null.
const Structure* structure_of(const Structures& structures, std::size_t parameter);

/// Without blanks in front and behind.
std::string_view trimmed(std::string_view text);

/// "float a, const __global float *x": the parameters of the program's kernel with their types; "none" if it has none.
std::string parameter_list(const typed::Program& program, const Writable& writable = {});

/// One argument for each parameter; structures are given as structure_arguments.hpp says; from texts NAME=VALUE in any order. All buffers
/// together take at most `memory_limit` bytes; nothing larger is allocated or asked of `read`. The error is a sentence that begins with
/// `--arg`: about the first text that is wrong, or about parameters that have no argument.
std::expected<Arguments, std::string> parse_arguments(const typed::Program& program, const std::vector<std::string>& texts,
                                                      std::size_t memory_limit, const FileReader& read, const Writable& writable = {},
                                                      const Restricted& restricted = {}, const Structures& structures = {},
                                                      const WrittenParameters& written = {});

/// For what calls compiled code, which gets buffers: a sentence about the first null pointer among the arguments.
std::optional<std::string> null_pointer(const typed::Program& program, const Arguments& arguments);

/// Element `index` of a buffer as core::Literal's bits. O(1).
std::uint64_t element_bits(const Buffer& buffer, std::uint64_t index);
/// Whether the element is poison, after a run.
bool is_poison(const Buffer& buffer, std::uint64_t index);

/// Element `index` as text, "poison" where it is that. O(log of the number of poison elements).
std::string element_text(const Buffer& buffer, std::uint64_t index);

/// The elements from number `first` on, in one dimension.
Buffer elements_from(const Buffer& buffer, std::uint64_t first);

/// Sets the bytes of poison elements to 0, as files have them (docs/kernel-language.md); Buffer::poison stays.
void zero_poison(Buffer& buffer);

}  // namespace lockstep::launch
