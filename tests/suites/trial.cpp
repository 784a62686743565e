#include "tests/suites/trial.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "differential/compare/kernel.hpp"
#include "interpreter/launch/byte_arguments.hpp"
#include "interpreter/launch/sim_file.hpp"
#include "semantics/core/front_end.hpp"

namespace lockstep::suites {
namespace {

constexpr std::size_t memory = std::size_t{1} << 24U;

std::string text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error("there is no " + path);
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Read {
  core::Program program;
  const core::Function* kernel = nullptr;
};
/// Nothing where the text is refused, which `loaded` gets.
std::optional<Read> read(const std::shared_ptr<const SourceFile>& source, const core::Options& options, Loaded& loaded) {
  Diagnostics warnings;
  auto program = core::read_kernels(source, options, warnings);
  loaded.warnings.clear();
  for (const Diagnostic& warning : warnings) {
    loaded.warnings.push_back(warning.message);
  }
  if (!program) {
    const Diagnostic& first = program.error().front();
    loaded.refusal = first.message + " in line " + std::to_string(source->place(first.span.begin).line);
    return std::nullopt;
  }
  Read found{*std::move(program), nullptr};
  found.kernel = found.program.kernel(options.kernel);
  if (found.kernel == nullptr) {
    throw std::runtime_error(source->name() + " has no kernel " + options.kernel);
  }
  return found;
}

/// What the file gives a parameter, as parse_arguments takes it.
std::vector<std::string> values_of(const launch::SimFile& file, const SourceFile& sim, const differential::LoadedKernel& kernel) {
  if (kernel.written_parameters.size() != file.arguments.size()) {
    throw std::runtime_error(sim.name() + " has another number of arguments than the kernel has parameters");
  }
  std::vector<std::string> values;
  for (std::size_t k = 0; k < file.arguments.size(); ++k) {
    const launch::WrittenParameter& parameter = kernel.written_parameters[k];
    const ScalarType type = parameter.local ? ScalarType::UChar : kernel.program->kernel().registers[parameter.first].type.scalar;
    const auto value = launch::text_of(file.arguments[k], parameter, type, memory);
    if (!value) {
      throw std::runtime_error(render(sim, value.error()));
    }
    values.push_back(*value);
  }
  return values;
}

}  // namespace

std::vector<Model> models() {
  std::vector<Model> all(3);
  all[0].name = "pirch";
  all[1].name = "opencl";
  all[1].options.warp_size = 1;
  all[2] = all[1];
  all[2].name = "opencl, in another order";
  all[2].options.schedule = launch::Schedule::Random;
  all[2].options.seed = 7;
  return all;
}

Loaded load(const std::string& folder, const std::string& name, const std::array<std::int64_t, 3>& offset) {
  const SourceFile sim(folder + "/" + name + ".sim", text_of_file(folder + "/" + name + ".sim"));
  const auto file = launch::parse_sim(sim);
  if (!file) {
    throw std::runtime_error(render(sim, file.error()));
  }
  if (file->program.text != name + ".cl") {
    throw std::runtime_error(sim.name() + " names another file");
  }
  const auto source = std::make_shared<const SourceFile>(folder + "/" + name + ".cl", text_of_file(folder + "/" + name + ".cl"));
  Loaded loaded;
  core::Options options;
  options.kernel = file->kernel.text;
  options.wg_size = 1;
  options.dimensions = 3;
  loaded.groups = 1;
  loaded.launch.offset = offset;
  std::array<std::uint64_t, 3> groups{};
  for (std::size_t d = 0; d < 3; ++d) {
    options.wg_shape.at(d) = static_cast<unsigned>(file->group.at(d));
    options.wg_size *= options.wg_shape.at(d);
    options.offset.at(d) = static_cast<std::uint64_t>(offset.at(d));
    if (file->items.at(d) % file->group.at(d) != 0) {
      throw std::runtime_error(sim.name() + ": groups do not divide the items");
    }
    groups.at(d) = file->items.at(d) / file->group.at(d);
    loaded.groups *= groups.at(d);
    loaded.launch.items.at(d) = static_cast<std::int64_t>(file->items.at(d));
    loaded.launch.group.at(d) = static_cast<std::int64_t>(file->group.at(d));
  }
  auto ahead = read(source, options, loaded);  // for the parameters, of which __local ones have no length yet
  if (!ahead) {
    return loaded;
  }
  const differential::LoadedKernel first = differential::load(ahead->program, *ahead->kernel);
  const std::vector<std::string> values = values_of(*file, sim, first);
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const launch::WrittenParameter& parameter = first.written_parameters[k];
    loaded.names.push_back(parameter.name);
    auto& bytes = loaded.launch.bytes.emplace_back();
    if (parameter.local) {
      options.local_lengths.emplace_back(parameter.name, std::stoull(values[k].substr(values[k].find(':') + 1)));
      continue;
    }
    texts.push_back(parameter.name + "=" + values[k]);
    if (const auto known = launch::bytes_of_hex(values[k], memory); launch::is_hex(values[k]) && known) {
      bytes = *known;
    } else {
      bytes.resize(file->arguments[k].size.value_or(0));  // of a buffer without values, which have to come
    }
  }
  const auto again = read(source, options, loaded);
  const differential::LoadedKernel kernel = differential::load(again->program, *again->kernel);
  for (std::size_t d = 0; kernel.group_parameters && d < 2; ++d) {
    texts.push_back(launch::parameter_name(*kernel.program, *kernel.group_parameters + d) + "=" + std::to_string(groups.at(d)));
  }
  auto arguments = launch::parse_arguments(*kernel.program, texts, memory, {}, kernel.writable, kernel.restricted, kernel.structures,
                                           kernel.written_parameters);
  if (!arguments) {
    throw std::runtime_error(name + ": " + arguments.error());
  }
  for (const launch::WrittenParameter& parameter : kernel.written_parameters) {
    const auto* buffer =
        parameter.local || !parameter.element_bytes ? nullptr : std::get_if<BufferNumber>(&arguments->values.at(parameter.first));
    loaded.buffers.push_back(buffer == nullptr ? Loaded::none : buffer->number);
  }
  loaded.program = kernel.program;
  loaded.arguments = *std::move(arguments);
  return loaded;
}

std::string ending(const Loaded& loaded, const launch::Outcome& outcome) {
  const auto number = [&](const launch::Party& party) { return loaded.program->source->place(party.span.begin).line; };
  if (outcome.fault) {
    const launch::Fault& fault = *outcome.fault;
    return std::string(launch::name_of(fault.kind)) + (fault.variable.empty() ? "" : " of '" + fault.variable + "'") + " in line " +
           std::to_string(number(fault.party));
  }
  if (outcome.race_count != 0) {
    if (outcome.races.empty()) {
      return "a race that is not listed";
    }
    const launch::Race& race = outcome.races.front();
    const auto lines = std::minmax(number(race.first), number(race.second));
    return "race of '" + race.object + "' in lines " + std::to_string(lines.first) + " and " + std::to_string(lines.second);
  }
  return "clean";
}

}  // namespace lockstep::suites
