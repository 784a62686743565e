// Division by one number in all lanes, which the lane kernels do by a shift where they can, against C++'s own.

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "interpreter/launch/lane_kernels.hpp"

namespace lockstep::launch {

extern const LaneKernels lane_kernels_baseline;

}  // namespace lockstep::launch

using namespace lockstep;

namespace {

template <class T>
std::vector<T> edges() {
  std::vector<T> numbers;
  for (int k = 0; k <= 40; ++k) {
    numbers.push_back(static_cast<T>(k));
    numbers.push_back(static_cast<T>(-k));
    numbers.push_back(static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(k)));
    numbers.push_back(static_cast<T>(std::numeric_limits<T>::min() + static_cast<T>(k)));
  }
  return numbers;
}

template <class T>
void check_division(const launch::LaneKernels& kernels, ScalarType type) {
  const std::vector<T> left = edges<T>();
  std::vector<T> divisors = {
      3, 5, 100, static_cast<T>(-1), static_cast<T>(-4), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  for (T power = 1; power > 0; power = static_cast<T>(static_cast<std::make_unsigned_t<T>>(power) << 1)) {
    divisors.push_back(power);
  }
  const auto row = static_cast<std::size_t>(type);
  for (const T divisor : divisors) {
    for (const bool in_all : {true, false}) {
      std::vector<T> right(left.size(), divisor);
      right.back() = in_all ? divisor : T{7};
      std::vector<T> quotients(left.size());
      std::vector<T> remainders(left.size());
      kernels.op[static_cast<std::size_t>(Op::Div)][row](quotients.data(), left.data(), right.data(), nullptr, left.size());
      kernels.op[static_cast<std::size_t>(Op::Rem)][row](remainders.data(), left.data(), right.data(), nullptr, left.size());
      for (std::size_t t = 0; t < left.size(); ++t) {
        const bool overflows = std::is_signed_v<T> && left[t] == std::numeric_limits<T>::min() && right[t] == static_cast<T>(-1);
        if (right[t] != 0 && !overflows) {
          INFO(kernels.name << ": " << +left[t] << " by " << +right[t] << ", lane " << t);
          REQUIRE(quotients[t] == static_cast<T>(left[t] / right[t]));
          REQUIRE(remainders[t] == static_cast<T>(left[t] % right[t]));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("Lane kernels divide by one number as C++ does", "[launch]") {
  for (const launch::LaneKernels* kernels : {&launch::lane_kernels_baseline, &launch::lane_kernels()}) {
    check_division<std::int8_t>(*kernels, ScalarType::Char);
    check_division<std::uint8_t>(*kernels, ScalarType::UChar);
    check_division<std::int16_t>(*kernels, ScalarType::Short);
    check_division<std::uint16_t>(*kernels, ScalarType::UShort);
    check_division<std::int32_t>(*kernels, ScalarType::Int);
    check_division<std::uint32_t>(*kernels, ScalarType::UInt);
    check_division<std::int64_t>(*kernels, ScalarType::Long);
    check_division<std::uint64_t>(*kernels, ScalarType::ULong);
  }
}
