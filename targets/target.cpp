#include "targets/target.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::targets {

bool is_for(const Target& target, Use use) {
  return use == Use::Emit ? target.emit != nullptr : target.run != nullptr || target.compile != nullptr || reads_source(target);
}

const Target* find(const std::vector<Target>& targets, std::string_view name, Use use) {
  const auto found = std::ranges::find(targets, name, &Target::name);
  return found != targets.end() && is_for(*found, use) ? &*found : nullptr;
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

}  // namespace lockstep::targets
