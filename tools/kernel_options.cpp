#include "tools/kernel_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>

#include "semantics/base/diagnostic.hpp"
#include "semantics/core/preprocess.hpp"
#include "semantics/musimd/number.hpp"
#include "tools/number_option.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {

namespace {

/// The seed of "random" (0) or "random:SEED", SEED being at most `most`.
std::expected<std::uint64_t, std::string> seed_of(const std::string& text, std::uint64_t most) {
  return text == "random" ? std::expected<std::uint64_t, std::string>(0) : parse_number(text.substr(text.find(':') + 1), 0, most);
}

bool is_random(const std::string& text) { return text == "random" || text.starts_with("random:"); }

/// A sentence about what stands in front of the `=` of -D, if it is neither NAME nor NAME(PARAMETERS).
std::optional<std::string> wrong_macro_name(std::string_view text) {
  const std::string_view name = text.ends_with(')') ? text.substr(0, text.find('(')) : text;
  const auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (name.empty()) {
    return "the name is missing; it is written NAME=VALUE";
  }
  if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
    return fmt::format("'{}' is no name of a macro: it begins with a letter or '_'", shortened(name));
  }
  if (!std::ranges::all_of(name, good)) {
    return fmt::format("'{}' is no name of a macro: it has only letters, digits and '_'", shortened(name));
  }
  return std::nullopt;
}

/// A text NAME=VALUE cut in two; nothing without the `=`.
std::optional<std::pair<std::string, std::string>> cut(const std::string& text) {
  const auto equals = text.find('=');
  return equals == std::string::npos ? std::nullopt : std::optional(std::pair(text.substr(0, equals), text.substr(equals + 1)));
}

constexpr std::string_view local_length = "local:";

/// A sentence about a text of FrontEndFlags::lengths; else what it says is stored.
std::optional<std::string> store_length(core::Options& options, const std::string& text) {
  const auto parts = cut(text);
  if (!parts || parts->first.empty() || !parts->second.starts_with(local_length)) {
    return "nothing is launched here, so that only lengths of __local parameters mean something: NAME=local:LENGTH";
  }
  const auto length = parse_number(parts->second.substr(local_length.size()), 1, std::numeric_limits<std::int64_t>::max());
  if (!length) {
    return "the length " + length.error();
  }
  const auto same = [&](const auto& other) { return other.first == parts->first; };
  if (std::ranges::any_of(options.local_lengths, same)) {
    return fmt::format("'{}' has a length already", parts->first);
  }
  options.local_lengths.emplace_back(parts->first, *length);
  return std::nullopt;
}

std::optional<std::string> set_schedule(launch::LaunchOptions& options, const std::string& text) {
  if (is_random(text)) {
    const auto seed = seed_of(text, std::numeric_limits<std::int64_t>::max());
    options.schedule = launch::Schedule::Random;
    options.seed = seed.value_or(0);
    return seed ? std::nullopt : std::optional("--schedule: the seed " + seed.error());
  }
  if (text != "fair" && text != "lowest-pc") {
    return fmt::format("--schedule: '{}' is not one of fair, lowest-pc and random:SEED", shortened(text));
  }
  options.schedule = text == "fair" ? launch::Schedule::Fair : launch::Schedule::LowestPc;
  return std::nullopt;
}

}  // namespace

void add_front_end_options(CLI::App& command, FrontEndFlags& flags) {
  command
      .add_option("-D", flags.defines,
                  "define a macro, also one with parameters, NAME(a,b)=TEXT; without a value it is 1; may be given several times")
      ->group(front_end_group)
      ->allow_extra_args(false)
      ->type_name("NAME[=VALUE]");
  command
      .add_option("-I", flags.directories,
                  "look for the files of #include there, too, for <file> only there; may be given several times, the first one that has it")
      ->group(front_end_group)
      ->allow_extra_args(false)
      ->type_name("DIRECTORY");
  command.add_option("--fp-contract", flags.contract, "whether x*y + z is one operation, fma(x, y, z)")
      ->group(front_end_group)
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str()
      ->type_name("on|off");
  command.add_option("--crev-order", flags.crev_order, "in which order crev serves its callers: ascending, descending or random:SEED")
      ->group(front_end_group)
      ->capture_default_str()
      ->type_name("ORDER");
  command.add_option("--offset", flags.offset, "what get_global_id() begins with in each dimension: OpenCL's global offset")
      ->group(front_end_group)
      ->type_name("N|X,Y,Z");
}

