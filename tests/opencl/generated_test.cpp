// Random kernels in plain OpenCL C: an implementation that other people wrote computes what lockstep does, item by item.

#include <catch2/catch.hpp>
#include <iostream>

#include "tests/kernel_properties/support.hpp"
#include "tests/opencl/compare.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

unsigned kernels = 0;
unsigned clean = 0;

Verdict opencl_agreement(const KernelTrial& trial) {
  OpenClCase the_case{trial.text, {}, trial.kernel.wg_size, trial.kernel.groups, {}};
  for (const generate::KernelInput& input : trial.kernel.inputs) {
    if (input.is_buffer) {
      with_type(input.type, [&]<class T>(T) {
        std::vector<T> numbers(input.values.size());
        for (std::size_t k = 0; k < numbers.size(); ++k) {
          std::memcpy(&numbers[k], &input.values[k], sizeof numbers[k]);
        }
        add_buffer(the_case.arguments, input.type, numbers);
      });
    } else {
      add_scalar(the_case.arguments, input.values.front());
    }
  }
  ++kernels;
  const Agreement found = compare(std::move(the_case));
  if (!found.is_clean) {  // what a racing kernel computes is nobody's business
    return std::nullopt;
  }
  ++clean;
  return found.difference.empty() ? std::nullopt : Verdict(found.difference);
}

}  // namespace

TEST_CASE("OpenCL agrees on generated kernels", "[opencl]") {
  hold({"opencl-agreement", opencl_agreement, {.profile = generate::Profile::Plain}, "opencl_tests"}, 40);
  std::cout << clean << " of " << kernels << " generated kernels are clean and have been compared with " << wanted_platform() << "\n";
  CHECK(clean >= kernels - kernels / 20);
}
