#include "semantics/ve/object.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "semantics/base/diagnostic.hpp"

namespace lockstep::ve {

namespace {

constexpr Elf64_Half machine_ve = 251;

using Problem = std::unexpected<std::string>;

/// A file that is read by structures at offsets.
class File {
 public:
  explicit File(std::string_view bytes) : bytes_(bytes) {}

  bool has(std::uint64_t offset, std::uint64_t count) const { return offset <= bytes_.size() && count <= bytes_.size() - offset; }

  /// The structure at `offset`, which the file has.
  template <class T>
  T at(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string_view part(std::uint64_t offset, std::uint64_t count) const { return bytes_.substr(offset, count); }

 private:
  std::string_view bytes_;
};

/// The text at `offset` of a string table; none if it has no end.
std::optional<std::string> text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) {
    return std::nullopt;
  }
  const auto end = table.find('\0', offset);
  return end == std::string_view::npos ? std::nullopt : std::optional(std::string(table.substr(offset, end - offset)));
}

std::optional<std::string> check_header(const File& file) {
  if (!file.has(0, sizeof(Elf64_Ehdr))) {
    return "is too short for an object file";
  }
  const auto header = file.at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return "is no ELF file";
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return "is no ELF file of 64 bits, lowest byte first";
  }
  if (header.e_machine != machine_ve) {
    return fmt::format("is for the machine number {}, and not for VE ({}); clang makes objects for VE with --target=ve-linux -c",
                       header.e_machine, machine_ve);
  }
  if (header.e_type != ET_REL) {
    return "is linked, and not an object file; clang makes those with -c";
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr) || !file.has(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr))) {
    return "is cut off, or has no table of sections";
  }
  return std::nullopt;
}

class Reading {
 public:
  Reading(std::string name, std::string_view bytes, std::uint64_t limit) : file_(bytes), left_(limit) { object_.name = std::move(name); }

  std::expected<Object, std::string> read() {
    if (const auto problem = check_header(file_)) {
      return Problem(*problem);
    }
    const auto header = file_.at<Elf64_Ehdr>(0);
    for (std::size_t k = 0; k < header.e_shnum; ++k) {
      headers_.push_back(file_.at<Elf64_Shdr>(header.e_shoff + k * sizeof(Elf64_Shdr)));
      const Elf64_Shdr& section = headers_.back();
      if (section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS && !file_.has(section.sh_offset, section.sh_size)) {
        return Problem("is cut off: a section lies beyond its end");
      }
    }
    if (header.e_shstrndx >= headers_.size()) {
      return Problem("has no names of sections");
    }
    names_ = contents(headers_[header.e_shstrndx]);
    for (const auto& step : {&Reading::read_sections, &Reading::read_symbols, &Reading::read_relocations, &Reading::read_debug}) {
      if (const auto problem = (this->*step)()) {
        return Problem(*problem);
      }
    }
    return std::move(object_);
  }

 private:
  std::string_view contents(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL ? std::string_view()
                                                                        : file_.part(section.sh_offset, section.sh_size);
  }

  std::optional<std::string> take(std::uint64_t bytes) {
    if (bytes > left_) {
      return fmt::format("needs more memory than the limit (--memory-limit): a section of {} bytes", bytes);
    }
    left_ -= bytes;
    return std::nullopt;
  }

  std::optional<std::string> read_sections() {
    for (std::size_t k = 0; k < headers_.size(); ++k) {
      const Elf64_Shdr& header = headers_[k];
      if ((header.sh_flags & SHF_ALLOC) == 0 || header.sh_type == SHT_NULL) {
        continue;
      }
      if ((header.sh_flags & SHF_TLS) != 0) {
        return "has variables of threads, which there are none of";
      }
      if (const auto problem = take(header.sh_size)) {
        return problem;
      }
      Section section;
      section.name = text_at(names_, header.sh_name).value_or("");
      section.writable = (header.sh_flags & SHF_WRITE) != 0;
      section.executable = (header.sh_flags & SHF_EXECINSTR) != 0;
      section.bytes.resize(header.sh_size);
      const std::string_view bytes = contents(header);
      std::ranges::copy(std::as_bytes(std::span<const char>(bytes)), section.bytes.begin());
      numbers_.emplace(k, object_.sections.size());
      object_.sections.push_back(std::move(section));
    }
    return std::nullopt;
  }

