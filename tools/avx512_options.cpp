#include "tools/avx512_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tools/number_option.hpp"

namespace lockstep::tools {

void add_avx512_emit_options(CLI::App& command, emit_avx512::EmitOptions& options) {
  constexpr unsigned most = 1024;
  add_number(command, "--most-chunks", options.most_chunks, 1, most,
             "values of more chunks (vector registers) lie in memory, and loops work on them")
      ->default_str(std::to_string(options.most_chunks))
      ->group(avx512_group);
}

void add_avx512_compile_options(CLI::App& command, Avx512Flags& flags, bool has_level) {
  command
      .add_option_function<std::string>(
          "--compiler",
          [&flags](const std::string& text) {
            if (text.find_first_not_of(" \t\n") == std::string::npos) {
              throw CLI::ValidationError("--compiler", "the command is empty");
            }
            flags.compiler = text;
          },
          "the C++ compiler and arguments for it: words, with blanks between them (default: $CXX, else g++ or clang++)")
      ->type_name("COMMAND")
      ->group(avx512_group);
  if (has_level) {
    constexpr unsigned most = 3;
    add_number(command, "--compiler-level", flags.level, 0, most, "its optimisation level, as in -O3")
        ->default_str(std::to_string(flags.level))
        ->group(avx512_group);
  }
}

std::optional<std::string> misplaced_for_target(const CLI::App& command, const char* group, const char* target) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && option->get_group() == group) {
      return fmt::format("{} is for --target {}", option->get_name(), target);
    }
  }
  return std::nullopt;
}

std::optional<std::string> wrong_avx512_chunk(unsigned lanes) {
  return lanes == 8 || lanes == 16 ? std::nullopt
                                   : std::optional(fmt::format("chunks of the avx512 target have 8 or 16 lanes, not {}", lanes));
}

}  // namespace lockstep::tools
