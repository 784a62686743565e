#include "semantics/base/source.hpp"

#include <algorithm>
#include <utility>

namespace lockstep {

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n' && i + 1 < text_.size()) {
      line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
}

LineColumn SourceFile::place(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

std::string_view SourceFile::line_text(std::uint32_t line) const {
  if (line == 0 || line > line_count()) {
    return {};
  }
  const std::size_t begin = line_starts_[line - 1];
  std::size_t end = text_.find_first_of("\r\n", begin);
  if (end == std::string::npos) {
    end = text_.size();
  }
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace lockstep
