#include "tools/lower.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "semantics/base/files.hpp"
#include "semantics/typed/layout.hpp"
#include "semantics/typed/print.hpp"
#include "tools/command.hpp"
#include "tools/number_option.hpp"
#include "tools/run.hpp"

namespace lockstep::tools {

namespace {

struct LowerOptions {
  std::string file;
  std::string to;
  std::string pack = "auto";
  bool json = false;
  std::string out = "-";
  GroupFlags group;
  bool verify_each = false;
  std::string dump_after;
  bool passes = false;
  bool explain = false;
  bool streaming = false;
  FrontEndFlags front_end;

  /// Whether it is the way to InfReg-IR that is asked for.
  bool goes_to_infreg() const { return to == "infreg" || to == "llvm"; }
};

/// The layouts of all functions, one behind the other, as text or as one JSON object. The error is a sentence.
std::expected<std::string, std::string> layouts(const typed::Program& program, unsigned pack, bool json) {
  std::string out = json ? fmt::format("{{\"kernel\":{},\"functions\":[", json_string(program.kernel().name)) : "";
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    const auto layout = typed::layout(program, program.functions[i], pack);
    if (!layout) {
      return std::unexpected(layout.error());
    }
    out += i == 0 ? "" : json ? "," : "\n";
    out += json ? typed::json_of(program, *layout) : typed::text_of(program, *layout);
  }
  return json ? out + "]}\n" : out;
}

/// --to musimd and --to layout.
std::expected<std::string, Refusal> typed_form(const std::shared_ptr<const SourceFile>& source, SourceKind kind,
                                               const LowerOptions& options) {
  const auto kernel = load_kernel(source, kind, options.front_end, options.group);
  if (!kernel) {
    return std::unexpected(kernel.error());
  }
  if (options.to == "musimd") {
    return typed::print(*kernel->program, {.source_lines = kind == SourceKind::Kernels});
  }
  const auto pack = compiled_pack(options.pack);
  auto form = pack ? layouts(*kernel->program, *pack, options.json) : std::unexpected(pack.error());
  return form ? std::expected<std::string, Refusal>(std::move(*form)) : std::unexpected(refusal(form.error()));
}

/// --to infreg and --to llvm, of a kernel.
std::expected<std::string, Refusal> infreg_form(const std::shared_ptr<const SourceFile>& source, const LowerOptions& options) {
  const auto pack = parse_pack(options.pack);
  if (!pack) {
    return std::unexpected(refusal(pack.error()));
  }
  const auto kernel = read_kernel(source, options.front_end, options.group);
  if (!kernel) {
    return std::unexpected(kernel.error());
  }
  return lowered_text(*kernel, {.to = options.to,
                                .wg_pack = *pack,
                                .verify_each = options.verify_each,
                                .dump_after = options.dump_after,
                                .explain = options.explain,
                                .streaming = options.streaming});
}

/// A sentence about options that do not go together.
std::optional<std::string> wrong_combination(const LowerOptions& options) {
  const bool on_the_way = options.verify_each || options.explain || options.streaming || !options.dump_after.empty();
  if (options.file.empty()) {
    return "FILE is required";
  }
  if (options.to.empty()) {
    return "--to is required: musimd, layout, infreg or llvm";
  }
  if (on_the_way && !options.goes_to_infreg()) {
    return fmt::format("{} is for --to infreg", options.verify_each ? "--verify-each"
                                                : options.explain   ? "--explain"
                                                : options.streaming ? "--streaming"
                                                                    : "--dump-after");
  }
  if (options.to == "llvm" && (options.explain || !options.dump_after.empty())) {
    return fmt::format("{} shows stages before LLVM IR; it is for --to infreg", options.explain ? "--explain" : "--dump-after");
  }
  if (options.explain && !options.dump_after.empty()) {
    return "--explain and --dump-after show different things; choose one";
  }
  if (options.json && options.to != "layout") {
    return "--json is for --to layout; a program has one form";
  }
  if (options.to == "musimd" && options.pack != "auto") {
    return "--wg-pack is for --to layout, infreg and llvm; a typed program does not depend on it";
  }
  return options.dump_after.empty() ? std::nullopt : wrong_pass(options.dump_after);
}

/// A sentence about a text that has no such form.
std::optional<std::string> wrong_source(const CLI::App& command, const SourceFile& source, SourceKind kind, const LowerOptions& options) {
  if (kind == SourceKind::Untyped) {
    return fmt::format("{}: is an untyped program, there is nothing below it; lower takes kernels and typed programs", source.name());
  }
  if (kind == SourceKind::Typed && options.goes_to_infreg()) {
    return fmt::format("{}: is a typed program, from which no way leads to InfReg-IR; --to {} takes kernels", source.name(), options.to);
  }
  return misplaced_option(command, kind, source.name());
}

/// Writes what is wanted; returns the exit status.
int put(const std::string& form, const LowerOptions& options) {
  const auto overwriting = check_overwriting({options.file}, {options.out});
  if (const auto problem = overwriting ? overwriting : write_text(options.out, form)) {
    complain(*problem);
    return bad_input;
  }
  return fine;
}

/// `lower` of a text in InfReg-IR, which is read, verified, and printed or emitted.
int lower_infreg_text(const CLI::App& command, const std::shared_ptr<const SourceFile>& source, const LowerOptions& options) {
  const bool is_stage = options.verify_each || options.explain || options.streaming || !options.dump_after.empty();
  if (!options.goes_to_infreg() || is_stage) {
    complain(fmt::format("{}: is InfReg-IR, for which there are --to infreg and --to llvm, and no stages on the way", source->name()));
    return bad_input;
  }
  if (const auto problem = misplaced_for_infreg(command, source->name())) {
    complain(*problem);
    return bad_input;
  }
  const auto kernel = read_infreg(source);
  if (!kernel) {
    return kernel.error();
  }
  const auto form = form_of(*kernel, options.to);
  return form ? put(*form, options) : refuse(refusal(form.error()));
}

int lower(const CLI::App& command, LowerOptions options) {
  options.front_end.dimensions = options.group.dimensions;
  if (options.passes) {
    fmt::print("{}", list_of_passes());
    return fine;
  }
  if (options.to.empty() && (options.explain || options.streaming || !options.dump_after.empty() || options.file.ends_with(".ir"))) {
    options.to = "infreg";
  }
  if (const auto problem = wrong_combination(options)) {
    complain(*problem);
    return bad_input;
  }
  const auto text = read_source(options.file);
  if (!text) {
    return refuse(text.error());
  }
  const std::shared_ptr<const SourceFile>& source = *text;
  if (is_infreg_text(*source)) {
    return lower_infreg_text(command, source, options);
  }
  const SourceKind kind = kind_of(*source);
  if (const auto problem = wrong_source(command, *source, kind, options)) {
    complain(*problem);
    return bad_input;
  }
  const auto form = options.goes_to_infreg() ? infreg_form(source, options) : typed_form(source, kind, options);
  return form ? put(*form, options) : refuse(form.error());
}

}  // namespace

