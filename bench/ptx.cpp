// Jacobi of examples/kernelgen with 512 threads a block: as PTX on the PTX machine, with and without a search for races, and as OpenCL C on
// the PIRCH machine. All leave the same bits. Least processor times of several runs, one thread each.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/common.hpp"
#include "interpreter/launch/launch.hpp"
#include "interpreter/ptx/launch.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/ptx/parse.hpp"
#include "semantics/ptx/resolve.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::bench;

constexpr std::uint32_t nx = 2048;
constexpr std::uint32_t ny = 514;
constexpr std::uint32_t blocks = 64;
constexpr std::uint32_t threads = 512;
constexpr int runs = 7;
constexpr std::array<float, 3> weights = {0.5F, 0.1F, 0.05F};

/// The same operations in the same order as in jacobi.cu.
constexpr const char* opencl_text = R"(
#define AT(w, i, j) w[(i) + nx * (j)]
__kernel void jacobi(int nx, int ny, float c0, float c1, float c2, __global const float *w0, __global float *w1) {
  for (int j = 1 + get_group_id(0); j <= ny - 2; j += get_num_groups(0))
    for (int i = 1 + get_local_id(0); i <= nx - 2; i += get_local_size(0))
      AT(w1, i, j) = c0 * AT(w0, i, j) + c1 * (AT(w0, i - 1, j) + AT(w0, i, j - 1) + AT(w0, i + 1, j) + AT(w0, i, j + 1)) +
                     c2 * (AT(w0, i - 1, j - 1) + AT(w0, i - 1, j + 1) + AT(w0, i + 1, j - 1) + AT(w0, i + 1, j + 1));
}
)";

launch::Buffer grid_of_numbers(bool zeros) {
  launch::Buffer buffer{
      ScalarType::Float, std::uint64_t{nx} * ny, std::vector<std::byte>(std::size_t{4} * nx * ny), {std::uint64_t{nx} * ny}, {}};
  for (std::size_t k = 0; k < buffer.count && !zeros; ++k) {
    const float number = static_cast<float>(k * 37 % 1000) * 0.01F - 5;
    std::memcpy(&buffer.bytes[4 * k], &number, 4);
  }
  return buffer;
}

struct Timed {
  double seconds = 1e300;
  std::uint64_t thread_steps = 0;
  std::vector<std::byte> result;
};

template <class Number>
ptx_machine::ParameterValue bytes_of(Number number) {
  ptx_machine::ParameterBytes bytes{std::vector<std::byte>(sizeof number)};
  std::memcpy(bytes.bytes.data(), &number, sizeof number);
  return bytes;
}

Timed run_ptx(const ptx::resolved::Module& module, bool races) {
  Timed timed;
  for (int k = 0; k < runs; ++k) {
    ptx_machine::Arguments arguments;
    arguments.values = {bytes_of(nx),         bytes_of(ny),    bytes_of(weights[0]), bytes_of(weights[1]),
                        bytes_of(weights[2]), BufferNumber{0}, BufferNumber{1}};
    arguments.buffers = {grid_of_numbers(false), grid_of_numbers(true)};
    ptx_machine::LaunchOptions options;
    options.geometry = {{blocks, 1, 1}, {threads, 1, 1}};
    options.races = races;
    const double start = processor_seconds();
    const auto outcome = ptx_machine::run(module, *module.function("jacobi"), arguments, options);
    timed.seconds = std::min(timed.seconds, processor_seconds() - start);
    if (!outcome || outcome->fault || outcome->race_count != 0) {
      give_up(!outcome ? outcome.error() : outcome->fault ? ptx_machine::render(module, *outcome->fault) : "a race");
    }
    timed.thread_steps = outcome->thread_steps;
    timed.result = std::move(arguments.buffers[1].bytes);
  }
  return timed;
}

Timed run_opencl(bool races) {
  const auto source = std::make_shared<const SourceFile>("jacobi.cl", opencl_text);
  core::Options front_end;
  front_end.wg_size = threads;
  front_end.contract = false;
  Diagnostics warnings;
  const auto kernels = core::read_kernels(source, front_end, warnings);
  if (!kernels) {
    give_up(render(*source, kernels.error()));
  }
  const auto program = std::make_shared<const typed::Program>(core::translate(*kernels, *kernels->kernel("jacobi")));
  Timed timed;
  for (int k = 0; k < runs; ++k) {
    launch::Arguments arguments;
    const auto number = [](auto n) -> Argument { return ScalarBits{std::bit_cast<std::uint32_t>(n)}; };
    arguments.values = {number(nx),         number(ny),      number(weights[0]), number(weights[1]),
                        number(weights[2]), BufferNumber{0}, BufferNumber{1}};
    arguments.buffers = {grid_of_numbers(false), grid_of_numbers(true)};
    launch::LaunchOptions options;
    options.groups = blocks;
    options.threads = 1;
    options.races = races;
    const double start = processor_seconds();
    const auto outcome = launch::run(program, arguments, options);
    timed.seconds = std::min(timed.seconds, processor_seconds() - start);
    if (!outcome || outcome->fault || outcome->race_count != 0) {
      give_up(!outcome ? outcome.error() : outcome->fault ? launch::render(*program, *outcome->fault) : "a race");
    }
    timed.result = std::move(arguments.buffers[1].bytes);
  }
  return timed;
}

}  // namespace

int main() {
  const auto source = std::make_shared<const SourceFile>("jacobi.ptx", text_of("../tests/ptx/kernelgen/clang/jacobi.ptx"));
  const auto parsed = ptx::parse(*source);
  if (!parsed) {
    give_up(render(*source, parsed.error()));
  }
  const auto module = ptx::resolve(*parsed, source);
  if (!module) {
    give_up(render(*source, module.error()));
  }
  fmt::print("jacobi, {} x {} numbers, {} blocks of {} threads\n", nx, ny, blocks, threads);
  fmt::print("{:<8}{:>18}{:>18}{:>32}\n", "races", "PTX, ms", "OpenCL C, ms", "million PTX thread-instructions/s");
  for (const bool races : {false, true}) {
    const Timed ptx = run_ptx(*module, races);
    const Timed opencl = run_opencl(races);
    if (ptx.result != opencl.result) {
      give_up("the results differ");
    }
    fmt::print("{:<8}{:>18.1f}{:>18.1f}{:>32.0f}\n", races ? "on" : "off", ptx.seconds * 1e3, opencl.seconds * 1e3,
               static_cast<double>(ptx.thread_steps) / ptx.seconds / 1e6);
  }
}
