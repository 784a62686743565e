#pragma once
// What a kernel's meaning depends on besides its text.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::core {

/// Work items of a group, at most (LaneSet::max_width).
inline constexpr unsigned max_wg_size = 1U << 20;
inline constexpr unsigned default_wg_size = 32;

/// In which order a crev call serves its callers.
enum class CrevOrder { Ascending, Descending, Permuted };

struct Options {
  /// WG_SIZE, 1 to max_wg_size; get_local_size() is this constant. 0: what the kernels require by reqd_work_group_size, else
  /// default_wg_size.
  unsigned wg_size = default_wg_size;
  /// The items of a group in three dimensions, whose product is WG_SIZE; zeros: what the kernels require, else one dimension.
  std::array<unsigned, 3> wg_shape{};
  /// Of the launch, 1 to 3: get_work_dim(). With one, a kernel that asks for no second dimension is not told of any.
  unsigned dimensions = 1;
  /// Of the launch: get_global_offset(), which get_global_id() begins with.
  std::array<std::uint64_t, 3> offset{};
  /// Of a launch whose last groups in each dimension may be smaller: its items in each dimension.
  std::optional<std::array<std::uint64_t, 3>> ragged_items;
  bool contract = true;                                      ///< --fp-contract=on
  std::vector<std::pair<std::string, std::string>> defines;  ///< -D NAME=VALUE in order; a bare -D NAME has the value "1"
  CrevOrder crev_order = CrevOrder::Ascending;
  unsigned crev_seed = 0;  ///< of CrevOrder::Permuted
  std::string kernel;      ///< the kernel that is wanted, whose required WG_SIZE alone has to agree; empty: all of them
  /// How many elements the array has to which a kernel's __local parameter of that name points (--arg NAME=local:LENGTH).
  std::vector<std::pair<std::string, std::uint64_t>> local_lengths;
  /// Where races are looked for: async copies are shared among the items in such a way that an item seldom copies what it works on itself,
  /// so that who meets the copy before it has been waited for races with another item.
  bool scattered_copies = false;
};

}  // namespace lockstep::core
