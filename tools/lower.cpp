#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "semantics/typed/layout.hpp"
#include "semantics/typed/print.hpp"
#include "tools/command.hpp"
#include "tools/kernel_program.hpp"
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
  unsigned wg_size = 0;
  FrontEndFlags front_end;
};

/// Writes `text` to a file, or to standard output for "-"; a problem is a sentence.
std::optional<std::string> write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);  // a failure is seen at the end of the command
    return std::nullopt;
  }
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return fmt::format("{}: {}", path, std::strerror(errno));
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written ? std::nullopt : std::optional(fmt::format("{}: cannot be written", path));
}

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

/// What --to asks for.
std::expected<std::string, std::string> lowered(const typed::Program& program, SourceKind kind, const LowerOptions& options) {
  if (options.to == "musimd") {
    return typed::print(program, {.source_lines = kind == SourceKind::Kernels});
  }
  const auto pack = parse_pack(options.pack);
  return pack ? layouts(program, std::max(*pack, 1U), options.json) : std::unexpected(pack.error());
}

int lower(const CLI::App& command, const LowerOptions& options) {
  const auto text = read_source(options.file);
  if (!text) {
    return refuse(text.error());
  }
  const std::shared_ptr<const SourceFile>& source = *text;
  const SourceKind kind = kind_of(*source);
  if (kind == SourceKind::Untyped) {
    complain(fmt::format("{}: is an untyped program, there is nothing below it; lower takes kernels and typed programs", source->name()));
    return bad_input;
  }
  if (options.to == "musimd" && (options.json || options.pack != "auto")) {
    complain(fmt::format("{} is for --to layout; a typed program has one form", options.json ? "--json" : "--wg-pack"));
    return bad_input;
  }
  if (const auto problem = misplaced_option(command, kind, source->name())) {
    complain(*problem);
    return bad_input;
  }
  const auto kernel = load_kernel(source, kind, options.front_end, options.wg_size);
  if (!kernel) {
    return refuse(kernel.error());
  }
  const auto form = lowered(*kernel->program, kind, options);
  if (!form) {
    complain(form.error());
    return bad_input;
  }
  const auto overwriting = check_overwriting({options.file}, {options.out});
  if (const auto problem = overwriting ? overwriting : write_text(options.out, *form)) {
    complain(*problem);
    return bad_input;
  }
  return fine;
}

}  // namespace

void add_lower(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("lower", "show what a kernel becomes");
  command->footer(
      "Example: lockstep lower examples/core/saxpy.cl --to musimd --wg-size 4\n"
      "         lockstep lower examples/borg/ldus.cl --to layout --wg-size 4 -D REAL=double\n"
      "What --to musimd prints is a program that lockstep run takes, with the arguments of the kernel.\n"
      "Exit status: 0 fine, 2 bad usage or input.");
  auto options = std::make_shared<LowerOptions>();
  command->add_option("FILE", options->file, "a .cl file of kernels or a typed .mus program; - is standard input")->required();
  command
      ->add_option(
          "--to", options->to,
          "musimd: the typed program, with the lines of the kernel that its instructions come from; layout: which variable lives in which "
          "InfReg and lanes")
      ->required()
      ->check(CLI::IsMember({"musimd", "layout"}))
      ->type_name("FORM");
  command->add_option("-o", options->out, "where it goes (default: standard output)")->type_name("FILE");
  command->add_flag("--json", options->json, "the layout as one JSON object");
  add_number(*command, "--wg-size", options->wg_size, 1, LaneSet::max_width, "WG_SIZE, 1 to 4096 (default: 32)");
  add_pack_option(*command, options->pack, "how many groups lie in an InfReg (auto: 1)");
  add_kernel_name_option(*command, options->front_end);
  add_front_end_options(*command, options->front_end);
  command->callback([command, options, &status] { status = lower(*command, *options); });
}

}  // namespace lockstep::tools
