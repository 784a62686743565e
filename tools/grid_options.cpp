#include "tools/grid_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "interpreter/launch/arguments.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/musimd/number.hpp"
#include "tools/machine_options.hpp"

namespace lockstep::tools {

namespace {

constexpr std::uint64_t most_groups = std::numeric_limits<std::int64_t>::max();

struct Numbers {
  std::array<std::uint64_t, 3> of{};  ///< 0 where nothing was written
  unsigned dimensions = 0;
};

/// X, X,Y or X,Y,Z. The error is a sentence.
std::expected<Numbers, std::string> parse_dimensions(const std::string& text, std::uint64_t least, std::uint64_t most) {
  Numbers numbers;
  for (std::size_t begin = 0; begin <= text.size(); ++numbers.dimensions) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (numbers.dimensions == numbers.of.size()) {
      return std::unexpected(fmt::format("'{}' has more than three dimensions, X,Y,Z", shortened(text)));
    }
    const auto number = parse_number(text.substr(begin, end - begin), least, most);
    if (!number) {
      return std::unexpected(number.error());
    }
    numbers.of.at(numbers.dimensions) = *number;
    begin = end + 1;
  }
  return numbers;
}

/// Likewise, of sizes, whose product is at most `most`; they are 1 where nothing was written.
std::expected<Numbers, std::string> parse_sizes(const std::string& text, std::uint64_t least, std::uint64_t most) {
  auto sizes = parse_dimensions(text, least, most);
  std::uint64_t product = 1;
  for (std::size_t d = 0; sizes && d < sizes->of.size(); ++d) {
    std::uint64_t& size = sizes->of.at(d);
    size = d < sizes->dimensions ? size : 1;
    if (size != 0 && product > most / size) {
      return std::unexpected(fmt::format("'{}' are more than {}", shortened(text), most));
    }
    product *= size;
  }
  return sizes;
}

/// How many dimensions a text has that is well written.
unsigned dimensions_in(const std::string& text) {
  return static_cast<unsigned>(std::min<std::ptrdiff_t>(2, std::ranges::count(text, ','))) + 1;
}

}  // namespace

std::optional<std::string> set_group_size(GroupFlags& flags, const std::string& text, unsigned most) {
  const auto numbers = parse_sizes(text, 1, most);
  if (!numbers) {
    return numbers.error();
  }
  flags.dimensions = numbers->dimensions;
  flags.items = static_cast<unsigned>(numbers->of[0] * numbers->of[1] * numbers->of[2]);
  std::ranges::transform(numbers->of, flags.shape.begin(),
                         [&](std::uint64_t n) { return flags.dimensions == 1 ? 0 : static_cast<unsigned>(n); });
  return std::nullopt;
}

CLI::Option* add_group_size_option(CLI::App& command, GroupFlags& flags, unsigned most, const std::string& help) {
  const auto store = [&flags, most](const std::string& text) {
    if (const auto problem = set_group_size(flags, text, most)) {
      throw CLI::ValidationError("--wg-size", *problem);
    }
  };
  return command.add_option_function<std::string>("--wg-size,--local", store, help)->type_name("N|X,Y,Z");
}

void add_grid_options(CLI::App& command, GridFlags& flags) {
  command.add_option("--groups", flags.groups, "number of work groups, in up to three dimensions: N, X,Y or X,Y,Z")
      ->group(kernel_group)
      ->capture_default_str()
      ->type_name("N|X,Y,Z");
  command.add_option("--global", flags.global, "the same in work items, as OpenCL's global size: groups have to divide it")
      ->group(kernel_group)
      ->excludes(command.get_option("--groups"))
      ->type_name("N|X,Y,Z");
  command
      .add_flag("--ragged", flags.ragged,
                "with --global: the last groups of a dimension may be smaller than the others, as OpenCL 2.0 allows it")
      ->group(kernel_group);
}

std::expected<std::array<std::uint64_t, 3>, std::string> parse_offset(const std::string& text) {
  const auto numbers = parse_dimensions(text, 0, most_groups);
  if (!numbers) {
    return std::unexpected(numbers.error());
  }
  return numbers->of;
}

unsigned dimensions_of(const GridFlags& flags, const GroupFlags& group) {
  return std::max({group.dimensions, dimensions_in(flags.groups), dimensions_in(flags.global)});
}

std::expected<Grid, std::string> grid_of(const GridFlags& flags, const differential::LoadedKernel& kernel) {
  const bool in_items = !flags.global.empty();
  const char* option = in_items ? "--global" : "--groups";
  auto numbers = parse_sizes(in_items ? flags.global : flags.groups, 0, most_groups);
  if (!numbers) {
    return std::unexpected(fmt::format("{}: {}", option, numbers.error()));
  }
  if (flags.ragged && (!in_items || !kernel.shape)) {
    return std::unexpected(
        std::string(in_items ? "--ragged: a typed program has whole groups" : "--ragged wants the items of the launch, --global"));
  }
  if (!kernel.shape && numbers->dimensions > 1) {
    return std::unexpected(fmt::format("{}: a typed program has groups in one dimension", option));
  }
  for (std::size_t d = 0; in_items && d < numbers->of.size(); ++d) {
    const std::uint64_t size = kernel.shape ? (*kernel.shape)[d] : d == 0 ? kernel.program->wg_size : 1;
    if (numbers->of.at(d) % size != 0 && !flags.ragged) {
      return std::unexpected(
          fmt::format("--global {}: groups of {} do not divide the {} items of dimension {}; with --ragged the last ones "
                      "are smaller",
                      flags.global, size, numbers->of.at(d), d));
    }
    numbers->of.at(d) = numbers->of.at(d) / size + (numbers->of.at(d) % size != 0 ? 1 : 0);
  }
  return numbers->of;
}

std::optional<std::array<std::uint64_t, 3>> ragged_items(const GridFlags& flags) {
  const auto numbers = flags.ragged ? parse_sizes(flags.global, 0, most_groups) : std::unexpected(std::string());
  return numbers ? std::optional(numbers->of) : std::nullopt;
}

std::optional<launch::RaggedRange> ragged_range(const GridFlags& flags, const differential::LoadedKernel& kernel, const Grid& grid) {
  const auto items = ragged_items(flags);
  return items && kernel.shape ? std::optional(launch::RaggedRange{*items, grid, *kernel.shape}) : std::nullopt;
}

std::uint64_t groups_of(const Grid& grid) { return grid[0] * grid[1] * grid[2]; }

launch::Places places_of(const differential::LoadedKernel& kernel, const Grid& grid) {
  const auto shape = kernel.shape.value_or(std::array<unsigned, 3>{kernel.program->wg_size, 1, 1});
  return {{shape[0], shape[1], shape[2]}, grid};
}

std::vector<std::string> with_grid(std::vector<std::string> arguments, const differential::LoadedKernel& kernel, const Grid& grid) {
  for (std::size_t d = 0; kernel.group_parameters && d < 2; ++d) {
    arguments.push_back(fmt::format("{}={}", launch::parameter_name(*kernel.program, *kernel.group_parameters + d), grid.at(d)));
  }
  return arguments;
}

}  // namespace lockstep::tools
