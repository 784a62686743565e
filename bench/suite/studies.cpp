#include "bench/suite/studies.hpp"

#include <algorithm>
#include <array>

#include "bench/suite/ablation.hpp"
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

/// C = 5 (A + B) as five additions; `times` holds 5 for each item. BOUND is what the loop goes to.
constexpr const char* repeated_gema = R"(
__kernel void gema(__global const REAL *a, __global const REAL *b, __global REAL *c, __global const int *times) {
  const size_t row = (get_group_id() * get_local_size() + get_local_id()) * get_local_size();
  REAL row_a[get_local_size()];
  REAL row_b[get_local_size()];
  REAL row_c[get_local_size()];
  for (int j = 0; j < get_local_size(); j += 1) {
    row_a[j] = a[row + j];
    row_b[j] = b[row + j];
    row_c[j] = 0;
  }
  for (int t = 0; t < BOUND; t += 1)
    for (int j = 0; j < get_local_size(); j += 1)
      row_c[j] = row_c[j] + (row_a[j] + row_b[j]);
  for (int j = 0; j < get_local_size(); j += 1)
    c[row + j] = row_c[j];
}
)";

std::vector<PlannedCase> loops(const SuiteOptions& options, const PeerModule& module) {
  struct Bound {
    const char* name;
    const char* text;
  };
  static constexpr std::array<Bound, 3> bounds = {{{"unrolled", "#define BOUND 5\n"},
                                                   {"runtime bound", "#define BOUND times[0]\n"},
                                                   {"a bound for each item", "#define BOUND times[get_local_id()]\n"}}};
  std::vector<PlannedCase> cases;
  for (const Real real : options.reals) {
    for (const unsigned n : options.sizes) {
      PlannedCase plan{Study::Loops, {KernelId::Gema, real, n}, {}, {}, {}};
      plan.reference.text = std::string(bounds[0].text) + repeated_gema;
      plan.extend = [n](Data& data) { data.add_shared("times", std::vector<std::int32_t>(n, 5)); };
      for (const std::string& target : compiled_targets(options)) {
        for (const Bound& bound : bounds) {
          plan.contestants.push_back(
              by_target(target, plan.task, {.text = std::string(bound.text) + repeated_gema, .name = target + ", " + bound.name}));
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
