#pragma once
// Faults that a copy of the sources is made with, each switched on by its number at run time: what they are, apart from how they are found
// (find.cpp), written (compose.cpp) and tried on the compiler (check.cpp).

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::mutate {

/// What stands around the text from `begin` to `end`, which keeps the faults inside it. `on` in it becomes the question whether the fault
/// is switched on.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string before;
  std::string after;
};
inline constexpr char on = '\1';

struct Fault {
  std::string kind;  ///< "comparison", ..., or "text": planted by hand
  std::string name;  ///< of one planted by hand; those that are made have none
  std::string file;  ///< "semantics/ops/scalar.hpp"
  unsigned line = 0;
  std::string was;      ///< shown: what is there; of one planted by hand, the checks that are to be asked first
  std::string becomes;  ///< shown: what is there when it is switched on; of one planted by hand, its sentence
  std::vector<Edit> edits;
};

/// Why something has no fault.
enum class LeftOut : unsigned char { No, CompileTime, BeforeMain, InMacro, NotCompiled };
using Counts = std::map<LeftOut, std::size_t>;

/// The files that faults are made in: path below the source folder, and text.
using Sources = std::map<std::string, std::string>;

struct Found {
  std::vector<Fault> faults;
  Counts left_out;
};

/// Where in a file's copy a fault stands.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  unsigned number = 0;
};
struct Copy {
  std::string text;
  std::vector<Span> spans;
};

/// Drops faults that lie across others, whose texts are neither apart nor one inside the other; those in front stay.
void drop_crossing(std::vector<Fault>& faults);

/// The file's copy with those of its faults that are not `dropped`; a fault's number is its place in the list, from 1.
Copy with_faults(const std::string& file, const std::string& text, const std::vector<Fault>& faults, const std::set<unsigned>& dropped);

}  // namespace lockstep::mutate
