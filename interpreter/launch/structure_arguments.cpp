#include "interpreter/launch/structure_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "interpreter/launch/byte_arguments.hpp"
#include "semantics/base/diagnostic.hpp"

namespace lockstep::launch {
namespace {

/// Of structures that are given as text: a list in brackets, in which names and braces may stand.
class ListReader {
 public:
  ListReader(const Structure& structure, std::string_view text) : structure_(structure), text_(text) {}

  std::expected<std::vector<std::byte>, std::string> read() {
    skip();
    take('[');
    while (!problem_ && !take(']')) {
      if (next() == '{' || next() == '[') {
        complete();
        bytes_.resize(bytes_.size() + structure_.bytes);
        group(bytes_.size() - structure_.bytes, "");
      } else {
        next_number();
      }
      separator(']');
    }
    skip();
    if (!problem_ && at_ != text_.size()) {
      fail("something stands behind the last ']'");
    }
    complete();
    return problem_ ? std::unexpected(*problem_) : std::expected<std::vector<std::byte>, std::string>(std::move(bytes_));
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char wanted) {
    if (next() != wanted) {
      return false;
    }
    ++at_;
    skip();
    return true;
  }

  void separator(char end) {
    if (!problem_ && !take(',') && next() != end) {
      fail(fmt::format("expected ',' or '{}' at '{}'", end, shortened(text_.substr(at_, 20))));
    }
  }

  void fail(std::string why) { problem_ = problem_ ? problem_ : std::optional(std::move(why)); }

  /// The numbers that came without braces make whole structures.
  void complete() {
    if (member_ != 0) {
      fail(fmt::format("a structure has {} numbers, but the last one gets {}", structure_.members.size(), member_));
    }
  }

