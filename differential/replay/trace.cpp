// The two sides' ways to a cell in which they differ.

#include "semantics/prove/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "differential/replay/replay.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/walk.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::differential {

namespace {

/// Steps that are shown of each side.
constexpr std::size_t most_lines = 12;
/// What is executed of InfReg-IR to find them; each operation is kept with its numbers.
constexpr std::uint64_t most_traced_operations = 2'000'000;

/// An operation that a pack has executed, with its lanes' numbers.
struct Executed {
  infreg::OperationId id;           ///< groups beyond the last full pack execute a copy of the kernel, which has the same
  std::vector<std::string> values;  ///< of each result, in the lane concerned
};

std::string lane_text(const infreg::LanesView& lanes, infreg::Shape shape, infreg::Lane lane) {
  std::string text;
  const std::uint32_t elements = std::min<std::uint32_t>(lanes.type.layout.elements, 8);
  for (std::uint32_t ix = 0; ix < elements; ++ix) {
    const std::uint64_t n = infreg::number_of(lanes.type.layout, shape, {lane.wg, lane.wi, ix});
    const bool is_pointer = lanes.type.element.is_pointer;
    text += (ix == 0 ? "" : " ") + (lanes.poison[n] != 0 ? "poison"
                                    : is_pointer         ? "a pointer"
                                                         : ops::text_of(lanes.type.element.scalar, lanes.bits[n]));
  }
  return text + (elements < lanes.type.layout.elements ? " …" : "");
}

}  // namespace

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  const std::size_t end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

std::vector<TraceLine> trace_of_kernel(const LoadedKernel& kernel, std::uint64_t groups, const prove::Inputs& inputs, std::size_t buffer,
                                       std::uint64_t index) {
  const typed::Program& program = *kernel.program;
  const prove::CellHistory history = prove::history_of(program, groups, inputs, buffer, index);
  const LineOrigins origins(*program.source);
  std::vector<TraceLine> lines;
  for (const prove::ItemStep& step : history.steps) {
    if (step.target.empty()) {
      continue;
    }
    const auto place = program.source->place(program.code[step.pc].span.begin);
    lines.push_back({origins.file_and_line(place.line), trimmed(program.source->line_text(place.line)),
                     fmt::format("{} = {}", step.target, step.value)});
  }
  if (lines.size() > most_lines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most_lines));
  }
  if (!lines.empty()) {
    lines.front().place = fmt::format("group {}, item {}; {}", history.group, history.item, lines.front().place);
  }
  return lines;
}

std::vector<TraceLine> trace_of_infreg(const infreg::Kernel& kernel, std::uint64_t groups, const launch::Arguments& arguments,
                                       std::size_t buffer, std::uint64_t index) {
  std::vector<infreg::Buffer> buffers;
  for (const launch::Buffer& each : arguments.buffers) {
    buffers.push_back({each.type, each.count, each.bytes, std::vector<std::uint8_t>(each.count, 0)});
  }
  std::vector<Executed> executed;
  std::size_t until_store = 0;  ///< so many, the last of which has written the cell
  std::set<infreg::ValueId> wanted;
  const auto cell = [&] {
    const infreg::Buffer& b = buffers[buffer];
    const auto* bytes = b.bytes.data() + index * size_of(b.type);
    return std::pair(std::vector<std::byte>(bytes, bytes + size_of(b.type)), b.poison[index]);
  };
  auto before = cell();
  infreg::EvaluateOptions options;
  options.groups = groups;
  options.limits.lane_operations = most_traced_operations;
  options.observer = [&](const infreg::Executed& step) {
    // The lane of the item that has the cell's number, where items lie in order; the trace is for people.
    const infreg::Lane lane{static_cast<std::uint32_t>(index / step.shape.wg_size % step.shape.wg_pack),
                            static_cast<std::uint32_t>(index % step.shape.wg_size), 0};
    Executed each{step.id, {}};
    for (const infreg::LanesView& lanes : step.results) {
      each.values.push_back(lane_text(lanes, step.shape, lane));
    }
    executed.push_back(std::move(each));
    if (auto now = cell(); now != before) {
      before = std::move(now);
      until_store = executed.size();
    }
  };
  static_cast<void>(infreg::evaluate(kernel, arguments.values, buffers, options));
  std::vector<TraceLine> lines;
  for (std::size_t k = until_store; k-- > 0 && lines.size() < most_lines;) {
    const infreg::Operation& operation = kernel.regions[executed[k].id.region].operations[executed[k].id.index];
    const bool is_wanted =
        k + 1 == until_store || std::ranges::any_of(operation.results, [&](infreg::ValueId value) { return wanted.contains(value); });
    if (!is_wanted) {
      continue;
    }
    infreg::for_each_use(operation.node, [&](infreg::ValueId value) { wanted.insert(value); });
    std::string values;
    for (const std::string& value : executed[k].values) {
      values += (values.empty() ? "" : "; ") + value;
    }
    lines.push_back({"", infreg::print(kernel, operation), values});
  }
  std::ranges::reverse(lines);
  return lines;
}

}  // namespace lockstep::differential
