// The PTX that clang makes of emitted CUDA C++, as a text.

#include <fmt/format.h>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/packs.hpp"
#include "differential/compare/interrupts.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/cuda/compile.hpp"
#include "targets/cuda/row.hpp"

namespace lockstep::targets {

namespace {

struct Options {
  std::string clang;
  unsigned level = 2;
  emit_cuda::Choices choices;
};

const std::vector<StoredOption<Options>>& table() {
  static const std::vector<StoredOption<Options>> rows = {
      {without_option({Use::Emit}), [](Options& into, const std::string& value) { return store_without(into.choices, value); }},
      {clang_option({Use::Emit}),
       [](Options& into, const std::string& value) {
         into.clang = value;
         return std::optional<std::string>();
       }},
      {level_option({Use::Emit}), [](Options& into, const std::string& value) { return store_number(into.level, value, 0, 3); }},
  };
  return rows;
}

std::expected<MadeCode, Unmade> emit(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked) {
  const Options options = stored(table(), asked.settings);
  emit_cuda::EmitOptions emit_options;
  emit_options.entries = false;
  emit_options.choices = options.choices;
  const auto emitted = emit_cuda::emit(kernel, emit_options);
  if (!emitted) {
    return std::unexpected(Unmade{emitted.error().sentence});
  }
  const auto clang = find_clang(options.clang);
  if (!clang) {
    return std::unexpected(Unmade{clang.error()});
  }
  const auto text = compile_cuda(*emitted, {*clang, options.level, asked.scratch, [] { return differential::interrupts() > 0; }});
  if (!text) {
    return std::unexpected(Unmade{text.error().sentence});
  }
  const std::string ptx = with_verdict("//", verdict, *text);
  MadeCode made{asked.has_folder ? "" : ptx, {}};
  if (asked.has_folder) {
    made.files = {{kernel.name + ".ptx", ptx}};
  }
  return made;
}

std::optional<Unfit> complaint(Use /*use*/, const Asked& asked) {
  const auto clang = find_clang(stored(table(), asked.settings).clang);
  return clang ? std::nullopt : std::optional(Unfit{clang.error(), true});
}

}  // namespace

Target ptx_target() {
  Target target;
  target.name = "ptx";
  target.meaning = "PTX that clang makes of the CUDA C++ of the target cuda";
  target.options = known(table());
  target.complaint = complaint;
  target.choose_pack = [](const infreg::Kernel& kernel, const Asked& /*asked*/) { return emit_cuda::choose_pack(kernel); };
  target.emit = emit;
  return target;
}

}  // namespace lockstep::targets
