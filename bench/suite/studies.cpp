#include "bench/suite/studies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bench/suite/ablation.hpp"
#include "bench/suite/kernel_text.hpp"
#include "codegen/emit/avx512/ways.hpp"

namespace lockstep::bench {

namespace {

/// The machine's limits for a task, without its peers.
void add_limits_of(const Task& task, const PeerModule& module, std::vector<Contestant>& into) {
  for (Contestant& contestant : module.contestants(task)) {
    if (contestant.side == Side::Limit) {
      into.push_back(std::move(contestant));
    }
  }
}

std::vector<std::string> compiled_targets(const SuiteOptions& options) {
  std::vector<std::string> targets = options.targets;
  std::erase(targets, "interpreter");
  return targets;
}

std::vector<PlannedCase> packs(const SuiteOptions& options, const PeerModule& module) {
  std::vector<PlannedCase> cases;
  for (const unsigned n : options.sizes) {
    PlannedCase plan{Study::Packs, {KernelId::Ldus, ScalarType::Double, n}, {}, {}, [](Data&) {}};
    for (const std::string& target : compiled_targets(options)) {
      for (const unsigned pack : {1U, 2U, 4U, 8U, 0U}) {
        plan.contestants.push_back(by_target(target, plan.task, {.wg_pack = pack}));
      }
    }
    add_limits_of(plan.task, module, plan.contestants);
    cases.push_back(std::move(plan));
  }
  return cases;
}

/// A kernel with all ways to reorder lanes, without each of them that makes a difference to its code, and without all of them. Always by
/// rows: where groups lie side by side nothing is reordered.
std::vector<Contestant> without_each_way(const Task& task) {
  const std::string target = "avx512";
  std::vector<Contestant> all;
  std::vector<std::string> texts;
  const auto add = [&](const std::string& name, emit_avx512::EmitOptions emit) {
    emit.layout = emit_avx512::LayoutChoice::Rows;
    const OurOptions ours{.name = target + ", " + name, .emit = emit};
    const auto text = cpp_by_avx512(task, ours);
    // What cannot be emitted is a contestant that says why.
    if (text && std::ranges::find(texts, *text) != texts.end()) {
      return;
    }
    texts.push_back(text.value_or(""));
    all.push_back(by_avx512(task, ours));
  };
  add("everything", {});
  emit_avx512::EmitOptions nothing;
  for (const std::string& way : emit_avx512::ways_to_reorder()) {
    emit_avx512::EmitOptions emit;
    emit_avx512::switch_off(emit, way);
    emit_avx512::switch_off(nothing, way);
    add("without " + way, emit);
  }
  add(std::string(without_all), nothing);
  return all;
}

std::vector<PlannedCase> reorderings(const SuiteOptions& options, const PeerModule& module) {
  std::vector<PlannedCase> cases;
  for (const KernelId kernel : {KernelId::Ldus, KernelId::Gemm, KernelId::Trsv}) {
    for (const unsigned n : options.sizes) {
      const Task task{kernel, ScalarType::Double, n};
      cases.push_back({Study::Reorderings, task, without_each_way(task), {}, [](Data&) {}});
      add_limits_of(task, module, cases.back().contestants);
    }
  }
  return cases;
}

/// GEMA five times over, with a loop that goes to `bound`.
std::string repeated_gema(std::string_view bound) { return fmt::format("#define NAME gema\n#define BOUND {}\n{}", bound, loops_text()); }

std::vector<PlannedCase> loops(const SuiteOptions& options, const PeerModule& module) {
  struct Bound {
    const char* name;
    const char* text;
  };
  static constexpr std::array<Bound, 3> bounds = {
      {{"unrolled", "5"}, {"runtime bound", "times[0]"}, {"a bound for each item", "times[get_local_id()]"}}};
  std::vector<PlannedCase> cases;
  for (const Real real : options.reals) {
    for (const unsigned n : options.sizes) {
      PlannedCase plan{Study::Loops, {KernelId::Gema, real, n}, {}, {}, {}};
      plan.reference.text = repeated_gema(bounds[0].text);
      plan.extend = [n](Data& data) { data.add_shared("times", std::vector<std::int32_t>(n, 5)); };
      for (const std::string& target : compiled_targets(options)) {
        for (const Bound& bound : bounds) {
          plan.contestants.push_back(by_target(target, plan.task, {.text = repeated_gema(bound.text), .name = target + ", " + bound.name}));
        }
      }
      add_limits_of(plan.task, module, plan.contestants);
      cases.push_back(std::move(plan));
    }
  }
  return cases;
}

}  // namespace

std::vector<PlannedCase> cases_of(Study study, const SuiteOptions& options, const PeerModule& module) {
  switch (study) {
    case Study::Packs:
      return packs(options, module);
    case Study::Reorderings:
      return reorderings(options, module);
    case Study::Loops:
      return loops(options, module);
    case Study::None:
      break;
  }
  return {};
}

}  // namespace lockstep::bench
