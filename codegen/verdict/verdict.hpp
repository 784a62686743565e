#pragma once
// What is known of a lowering before its code is used: whether InfReg-IR has been proved to do what the kernel does. Who asks for it needs
// no solver; codegen/gate is where proofs come from.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "semantics/base/source.hpp"
#include "semantics/core/options.hpp"

namespace lockstep {
namespace infreg {
struct Kernel;
}

enum class VerifyLevel : std::uint8_t {
  Off,
  Auto,  ///< within a budget that is counted in steps of the solver, so that equal questions have equal answers wherever they are asked
  Full,  ///< for as long as it takes, up to a time limit
};

/// A lowering that is asked about: of the text's kernel, with the options that it is compiled with.
struct LoweringTask {
  std::shared_ptr<const SourceFile> source;
  core::Options options;  ///< with the WG_SIZE that it is compiled for, and the kernel's name
  unsigned wg_pack = 1;
  bool streaming = false;
  /// InfReg-IR in place of what the passes make of the kernel: it is asked about as it is, at its own WG_SIZE. None: null.
  std::shared_ptr<const infreg::Kernel> given;
  VerifyLevel level = VerifyLevel::Auto;
  std::chrono::seconds timeout{600};  ///< of Full
};

struct LoweringVerdict {
  enum class Kind : std::uint8_t {
    NotAsked,
    Proved,   ///< for all inputs, at all the sizes
    Partly,   ///< at some of the sizes only, up to a number of rounds, or for a few numbers of a scalar
    Unknown,  ///< nothing is proved, and nothing refuted
    Refuted,  ///< there are inputs on which both have been run, and differ
  };
  Kind kind = Kind::NotAsked;
  VerifyLevel level = VerifyLevel::Off;  ///< at which it was asked
  std::string sentence;                  ///< "InfReg-IR proved at WG_SIZE 2 to 4", or what else there is to say; no full stop

  bool operator==(const LoweringVerdict&) const = default;
};

/// Answers, if it is linked: lockstep::prove_lowering.
using LoweringProver = LoweringVerdict(const LoweringTask& task);

}  // namespace lockstep
