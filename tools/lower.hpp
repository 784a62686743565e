#pragma once
// What `lower`, `emit` and `diff` share: the way of a kernel to InfReg-IR.

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/passes/pipeline.hpp"
#include "semantics/base/source.hpp"
#include "semantics/infreg/kernel.hpp"
#include "tools/command.hpp"
#include "tools/kernel_program.hpp"

namespace CLI {
class Option;
}

namespace lockstep::tools {

/// Whether a text is InfReg-IR: its name ends in .ir.
bool is_infreg_text(const SourceFile& source);
/// For subcommands that run programs and kernels: a sentence if the text is InfReg-IR, which the interpreter does not run.
std::optional<std::string> not_for_the_interpreter(const SourceFile& source);

/// A sentence about an option that was given but means nothing to InfReg-IR, whose text says how large groups and packs are.
std::optional<std::string> misplaced_for_infreg(const CLI::App& command, const std::string& file);

/// "auto" as 1, or a number of groups; the error is a sentence.
std::expected<unsigned, std::string> compiled_pack(const std::string& text);

/// `--streaming`, for kernels.
CLI::Option* add_streaming_option(CLI::App& command, bool& streaming);

/// Packs of this many groups (0: see lower_kernel), and nothing else that is not the default.
passes::PipelineOptions pipeline_options(unsigned wg_pack, bool streaming);

/// How many groups a pack of this kernel should have.
using PackChoice = std::function<unsigned(const infreg::Kernel& kernel)>;
/// For code on this host.
unsigned usual_pack(const infreg::Kernel& kernel);

/// The kernel in InfReg-IR, which the verifier accepts. With a WG_PACK of 0 it is lowered for packs of one group, and once more if others
/// are chosen. Refused are kernels that cannot be lowered.
std::expected<infreg::Kernel, Refusal> lower_kernel(const differential::ReadKernel& kernel, passes::PipelineOptions options,
                                                    const PackChoice& choose = usual_pack);

/// A text in InfReg-IR, verified. A text that cannot be read is status 2, one that the verifier refuses status 1; both have been said then.
std::expected<infreg::Kernel, Status> read_infreg(const std::shared_ptr<const SourceFile>& source);

/// What the options of `lower` ask for beyond the form.
struct LowerRequest {
  std::string to;        ///< infreg or llvm
  unsigned wg_pack = 1;  ///< 0: the compiler chooses
  bool verify_each = false;
  std::string dump_after;  ///< the program after this pass instead; may be empty
  bool explain = false;    ///< the stages on the way as well
  bool streaming = false;  ///< arrays stay in the memory that they are loaded from
};

/// A kernel as `lower --to infreg` and `--to llvm` show it.
std::expected<std::string, Refusal> lowered_text(const differential::ReadKernel& kernel, const LowerRequest& request);

/// A kernel in InfReg-IR, as InfReg-IR or LLVM IR; the error is a sentence.
std::expected<std::string, std::string> form_of(const infreg::Kernel& kernel, const std::string& to);

/// All passes with their purposes, a line each.
std::string list_of_passes();

/// A sentence if no pass has this name.
std::optional<std::string> wrong_pass(const std::string& name);

}  // namespace lockstep::tools
