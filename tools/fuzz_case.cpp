// Which kernels a campaign is made of.

#include <algorithm>
#include <array>

#include "semantics/generate/choices.hpp"
#include "tools/fuzz.hpp"

namespace lockstep::tools {

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

/// Most are compiled as fast as possible: by LLVM of 64 kernels two at level 3, one at level 1 and one at level 2, others at level 0; by a
/// C++ compiler, which makes calls of all intrinsics at level 0, of 16 kernels one at level 3, others at level 1.
unsigned level_of(const FuzzPlan& plan, std::uint64_t number) {
  if (plan.target == FuzzPlan::Target::Avx512) {
    return number % 16 == 5 ? 3 : 1;
  }
  switch (number % 64) {
    case 5:
    case 37:
      return 3;
    case 21:
      return 1;
    case 53:
      return 2;
    default:
      return 0;
  }
}

/// Groups side by side: a pack has as many as a chunk has lanes, and there are some more.
void choose_side_by_side(const FuzzPlan& plan, FuzzCase& made, generate::KernelOptions& options, Choices& choices) {
  constexpr unsigned most_items = 8;
  made.side_by_side = true;
  made.wg_pack = choices(2) == 0 ? 8 : 16;
  made.chunk_lanes = made.wg_pack;
  options.wg_size = std::min({options.wg_size, most_items, std::max(1U, plan.max_lanes / made.wg_pack)});
  options.groups = made.wg_pack + choices(4);
}

/// What else there is to choose for the AVX512 target, when all that is the same for every target has been chosen.
void choose_avx512(FuzzCase& made, Choices& choices) {
  static constexpr std::array most_chunks = {0U, 1U, 0U, 2U, 0U, 4U};
  if (made.chunk_lanes && !made.side_by_side) {
    made.chunk_lanes = choices(2) == 0 ? 8 : 16;
  }
  if (const unsigned most = most_chunks[choices(most_chunks.size())]; most != 0) {
    made.most_chunks = most;
  }
  made.misaligned = choices(3) == 0;
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
  if (plan.target == FuzzPlan::Target::Pairs) {
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
  options.wg_size = size.wg_size;
  made.wg_pack = size.wg_pack;
  made.level = level_of(plan, number);
  if (choices(6) == 0) {
    made.chunk_lanes = 1U << choices(5);
  }
  made.streaming = number % 16 == 0 || number % 16 == 5;
  made.proved = plan.proved_one_in != 0 && number % plan.proved_one_in == plan.proved_one_in / 2;
  made.watched = number % 8 == 0;
  if (plan.target == FuzzPlan::Target::Avx512 && profile != Profile::Crev && choices(4) == 0) {
    choose_side_by_side(plan, made, options, choices);
  }
  made.kernel = generate::random_kernel(choices, options);
  if (plan.target == FuzzPlan::Target::Avx512) {
    choose_avx512(made, choices);
  }
  return made;
}

FuzzCase with_kernel(const FuzzCase& like, const generate::Kernel& kernel) {
  return {like.number,       generate::copy(kernel), like.wg_pack, like.level, like.chunk_lanes, like.most_chunks, like.misaligned,
          like.side_by_side, like.streaming,         like.proved,  false,      like.change};
}

}  // namespace lockstep::tools
