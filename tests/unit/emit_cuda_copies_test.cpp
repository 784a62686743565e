// The part of the CUDA target's header that copies arrays of hosts, on a runtime of our own: what overlaps does so on the device, only what
// may be written comes back, and no failure leaves memory behind.

#include "tests/cuda/runtime.h"
// Behind the runtime.
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "codegen/emit/cuda/support/lockstep_cuda.h"

namespace {

using lockstep_cuda::Copies;

struct Host {
  std::vector<double> numbers = std::vector<double>(64);
  Host() { std::iota(numbers.begin(), numbers.end(), 1.0); }
};

}  // namespace

TEST_CASE("arrays that are apart lie apart, and what is written comes back") {
  Host host;
  std::vector<double> read{5, 6, 7};
  {
    Copies<2> copies;
    copies.add(host.numbers.data(), 64 * sizeof(double), true);
    copies.add(read.data(), 3 * sizeof(double), false);
    REQUIRE(copies.begin() == cudaSuccess);
    auto* written = static_cast<double*>(copies.on_device(0));
    auto* other = static_cast<double*>(copies.on_device(1));
    REQUIRE(written != host.numbers.data());
    REQUIRE(other[2] == 7);
    written[63] = -1;
    other[0] = -5;
    REQUIRE(copies.end() == cudaSuccess);
  }
  REQUIRE(host.numbers[62] == 63);
  REQUIRE(host.numbers[63] == -1);
  REQUIRE(read[0] == 5);
  REQUIRE(stand_in::allocations == 0);
}

TEST_CASE("arrays that overlap on the host do on the device, in whatever order they are given") {
  Host host;
  // A chain: the second overlaps the first and the third, which do not meet.
  Copies<3> copies;
  copies.add(&host.numbers[30], 20 * sizeof(double), true);
  copies.add(&host.numbers[0], 10 * sizeof(double), true);
  copies.add(&host.numbers[8], 24 * sizeof(double), false);
  REQUIRE(copies.begin() == cudaSuccess);
  auto* third = static_cast<double*>(copies.on_device(0));
  auto* first = static_cast<double*>(copies.on_device(1));
  auto* second = static_cast<double*>(copies.on_device(2));
  REQUIRE(second - first == 8);
  REQUIRE(third - first == 30);
  REQUIRE(stand_in::allocations == 1);
  second[1] = -9;    // the first one's last element
  second[22] = -30;  // the third one's first
  REQUIRE(copies.end() == cudaSuccess);
  REQUIRE(host.numbers[9] == -9);
  REQUIRE(host.numbers[30] == -30);
  REQUIRE(host.numbers[10] == 11);
  REQUIRE(stand_in::allocations == 0);
}

TEST_CASE("elements are as far from a boundary as on the host, and empty arrays are nowhere") {
  std::vector<char> bytes(600);
  for (const std::size_t offset : {0U, 1U, 7U, 255U}) {
    Copies<2> copies;
    copies.add(&bytes[offset], 100, false);
    copies.add(&bytes[offset], 0, true);
    REQUIRE(copies.begin() == cudaSuccess);
    REQUIRE((reinterpret_cast<uintptr_t>(copies.on_device(0)) - reinterpret_cast<uintptr_t>(&bytes[offset])) % 256 == 0);
    REQUIRE(copies.on_device(1) == nullptr);
    REQUIRE(copies.end() == cudaSuccess);
  }
  REQUIRE(stand_in::allocations == 0);
}

TEST_CASE("whichever call fails, the error is reported and nothing is left behind") {
  bool has_ended_well = false;
  for (int failing = 0; !has_ended_well; ++failing) {
    REQUIRE(failing < 20);
    Host host;
    std::vector<double> other{1, 2};
    stand_in::calls_until_failure = failing;
    {
      Copies<2> copies;
      copies.add(host.numbers.data(), 64 * sizeof(double), true);
      copies.add(other.data(), 2 * sizeof(double), true);
      int error = copies.begin();
      error = error == cudaSuccess ? copies.end() : error;
      has_ended_well = stand_in::calls_until_failure >= 0;
      REQUIRE((error == cudaSuccess) == has_ended_well);
    }
    stand_in::calls_until_failure = -1;
    REQUIRE(stand_in::allocations == 0);
  }
}
