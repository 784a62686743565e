#include "semantics/ve/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "semantics/base/diagnostic.hpp"
#include "semantics/ve/instruction.hpp"

namespace lockstep::ve {

namespace {

/// Bytes that are read from the front on. Beyond their end there is nothing but zeros, and `failed`.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  bool failed() const { return failed_; }
  bool ended() const { return failed_ || left_.empty(); }
  std::size_t count() const { return left_.size(); }

  std::string_view take(std::uint64_t count) {
    if (count > left_.size()) {
      failed_ = true;
      left_ = {};
      return {};
    }
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  template <class T>
  T number() {
    T value = 0;
    const std::string_view bytes = take(sizeof value);
    if (!bytes.empty()) {
      std::memcpy(&value, bytes.data(), sizeof value);
    }
    return value;
  }

  /// Seven bits a byte, the lowest first, the last byte without the eighth one; `sign`: its highest one is that of the bits above it.
  std::uint64_t leb(bool sign = false) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= shift < 64 ? std::uint64_t{byte & 0x7fU} << shift : 0;
      if ((byte & 0x80U) == 0) {
        const bool negative = sign && (byte & 0x40U) != 0 && shift + 7 < 64;
        return negative ? value | ~std::uint64_t{0} << (shift + 7) : value;
      }
    }
  }

  /// Up to a byte of zeros.
  std::string_view text() {
    const std::string_view found = take(std::min(left_.find('\0'), left_.size()));
    take(1);
    return found;
  }

 private:
  std::string_view left_;
  bool failed_ = false;
};

std::string_view name_at(std::string_view table, std::uint64_t offset) {
  return Bytes(table.substr(std::min(offset, table.size()))).text();
}

/// The tables of DWARF, versions 2 to 5: a program each, which makes rows of addresses and lines.
class LineReading {
 public:
  explicit LineReading(const Object& object) : object_(object) {}

  Lines read() && {
    for (Bytes units(object_.debug.line); !units.ended();) {
      const auto length = units.number<std::uint32_t>();  // that of a unit of more than 4 GiB is more than there is
      read_unit(Bytes(units.take(length)));
    }
    return std::move(*this).lines();
  }

 private:
  struct File {
    std::string_view name;
    std::uint64_t directory = 0;
  };
  struct Header {
    std::uint64_t least_bytes = 1;  // of an instruction
    std::int64_t line_base = 0;
    std::uint64_t line_range = 0;
    std::vector<std::uint8_t> operand_counts;  // of the standard opcodes from 1 on
    std::vector<std::string_view> directories;
    std::vector<File> files;
    std::uint64_t first_file = 0;                    // the number of the first one
    std::map<std::uint64_t, std::uint32_t> numbers;  // of files in Lines::files
  };

  void read_unit(Bytes unit) {
    Header header;
    const auto version = unit.number<std::uint16_t>();
    if (version < 2 || version > 5) {
      return;
    }
    unit.take(version == 5 ? 2 : 0);  // how large addresses are
    const auto length = unit.number<std::uint32_t>();
    read_header(header, Bytes(unit.take(length)), version);
    run(header, unit);
  }

  void read_header(Header& header, Bytes bytes, unsigned version) const {
    header.least_bytes = bytes.number<std::uint8_t>();
    bytes.take(version >= 4 ? 2 : 1);  // operations of an instruction; whether statements begin everywhere
    const std::int64_t base = bytes.number<std::uint8_t>();
    header.line_base = base < 128 ? base : base - 256;
    header.line_range = bytes.number<std::uint8_t>();
    const auto first_special = bytes.number<std::uint8_t>();
    for (unsigned k = 1; k < first_special; ++k) {
      header.operand_counts.push_back(bytes.number<std::uint8_t>());
    }
    if (version == 5) {
      for (const File& directory : read_entries(bytes)) {
        header.directories.push_back(directory.name);
      }
      header.files = read_entries(bytes);
      return;
    }
    header.first_file = 1;
    header.directories.emplace_back();  // where the compiler ran, which is not said here
    for (std::string_view name = bytes.text(); !name.empty(); name = bytes.text()) {
      header.directories.push_back(name);
    }
    for (std::string_view name = bytes.text(); !name.empty(); name = bytes.text()) {
      header.files.push_back({name, bytes.leb()});
      bytes.leb();
      bytes.leb();
    }
  }

