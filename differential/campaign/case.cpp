// Which kernels a campaign is made of.

#include "differential/campaign/case.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "semantics/generate/choices.hpp"
#include "semantics/generate/kernel_census.hpp"

namespace lockstep::differential {

namespace {

using generate::Choices;
using generate::Profile;

/// So that neighbouring numbers and seeds have nothing in common (SplitMix64's finaliser).
std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15U + number + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

Profile profile_of(const FuzzPlan& plan, Choices& choices) {
  static constexpr std::array usual = {Profile::Plain, Profile::Lockstep, Profile::Lockstep,
                                       Profile::Plain, Profile::Lockstep, Profile::Crev};
  return plan.portable ? Profile::Plain : usual[choices(usual.size())];
}

struct Size {
  unsigned wg_size = 1;
  unsigned wg_pack = 1;
};

Size size_of(const FuzzPlan& plan, Profile profile, Choices& choices) {
  static constexpr std::array narrow = {4U, 2U, 8U, 3U, 16U, 5U, 1U, 7U, 12U, 15U};
  static constexpr std::array wide = {32U, 64U, 33U, 17U, 31U, 20U, 65U, 128U, 100U};
  static constexpr std::array packs = {1U, 1U, 2U, 1U, 1U, 3U, 1U, 4U};
  const bool is_wide = choices(wide_one_in) == 0 && plan.max_lanes > narrow_lanes;
  const unsigned most = is_wide ? plan.max_lanes : std::min(plan.max_lanes, narrow_lanes);
  Size size{is_wide ? wide[choices(wide.size())] : narrow[choices(narrow.size())], packs[choices(packs.size())]};
  if (profile == Profile::Crev) {
    size.wg_size = std::min(size.wg_size, 8U);  // as many activations as items, and as many of each again
  }
  size.wg_size = std::min(size.wg_size, most);
  size.wg_pack = std::clamp(most / size.wg_size, 1U, size.wg_pack);
  return size;
}

/// Many short kernels find more in the same time than few long ones; but some things only happen in long ones.
void choose_length(generate::KernelOptions& options, Choices& choices) {
  const unsigned kind = choices(60);
  options.statements = kind == 0 ? 6 : 1;
  options.functions = kind == 0 ? 4 : 2;
  options.nesting = kind == 0 ? 4 : kind < 4 ? 3 : 2;
  options.expression_depth = kind == 0 ? 3 : kind < 8 ? 2 : 1;
}

/// A change of a kind that there is a place for; every kernel has a constant or a statement.
generate::Change change_of(const generate::Kernel& kernel, Choices& choices) {
  const auto& kinds = generate::change_kinds;
  const unsigned first = choices(static_cast<unsigned>(kinds.size()));
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const generate::ChangeKind kind = kinds[(first + k) % kinds.size()];
    if (const std::size_t places = generate::places(kernel, kind); places > 0) {
      return {kind, choices(static_cast<unsigned>(places))};
    }
  }
  return {};
}

/// At the beginning of the other one's buffer, one element behind it, or anywhere, its end included.
std::optional<Overlap> overlap_in(const generate::Kernel& kernel, Choices& choices) {
  std::vector<std::pair<const generate::KernelInput*, const generate::KernelInput*>> pairs;
  for (const generate::KernelInput& pointer : kernel.inputs) {
    for (const generate::KernelInput& into : kernel.inputs) {
      if (&pointer != &into && pointer.is_buffer && into.is_buffer && pointer.type == into.type) {
        pairs.emplace_back(&pointer, &into);
      }
    }
  }
  if (pairs.empty()) {
    return std::nullopt;
  }
  const auto& [pointer, into] = pairs[choices(static_cast<unsigned>(pairs.size()))];
  const auto count = static_cast<unsigned>(into->values.size());
  const unsigned kind = choices(3);
  return Overlap{pointer->name, into->name, kind == 0 ? 0 : kind == 1 ? std::min(1U, count) : choices(count + 1)};
}

/// Small kernels, few items and groups: every number in them is a term for the solver.
FuzzCase pair_case(std::uint64_t number, Choices& choices) {
  static constexpr std::array profiles = {Profile::Plain, Profile::Lockstep, Profile::Lockstep, Profile::Crev};
  FuzzCase made;
  made.number = number;
  generate::KernelOptions options;
  options.profile = profiles[choices(profiles.size())];
  options.undefined = choices(4) == 0;
  options.statements = 1 + choices(2);
  options.functions = 2;
  options.nesting = 2;
  options.expression_depth = 1 + choices(2);
  options.recursion = false;
  options.wg_size = 1 + choices(3);
  options.groups = 1 + choices(2);
  made.kernel = generate::random_kernel(choices, options);
  made.change = change_of(made.kernel, choices);
  return made;
}

}  // namespace

