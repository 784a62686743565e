#pragma once
// Faults that are planted by hand: a file, a text that is found in it, and what stands there instead. They are made in a copy of the
// sources (tool/main.cpp), so that the sources themselves know nothing of them; which of them is on is said at run time.

#include <expected>
#include <string>
#include <vector>

namespace lockstep::test {

struct Fault {
  std::string name;
  std::string sentence;               ///< what is wrong with it
  std::string file;                   ///< "semantics/prove/refine.cpp"
  std::string behind;                 ///< found exactly once; if it is empty, the text is
  std::string text;                   ///< the first one behind it; an expression, or statements
  std::string replacement;            ///< instead
  std::vector<std::string> noticing;  ///< checks that are to be asked first
};

/// The faults of all files *.faults of a folder, by their names: in each, sections of
///
///   == NAME: SENTENCE
///   file: PATH
///   behind: TEXT
///   noticed: CHECK, CHECK...
///   - a line of the text
///   + a line of what stands there instead
///
/// The error is a sentence with file and line. Blanks and line breaks make no difference to whether a text is found.
std::expected<std::vector<Fault>, std::string> read_faults(const std::string& folder);

/// Where the fault's text is in its file; the error is a sentence.
struct Found {
  std::size_t begin = 0;
  std::size_t end = 0;
};
std::expected<Found, std::string> find(const Fault& fault, const std::string& source);

}  // namespace lockstep::test