  /// Directories or files of version 5: what is said of each, and in what form; then they themselves.
  std::vector<File> read_entries(Bytes& bytes) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> formats(bytes.number<std::uint8_t>());
    for (auto& [content, form] : formats) {
      content = bytes.leb();
      form = bytes.leb();
    }
    std::vector<File> entries;
    for (std::uint64_t count = bytes.leb(); count > 0 && !formats.empty() && !bytes.ended(); --count) {
      File& entry = entries.emplace_back();
      for (const auto& [content, form] : formats) {
        read_form(bytes, form, content == 1 ? &entry.name : nullptr, content == 2 ? &entry.directory : nullptr);
      }
    }
    return entries;
  }

  void read_form(Bytes& bytes, std::uint64_t form, std::string_view* text, std::uint64_t* number) const {
    std::string_view read;
    std::uint64_t value = 0;
    switch (form) {
      case 0x08:  // string
        read = bytes.text();
        break;
      case 0x0e:  // strp
        read = name_at(object_.debug.names, bytes.number<std::uint32_t>());
        break;
      case 0x1f:  // line_strp
        read = name_at(object_.debug.line_names, bytes.number<std::uint32_t>());
        break;
      case 0x0b:  // data1
        value = bytes.number<std::uint8_t>();
        break;
      case 0x05:  // data2
        value = bytes.number<std::uint16_t>();
        break;
      case 0x06:  // data4
        value = bytes.number<std::uint32_t>();
        break;
      case 0x0f:  // udata
        value = bytes.leb();
        break;
      case 0x1e:  // data16: a sum of the file
        bytes.take(16);
        break;
      default:  // nobody knows how long it is
        bytes.take(bytes.count());
    }
    if (text != nullptr) {
      *text = read;
    }
    if (number != nullptr) {
      *number = value;
    }
  }

  void run(Header& header, Bytes program) {
    const std::size_t first_special = header.operand_counts.size() + 1;
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::uint64_t line = 1;
    const auto advance = [&](std::uint64_t instructions) { address += instructions * header.least_bytes; };
    while (!program.ended() && header.line_range != 0) {
      const auto opcode = program.number<std::uint8_t>();
      if (opcode >= first_special) {
        advance((opcode - first_special) / header.line_range);
        line += static_cast<std::uint64_t>(header.line_base) + (opcode - first_special) % header.line_range;
        begins_[address] = {number_of(header, file), static_cast<std::uint32_t>(line)};
        continue;
      }
      switch (opcode) {
        case 0: {
          Bytes operand(program.take(program.leb()));
          const auto extended = operand.number<std::uint8_t>();
          if (extended == 1) {  // the end of a sequence
            begins_.try_emplace(address);
            address = 0;
            file = 1;
            line = 1;
          } else if (extended == 2) {
            address = operand.number<std::uint64_t>();
          }
          break;
        }
        case 1:
          begins_[address] = {number_of(header, file), static_cast<std::uint32_t>(line)};
          break;
        case 2:
          advance(program.leb());
          break;
        case 3:
          line += program.leb(true);
          break;
        case 4:
          file = program.leb();
          break;
        case 8:
          advance((255 - first_special) / header.line_range);
          break;
        case 9:
          address += program.number<std::uint16_t>();
          break;
        default:
          for (unsigned k = 0; k < header.operand_counts[opcode - 1]; ++k) {
            program.leb();
          }
      }
    }
  }

  /// Of a file of the unit, in Lines::files.
  std::uint32_t number_of(Header& header, std::uint64_t file) {
    const auto [number, is_new] = header.numbers.try_emplace(file, 0);
    if (is_new) {
      const std::uint64_t index = file - header.first_file;
      std::string path;
      if (index < header.files.size()) {
        const File& named = header.files[index];
        const std::string_view directory = named.directory < header.directories.size() ? header.directories[named.directory] : "";
        path = named.name.starts_with('/') || directory.empty() ? std::string(named.name) : fmt::format("{}/{}", directory, named.name);
      }
      const auto [known, is_unknown] = files_.try_emplace(path, static_cast<std::uint32_t>(files_.size()));
      number->second = known->second;
    }
    return number->second;
  }

  Lines lines() && {
    Lines made;
    made.files.resize(files_.size());
    for (const auto& [path, number] : files_) {
      made.files[number] = path;
    }
    for (std::size_t section = 0; section < object_.sections.size(); ++section) {
      auto& at =
          made.at.emplace_back(object_.sections[section].executable ? object_.sections[section].bytes.size() / instruction_bytes : 0);
      auto next = begins_.lower_bound(code_address(section, 0));
      Line line;
      for (std::size_t k = 0; k < at.size(); ++k) {
        for (; next != begins_.end() && next->first <= code_address(section, k * instruction_bytes); ++next) {
          line = next->second;
        }
        at[k] = line;
      }
    }
    return made;
  }

  const Object& object_;
  std::map<std::string, std::uint32_t> files_;
  std::map<std::uint64_t, Line> begins_;  // lines by where they begin; they end where another one does
};

}  // namespace

std::string line_name(const Lines& lines, const Line& line) {
  const std::string_view path = line.number == 0 ? std::string_view() : lines.files[line.file];
  return line.number == 0 ? std::string() : fmt::format("{}:{}", shortened(path.substr(path.rfind('/') + 1)), line.number);
}

Lines read_lines(const Object& object) { return LineReading(object).read(); }

}  // namespace lockstep::ve
