#pragma once
// #include: the text of a kernel file with the texts of all files that it includes in their places. What reads kernels knows one text only;
// line markers in it say where its lines come from.

#include <memory>
#include <string>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/options.hpp"

namespace lockstep::core {

/// Files may include one another this deep, and as often in all.
inline constexpr std::size_t max_inclusion_depth = 200;
inline constexpr std::size_t max_inclusions = 10'000;

struct Inclusion {
  std::shared_ptr<const SourceFile> source;  ///< also where there are errors: they are places in it
  Diagnostics errors;                        ///< one, or none
};

/// Looks for "file" in the folder of the including file, then in `directories`, for <file> in `directories` alone. (A text from standard
/// input lies in the current directory.) A text that includes nothing stays the same object.
Inclusion include_files(std::shared_ptr<const SourceFile> source, const Options& options, const std::vector<std::string>& directories);

}  // namespace lockstep::core
