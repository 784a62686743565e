// The shim against the processor, intrinsic by intrinsic.
#include "tests/avx512/intrinsics.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "tests/avx512/support.hpp"

namespace lockstep::avx512_checks {
namespace {

/// Whether two results are the same: floats as `same`, approximations if they are within twice their bound of each other, as far as that
/// bound is promised.
template <class T>
bool agree(const std::byte* x, const std::byte* y, std::size_t size, bool near) {
  for (std::size_t i = 0; i + sizeof(T) <= size; i += sizeof(T)) {
    const T a = element_at<T>(x + i);
    const T b = element_at<T>(y + i);
    if (near ? std::isnormal(a) && std::isnormal(b) && std::abs(a - b) > std::abs(b) * T{0x1p-13F} : !same(a, b)) {
      return false;
    }
  }
  return true;
}

bool agree(Lanes lanes, const std::byte* x, const std::byte* y, std::size_t size) {
  switch (lanes) {
    case Lanes::Doubles:
    case Lanes::NearDoubles:
      return agree<double>(x, y, size, lanes == Lanes::NearDoubles);
    case Lanes::Floats:
    case Lanes::NearFloats:
      return agree<float>(x, y, size, lanes == Lanes::NearFloats);
    case Lanes::Bits:
      break;
  }
  return std::memcmp(x, y, size) == 0;
}

template <class T>
void fill(std::byte* begin, std::size_t size, Random& random) {
  for (std::size_t i = 0; i < size; i += sizeof(T)) {
    const T number = random_number<T>(random);
    std::memcpy(begin + i, &number, sizeof number);
  }
}

std::string name_of(const Intrinsic& one) {
  return std::string(one.name) + (one.immediate < 0 ? "" : " with " + std::to_string(one.immediate));
}

TEST_CASE("each intrinsic of the shim does what the processor does") {
  const std::span<const Intrinsic> real = real_intrinsics();
  const std::span<const Intrinsic> shim = shim_intrinsics();
  REQUIRE(real.size() == shim.size());
  REQUIRE(real.size() > 1500);
  std::size_t different = 0;
  for (std::size_t k = 0; k < real.size(); ++k) {
    REQUIRE(name_of(real[k]) == name_of(shim[k]));
    REQUIRE(real[k].result_bytes <= most_result_bytes);
    Random random(k);
    std::size_t wrong = 0;
    for (int round = 0; round < 400; ++round) {
      alignas(64) std::array<std::byte, input_bytes> input;
      switch (round % 4) {
        case 0:
          fill<double>(input.data(), input.size(), random);
          break;
        case 1:
          fill<float>(input.data(), input.size(), random);
          break;
        case 2:
          fill<std::int32_t>(input.data(), input.size(), random);
          break;
        default:
          fill<std::uint64_t>(input.data(), input.size(), random);
          break;
      }
      alignas(64) std::array<std::byte, most_result_bytes> by_processor;
      fill<std::uint64_t>(by_processor.data(), by_processor.size(), random);
      alignas(64) std::array<std::byte, most_result_bytes> by_shim = by_processor;
      real[k].run(input.data(), by_processor.data());
      shim[k].run(input.data(), by_shim.data());
      wrong += agree(real[k].lanes, by_processor.data(), by_shim.data(), most_result_bytes) ? 0U : 1U;
    }
    if (wrong != 0) {
      ++different;
      UNSCOPED_INFO(name_of(real[k]) << " differs in " << wrong << " of 400 trials");
    }
  }
  CHECK(different == 0);
}

TEST_CASE("products and sums of the shim are not fused") {
  const Outcome outcome = shim_contraction();
  for (const std::string& wrong : outcome.wrong) {
    UNSCOPED_INFO(wrong);
  }
  CHECK(outcome.wrong.empty());
  CHECK(outcome.compared >= 100);
}

}  // namespace
}  // namespace lockstep::avx512_checks
