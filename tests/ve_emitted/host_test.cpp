// The header that stands in for VE's intrinsics: the order of operands, as clang's tests and NEC's describe it, and what is left open.

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "codegen/emit/ve/support/lockstep_ve_host.h"

namespace {

std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }

/// Elements of two results of one operation that differ although its operands do not.
template <class Operation>
unsigned changing(std::uint64_t part, Operation operation) {
  const __vr one = operation();
  const __vr other = operation();
  unsigned count = 0;
  for (unsigned k = 0; k < lockstep_ve::most; ++k) {
    count += ((one.element[k] ^ other.element[k]) & part) != 0 ? 1 : 0;
  }
  return count;
}

constexpr std::uint64_t all = ~std::uint64_t{0};
constexpr std::uint64_t lower = 0xffffffff;

}  // namespace

TEST_CASE("on the host, what VE leaves open changes", "[ve]") {
  const __vr numbers = _vel_vseq_vl(256);
  for (const unsigned length : {0U, 1U, 255U, 256U}) {
    REQUIRE((changing(all, [&] { return _vel_vaddul_vsvl(1, numbers, length); }) == 256 - length));
    REQUIRE((changing(all, [&] { return _vel_vbrdd_vsl(1.5, length); }) == 256 - length));
    REQUIRE((changing(lower, [&] { return _vel_vbrds_vsl(1.5F, length); }) == 256));
    REQUIRE((changing(all ^ lower, [&] { return _vel_vfadds_vvvl(numbers, numbers, length); }) == 256 - length));
  }
  REQUIRE((changing(all, [&] { return _vel_vcvtldrz_vvl(_vel_vbrdd_vsl(0x1p63, 256), 256); }) == 256));
  REQUIRE((changing(all, [&] { return _vel_vcvtldrz_vvl(_vel_vbrdd_vsl(NAN, 256), 256); }) == 256));
  REQUIRE((changing(all, [&] { return _vel_vdivul_vsvl(1, _vel_vbrdl_vsl(0, 256), 256); }) == 256));
  const __vm256 one = _vel_vfmklat_ml(128);
  const __vm256 other = _vel_vfmklat_ml(128);
  unsigned different = 0;
  for (unsigned k = 0; k < 256; ++k) {
    different += one.bit[k] != other.bit[k] ? 1 : 0;
    REQUIRE((k >= 128 || one.bit[k]));
  }
  REQUIRE((different > 32));
}

