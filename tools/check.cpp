#include "semantics/musimd/check.hpp"

#include <fmt/format.h>

#include "tools/command.hpp"

namespace lockstep::tools {

void add_check(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("check", "say whether a program is well-formed, and why not");
  command->footer(
      "Example: lockstep check examples/musimd/fig6.mus\n"
      "Exit status: 0 well-formed, 1 ill-formed, 2 the file cannot be read or parsed.");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "a .mus program; - is standard input")->required();
  command->callback([file, &status] {
    std::unique_ptr<SourceFile> source;
    const auto program = read_program(*file, source);
    if (program == nullptr) {
      status = bad_input;
      return;
    }
    const Diagnostics diagnostics = musimd::check(*program);
    fmt::print(stderr, "{}", render(*source, diagnostics));
    const bool good = musimd::well_formed(diagnostics);
    fmt::print("{}: {}\n", source->name(), good ? "well-formed" : "ill-formed");
    status = good ? fine : no;
  });
}

}  // namespace lockstep::tools
