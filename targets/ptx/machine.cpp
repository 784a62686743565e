#include "targets/ptx/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "semantics/base/diagnostic.hpp"
#include "semantics/ptx/parse.hpp"

namespace lockstep::targets {

using differential::Failure;
using ptx_machine::Schedule;

namespace {

const std::vector<std::pair<std::string, Schedule>>& schedule_names() {
  static const std::vector<std::pair<std::string, Schedule>> names = {
      {"lowest-pc", Schedule::LowestPc}, {"stack", Schedule::Stack}, {"fair", Schedule::Fair}, {"random", Schedule::Random}};
  return names;
}

/// The arguments as the machine takes them.
ptx_machine::Arguments arguments_of(const launch::Arguments& before, const PtxLaunch& launch) {
  ptx_machine::Arguments arguments;
  arguments.buffers = before.buffers;
  const auto add_number = [&](std::uint64_t bits) {
    ptx_machine::ParameterBytes value;
    value.bytes.resize(sizeof bits);
    std::memcpy(value.bytes.data(), &bits, sizeof bits);
    arguments.values.emplace_back(std::move(value));
  };
  const auto add_pieces = [&](const launch::WrittenParameter& parameter) {
    ptx_machine::ParameterBytes value;
    value.bytes.resize(parameter.bytes);
    for (std::size_t k = 0; k < parameter.pieces.size(); ++k) {
      const auto [offset, bytes] = parameter.pieces[k];
      std::memcpy(value.bytes.data() + offset, &std::get<ScalarBits>(before.values[parameter.first + k]).bits, bytes);
    }
    arguments.values.emplace_back(std::move(value));
  };
  auto written = launch.written.begin();
  for (std::size_t i = 0; i < before.values.size(); ++i) {
    while (written != launch.written.end() && (written->local || written->first < i)) {
      ++written;
    }
    if (written != launch.written.end() && written->first == i && written->is_split()) {
      add_pieces(*written);
      i += written->pieces.size() - 1;
    } else if (const auto* buffer = std::get_if<BufferNumber>(&before.values[i])) {
      arguments.values.emplace_back(*buffer);
    } else {
      add_number(std::get<ScalarBits>(before.values[i]).bits);
    }
  }
  for (const SharedParameter& parameter : launch.shared) {
    arguments.values.insert(arguments.values.begin() + static_cast<std::ptrdiff_t>(parameter.position),
                            ptx_machine::SharedMemory{parameter.bytes});
  }
  std::ranges::for_each(launch.more, add_number);
  return arguments;
}

/// Whether what is open is the bits of a NaN, which `neg` and `abs` leave so: emitters write them where only operations that round or
/// compare look, to which one NaN is as good as another, and any stored one equals any other.
bool is_nan(const PtxModule& module, const ptx_machine::OpenResult& open) {
  if (open.origin == 0 || open.origin > module.lines.size()) {
    return false;
  }
  const std::string_view line = module.lines[open.origin - 1];
  return line.contains("neg.f") || line.contains("abs.f");
}

}  // namespace

std::vector<Schedule> Schedules::all() const {
  return only ? std::vector<Schedule>{*only} : std::vector<Schedule>{Schedule::LowestPc, Schedule::Fair, Schedule::Random};
}

std::string Schedules::name_of(Schedule schedule) const {
  const auto found = std::ranges::find(schedule_names(), schedule, &std::pair<std::string, Schedule>::second);
  return found->first + (schedule == Schedule::Random ? fmt::format(":{}", seed) : "");
}

std::string Schedules::names() const {
  std::string all_names;
  for (const Schedule schedule : all()) {
    all_names += (all_names.empty() ? "" : ", ") + name_of(schedule);
  }
  return all_names;
}

Option schedule_option() {
  return {"--ptx-schedule",
          "SCHEDULE",
          "of the PTX machine: lowest-pc, stack, fair, random:SEED (default: lowest-pc, fair and random:1)",
          "",
          {Use::Diff, Use::Fuzz}};
}

std::optional<std::string> store_schedules(Schedules& into, const std::string& value) {
  const std::size_t colon = value.find(':');
  Schedule schedule{};
  if (auto problem = store_choice(schedule, value.substr(0, colon), schedule_names())) {
    return problem;
  }
  into.only = schedule;
  if (colon == std::string::npos) {
    return std::nullopt;
  }
  unsigned seed = 0;
  auto problem = schedule != Schedule::Random ? std::optional(fmt::format("'{}': only random has a seed", value))
                                              : store_number(seed, value.substr(colon + 1), 0, 4'294'967'295U);
  into.seed = seed;
  return problem;
}

std::expected<PtxModule, std::string> read_ptx(const std::string& text, const std::string& kernel) {
  const auto source = std::make_shared<const SourceFile>("kernel.ptx", text);
  const auto module = ptx::parse(*source);
  if (!module) {
    return std::unexpected(render(*source, module.error()));
  }
  auto resolved = ptx::resolve(*module, source);
  if (!resolved) {
    return std::unexpected(render(*source, resolved.error()));
  }
  PtxModule made{std::move(*resolved), nullptr, {}};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    made.lines.push_back(line);
  }
  made.kernel = made.resolved.function(kernel);
  return made.kernel != nullptr ? std::expected<PtxModule, std::string>(std::move(made))
                                : std::unexpected(fmt::format("the PTX has no kernel {}", kernel));
}

std::variant<std::vector<launch::Buffer>, Failure> run_ptx(const PtxModule& module, const launch::Arguments& before,
                                                           const PtxLaunch& launch, Schedule schedule, std::uint64_t seed) {
  ptx_machine::Arguments arguments = arguments_of(before, launch);
  ptx_machine::LaunchOptions options;
  options.geometry.grid.x = launch.blocks;
  options.geometry.block.x = launch.threads;
  options.geometry = launch.geometry.value_or(options.geometry);
  options.schedule = schedule;
  options.seed = seed;
  options.counts = launch.counts != nullptr;
  const auto outcome = ptx_machine::run(module.resolved, *module.kernel, arguments, options);
  if (!outcome) {
    return Failure{Failure::Kind::NotRun, outcome.error()};
  }
  if (outcome->fault) {
    return Failure{is_limit(outcome->fault->kind) ? Failure::Kind::Limit : Failure::Kind::Undefined,
                   render(module.resolved, *outcome->fault)};
  }
  if (!outcome->races.empty()) {
    return Failure{Failure::Kind::Undefined, render(module.resolved, outcome->races.front())};
  }
  const auto open = std::ranges::find_if(outcome->open, [&](const ptx_machine::OpenResult& each) { return !is_nan(module, each); });
  if (launch.strict && open != outcome->open.end()) {
    return Failure{Failure::Kind::Undefined, render(module.resolved, *open)};
  }
  if (launch.counts != nullptr) {
    *launch.counts = *outcome->counts;
  }
  return std::move(arguments.buffers);
}

}  // namespace lockstep::targets
