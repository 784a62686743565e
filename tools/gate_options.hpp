#pragma once
// `--verify` of the subcommands that make code: the proof of the lowering in front of it.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/verdict/verdict.hpp"
#include "semantics/infreg/kernel.hpp"
#include "tools/command.hpp"
#include "tools/kernel_options.hpp"

namespace CLI {
class App;
}

namespace lockstep::tools {

inline constexpr const char* verify_group = "The proof of the lowering";

struct VerifyFlags {
  VerifyLevel level = VerifyLevel::Auto;
  unsigned timeout = 600;  ///< seconds, of VerifyLevel::Full
};

void add_verify_options(CLI::App& command, VerifyFlags& flags);

/// A sentence about options that do not go together.
std::optional<std::string> misplaced_for_verify(const CLI::App& command, const VerifyFlags& flags);

/// What there is to say of a kernel that was lowered from `source` with these options; or, if it is `given`, of InfReg-IR that was read in
/// place of that, at its own WG_SIZE. Of InfReg-IR for which there is no kernel nothing is known.
LoweringVerdict verdict_on(const std::shared_ptr<const SourceFile>& source, const infreg::Kernel& kernel, bool is_given,
                           const FrontEndFlags& front_end, const GroupFlags& group, bool streaming, const VerifyFlags& flags);
LoweringVerdict verdict_on_text();

/// "proved", "partly", "unknown", "refuted" or "not asked".
std::string_view name_of(LoweringVerdict::Kind kind);

/// The exit status that a verdict means if nothing else is wrong.
Status status_after(const LoweringVerdict& verdict);

}  // namespace lockstep::tools
