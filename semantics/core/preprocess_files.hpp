#pragma once
// The files that a text is put together from.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/inclusions.hpp"

namespace lockstep::core {

/// What an #include asks for.
struct AskedFile {
  std::string name;
  bool in_directories = false;  ///< <file> rather than "file"
  SourceSpan directive;
};

/// A text, every time that it is included. Spans in it are counted from `base`, so that a span says of which part it is.
struct TextPart {
  /// An #include in the part. Without a text it is one that is there only once, and was there before.
  struct Directive {
    SourceSpan span;
    const TextPart* text = nullptr;
  };
  const SourceFile& source;
  std::uint32_t base = 0;
  LineOrigins origins = LineOrigins(source);
  std::vector<Directive> directives = {};
};

class TextParts {
 public:
  /// Without `directories` no file is looked for. `main` must outlive this.
  explicit TextParts(const SourceFile& main, std::optional<std::vector<std::string>> directories = std::nullopt);

  const TextPart& main() const { return parts_.front(); }

  /// The file as a part of its own; null if it is there already, and may be only once. `open` names the files that include one another
  /// here. Throws Refused.
  const TextPart* include(const AskedFile& asked, const TextPart& from, const std::vector<std::string>& open);

  /// `#pragma once` stands in the part.
  void only_once(const TextPart& part);

  Origin origin(std::uint32_t offset) const;
  std::string_view text(SourceSpan span) const;

  /// One text of all parts, and the error, if there is one, with its places there.
  Inclusion put_together(std::optional<Diagnostic> error) const;

 private:
  /// Bytes of a part that stand somewhere in the whole.
  struct Piece {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::size_t at = 0;  ///< where they begin in the whole
  };

  const TextPart& part_of(std::uint32_t offset) const;
  std::string found(const AskedFile& asked, const TextPart& from) const;
  void put(const TextPart& part, std::string& whole, std::vector<Piece>& pieces) const;

  std::deque<SourceFile> files_;  // that were read
  std::deque<TextPart> parts_;    // in the order of their bases; the first is the text itself
  std::optional<std::vector<std::string>> directories_;
  std::unordered_set<std::string> once_;  // the paths of files that are there only once
};

}  // namespace lockstep::core