TEST_CASE("on the host, intrinsics have VE's operands", "[ve]") {
  const __vr numbers = _vel_vseq_vl(256);
  const __vr three = _vel_vbrdd_vsl(3, 256);
  REQUIRE((_vel_vfmadd_vvvvl(_vel_vbrdd_vsl(1, 256), _vel_vbrdd_vsl(5, 256), three, 256).element[255] == bits(16)));
  REQUIRE((_vel_vfmadd_vsvvl(1, _vel_vbrdd_vsl(5, 256), three, 256).element[7] == bits(16)));
  REQUIRE((_vel_vfmadd_vvsvl(_vel_vbrdd_vsl(1, 256), 5, three, 256).element[7] == bits(16)));
  // Rounded once.
  REQUIRE((_vel_vfmadd_vsvvl(-1, _vel_vbrdd_vsl(1 + 0x1p-30, 1), _vel_vbrdd_vsl(1 - 0x1p-30, 1), 1).element[0] == bits(-0x1p-60)));
  REQUIRE((_vel_vfsubd_vsvl(1, three, 256).element[3] == bits(-2)));
  REQUIRE((_vel_vfdivd_vsvl(1, three, 256).element[3] == bits(1.0 / 3)));
  REQUIRE((_vel_vsubul_vsvl(1, numbers, 256).element[3] == static_cast<std::uint64_t>(-2)));
  REQUIRE((_vel_vsll_vvsl(numbers, 65, 256).element[3] == 6));
  REQUIRE((_vel_vsral_vvvl(_vel_vbrdl_vsl(-8, 256), numbers, 256).element[2] == static_cast<std::uint64_t>(-2)));
  REQUIRE((_vel_vsrl_vvvl(_vel_vbrdl_vsl(-8, 256), numbers, 256).element[62] == 3));
  REQUIRE((_vel_vsfa_vvssl(numbers, 3, 100, 256).element[5] == 140));
  REQUIRE((_vel_vaddswsx_vsvl(INT32_MAX, numbers, 256).element[1] == static_cast<std::uint64_t>(std::int64_t{INT32_MIN})));
  REQUIRE((_vel_vdivsl_vvvl(_vel_vbrdl_vsl(INT64_MIN, 256), _vel_vbrdl_vsl(-1, 256), 256).element[0] == std::uint64_t{1} << 63U));

  // The sign of a comparison says less, equal, greater; below 0 a number without sign is large.
  const __vr limit = _vel_vbrdl_vsl(100, 256);
  const __vm256 less = _vel_vfmkllt_mvl(_vel_vcmpsl_vvvl(numbers, limit, 256), 256);
  REQUIRE((less.bit[99] && !less.bit[100]));
  REQUIRE((_vel_vfmklgt_mvl(_vel_vcmpul_vsvl(static_cast<std::uint64_t>(-1), limit, 256), 256).bit[0]));
  REQUIRE((_vel_vfmklgt_mvl(_vel_vcmpsl_vsvl(1, _vel_vbrdl_vsl(-1, 256), 256), 256).bit[0]));
  const __vr unordered = _vel_vfcmpd_vvvl(_vel_vbrdd_vsl(NAN, 256), three, 256);
  REQUIRE(
      (!_vel_vfmkdle_mvl(unordered, 256).bit[0] && !_vel_vfmkdge_mvl(unordered, 256).bit[0] && !_vel_vfmkdeq_mvl(unordered, 256).bit[0]));
  REQUIRE((_vel_vfmkdnenan_mvl(unordered, 256).bit[0]));

  // The second operand where the mask is set.
  const __vr merged = _vel_vmrg_vvvml(limit, numbers, less, 256);
  REQUIRE((merged.element[7] == 7 && merged.element[200] == 100));
  REQUIRE((_vel_nndm_mmm(less, _vel_vfmklat_ml(256)).bit[200] && !_vel_nndm_mmm(less, _vel_vfmklat_ml(256)).bit[7]));
  REQUIRE((_vel_pcvm_sml(less, 256) == 100 && _vel_pcvm_sml(less, 50) == 50));
}

TEST_CASE("on the host, memory has what VE's has", "[ve]") {
  std::array<float, 8> floats = {1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::int32_t, 8> ints = {-1, 2, -3, 4, -5, 6, -7, 8};
  REQUIRE((_vel_vldu_vssl(8, floats.data(), 4).element[3] >> 32U == std::bit_cast<std::uint32_t>(7.0F)));
  REQUIRE((_vel_vldlsx_vssl(4, ints.data(), 8).element[2] == static_cast<std::uint64_t>(-3)));
  REQUIRE((_vel_vldlzx_vssl(4, ints.data(), 8).element[2] == static_cast<std::uint32_t>(-3)));
  const __vm256 odd = _vel_vfmklne_mvl(_vel_vand_vsvl(1, _vel_vseq_vl(256), 256), 256);
  const __vr addresses = _vel_vsfa_vvssl(_vel_vseq_vl(256), 2, reinterpret_cast<std::uint64_t>(ints.data()), 256);
  // What the mask leaves out, and what lies beyond the vector length, keeps what is passed through.
  const __vr gathered = _vel_vgtlsx_vvssmvl(addresses, 0, 0, odd, _vel_vbrdl_vsl(77, 256), 8);
  REQUIRE((gathered.element[1] == 2 && gathered.element[2] == 77 && gathered.element[9] == 77));
  _vel_vstl_vssml(_vel_vbrdl_vsl(50, 256), 4, ints.data(), odd, 6);
  REQUIRE((ints == std::array<std::int32_t, 8>{-1, 50, -3, 50, -5, 50, -7, 8}));
  _vel_vscl_vvssl(_vel_vseq_vl(256), addresses, 0, 0, 2);
  REQUIRE((ints == std::array<std::int32_t, 8>{0, 1, -3, 50, -5, 50, -7, 8}));
  _vel_vstu_vssl(_vel_vbrds_vsl(0.5F, 256), 8, floats.data(), 2);
  REQUIRE((floats == std::array<float, 8>{0.5F, 2, 0.5F, 4, 5, 6, 7, 8}));
}
