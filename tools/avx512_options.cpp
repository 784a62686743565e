#include "tools/avx512_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <vector>

#include "codegen/emit/avx512/ways.hpp"
#include "tools/number_option.hpp"

namespace lockstep::tools {

void add_avx512_emit_options(CLI::App& command, emit_avx512::EmitOptions& options) {
  constexpr unsigned most = 1024;
  add_number(command, "--most-chunks", options.most_chunks, 1, most,
             "values of more chunks (vector registers) lie in memory, and loops work on them")
      ->default_str(std::to_string(options.most_chunks))
      ->group(avx512_group);
  const std::map<std::string, emit_avx512::LayoutChoice> layouts = {
      {"auto", emit_avx512::LayoutChoice::Auto}, {"rows", emit_avx512::LayoutChoice::Rows}, {"groups", emit_avx512::LayoutChoice::Groups}};
  command
      .add_option("--layout", options.layout,
                  "what lies side by side in vectors: rows (items, or an item's elements), groups (as many as a vector has lanes), or auto")
      ->transform(CLI::CheckedTransformer(layouts).description(""))
      ->type_name("LAYOUT")
      ->group(avx512_group);
  const std::map<std::string, emit_avx512::Nontemporal> choices = {
      {"auto", emit_avx512::Nontemporal::Auto}, {"on", emit_avx512::Nontemporal::On}, {"off", emit_avx512::Nontemporal::Off}};
  command
      .add_option("--nontemporal", options.nontemporal,
                  "stores past the caches and loads ahead: on, off, or auto, which is for calls with more than 4 MiB of data")
      ->transform(CLI::CheckedTransformer(choices).description(""))
      ->type_name("WHEN")
      ->group(avx512_group);
  command
      .add_option_function<std::string>(
          "--approx",
          [&options](const std::string& word) {
            if (word != "none" && word != "rcp14") {
              throw CLI::ValidationError("--approx", fmt::format("there is no '{}'; there are none and rcp14", word));
            }
            options.approx = word == "rcp14" ? emit_avx512::Approx::Rcp14 : emit_avx512::Approx::None;
          },
          "quotients and roots of floats: none, which rounds them exactly, or rcp14, made of the processor's approximations and off by "
          "less "
          "than 0.63 of the distance to the next number")
      ->default_str("none")
      ->type_name("HOW")
      ->group(avx512_group);
  command
      .add_option_function<std::vector<std::string>>(
          "--without",
          [&options](const std::vector<std::string>& words) {
            for (const std::string& word : words) {
              if (!emit_avx512::switch_off(options, word)) {
                throw CLI::ValidationError("--without", fmt::format("there is no '{}' that could be left out; there are {}", word,
                                                                    fmt::join(emit_avx512::ways_to_reorder(), ", ")));
              }
            }
          },
          "ways to reorder lanes that are not to be used, with commas between them")
      ->delimiter(',')
      ->type_name("LIST")
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