void add_lower(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("lower", "show what a kernel becomes");
  command->footer(
      "Example: lockstep lower examples/core/saxpy.cl --to musimd --wg-size 4\n"
      "         lockstep lower examples/borg/ldus.cl --to layout --wg-size 4 -D REAL=double\n"
      "         lockstep lower examples/borg/ldus.cl --to infreg --wg-size 4 --wg-pack 2\n"
      "         lockstep lower examples/borg/gemm.cl --explain --wg-size 4\n"
      "What --to musimd prints is a program that lockstep run takes, with the arguments of the kernel. docs/compile.md\n"
      "shows the way to InfReg-IR and to machine code.\n"
      "Exit status: 0 fine, 1 the verifier refuses a text in InfReg-IR, 2 bad usage or input.");
  auto options = std::make_shared<LowerOptions>();
  command->add_option(
      "FILE", options->file,
      "a .cl file of kernels, a typed .mus program, or a kernel in InfReg-IR (.ir), which is verified and printed; - is standard "
      "input");
  command
      ->add_option(
          "--to", options->to,
          "musimd: the typed program, with the lines of the kernel that its instructions come from; layout: which variable lives in which "
          "InfReg and lanes; infreg: InfReg-IR; llvm: the LLVM IR that the LLVM target compiles for this machine")
      ->check(CLI::IsMember({"musimd", "layout", "infreg", "llvm"}))
      ->type_name("FORM");
  command->add_option("-o", options->out, "where it goes (default: standard output)")->type_name("FILE");
  command->add_flag("--json", options->json, "the layout as one JSON object");
  add_streaming_option(*command, options->streaming);
  command->add_flag("--explain", options->explain, "the stages on the way to InfReg-IR: kernel, assignments with masks, loops, InfReg-IR");
  command->add_option("--dump-after", options->dump_after, "the program as this pass leaves it, instead of InfReg-IR")->type_name("PASS");
  command->add_flag("--passes", options->passes, "the names of the passes, and why each stands where it does; needs no file");
  command->add_flag("--verify-each", options->verify_each, "runs the verifier after every pass on InfReg-IR, not only after the last");
  add_group_size_option(*command, options->group, LaneSet::max_width,
                        "WG_SIZE, 1 to 1048576, in up to three dimensions (default: what the kernel requires, else 32)");
  add_pack_option(*command, options->pack, "how many groups lie in an InfReg (auto: what promises to be fastest; --to layout: 1)");
  add_kernel_name_option(*command, options->front_end);
  add_front_end_options(*command, options->front_end);
  add_length_option(*command, options->front_end);
  command->callback([command, options, &status] { status = lower(*command, *options); });
}

}  // namespace lockstep::tools
