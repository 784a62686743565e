#pragma once
// Arguments of parameters that point to structures, which the front end makes pointers to words: given and shown by members.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/launch/arguments.hpp"

namespace lockstep::launch {

/// One structure or several of a buffer, from a text:
///   [{"x": 1, "v": [2, 3]}, {…}]   members by their names; those that are left out are 0. Names may be left out, and so may inner braces:
///                                  the numbers of all members, one after the other
///   @FILE                          the bytes of a file, or a NumPy file of the words' type
///   LEN:zeros|iota|const:V|random[:SEED]   LEN structures; each member of its own type. The members' seeds are SEED, SEED + 1, …
/// The error is a sentence.
std::expected<Buffer, std::string> parse_structures(const Structure& structure, ScalarType word, std::string_view text, std::size_t left,
                                                    const FileReader& read);

/// "{x: 1, v[0]: 2, v[1]: 3}": structure number `index` of the buffer; a member of which a word is poison is that.
std::string structure_text(const Structure& structure, const Buffer& buffer, std::uint64_t index);

}  // namespace lockstep::launch
