#include "interpreter/ptx/frame.hpp"

namespace lockstep::ptx_machine {

FrameLayout::FrameLayout(const FunctionCode& code, unsigned padded_threads) {
  for (const std::uint8_t element : code.row_bytes) {
    offsets.push_back(bytes);
    bytes += std::size_t{element} * padded_threads;
  }
}

}  // namespace lockstep::ptx_machine
