#pragma once
// Files as texts, read no further than they may go.

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

/// A `.mus` or `.cl` text may have this many bytes.
inline constexpr std::size_t max_text_bytes = std::size_t{64} << 20;

/// The bytes of a file ("-" is standard input), at most `limit` of them; the error is a sentence that names the file. A file
/// that has more is refused without reading on, so that /dev/zero is an error like any other.
std::expected<std::string, std::string> read_file(const std::string& path, std::size_t limit = max_text_bytes);

/// How many bytes a file may have, given its beginning, and a clause for the message that it has more.
struct ByteLimit {
  std::size_t bytes = max_text_bytes;
  std::string why;
};

/// The same where the limit depends on the first bytes of the file.
std::expected<std::string, std::string> read_file(const std::string& path, const std::function<ByteLimit(std::string_view)>& limit_of);

/// Writes `text` to a file, or to standard output for "-"; a problem is a sentence.
std::optional<std::string> write_text(const std::string& path, const std::string& text);

}  // namespace lockstep
