// Launches whose last groups are smaller: OpenCL C 2.0, 6.13.1, by loops over all small ones.

#include <array>
#include <catch2/catch.hpp>

#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using Sizes = std::array<std::uint64_t, 3>;

namespace {

/// What an item says of its place: (global x, y, z) decide where.
constexpr std::uint64_t said = 12;
const std::string places = R"(
__kernel void places(__global ulong *out) {
  const size_t at = (get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2))) * 12;
  out[at] += 1;
  out[at + 1] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2);
  out[at + 2] = get_local_size(0) + 10 * get_local_size(1) + 100 * get_local_size(2);
  out[at + 3] = get_enqueued_local_size(0) + 10 * get_enqueued_local_size(1) + 100 * get_enqueued_local_size(2);
  out[at + 4] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2);
  out[at + 5] = get_num_groups(0) + 10 * get_num_groups(1) + 100 * get_num_groups(2);
  out[at + 6] = get_local_linear_id();
  out[at + 7] = get_global_linear_id();
  out[at + 8] = work_group_all(1);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at + 9] = work_group_any(get_local_linear_id() + 1 == get_local_size(0) * get_local_size(1) * get_local_size(2));
  __local int sum;
  if (get_local_linear_id() == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, (int)get_local_linear_id() + 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at + 10] = sum;
  out[at + 11] = work_group_all(get_local_id(0) < get_local_size(0));
}
)";

std::uint64_t digits(const Sizes& n) { return n[0] + 10 * n[1] + 100 * n[2]; }

std::vector<std::uint64_t> expected(const Sizes& items, const Sizes& group) {
  std::vector<std::uint64_t> out;
  Sizes groups;
  for (std::size_t d = 0; d < 3; ++d) {
    groups[d] = (items[d] + group[d] - 1) / group[d];
  }
  for (std::uint64_t z = 0; z < items[2]; ++z) {
    for (std::uint64_t y = 0; y < items[1]; ++y) {
      for (std::uint64_t x = 0; x < items[0]; ++x) {
        const Sizes id = {x, y, z};
        Sizes local;
        Sizes which;
        Sizes size;
        for (std::size_t d = 0; d < 3; ++d) {
          local[d] = id[d] % group[d];
          which[d] = id[d] / group[d];
          size[d] = std::min(group[d], items[d] - which[d] * group[d]);
        }
        const std::uint64_t count = size[0] * size[1] * size[2];
        out.insert(out.end(), {1, digits(local), digits(size), digits(group), digits(which), digits(groups),
                               local[0] + size[0] * (local[1] + size[1] * local[2]), x + items[0] * (y + items[1] * z), 1, 1,
                               count * (count + 1) / 2, 1});
      }
    }
  }
  return out;
}

void check(const Sizes& items, const Sizes& group, unsigned warp_size, launch::Schedule schedule, unsigned pack) {
  core::Options options;
  launch::LaunchOptions launch;
  launch::RaggedRange range{items, {}, {}};
  options.wg_size = 1;
  options.dimensions = 3;
  options.ragged_items = items;
  launch.groups = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    options.wg_shape[d] = static_cast<unsigned>(group[d]);
    options.wg_size *= options.wg_shape[d];
    range.shape[d] = options.wg_shape[d];
    range.groups[d] = (items[d] + group[d] - 1) / group[d];
    launch.groups *= range.groups[d];
  }
  launch.ragged = range;
  launch.warp_size = warp_size;
  launch.schedule = schedule;
  launch.pack = pack;
  launch.strict = true;
  Diagnostics warnings;
  const auto source = std::make_shared<SourceFile>("k.cl", places);
  const auto read = core::read_kernels(source, options, warnings);
  if (!read) {
    FAIL(render(*source, read.error()));
  }
  const auto program = std::make_shared<const typed::Program>(core::translate(*read, *read->kernel("")));
  launch::Arguments arguments =
      launch_text::arguments({launch_text::buffer(ScalarType::ULong, std::vector<std::uint64_t>(said * items[0] * items[1] * items[2]))},
                             {range.groups[0], range.groups[1]});
  const auto outcome = launch::run(program, arguments, launch);
  REQUIRE(outcome);
  INFO("items " << digits(items) << ", group " << digits(group) << ", warps of " << warp_size << ", pack " << pack);
  if (outcome->fault) {
    FAIL(outcome->fault->message);
  }
  CHECK(outcome->race_count == 0);
  CHECK(launch_text::numbers<std::uint64_t>(arguments.buffers[0]) == expected(items, group));
}

template <class Look>
void for_each_size(const Sizes& most, const Look& look) {
  for (std::uint64_t x = 1; x <= most[0]; ++x) {
    for (std::uint64_t y = 1; y <= most[1]; ++y) {
      for (std::uint64_t z = 1; z <= most[2]; ++z) {
        look(Sizes{x, y, z});
      }
    }
  }
}

}  // namespace

TEST_CASE("groups at the end of a ragged launch have the items that are left", "[launch][ragged]") {
  for_each_size({5, 4, 2}, [](const Sizes& items) {
    for_each_size({4, 3, 2}, [&](const Sizes& group) {
      for (const unsigned warp_size : {0U, 1U, 3U}) {
        check(items, group, warp_size, launch::Schedule::LowestPc, 0);
      }
    });
  });
}

TEST_CASE("ragged launches under all schedules and in packs", "[launch][ragged]") {
  for (const Sizes& items : {Sizes{7, 5, 3}, Sizes{9, 1, 1}, Sizes{1, 1, 5}}) {
    for (const Sizes& group : {Sizes{4, 2, 2}, Sizes{2, 3, 1}, Sizes{8, 1, 1}}) {
      for (const launch::Schedule schedule : {launch::Schedule::LowestPc, launch::Schedule::Fair, launch::Schedule::Random}) {
        for (const unsigned warp_size : {0U, 1U, 2U, 3U, 5U}) {
          for (const unsigned pack : {1U, 4U}) {
            check(items, group, warp_size, schedule, pack);
          }
        }
      }
    }
  }
}
