#include "interpreter/store/npy.hpp"

#include <fmt/format.h>

#include <optional>

namespace lockstep {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_header = std::size_t{1} << 20;
constexpr std::size_t max_dimensions = 64;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

/// The header's text: a Python dictionary of three entries with literals as values.
struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// Reads the header from left to right. Each function says whether what it wants stands here, and then goes behind it.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  bool read(Header& header) {
    if (!symbol('{')) {
      return false;
    }
    while (!symbol('}')) {
      if (!entry(header) || (!symbol(',') && peek() != '}')) {
        return false;
      }
    }
    peek();
    return at_ == text_.size();
  }

  const std::string& problem() const { return problem_; }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool symbol(char c) {
    if (peek() != c) {
      return false;
    }
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    peek();
    if (text_.substr(at_, w.size()) != w) {
      return false;
    }
    at_ += w.size();
    return true;
  }
  std::optional<std::string> quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      return std::nullopt;
    }
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    const char first = peek();
    if (first < '0' || first > '9') {
      return std::nullopt;
    }
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(text_[at_] - '0'), &value)) {
        problem_ = "the shape has a number beyond 64 bits";
        return std::nullopt;
      }
    }
    return value;
  }
  bool entry(Header& header) {
    const std::optional<std::string> key = quoted();
    if (!key || !symbol(':')) {
      return false;
    }
    if (*key == "descr" && !header.descr) {
      if (peek() == '[') {
        problem_ = "the elements are records; only booleans, integers, floats and doubles can be read";
        return false;
      }
      header.descr = quoted();
      return header.descr.has_value();
    }
    if (*key == "fortran_order" && !header.fortran_order) {
      header.fortran_order = word("True");
      return *header.fortran_order || word("False");
    }
    return *key == "shape" && !header.shape && tuple(header.shape.emplace());
  }
  bool tuple(std::vector<std::uint64_t>& shape) {
    if (!symbol('(')) {
      return false;
    }
    while (!symbol(')')) {
      const std::optional<std::uint64_t> dimension = number();
      if (!dimension || (!symbol(',') && peek() != ')')) {
        return false;
      }
      shape.push_back(*dimension);
      if (shape.size() > max_dimensions) {
        problem_ = fmt::format("the array has more than {} dimensions", max_dimensions);
        return false;
      }
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
};

/// The element type: byte order, kind, size. The order of single bytes may be written in any way.
std::optional<std::string> read_descr(const std::string& descr, NpyArray& array) {
  const bool ordered = descr.starts_with('<') || descr.starts_with('>') || descr.starts_with('|');
  for (const ScalarInfo& row : scalar_table) {
    if (!ordered || std::string_view(descr).substr(1) != row.numpy.substr(1)) {
      continue;
    }
    if (descr[0] == '>' && row.size > 1) {
      return fmt::format("elements of type '{}' are big-endian; only little-endian ones can be read", descr);
    }
    array.type = row.type;
    return std::nullopt;
  }
  const std::string shown = descr.size() <= 16 ? descr : descr.substr(0, 16) + "…";
  return fmt::format("elements of type '{}' cannot be read, only booleans, integers, floats and doubles", shown);
}

/// The header's text and where the elements begin.
struct Parts {
  std::string_view header;
  std::string_view data;
};

std::expected<Parts, std::string> cut(std::string_view file) {
  if (!looks_like_npy(file)) {
    return std::unexpected("it is no .npy file");
  }
  if (file.size() < 8) {
    return std::unexpected("the file ends within its header");
  }
  const auto major = static_cast<unsigned char>(file[6]);
  const auto minor = static_cast<unsigned char>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return std::unexpected(fmt::format("the .npy format {}.{} is not known, only 1.0, 2.0 and 3.0", major, minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (file.size() < 8 + length_bytes) {
    return std::unexpected("the file ends within its header");
  }
  const std::uint64_t length = little_endian(file.substr(8, length_bytes));
  if (length > max_header) {
    return std::unexpected(fmt::format("the header claims to have {} bytes; at most {} are read", length, max_header));
  }
  const std::string_view rest = file.substr(8 + length_bytes);
  if (rest.size() < length) {
    return std::unexpected("the file ends within its header");
  }
  return Parts{rest.substr(0, length), rest.substr(length)};
}

/// The product of the shape, if that many elements are plausible: their bytes can be counted.
std::optional<std::uint64_t> count_elements(const NpyArray& array) {
  const unsigned element_bytes = size_of(array.type);
  std::uint64_t bytes = element_bytes;
  bool overflow = false;
  for (const std::uint64_t dimension : array.shape) {
    if (dimension == 0) {
      return 0;
    }
    overflow = overflow || __builtin_mul_overflow(bytes, dimension, &bytes);
  }
  return overflow ? std::nullopt : std::optional(bytes / element_bytes);
}

}  // namespace

std::int64_t NpyArray::element(std::uint64_t i) const {
  const unsigned size = size_of(type);
  const std::uint64_t bits = little_endian(data.substr(i * size, size));
  if (type == ScalarType::Bool) {
    return bits != 0 ? 1 : 0;
  }
  if (is_float(type) || !is_signed(type) || size == 8) {
    return static_cast<std::int64_t>(bits);
  }
  const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
  return static_cast<std::int64_t>((bits ^ sign) - sign);
}

bool looks_like_npy(std::string_view file) { return file.starts_with(magic); }

std::expected<NpyArray, std::string> read_npy(std::string_view file) {
  const auto parts = cut(file);
  if (!parts) {
    return std::unexpected(parts.error());
  }
  Header header;
  HeaderReader reader(parts->header);
  if (!reader.read(header) || !header.descr || !header.fortran_order || !header.shape) {
    return std::unexpected(reader.problem().empty() ? "the header is not one that NumPy writes" : reader.problem());
  }
  NpyArray array;
  if (auto problem = read_descr(*header.descr, array)) {
    return std::unexpected(std::move(*problem));
  }
  array.shape = std::move(*header.shape);
  if (*header.fortran_order && array.shape.size() > 1) {
    return std::unexpected("the array is in Fortran order; only C order can be read");
  }
  const std::optional<std::uint64_t> count = count_elements(array);
  if (!count) {
    return std::unexpected("the shape has more elements than 64 bits can count");
  }
  array.count = *count;
  array.data = parts->data;
  const std::uint64_t wanted = array.count * size_of(array.type);
  if (array.data.size() != wanted) {
    return std::unexpected(fmt::format("the elements take {} bytes, but {} stand behind the header", wanted, array.data.size()));
  }
  return array;
}

std::string npy_type_text(ScalarType type) { return fmt::format("'{}' ({})", info(type).numpy, info(type).name); }

std::string npy_header(ScalarType type, const std::vector<std::uint64_t>& shape) {
  std::string dimensions = fmt::format("{}", fmt::join(shape, ", "));
  dimensions += shape.size() == 1 ? "," : "";  // Python's tuple of one
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", info(type).numpy, dimensions);
  const std::size_t unpadded = magic.size() + 4 + dictionary.size() + 1;
  dictionary.append((64 - unpadded % 64) % 64, ' ');
  dictionary += '\n';
  std::string out(magic);
  out += {'\x01', '\x00'};
  out += static_cast<char>(dictionary.size() & 0xff);
  out += static_cast<char>(dictionary.size() >> 8);
  return out + dictionary;
}

void append_npy_element(std::string& out, std::int64_t value) {
  for (int byte = 0; byte < 8; ++byte) {
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * byte) & 0xff);
  }
}

}  // namespace lockstep