  std::optional<std::string> read_symbols() {
    for (const Elf64_Shdr& header : headers_) {
      if (header.sh_type != SHT_SYMTAB) {
        continue;
      }
      if (header.sh_link >= headers_.size()) {
        return "has symbols without names";
      }
      const std::string_view names = contents(headers_[header.sh_link]);
      for (std::uint64_t k = 0; k < header.sh_size / sizeof(Elf64_Sym); ++k) {
        const auto entry = file_.at<Elf64_Sym>(header.sh_offset + k * sizeof(Elf64_Sym));
        if (const auto problem = add_symbol(entry, names)) {
          return problem;
        }
      }
      return std::nullopt;
    }
    return "has no symbols";
  }

  std::optional<std::string> add_symbol(const Elf64_Sym& entry, std::string_view names) {
    Symbol symbol;
    symbol.name = entry.st_name == 0 ? std::string() : text_at(names, entry.st_name).value_or("");
    symbol.value = entry.st_value;
    symbol.size = entry.st_size;
    symbol.function = ELF64_ST_TYPE(entry.st_info) == STT_FUNC;
    symbol.weak = ELF64_ST_BIND(entry.st_info) == STB_WEAK;
    symbol.global = symbol.weak || ELF64_ST_BIND(entry.st_info) == STB_GLOBAL;
    symbol.absolute = entry.st_shndx == SHN_ABS;
    if (entry.st_shndx == SHN_COMMON) {  // room of its own
      if (const auto problem = take(entry.st_size)) {
        return problem;
      }
      symbol.section = object_.sections.size();
      symbol.value = 0;
      object_.sections.push_back({symbol.name, std::vector<std::byte>(entry.st_size), true, false});
    } else if (const auto found = numbers_.find(entry.st_shndx); entry.st_shndx < SHN_LORESERVE && found != numbers_.end()) {
      symbol.section = found->second;
      if (symbol.value > object_.sections[found->second].bytes.size()) {
        return fmt::format("has a symbol '{}' beyond its section", shortened(symbol.name));
      }
    }
    object_.symbols.push_back(std::move(symbol));
    return std::nullopt;
  }

