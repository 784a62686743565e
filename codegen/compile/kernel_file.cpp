#include "codegen/compile/kernel_file.hpp"

#include <cstdint>
#include <cstring>

namespace lockstep {

namespace {

constexpr std::string_view magic = "lockstep kernel 2\n";
constexpr std::size_t most_notes_deep = 8;

/// Writes and reads the same members in the same order: see `fields` below.
class Writer {
 public:
  explicit Writer(std::string& bytes) : bytes_(bytes) {}

  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <class T>
  void integer(const T& value) {
    number(static_cast<std::uint64_t>(value));
  }
  void text(const std::string& value) {
    number(value.size());
    bytes_ += value;
  }
  template <class T, class F>
  void list(const std::vector<T>& values, F&& each) {
    number(values.size());
    for (const T& value : values) {
      each(value);
    }
  }

 private:
  std::string& bytes_;
};

/// Stops at the first thing that cannot be: is_good() is false from then on, and everything reads as nothing.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (bytes_.size() < sizeof value) {
      is_good_ = false;
      bytes_ = {};
      return 0;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  template <class T>
  void integer(T& value) {
    value = static_cast<T>(number());
  }
  void text(std::string& value) {
    const std::uint64_t size = number();
    if (size > bytes_.size()) {
      is_good_ = false;
      bytes_ = {};
      return;
    }
    value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }
  template <class T, class F>
  void list(std::vector<T>& values, F&& each) {
    for (std::uint64_t left = number(); left > 0 && is_good_; --left) {
      each(values.emplace_back());
    }
  }
  bool is_good() const { return is_good_; }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_good_ = true;
};

template <class Stream, class D>
void diagnostic(Stream& stream, D& value, std::size_t depth = 0) {
  stream.integer(value.severity);
  stream.integer(value.span.begin);
  stream.integer(value.span.end);
  stream.text(value.message);
  if (depth < most_notes_deep) {
    stream.list(value.notes, [&](auto& note) { diagnostic(stream, note, depth + 1); });
  }
}

void optional_number(Writer& stream, const std::optional<std::uint64_t>& value) {
  stream.integer(value.has_value());
  stream.integer(value.value_or(0));
}
void optional_number(Reader& stream, std::optional<std::uint64_t>& value) {
  const bool is_there = stream.number() != 0;
  const std::uint64_t number = stream.number();
  value = is_there ? std::optional(number) : std::nullopt;
}

template <class Stream, class P>
void parameter(Stream& stream, P& value) {
  stream.text(value.name);
  stream.integer(value.type);
  stream.integer(value.is_pointer);
  stream.integer(value.is_const);
  stream.integer(value.is_restrict);
  optional_number(stream, value.footprint.block);
  stream.list(value.footprint.certain, [&](auto& access) {
    stream.integer(access.stride);
    stream.integer(access.first);
    stream.integer(access.last);
  });
}

/// All members of a kernel.
template <class Stream, class K>
void fields(Stream& stream, K& kernel) {
  stream.text(kernel.name);
  stream.integer(kernel.wg_size);
  stream.integer(kernel.wg_pack);
  stream.list(kernel.parameters, [&](auto& value) { parameter(stream, value); });
  stream.list(kernel.warnings, [&](auto& value) { diagnostic(stream, value); });
  stream.integer(kernel.verdict.kind);
  stream.integer(kernel.verdict.level);
  stream.text(kernel.verdict.sentence);
  stream.text(kernel.object);
}

}  // namespace

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string bytes;
  Writer writer(bytes);
  for (const std::string& part : parts) {
    writer.text(part);
  }
  return bytes;
}

std::string to_bytes(const std::string& key, const KernelFile& kernel) {
  std::string content;
  Writer writer(content);
  writer.text(key);
  fields(writer, kernel);
  std::string bytes(magic);
  Writer(bytes).number(checksum(content));
  return bytes + content;
}

std::optional<KernelFile> from_bytes(std::string_view bytes, const std::string& key) {
  if (!bytes.starts_with(magic)) {
    return std::nullopt;
  }
  Reader head(bytes.substr(magic.size()));
  const std::uint64_t expected = head.number();
  if (!head.is_good() || checksum(bytes.substr(magic.size() + sizeof expected)) != expected) {
    return std::nullopt;
  }
  Reader reader(bytes.substr(magic.size() + sizeof expected));
  std::string kept_key;
  reader.text(kept_key);
  KernelFile kernel;
  fields(reader, kernel);
  return reader.is_good() && reader.is_at_end() && kept_key == key ? std::optional(std::move(kernel)) : std::nullopt;
}

}  // namespace lockstep
