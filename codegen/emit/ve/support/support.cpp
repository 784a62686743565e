#include "codegen/emit/ve/support/support.hpp"

#include <string>

namespace lockstep::emit_ve {

namespace {

// The build makes this list of pieces from the header.
constexpr std::string_view pieces[] = {
#include <lockstep_ve.h.inc>
};

}  // namespace

std::string_view support_text() {
  static const std::string text = [] {
    std::string joined;
    for (const std::string_view piece : pieces) {
      joined += piece;
    }
    return joined;
  }();
  return text;
}

}  // namespace lockstep::emit_ve