void add_kernel_name_option(CLI::App& command, FrontEndFlags& flags) {
  command.add_option("--kernel", flags.kernel, "the kernel; may be left out if the file has only one")
      ->group(kernel_group)
      ->type_name("NAME");
}

void add_pack_option(CLI::App& command, std::string& pack, const std::string& help) {
  command.add_option("--wg-pack", pack, help)->group(kernel_group)->capture_default_str()->type_name("N|auto");
}

void add_launch_options(CLI::App& command, LaunchFlags& flags) {
  add_grid_options(command, flags.grid);
  command
      .add_option("--arg", flags.arguments,
                  "an argument: NAME=NUMBER, NAME=[1,2,3], NAME=@FILE.npy (char and uchar: any file), "
                  "NAME=LEN:zeros|iota|const:V|random[:SEED] into the buffer of another parameter, NAME=OTHER+N (b=a+1), or, of "
                  "a __local parameter, NAME=local:LENGTH (elements)")
      ->group(kernel_group)
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command.add_option("--out", flags.outputs, "write a buffer to a NumPy file at the end, in the shape that it came in")
      ->group(kernel_group)
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  add_pack_option(command, flags.pack, "how many groups are stepped together while they agree; no result depends on it");
  add_number(command, "--warp-size", flags.warp_size, 1, LaneSet::max_width, "items that run in lockstep (default: the whole group)")
      ->group(kernel_group);
  command
      .add_option("--schedule,--policy", flags.schedule, "the order of a group's warps: fair, lowest-pc or random:SEED; of PTX also stack")
      ->group(kernel_group)
      ->capture_default_str()
      ->type_name("ORDER");
  command.add_option("--model", flags.model, "opencl: every item on its own, the same as --warp-size 1")
      ->group(kernel_group)
      ->check(CLI::IsMember({"pirch", "opencl"}))
      ->capture_default_str()
      ->type_name("pirch|opencl");
  command.add_option("--frame-memory", flags.frame_memory, "bytes that the call frames of one group may take; K, M and G may stand behind")
      ->group(kernel_group)
      ->capture_default_str()
      ->type_name("BYTES");
  add_number(command, "--max-depth", flags.max_depth, 1, std::numeric_limits<std::int64_t>::max(),
             "call frames, and entries on each stack, that one warp may have")
      ->group(kernel_group)
      ->default_str(std::to_string(flags.max_depth));
  command.add_flag("--equal-races", flags.equal_races, "stores of equal values that nothing orders are no races")->group(kernel_group);
}

void take_lengths(std::vector<std::string>& arguments, FrontEndFlags& flags) {
  const auto is_other = [](const std::string& text) {
    const auto parts = cut(text);
    return !parts || !parts->second.starts_with(local_length);
  };
  const auto lengths = std::stable_partition(arguments.begin(), arguments.end(), is_other);
  std::move(lengths, arguments.end(), std::back_inserter(flags.lengths));
  arguments.erase(lengths, arguments.end());
}

void add_length_option(CLI::App& command, FrontEndFlags& flags) {
  command
      .add_option("--arg", flags.lengths,
                  "NAME=local:LENGTH: how many elements the __local parameter NAME points to; may be given several times")
      ->group(front_end_group)
      ->allow_extra_args(false)
      ->type_name("NAME=local:LENGTH");
}

