#pragma once
// The values that options of `lockstep run` take: thread lists, sizes, errata, cells of Σ. Errors are sentences.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/machine/machine.hpp"

namespace lockstep::tools {

/// "0,2-3": thread numbers and ranges (3-0 counts down). Numbers beyond the machine's are for the machine to refuse.
std::expected<std::vector<unsigned>, std::string> parse_threads(const std::string& text);

/// "ascending", "descending", "random", "random:SEED" or a list of threads, as a permutation of `threads` threads.
std::expected<std::vector<unsigned>, std::string> parse_order(const std::string& text, unsigned threads);

/// "E1,E3"; the error says which can be executed, and what there is instead for the others.
std::expected<musimd::AsPrinted, std::string> parse_as_printed(const std::string& text);

/// "65536", "64K", "3M", "2G" (powers of 1024).
std::expected<std::size_t, std::string> parse_bytes(const std::string& text);

/// The file that a `--shared` argument names, if it names one.
std::optional<std::string> shared_file(const std::string& argument);

/// Writes cells as `--shared` says: BASE:@FILE, BASE:[v,v,…], BASE:LEN:zeros|iota|const:V|random[:SEED].
std::optional<std::string> fill_shared(Machine& machine, const std::string& argument);

/// A number of a `--dump`, or the cell that holds it (@ADDR).
struct CellOrNumber {
  bool in_cell = false;
  std::int64_t value = 0;
};

/// BASE:LEN[:text|:hex|:npy=FILE]
struct DumpRequest {
  enum class Format : std::uint8_t { Numbers, Text, Hex, Npy };
  CellOrNumber base;
  CellOrNumber length;
  Format format = Format::Numbers;
  std::string path;  ///< of Npy
};

std::expected<DumpRequest, std::string> parse_dump(const std::string& text);

}  // namespace lockstep::tools
