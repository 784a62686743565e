// The kernels of examples/kernelgen as compilers have made PTX of them, on the machine, against a plain C++ reference.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/ptx/kernelgen_reference.hpp"
#include "tests/ptx/machine.hpp"

using namespace lockstep;
using namespace lockstep::test;
using reference::KernelGenKernel;
using reference::KernelGenLaunch;

namespace {

/// A size that is no multiple of anything, with a block that leaves some elements out, or has more threads than there are elements.
struct Size {
  int nx, ny, nz, block, grid;
};

/// Numbers between 0.5 and 1.5, different ones for each seed.
float number(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return 0.5F + static_cast<float>(state >> 40U) * 0x1p-24F;
}

KernelGenLaunch launch_of(const KernelGenKernel& kernel, const Size& size) {
  KernelGenLaunch launch{size.nx, size.ny, size.nz, size.block, {}, {}};
  if (kernel.sizes == 2) {
    launch.nz = 1;
  }
  std::uint64_t state = 20 + kernel.name.size();
  for (int n = 0; n < kernel.scalars; ++n) {
    launch.scalars.push_back(number(state));
  }
  for (int n = 0; n < kernel.buffers; ++n) {
    std::vector<float> buffer(kernel.elements(launch, n));
    for (float& element : buffer) {
      element = kernel.name == "gameoflife" ? (number(state) < 0.8F ? 1.0F : 0.0F) : number(state);
    }
    launch.buffers.push_back(std::move(buffer));
  }
  return launch;
}

ptx_machine::Arguments arguments_of(const KernelGenKernel& kernel, const KernelGenLaunch& launch) {
  ptx_machine::Arguments arguments;
  const std::vector<int> sizes = {launch.nx, launch.ny, launch.nz};
  for (int n = 0; n < kernel.sizes; ++n) {
    add_scalar(arguments, static_cast<std::uint32_t>(sizes[static_cast<std::size_t>(n)]), 4);
  }
  for (const float scalar : launch.scalars) {
    add_scalar(arguments, std::bit_cast<std::uint32_t>(scalar), 4);
  }
  for (const auto& buffer : launch.buffers) {
    std::vector<std::uint64_t> elements;
    for (const float element : buffer) {
      elements.push_back(std::bit_cast<std::uint32_t>(element));
    }
    add_buffer(arguments, elements, 4);
  }
  return arguments;
}

void run(const PtxFile& file, const KernelGenKernel& kernel, const Size& size, const NamedSchedule& schedule,
         ptx_machine::Arguments& arguments) {
  ptx_machine::LaunchOptions options;
  options.geometry.grid.x = static_cast<std::uint32_t>(size.grid);
  options.geometry.block.x = static_cast<std::uint32_t>(size.block);
  options.schedule = schedule.schedule;
  options.seed = schedule.seed;
  run_ptx(file, kernel.entry, arguments, options);
}

/// How far two floats of one sign are apart, in numbers between them.
std::int64_t distance(std::uint32_t a, std::uint32_t b) {
  const auto place = [](std::uint32_t x) {
    return (x >> 31U) != 0 ? -static_cast<std::int64_t>(x & 0x7fffffffU) : static_cast<std::int64_t>(x);
  };
  return std::abs(place(a) - place(b));
}

/// The first element that is not the reference's, or more than `most` numbers from it.
std::string difference(const KernelGenLaunch& expected, const ptx_machine::Arguments& found, std::int64_t most) {
  for (std::size_t b = 0; b < expected.buffers.size(); ++b) {
    for (std::size_t k = 0; k < expected.buffers[b].size(); ++k) {
      const auto bits = std::bit_cast<std::uint32_t>(expected.buffers[b][k]);
      const auto there = static_cast<std::uint32_t>(element_of(found.buffers[b], k, 4));
      if (distance(bits, there) > most) {
        return fmt::format("buffer {}, element {}: {} (0x{:08x}), and should be {} (0x{:08x})", b, k, std::bit_cast<float>(there), there,
                           expected.buffers[b][k], bits);
      }
    }
  }
  return "";
}

std::vector<Size> sizes_for(const KernelGenKernel& kernel) {
  if (kernel.sizes == 2) {
    return {{37, 11, 1, 64, 3}, {75, 9, 1, 33, 2}, {150, 7, 1, kernel.distance, 5}, {5, 5, 1, 31, 1}};
  }
  return {{23, 7, 9, 32, 3}, {41, 6, 7, 17, 2}, {70, 8, 6, kernel.distance, 4}, {5, 5, 5, 33, 1}};
}

/// sinf and cosf of the library that nvcc brings along are not rounded correctly: CUDA's programming guide says 2 units in the last place
/// at the most for each. Their sum is between -2 and 2, and is compared with a correctly rounded one.
constexpr std::int64_t most_of_library = 5;

void holds(const std::string& compiler) {
  for (const KernelGenKernel& kernel : reference::kernelgen_kernels()) {
    const PtxFile file = read_ptx_file(source_path("tests/ptx/kernelgen/" + compiler + "/" + kernel.name + ".ptx"));
    for (const Size& size : sizes_for(kernel)) {
      KernelGenLaunch expected = launch_of(kernel, size);
      const ptx_machine::Arguments before = arguments_of(kernel, expected);
      kernel.compute(expected);
      for (const NamedSchedule& schedule : schedules()) {
        INFO(kernel.name << " by " << compiler << ", " << size.nx << " x " << size.ny << " x " << size.nz << ", blocks of " << size.block
                         << ", under " << schedule.name);
        ptx_machine::Arguments arguments = before;
        REQUIRE_NOTHROW(run(file, kernel, size, schedule, arguments));
        CHECK(difference(expected, arguments, kernel.name == "sincos" && compiler == "nvcc" ? most_of_library : 0) == "");
      }
    }
  }
}

}  // namespace

TEST_CASE("kernels of KernelGen compiled by clang compute what the reference does", "[ptx][kernelgen]") { holds("clang"); }
TEST_CASE("kernels of KernelGen compiled by nvcc compute what the reference does", "[ptx][kernelgen]") { holds("nvcc"); }

TEST_CASE("a kernel of KernelGen that is not what the reference computes differs", "[ptx][kernelgen]") {
  const auto& all = reference::kernelgen_kernels();
  const auto jacobi = std::ranges::find(all, "jacobi", &KernelGenKernel::name);
  std::string text = text_of_file(source_path("tests/ptx/kernelgen/nvcc/jacobi.ptx"));
  text.replace(text.rfind("add.rn.f32"), 3, "sub");
  const Size size = sizes_for(*jacobi).front();
  KernelGenLaunch expected = launch_of(*jacobi, size);
  ptx_machine::Arguments arguments = arguments_of(*jacobi, expected);
  jacobi->compute(expected);
  run(read_ptx("changed.ptx", text), *jacobi, size, schedules().front(), arguments);
  CHECK(difference(expected, arguments, 0).starts_with("buffer 1, element 38: "));
}

TEST_CASE("kernels of KernelGen compiled with contraction run", "[ptx][kernelgen]") {
  for (const std::string compiler : {"clang-fma", "nvcc-fma"}) {
    for (const KernelGenKernel& kernel : reference::kernelgen_kernels()) {
      const PtxFile file = read_ptx_file(source_path("tests/ptx/kernelgen/" + compiler + "/" + kernel.name + ".ptx"));
      const Size size = sizes_for(kernel).front();
      ptx_machine::Arguments arguments = arguments_of(kernel, launch_of(kernel, size));
      INFO(kernel.name << " by " << compiler);
      CHECK_NOTHROW(run(file, kernel, size, schedules().front(), arguments));
    }
  }
}