std::expected<core::Options, std::string> front_end_options(const FrontEndFlags& flags, const GroupFlags& group) {
  core::Options options;
  options.wg_size = group.items;
  options.wg_shape = group.shape;
  options.dimensions = flags.dimensions;
  options.ragged_items = flags.ragged_items;
  if (!flags.offset.empty()) {
    const auto offset = parse_offset(flags.offset);
    if (!offset) {
      return std::unexpected("--offset: " + offset.error());
    }
    options.offset = *offset;
  }
  options.kernel = flags.kernel;
  options.scattered_copies = flags.scattered_copies;
  options.contract = flags.contract == "on";
  for (const std::string& text : flags.defines) {
    const auto parts = cut(text).value_or(std::pair(text, std::string("1")));
    if (const auto problem = wrong_macro_name(parts.first)) {
      return std::unexpected(fmt::format("-D {}: {}", shortened(text), *problem));
    }
    options.defines.push_back(parts);
  }
  if (const auto problem = core::wrong_define(options)) {
    return std::unexpected(*problem);
  }
  for (const std::string& directory : flags.directories) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(directory, ignored)) {
      return std::unexpected(fmt::format("-I {}: there is no such directory", shortened(directory)));
    }
  }
  for (const std::string& text : flags.lengths) {
    if (const auto problem = store_length(options, text)) {
      return std::unexpected(fmt::format("--arg {}: {}", shortened(text), *problem));
    }
  }
  if (is_random(flags.crev_order)) {
    const auto seed = seed_of(flags.crev_order, std::numeric_limits<unsigned>::max());
    if (!seed) {
      return std::unexpected("--crev-order: the seed " + seed.error());
    }
    options.crev_order = core::CrevOrder::Permuted;
    options.crev_seed = static_cast<unsigned>(*seed);
  } else if (flags.crev_order == "descending") {
    options.crev_order = core::CrevOrder::Descending;
  } else if (flags.crev_order != "ascending") {
    return std::unexpected(
        fmt::format("--crev-order: '{}' is not one of ascending, descending and random:SEED", shortened(flags.crev_order)));
  }
  return options;
}

std::expected<launch::LaunchOptions, std::string> launch_options(const LaunchFlags& flags, const MachineFlags& machine) {
  launch::LaunchOptions options;
  options.threads = machine.threads;
  options.max_steps = machine.max_steps.value_or(options.max_steps);
  options.max_depth = flags.max_depth;
  options.equal_races = flags.equal_races;
  const auto pack = parse_pack(flags.pack);
  if (!pack) {
    return std::unexpected(pack.error());
  }
  options.pack = *pack;
  if (flags.model == "opencl" && flags.warp_size > 1) {
    return std::unexpected(fmt::format("--model opencl runs every item on its own; --warp-size {} contradicts it", flags.warp_size));
  }
  options.warp_size = flags.model == "opencl" ? 1 : flags.warp_size;
  if (const auto problem = set_schedule(options, flags.schedule)) {
    return std::unexpected(*problem);
  }
  const auto bytes = parse_bytes(flags.frame_memory);
  if (!bytes) {
    return std::unexpected("--frame-memory: " + bytes.error());
  }
  options.frame_memory = *bytes;
  return options;
}

std::expected<unsigned, std::string> parse_pack(const std::string& text) {
  if (text == "auto") {
    return 0;
  }
  const auto pack = parse_number(text, 1, std::numeric_limits<std::int32_t>::max());
  return pack ? std::expected<unsigned, std::string>(static_cast<unsigned>(*pack))
              : std::unexpected(fmt::format("--wg-pack: {}, nor auto", pack.error()));
}

std::expected<std::vector<OutputRequest>, std::string> parse_outputs(const std::vector<std::string>& texts) {
  std::vector<OutputRequest> requests;
  for (const std::string& text : texts) {
    const auto parts = cut(text);
    if (!parts || parts->first.empty() || parts->second.empty()) {
      return std::unexpected(fmt::format("--out {}: it is not written NAME=FILE", shortened(text)));
    }
    for (const OutputRequest& other : requests) {
      if (other.parameter == parts->first || other.path == parts->second) {
        return std::unexpected(
            fmt::format("--out: {} is given twice", shortened(other.path == parts->second ? other.path : other.parameter)));
      }
    }
    requests.push_back({parts->first, parts->second});
  }
  return requests;
}

std::vector<std::string> argument_files(const std::vector<std::string>& texts) {
  std::vector<std::string> files;
  for (const std::string& text : texts) {
    if (const auto parts = cut(text); parts && parts->second.starts_with('@')) {
      files.push_back(parts->second.substr(1));
    }
  }
  return files;
}

}  // namespace lockstep::tools
