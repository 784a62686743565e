#pragma once
// From object code to instructions, with LLVM's disassembler.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "semantics/ve/instruction.hpp"
#include "semantics/ve/object.hpp"

namespace lockstep::ve {

/// LLVM's disassembler and printer for VE.
class Decoder {
 public:
  /// The error is a sentence: this LLVM has no VE.
  static std::expected<Decoder, std::string> make();

  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder();

  /// The 8 bytes as an instruction. The error says what they are, if not one that runs.
  std::expected<Instruction, std::string> decode(std::span<const std::byte> bytes) const;

  /// The instruction as assembly: "vfadd.d %v0, %v1, %v2".
  std::string text(std::span<const std::byte> bytes) const;

 private:
  struct Llvm;
  explicit Decoder(std::unique_ptr<Llvm> llvm);
  std::unique_ptr<Llvm> llvm_;
};

/// The instructions of the object's sections, in their order; none of one that is not executable.
using Code = std::vector<std::vector<Instruction>>;

/// All of its code. The error is a sentence about the first instruction that does not run, with its place.
std::expected<Code, std::string> decode(const Decoder& decoder, const Object& object);

}  // namespace lockstep::ve
