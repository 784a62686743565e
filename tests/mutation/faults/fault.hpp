#pragma once
// Faults that are planted by text: a file, the exact text that is found in it once, and what stands there instead. They are made in a copy
// of the sources (plant.cpp), so that the sources themselves know nothing of them; which of them is on is said at run time.

#include <expected>
#include <string>
#include <vector>

namespace lockstep::test {

struct Fault {
  std::string name;
  std::string sentence;               ///< what is wrong with it
  std::string file;                   ///< "semantics/prove/refine.cpp"
  std::string text;                   ///< found exactly once
  std::string replacement;            ///< instead
  std::vector<std::string> noticing;  ///< pairs that are to be asked first; none: all
};

/// The faults of all files *.faults of a folder, by their names: in each, sections of
///
///   == NAME: SENTENCE
///   file: PATH
///   noticed: PAIR...
///   - a line of the text
///   + a line of what stands there instead
///
/// The error is a sentence with file and line.
std::expected<std::vector<Fault>, std::string> read_faults(const std::string& folder);

/// The number by which a fault is switched: depends on its name alone.
constexpr std::uint64_t number_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace lockstep::test
