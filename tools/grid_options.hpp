#pragma once
// How many groups a launch has and how many items a group, in up to three dimensions (semantics/core/sema/dimensions.hpp).

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "differential/compare/kernel.hpp"
#include "interpreter/launch/launch.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lockstep::tools {

/// WG_SIZE as it was given.
struct GroupFlags {
  unsigned items = 0;               ///< in all dimensions; 0: not given
  std::array<unsigned, 3> shape{};  ///< zeros where only a number of items was given
  unsigned dimensions = 1;          ///< that were written
};

/// Groups as they were given: `8`, `4,2` or `4,2,1`, or in items.
struct GridFlags {
  std::string groups = "1";
  std::string global;   ///< --global; empty: not given
  bool ragged = false;  ///< the last groups may be smaller
};

/// A launch's groups in each dimension.
using Grid = std::array<std::uint64_t, 3>;

/// Stores X, X,Y or X,Y,Z, at most `most` items; a problem is a sentence.
std::optional<std::string> set_group_size(GroupFlags& flags, const std::string& text, unsigned most);

/// Adds --wg-size, also by the name of --local. `flags` must outlive `command`.
CLI::Option* add_group_size_option(CLI::App& command, GroupFlags& flags, unsigned most, const std::string& help);

/// Adds --groups and --global.
void add_grid_options(CLI::App& command, GridFlags& flags);

/// X, X,Y or X,Y,Z, of --offset; the error is a sentence.
std::expected<std::array<std::uint64_t, 3>, std::string> parse_offset(const std::string& text);

/// How many dimensions the launch is written with.
unsigned dimensions_of(const GridFlags& flags, const GroupFlags& group);

/// The groups of a launch of the kernel; the error is a sentence.
std::expected<Grid, std::string> grid_of(const GridFlags& flags, const differential::LoadedKernel& kernel);

/// The items of a launch whose last groups may be smaller; none where groups divide it or --ragged was not given. The texts are well
/// written.
std::optional<std::array<std::uint64_t, 3>> ragged_items(const GridFlags& flags);

/// The same for whoever runs it.
std::optional<launch::RaggedRange> ragged_range(const GridFlags& flags, const differential::LoadedKernel& kernel, const Grid& grid);

/// All groups.
std::uint64_t groups_of(const Grid& grid);

/// How people are told of its groups and items.
launch::Places places_of(const differential::LoadedKernel& kernel, const Grid& grid);

/// The texts of --arg, with those for parameters that no text declares: how many groups there are in the first dimensions.
std::vector<std::string> with_grid(std::vector<std::string> arguments, const differential::LoadedKernel& kernel, const Grid& grid);

}  // namespace lockstep::tools
