// `lockstep lower --to infreg` and `--to llvm`: the passes, what they leave, and the stages of the borG paper's Example 2.

#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "codegen/emit/llvm/emit.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/storage.hpp"
#include "tools/lower.hpp"

namespace lockstep::tools {

using namespace differential;

namespace {

struct Named {
  std::string_view name;
  std::string_view purpose;
  bool is_ir = false;  ///< what it leaves is InfReg-IR, not assignments
};

/// The passes of the pipeline, and the two steps between which its parts stand (codegen/passes/pipeline.hpp).
std::vector<Named> all_passes() {
  constexpr Named to_infreg{"to-infreg", "makes InfReg-IR of the assignments: values in SSA form, a layout for each", true};
  std::vector<Named> passes = {
      {"normalise", "inlines functions, takes expressions apart into elementary assignments and finds the counted loops"}};
  std::vector<Named> behind = {to_infreg};
  for (const passes::Pass& pass : passes::pipeline()) {
    const bool is_ir = !std::holds_alternative<void (*)(passes::Assignments&)>(pass.run);
    (is_ir ? behind : passes).push_back({pass.name, pass.purpose, is_ir});
  }
  passes.insert(passes.end(), behind.begin(), behind.end());
  return passes;
}

/// Where the body that begins behind `head` ends: behind the brace that closes it, or at the end of the text if none does (macros may hide
/// it).
std::size_t end_of_function(std::string_view text, std::size_t head) {
  unsigned depth = 0;
  for (std::size_t i = head; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// The whole lines of the kernel's text.
std::string source_of(const SourceFile& source, const core::Function& kernel) {
  const std::string_view text = source.text();
  const std::size_t begin = text.rfind('\n', kernel.span.begin) + 1;  // 0 if there is none
  const std::size_t last = std::min(text.find('\n', end_of_function(text, kernel.span.begin)), text.size());
  return std::string(text.substr(begin, last - begin)) + "\n";
}

/// What the passes left on the way.
struct Stages {
  std::string masks;        ///< assignments, behind the pass `masks` and the one that cleans up behind it
  std::string assignments;  ///< the last ones
  std::string dumped;       ///< behind the pass that was asked for
};

std::string explanation(const ReadKernel& kernel, const Stages& stages, const infreg::Kernel& lowered) {
  const SourceFile& source = *kernel.program.source;
  return fmt::format(
      "// (a) The kernel: {}\n\n{}\n"
      "// (b) Elementary assignments, with masks for control\n\n{}\n"
      "// (c) The same, with what is done to each loop\n\n{}\n"
      "// (d) InfReg-IR\n\n{}\n"
      "// (e) The InfRegs that its values can share\n\n{}",
      file_and_line(source, kernel.function->span), source_of(source, *kernel.function), stages.masks, stages.assignments,
      infreg::print(lowered), infreg::text_of(lowered, infreg::storage_of(lowered)));
}

}  // namespace

std::expected<std::string, std::string> form_of(const infreg::Kernel& kernel, const std::string& to) {
  if (to == "infreg") {
    return infreg::print(kernel);
  }
  emit_llvm::EmitOptions options;
  options.metadata = true;
  const auto module = emit_llvm::emit(kernel, options);
  return module ? std::expected<std::string, std::string>(module->text()) : std::unexpected(module.error());
}

std::expected<std::string, Refusal> lowered_text(const ReadKernel& kernel, const LowerRequest& request) {
  const std::vector<Named> passes = all_passes();
  Stages stages;
  const auto watch = [&](std::string_view pass, const std::function<std::string()>& text) {
    if (pass == request.dump_after) {
      stages.dumped = text();
    }
    const auto found = std::ranges::find(passes, pass, &Named::name);
    if (!request.explain || found == passes.end() || found->is_ir) {
      return;
    }
    stages.assignments = text();
    if (pass.ends_with("masks")) {
      stages.masks = stages.assignments;
    }
  };
  const auto lowered = lower_kernel(
      kernel, {.wg_pack = request.wg_pack, .verify_each = request.verify_each, .streaming = request.streaming, .after = watch});
  if (!lowered) {
    return std::unexpected(lowered.error());
  }
  if (!request.dump_after.empty()) {
    return stages.dumped;
  }
  const auto form = form_of(*lowered, request.to);
  if (!form) {
    return std::unexpected(refusal(form.error()));
  }
  return request.explain ? explanation(kernel, stages, *lowered) : *form;
}

std::string list_of_passes() {
  std::string text;
  for (const Named& pass : all_passes()) {
    text += fmt::format("{:<14}{}\n", pass.name, pass.purpose);
  }
  return text;
}

std::optional<std::string> wrong_pass(const std::string& name) {
  std::string names;
  for (const Named& pass : all_passes()) {
    if (pass.name == name) {
      return std::nullopt;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", pass.name);
  }
  return fmt::format("--dump-after {}: there is no such pass; there are: {}", shortened(name), names);
}

}  // namespace lockstep::tools
