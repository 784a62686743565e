#include "interpreter/ptx/specials.hpp"

namespace lockstep::ptx_machine {

namespace {

using ptx::SpecialRegister;

/// .w is 0 of all of them (PTX ISA, Special Registers).
std::uint32_t component(const Dim3& of, unsigned number) { return number == 0 ? of.x : number == 1 ? of.y : number == 2 ? of.z : 0; }

bool is_of_block(SpecialRegister name) { return name == SpecialRegister::Ctaid || name == SpecialRegister::Clusterid; }

void fill(Pool& pool, const Pool::SpecialRow& row, const LaunchOptions& options, std::uint64_t block) {
  const auto threads = static_cast<unsigned>(options.geometry.block.count());
  for (unsigned thread = 0; thread < threads; ++thread) {
    const std::uint64_t number = number_of(row.special, options, block, thread);
    std::memcpy(pool.row(row.row) + std::size_t{thread} * row.bytes, &number, std::min<std::size_t>(row.bytes, 8));
  }
}

}  // namespace

std::uint64_t number_of(const ptx::Special& special, const LaunchOptions& options, std::uint64_t block, unsigned thread) {
  const Geometry& geometry = options.geometry;
  const unsigned lane = thread % warp_threads;
  switch (special.name) {
    case SpecialRegister::Tid:
      return component(geometry.block.at(thread), special.component);
    case SpecialRegister::Ntid:
      return component(geometry.block, special.component);
    case SpecialRegister::Ctaid:
    case SpecialRegister::Clusterid:
      return component(geometry.grid.at(block), special.component);
    case SpecialRegister::Nctaid:
    case SpecialRegister::Nclusterid:
      return component(geometry.grid, special.component);
    case SpecialRegister::ClusterNctaid:
      return special.component < 3 ? 1 : 0;
    case SpecialRegister::ClusterNctarank:
    case SpecialRegister::Nsmid:
      return 1;
    case SpecialRegister::Laneid:
      return lane;
    case SpecialRegister::Warpid:
      return thread / warp_threads;
    case SpecialRegister::Nwarpid:
      return (geometry.block.count() + warp_threads - 1) / warp_threads;
    case SpecialRegister::LanemaskEq:
      return std::uint64_t{1} << lane;
    case SpecialRegister::LanemaskLe:
      return (std::uint64_t{2} << lane) - 1;
    case SpecialRegister::LanemaskLt:
      return (std::uint64_t{1} << lane) - 1;
    case SpecialRegister::LanemaskGe:
      return 0xffffffffU & ~((std::uint64_t{1} << lane) - 1);
    case SpecialRegister::LanemaskGt:
      return 0xffffffffU & ~((std::uint64_t{2} << lane) - 1);
    case SpecialRegister::TotalSmemSize:
    case SpecialRegister::AggrSmemSize:
    case SpecialRegister::DynamicSmemSize:
      return options.shared_bytes;
    default:
      return 0;
  }
}

void set_thread_specials(Pool& pool, const LaunchOptions& options) {
  for (const Pool::SpecialRow& row : pool.specials()) {
    if (!is_of_block(row.special.name)) {
      fill(pool, row, options, 0);
    }
  }
}

void set_block_specials(Pool& pool, const LaunchOptions& options, std::uint64_t block) {
  for (const Pool::SpecialRow& row : pool.specials()) {
    if (is_of_block(row.special.name)) {
      fill(pool, row, options, block);
    }
  }
}

void set_clock(Pool& pool, std::uint32_t row, std::uint8_t bytes, std::uint64_t now) {
  for (unsigned thread = 0; thread < pool.threads(); ++thread) {
    std::memcpy(pool.row(row) + std::size_t{thread} * bytes, &now, std::min<std::size_t>(bytes, 8));
  }
}

}  // namespace lockstep::ptx_machine
