#include "tools/gate_options.hpp"

#include <CLI/CLI.hpp>
#include <array>

#include "codegen/gate/gate.hpp"
#include "semantics/base/internal_error.hpp"
#include "tools/choice_option.hpp"
#include "tools/number_option.hpp"

namespace lockstep::tools {

void add_verify_options(CLI::App& command, VerifyFlags& flags) {
  add_choice<VerifyLevel>(
      command, "--verify", flags.level, {{"off", VerifyLevel::Off}, {"auto", VerifyLevel::Auto}, {"full", VerifyLevel::Full}},
      "whether the lowering is proved first, at WG_SIZE 2 to 4: off, auto (within a budget of about two seconds; what it leaves open is "
      "told) or full (default: auto)")
      ->type_name("LEVEL")
      ->group(verify_group);
  add_number(command, "--timeout", flags.timeout, 1, 1'000'000, "seconds that --verify full may take; what is unknown then is status 3")
      ->default_str("600")
      ->group(verify_group);
}

std::optional<std::string> misplaced_for_verify(const CLI::App& command, const VerifyFlags& flags) {
  return command.count("--timeout") > 0 && flags.level != VerifyLevel::Full ? std::optional("--timeout is for --verify full")
                                                                            : std::nullopt;
}

LoweringVerdict verdict_on(const std::shared_ptr<const SourceFile>& source, const infreg::Kernel& kernel, bool is_given,
                           const FrontEndFlags& front_end, const GroupFlags& group, bool streaming, const VerifyFlags& flags) {
  if (flags.level == VerifyLevel::Off) {
    return {LoweringVerdict::Kind::NotAsked, flags.level, "InfReg-IR not proved (--verify off)"};
  }
  LoweringTask task;
  task.source = source;
  auto options = front_end_options(front_end, {kernel.shape.wg_size, group.shape, group.dimensions});
  if (!options) {
    throw InternalError("a kernel was lowered with options that are wrong: " + options.error());
  }
  task.options = std::move(*options);
  task.options.kernel = kernel.name;
  task.wg_pack = kernel.shape.wg_pack;
  task.streaming = streaming;
  if (is_given) {
    task.given = std::make_shared<const infreg::Kernel>(kernel);
  }
  task.level = flags.level;
  task.timeout = std::chrono::seconds(flags.timeout);
  return prove_lowering(task);
}

LoweringVerdict verdict_on_text() {
  return {LoweringVerdict::Kind::NotAsked, VerifyLevel::Off, "InfReg-IR not proved: it was read from a text, for which there is no kernel"};
}

std::string_view name_of(LoweringVerdict::Kind kind) {
  static constexpr std::array<std::string_view, 5> names = {"not asked", "proved", "partly", "unknown", "refuted"};
  return names[static_cast<std::size_t>(kind)];
}

Status status_after(const LoweringVerdict& verdict) {
  switch (verdict.kind) {
    case LoweringVerdict::Kind::Refuted:
      return no;
    case LoweringVerdict::Kind::Partly:
    case LoweringVerdict::Kind::Unknown:
      return verdict.level == VerifyLevel::Full ? limit : fine;
    case LoweringVerdict::Kind::NotAsked:
    case LoweringVerdict::Kind::Proved:
      break;
  }
  return fine;
}

}  // namespace lockstep::tools
