#include "interpreter/ptx/rows.hpp"

namespace lockstep::ptx_machine {

std::uint32_t Pool::add(std::uint8_t bytes) {
  rows_.emplace_back(std::size_t{threads_} * bytes);
  bytes_ += std::size_t{threads_} * bytes;
  return static_cast<std::uint32_t>(rows_.size() - 1);
}

std::uint32_t Pool::number(std::array<std::uint64_t, 2> bits, std::uint8_t bytes) {
  const auto [found, is_new] = numbers_.try_emplace({bits[0], bits[1], bytes}, 0);
  if (is_new) {
    found->second = add(bytes);
    for (unsigned lane = 0; lane < threads_; ++lane) {
      std::memcpy(rows_.back().data() + std::size_t{lane} * bytes, bits.data(), bytes);
    }
  }
  return found->second;
}

std::uint32_t Pool::special(ptx::Special special, std::uint8_t bytes) {
  for (const SpecialRow& known : specials_) {
    if (known.special == special && known.bytes == bytes) {
      return known.row;
    }
  }
  specials_.push_back({special, bytes, add(bytes)});
  return specials_.back().row;
}

}  // namespace lockstep::ptx_machine
