#include "codegen/emit/ve/support/support.hpp"

#include <span>
#include <string>

namespace lockstep::emit_ve {

namespace {

// The build makes these lists of pieces from the headers.
constexpr std::string_view pieces[] = {
#include <lockstep_ve.h.inc>
};
constexpr std::string_view host_pieces[] = {
#include <lockstep_ve_host.h.inc>
};

std::string joined(std::span<const std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
  }
  return text;
}

}  // namespace

std::string_view support_text() {
  static const std::string text = joined(pieces);
  return text;
}

std::string_view host_support_text() {
  static const std::string text = joined(host_pieces);
  return text;
}

}  // namespace lockstep::emit_ve