  std::string_view word() {
    const std::size_t first = at_;
    while (at_ < text_.size() && std::string_view(",]}: \n\t[{").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    const std::string_view found = text_.substr(first, at_ - first);
    skip();
    return found;
  }

  void put(std::size_t structure, const StructureMember& member, std::string_view number) {
    const auto bits = parse_scalar(member.type, number);
    if (!bits) {
      fail(fmt::format("structure {}, {}: {}", structure / structure_.bytes, member.name, bits.error()));
      return;
    }
    std::memcpy(bytes_.data() + structure + member.offset, &*bits, size_of(member.type));
  }

  void next_number() {
    if (member_ == 0) {
      bytes_.resize(bytes_.size() + structure_.bytes);
    }
    const std::string_view number = word();
    put(bytes_.size() - structure_.bytes, structure_.members[member_], number);
    member_ = (member_ + 1) % structure_.members.size();
  }

  /// `{…}` or `[…]` of what is called `prefix` in the structure that begins at that byte.
  void group(std::size_t structure, const std::string& prefix) {
    if (++depth_ > max_depth) {
      fail("the braces nest too deeply");
      return;
    }
    const char end = next() == '{' ? '}' : ']';
    const bool has_names = end == '}';
    take(next());
    for (std::size_t k = 0; !problem_ && !take(end); ++k) {
      std::string name = prefix + (has_names ? (prefix.empty() ? "" : ".") : fmt::format("[{}]", k));
      if (has_names) {
        std::string_view key = word();
        if (key.size() >= 2 && key.front() == '"' && key.back() == '"') {
          key = key.substr(1, key.size() - 2);
        }
        name += key;
        if (!take(':')) {
          fail(fmt::format("expected ':' behind the name '{}'", shortened(key)));
        }
      }
      value(structure, name);
      separator(end);
    }
    --depth_;
  }

  void value(std::size_t structure, const std::string& name) {
    if (next() == '{' || next() == '[') {
      group(structure, name);
      return;
    }
    const auto member = std::ranges::find(structure_.members, name, &StructureMember::name);
    if (member == structure_.members.end()) {
      fail(fmt::format("there is no number '{}' in a structure; the first one is '{}'", shortened(name), structure_.members.front().name));
      return;
    }
    put(structure, *member, word());
  }

  static constexpr unsigned max_depth = 400;

  const Structure& structure_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::byte> bytes_;
  std::size_t member_ = 0;  ///< of a structure without braces: which number comes next
  unsigned depth_ = 0;
  std::optional<std::string> problem_;
};

constexpr std::string_view no_value = ":uninitialised";

std::string too_many_structures(std::uint64_t count, const Structure& structure, std::size_t left) {
  return fmt::format("{} structures of {} bytes do not fit into the {} bytes that are left of the memory limit", count, structure.bytes,
                     left);
}

std::expected<Buffer, std::string> buffer_of(ScalarType word, std::vector<std::byte> bytes, std::size_t left) {
  if (bytes.size() > left) {
    return std::unexpected(fmt::format("{} bytes do not fit into the {} bytes that are left of the memory limit", bytes.size(), left));
  }
  const std::uint64_t count = bytes.size() / size_of(word);
  return Buffer{word, count, std::move(bytes), {count}, {}};
}

/// Structures of which no member has a value, from LEN:uninitialised.
std::expected<Buffer, std::string> structures_without_value(const Structure& structure, ScalarType word, std::string_view text,
                                                            std::size_t left, const FileReader& read) {
  const auto counted = parse_buffer(ScalarType::UChar, text, left, read);
  if (!counted) {
    return std::unexpected(counted.error());
  }
  const std::uint64_t words = structure.bytes / size_of(word);
  if (counted->count > left / structure.bytes) {
    return std::unexpected(too_many_structures(counted->count, structure, left));
  }
  return parse_buffer(word, fmt::format("{}{}", counted->count * words, no_value), left, read);
}

/// Structures from the bytes of a file, or from bytes that are given.
std::expected<Buffer, std::string> structures_of_bytes(const Structure& structure, ScalarType word, std::string_view text, std::size_t left,
                                                       const FileReader& read) {
  auto buffer = parse_buffer(text.ends_with(".npy") ? word : ScalarType::UChar, text, left, read);
  if (!buffer) {
    return buffer;
  }
  if (buffer->bytes.size() % structure.bytes != 0) {
    return std::unexpected(fmt::format("{} bytes are no whole number of structures of {} bytes", buffer->bytes.size(), structure.bytes));
  }
  return buffer->type == word ? std::move(buffer) : buffer_of(word, std::move(buffer->bytes), left);
}

/// LEN:RULE for the member with that number: of random numbers each has its own.
std::string rule_of(std::string_view text, std::size_t number) {
  constexpr std::string_view random = ":random";
  const auto found = text.find(random);
  if (found == std::string_view::npos) {
    return std::string(text);
  }
  std::string_view seed = text.substr(found + random.size());
  std::uint64_t value = 0;
  if (seed.starts_with(':')) {
    seed.remove_prefix(1);
    const auto [end, problem] = std::from_chars(seed.data(), seed.data() + seed.size(), value);
    if (problem != std::errc() || end != seed.data() + seed.size()) {
      return std::string(text);  // which is refused
    }
  }
  return fmt::format("{}:{}", text.substr(0, found + random.size()), value + number);
}

}  // namespace

std::expected<Buffer, std::string> parse_structures(const Structure& structure, ScalarType word, std::string_view text, std::size_t left,
                                                    const FileReader& read) {
  if (text.starts_with('@') || is_hex(text)) {
    return structures_of_bytes(structure, word, text, left, read);
  }
  if (text.ends_with(no_value)) {
    return structures_without_value(structure, word, text, left, read);
  }
  if (text.starts_with('[') && text.ends_with(']')) {
    auto bytes = ListReader(structure, text).read();
    return bytes ? buffer_of(word, std::move(*bytes), left) : std::unexpected(bytes.error());
  }
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k < structure.members.size(); ++k) {
    const StructureMember& member = structure.members[k];
    const auto numbers = parse_buffer(member.type, rule_of(text, k), left, read);
    if (!numbers) {
      return std::unexpected(numbers.error());
    }
    if (numbers->count > left / structure.bytes) {
      return std::unexpected(too_many_structures(numbers->count, structure, left));
    }
    bytes.resize(numbers->count * structure.bytes);
    const std::size_t size = size_of(member.type);
    for (std::uint64_t i = 0; i < numbers->count; ++i) {
      std::memcpy(bytes.data() + i * structure.bytes + member.offset, numbers->bytes.data() + i * size, size);
    }
  }
  return buffer_of(word, std::move(bytes), left);
}

std::string structure_text(const Structure& structure, const Buffer& buffer, std::uint64_t index) {
  std::string text = "{";
  const std::uint64_t word = size_of(buffer.type);
  for (const StructureMember& member : structure.members) {
    const std::uint64_t first = index * structure.bytes + member.offset;
    const std::uint64_t last = first + size_of(member.type) - 1;
    const auto poison = std::ranges::lower_bound(buffer.poison, first / word);
    const bool is_poison = poison != buffer.poison.end() && *poison <= last / word;
    Buffer number{member.type, 1, std::vector<std::byte>(size_of(member.type)), {1}, {}};
    std::memcpy(number.bytes.data(), buffer.bytes.data() + first, number.bytes.size());
    const auto missing = std::ranges::lower_bound(buffer.uninitialised, first / word);
    const bool is_missing = missing != buffer.uninitialised.end() && *missing <= last / word;
    text += (text.size() > 1 ? ", " : "") + member.name + ": " +
            (is_missing  ? "uninitialised"
             : is_poison ? "poison"
                         : element_text(number, 0));
  }
  return text + "}";
}

}  // namespace lockstep::launch
