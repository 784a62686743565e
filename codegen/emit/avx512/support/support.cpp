#include "codegen/emit/avx512/support/support.hpp"

#include <array>
#include <string>

namespace lockstep::emit_avx512 {

namespace {

// The build makes these lists of pieces from the files in this folder.
constexpr std::string_view header[] = {
#include <lockstep_avx512.h.inc>
};
constexpr std::string_view shim[] = {
#include <lockstep_avx512_shim.h.inc>
};

std::string joined(std::span<const std::string_view> pieces) {
  std::string result;
  for (const std::string_view piece : pieces) {
    result += piece;
  }
  return result;
}

}  // namespace

std::span<const SupportFile> support_files() {
  static const std::array<std::string, 2> texts = {joined(header), joined(shim)};
  static const std::array<SupportFile, 2> files = {SupportFile{"lockstep_avx512.h", texts[0]},
                                                   SupportFile{"lockstep_avx512_shim.h", texts[1]}};
  return files;
}

}  // namespace lockstep::emit_avx512
