#include "tools/sim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "interpreter/launch/sim_file.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/lane_set.hpp"
#include "semantics/base/print_format.hpp"
#include "tools/kernel_program.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {
namespace {

/// Of all arguments together, as they are texts on the way.
constexpr std::size_t most_bytes = std::size_t{1} << 28;

/// The parameters that the text of the kernel has.
std::expected<launch::WrittenParameters, Refusal> parameters_of(const RunOptions& options, differential::LoadedKernel& kernel) {
  const auto source = read_source(options.file);
  if (!source) {
    return std::unexpected(source.error());
  }
  FrontEndFlags flags = options.front_end;
  flags.dimensions = dimensions_of(options.launch.grid, options.machine.group);
  flags.ragged_items = ragged_items(options.launch.grid);
  const auto read = read_kernel(*source, flags, options.machine.group, true);
  if (!read) {
    return std::unexpected(read.error());
  }
  kernel = differential::load(read->program, *read->function);
  launch::WrittenParameters parameters = kernel.written_parameters;
  std::erase_if(parameters, [](const launch::WrittenParameter& parameter) { return parameter.name == print_buffer_name; });
  return parameters;
}

}  // namespace

std::optional<Refusal> take_sim(const std::string& path, RunOptions& options) {
  const auto text = read_source(path);
  if (!text) {
    return text.error();
  }
  const SourceFile& source = **text;
  const auto file = launch::parse_sim(source);
  if (!file) {
    return refusal(source, {file.error()});
  }
  const auto wrong = [&](SourceSpan span, std::string message) {
    return refusal(source, {{Severity::Error, span, std::move(message), {}}});
  };
  const auto beside = (std::filesystem::path(path).parent_path() / file->program.text).string();
  std::error_code ignored;
  options.file = std::filesystem::exists(beside, ignored) ? beside : file->program.text;
  options.front_end.kernel = file->kernel.text;
  const auto comma = [](const std::array<std::uint64_t, 3>& sizes) { return fmt::format("{}", fmt::join(sizes, ",")); };
  options.launch.grid.global = comma(file->items);
  if (const auto problem = set_group_size(options.machine.group, comma(file->group), LaneSet::max_width)) {
    return wrong(file->kernel.span, "the group: " + *problem);
  }
  const auto memory = parse_bytes(options.machine.memory_limit);
  if (!memory) {
    return refusal("--memory-limit: " + memory.error());
  }
  differential::LoadedKernel kernel;
  const auto parameters = parameters_of(options, kernel);
  if (!parameters) {
    return parameters.error();
  }
  if (parameters->size() != file->arguments.size()) {
    return wrong(file->kernel.span, fmt::format("the kernel '{}' has {}, but the file has {}", kernel.program->kernel().name,
                                                counted(parameters->size(), "parameter"), counted(file->arguments.size(), "argument")));
  }
  std::size_t left = std::min(*memory, most_bytes);
  for (std::size_t k = 0; k < parameters->size(); ++k) {
    const launch::WrittenParameter& parameter = (*parameters)[k];
    const ScalarType type = parameter.local ? ScalarType::UChar : kernel.program->kernel().registers[parameter.first].type.scalar;
    const auto value = launch::text_of(file->arguments[k], parameter, type, left);
    if (!value) {
      return refusal(source, {value.error()});
    }
    left -= parameter.local ? 0 : std::min<std::size_t>(left, file->arguments[k].size.value_or(0));
    options.launch.arguments.push_back(fmt::format("{}={}", parameter.name, *value));
  }
  return std::nullopt;
}

}  // namespace lockstep::tools
