// The list of targets, and what is said of all of them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>

#include "tools/number_option.hpp"
#include "tools/targets/target.hpp"

namespace lockstep::tools {

std::vector<Target> all_targets() { return {infreg_target(), llvm_target(), avx512_target()}; }

bool is_for(const Target& target, Use use) { return use == Use::Emit ? target.emit != nullptr : target.run != nullptr; }

namespace {

template <class F>
std::string joined(const std::vector<Target>& targets, Use use, std::string_view between, const F& text_of) {
  std::string text;
  for (const Target& target : targets) {
    if (is_for(target, use)) {
      text += (text.empty() ? "" : std::string(between)) + text_of(target);
    }
  }
  return text;
}

}  // namespace

std::string names_of(const std::vector<Target>& targets, Use use) {
  return joined(targets, use, ", ", [](const Target& target) { return std::string(target.name); });
}

std::string meanings_of(const std::vector<Target>& targets, Use use) {
  return joined(targets, use, ";\n", [](const Target& target) { return fmt::format("{}, {}", target.name, target.meaning); });
}

std::string group_of(std::string_view target) { return fmt::format("The {} target", target); }

void add_chunk_lanes_option(CLI::App& command, std::optional<unsigned>& lanes) {
  command
      .add_option_function<std::string>(
          "--chunk-lanes",
          [&lanes](const std::string& text) {
            const auto number = parse_number(text, 1, 64);
            if (!number || !std::has_single_bit(*number)) {
              throw CLI::ValidationError("--chunk-lanes", number ? text + " is no power of two" : number.error());
            }
            lanes = static_cast<unsigned>(*number);
          },
          "lanes that code computes at once, a power of two up to 64 of which a target may take a few only (default: as many as fit a "
          "register)")
      ->type_name("N");
}

std::optional<std::string> misplaced_for_targets(const CLI::App& command, const std::vector<Target>& targets,
                                                 const std::vector<std::string>& chosen) {
  for (const Target& target : targets) {
    if (std::ranges::find(chosen, target.name) != chosen.end()) {
      continue;
    }
    const std::string group = group_of(target.name);
    for (const CLI::Option* option : command.get_options()) {
      if (option->count() > 0 && option->get_group() == group) {
        return fmt::format("{} is for --target {}", option->get_name(), target.name);
      }
    }
  }
  return std::nullopt;
}

std::string with_verdict(std::string_view comment, const LoweringVerdict& verdict, const std::string& text) {
  std::string sentence = verdict.sentence;
  std::ranges::replace(sentence, '\n', ' ');
  return fmt::format("{} {}.{}\n{}", comment, sentence, comment == "/*" ? " */" : "", text);
}

std::string include_line(std::string_view header) { return fmt::format("#{} \"{}\"\n", "include", header); }

std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string_view>>& words) {
  std::string result(text);
  for (const auto& [mark, word] : words) {
    for (std::size_t at = result.find(mark); at != std::string::npos; at = result.find(mark, at + word.size())) {
      result.replace(at, mark.size(), word);
    }
  }
  return result;
}

}  // namespace lockstep::tools