  std::optional<std::string> read_relocations() {
    for (const Elf64_Shdr& header : headers_) {
      const auto section = numbers_.find(header.sh_info);
      if (section == numbers_.end()) {
        continue;  // of debugging information
      }
      if (header.sh_type == SHT_REL) {
        return "has relocations without addends, which VE's ABI has not";
      }
      if (header.sh_type != SHT_RELA) {
        continue;
      }
      for (std::uint64_t k = 0; k < header.sh_size / sizeof(Elf64_Rela); ++k) {
        if (const auto problem = add_relocation(file_.at<Elf64_Rela>(header.sh_offset + k * sizeof(Elf64_Rela)), section->second)) {
          return problem;
        }
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> add_relocation(const Elf64_Rela& entry, std::size_t section) {
    const std::uint64_t type = ELF64_R_TYPE(entry.r_info);
    const std::uint64_t symbol = ELF64_R_SYM(entry.r_info);
    if (symbol >= object_.symbols.size()) {
      return "has a relocation of a symbol that it has not";
    }
    if (type > static_cast<std::uint64_t>(RelocationType::RelativeLow32)) {
      return fmt::format("has a relocation of type {} at {}: it is compiled for shared libraries (-fpic), or has variables of threads",
                         type, place_text(object_, section, entry.r_offset));
    }
    const std::uint64_t bytes = object_.sections[section].bytes.size();
    const std::uint64_t width = type == static_cast<std::uint64_t>(RelocationType::Quad) ? 8 : 4;
    if (bytes < width || entry.r_offset > bytes - width) {
      return fmt::format("has a relocation at byte {} of section '{}', which has {}", entry.r_offset,
                         shortened(object_.sections[section].name), bytes);
    }
    object_.relocations.push_back({section, entry.r_offset, static_cast<RelocationType>(type), symbol, entry.r_addend});
    return std::nullopt;
  }

  /// Where code comes from is not worth an error: what is wrong there is left out.
  std::optional<std::string> read_debug() {
    std::map<std::size_t, std::string*> parts;
    for (std::size_t k = 0; k < headers_.size(); ++k) {
      const std::string name = text_at(names_, headers_[k].sh_name).value_or("");
      std::string* part = name == ".debug_line"       ? &object_.debug.line
                          : name == ".debug_line_str" ? &object_.debug.line_names
                          : name == ".debug_str"      ? &object_.debug.names
                                                      : nullptr;
      if (part != nullptr && (headers_[k].sh_flags & SHF_COMPRESSED) == 0) {
        if (const auto problem = take(headers_[k].sh_size)) {
          return problem;
        }
        *part = contents(headers_[k]);
        parts.emplace(k, part);
      }
    }
    for (const Elf64_Shdr& header : headers_) {
      const auto part = parts.find(header.sh_info);
      for (std::uint64_t k = 0; header.sh_type == SHT_RELA && part != parts.end() && k < header.sh_size / sizeof(Elf64_Rela); ++k) {
        relocate_debug(*part->second, file_.at<Elf64_Rela>(header.sh_offset + k * sizeof(Elf64_Rela)));
      }
    }
    return std::nullopt;
  }

  void relocate_debug(std::string& part, const Elf64_Rela& entry) const {
    const std::uint64_t symbol = ELF64_R_SYM(entry.r_info);
    const std::uint64_t width = ELF64_R_TYPE(entry.r_info) == static_cast<std::uint64_t>(RelocationType::Quad) ? 8 : 4;
    if (symbol < object_.symbols.size() && part.size() >= width && entry.r_offset <= part.size() - width) {
      const Symbol& of = object_.symbols[symbol];
      const std::uint64_t value = code_address(of.section.value_or(0), of.value) + static_cast<std::uint64_t>(entry.r_addend);
      std::memcpy(part.data() + entry.r_offset, &value, width);
    }
  }

  File file_;
  std::uint64_t left_;
  Object object_;
  std::vector<Elf64_Shdr> headers_;
  std::string_view names_;
  std::map<std::size_t, std::size_t> numbers_;  ///< of the file's sections that take room, what they are in the object
};

}  // namespace

bool looks_like_object(std::string_view bytes) { return bytes.starts_with(std::string_view(ELFMAG, SELFMAG)); }

std::expected<Object, std::string> read_object(std::string name, std::string_view bytes, std::uint64_t limit) {
  return Reading(std::move(name), bytes, limit).read();
}

std::vector<const Symbol*> functions_of(const Object& object) {
  std::vector<const Symbol*> found;
  for (const Symbol& symbol : object.symbols) {
    if (symbol.function && symbol.global && symbol.section && object.sections[*symbol.section].executable) {
      found.push_back(&symbol);
    }
  }
  return found;
}

std::string place_text(const Object& object, std::size_t section, std::uint64_t offset) {
  const Symbol* best = nullptr;
  for (const Symbol& symbol : object.symbols) {
    if (symbol.function && symbol.section == section && symbol.value <= offset && (best == nullptr || symbol.value > best->value)) {
      best = &symbol;
    }
  }
  const std::uint64_t begin = best == nullptr ? 0 : best->value;
  return fmt::format("{}+0x{:x}", shortened(best == nullptr ? object.sections[section].name : best->name), offset - begin);
}

}  // namespace lockstep::ve