FuzzCase fuzz_case(const FuzzPlan& plan, std::uint64_t number) {
  Choices choices = generate::from_seed(mixed(plan.seed, number));
  if (plan.subject == FuzzPlan::Subject::Pairs) {
    return pair_case(number, choices);
  }
  FuzzCase made;
  made.number = number;
  const Profile profile = profile_of(plan, choices);
  const Size size = size_of(plan, profile, choices);
  generate::KernelOptions options;
  options.profile = profile;
  options.undefined = choices(16) == 0 && !plan.portable;
  choose_length(options, choices);
  options.recursion = choices(64) == 0;
  options.sweeps = true;
  options.heads = true;
  options.portable = plan.portable;
  targets::Shape shape;
  shape.number = number;
  shape.max_lanes = plan.max_lanes;
  shape.has_crev = profile == Profile::Crev;
  shape.wg_size = size.wg_size;
  shape.wg_pack = size.wg_pack;
  if (choices(6) == 0) {
    shape.chunk_lanes = 1U << choices(5);
  }
  if (plan.target != nullptr && plan.target->campaigning.choose) {
    plan.target->campaigning.choose(shape, choices);
  }
  options.wg_size = shape.wg_size;
  options.groups = shape.groups;
  made.wg_pack = shape.wg_pack;
  made.chunk_lanes = shape.chunk_lanes;
  made.settings = std::move(shape.settings);
  made.streaming = number % 16 == 0 || number % 16 == 5;
  made.proved = plan.proved_one_in != 0 && number % plan.proved_one_in == plan.proved_one_in / 2;
  made.watched = number % 8 == 0;
  made.kernel = generate::random_kernel(choices, options);
  if (plan.subject == FuzzPlan::Subject::Target && choices(overlap_one_in) == 0) {
    made.overlap = overlap_in(made.kernel, choices);
  }
  return made;
}

bool is_batched(const FuzzPlan& plan) {
  return plan.subject == FuzzPlan::Subject::Target && plan.target != nullptr && plan.target->campaigning.most_together > 1;
}

targets::Asked asked_for(const FuzzPlan& plan, const FuzzCase& fuzz_case) {
  targets::Asked asked;
  asked.settings = fuzz_case.settings;
  for (const auto& [name, value] : plan.settings) {
    asked.settings[name] = value;
  }
  asked.chunk_lanes = fuzz_case.chunk_lanes;
  asked.scratch = plan.scratch;
  return asked;
}

FuzzCase with_kernel(const FuzzCase& like, const generate::Kernel& kernel) {
  return {
      like.number, generate::copy(kernel), like.wg_pack, like.chunk_lanes, like.settings, like.overlap, like.streaming, like.proved, false,
      like.change};
}

FuzzCensus take_census(const FuzzPlan& plan, std::uint64_t first, std::uint64_t kernels) {
  FuzzCensus census;
  census.kernels = kernels;
  for (std::uint64_t number = first; number < first + kernels; ++number) {
    generate::Census counted;
    generate::count(fuzz_case(plan, number).kernel, counted);
    for (const auto& [name, count] : counted) {
      census.constructs[name].occurrences += count;
      ++census.constructs[name].kernels;
    }
  }
  return census;
}

}  // namespace lockstep::differential
