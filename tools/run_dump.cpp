// `--dump`: a range of Σ as numbers, text, hexadecimal numbers or a NumPy file.

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "interpreter/observe/trace_table.hpp"
#include "interpreter/store/npy.hpp"
#include "semantics/base/counted.hpp"
#include "tools/command.hpp"
#include "tools/run.hpp"

namespace lockstep::tools {

namespace {

constexpr std::int64_t max_cells = std::int64_t{1} << 28;
constexpr std::uint64_t cells_per_line = 16;

template <class F>
void each_cell(const Dump& dump, const Cells& shared, F&& f) {
  for (std::uint64_t i = 0; i < dump.length; ++i) {
    f(i, shared.read(dump.base + static_cast<std::int64_t>(i)));
  }
}

/// The number that a cell holds for `@ADDR`.
std::expected<std::int64_t, std::string> look_up(const CellOrNumber& number, const Cells& shared) {
  if (!number.in_cell) {
    return number.value;
  }
  const Cell cell = shared.read(number.value);
  if (cell.state == CellState::Number && cell.number >= 0) {
    return cell.number;
  }
  return std::unexpected(fmt::format("cell {} is {}", number.value,
                                     cell.state == CellState::Number   ? fmt::format("{}, which is negative", cell.number)
                                     : cell.state == CellState::Poison ? "poison"
                                                                       : "uninitialised"));
}

void print_cells(const Dump& dump, const Cells& shared, bool hex) {
  each_cell(dump, shared, [&](std::uint64_t i, const Cell& cell) {
    const bool as_hex = hex && cell.state == CellState::Number;
    const char* end = (i + 1) % cells_per_line == 0 || i + 1 == dump.length ? "\n" : " ";
    fmt::print("{}{}", as_hex ? fmt::format("{:02x}", static_cast<std::uint64_t>(cell.number)) : short_text(cell), end);
  });
}

void print_text(const Dump& dump, const Cells& shared, bool heading) {
  std::uint64_t uninitialised = 0;
  std::uint64_t no_bytes = 0;
  char last = '\n';
  each_cell(dump, shared, [&](std::uint64_t, const Cell& cell) {
    const bool byte = cell.state == CellState::Number && cell.number >= 0 && cell.number <= 0xff;
    uninitialised += cell.state == CellState::Uninitialised;
    no_bytes += !byte && cell.state != CellState::Uninitialised;
    last = byte ? static_cast<char>(cell.number) : '?';
    std::putchar(last);
  });
  if (heading && last != '\n') {
    std::putchar('\n');
  }
  if (uninitialised + no_bytes > 0) {
    std::fflush(stdout);
    say(fmt::format("lockstep: warning: {} shown as '?': {} uninitialised, {} without a byte\n", counted(uninitialised + no_bytes, "cell"),
                    uninitialised, no_bytes));
  }
}

std::optional<std::string> write_npy(const Dump& dump, const Cells& shared) {
  std::FILE* file = std::fopen(dump.request.path.c_str(), "wb");
  if (file == nullptr) {
    return fmt::format("{}: {}", dump.request.path, std::strerror(errno));
  }
  std::uint64_t missing = 0;
  bool good = true;
  std::string bytes = npy_header(ScalarType::Long, {dump.length});
  each_cell(dump, shared, [&](std::uint64_t, const Cell& cell) {
    missing += cell.state != CellState::Number;
    append_npy_element(bytes, cell.number);
    if (bytes.size() >= (1U << 16)) {
      good = good && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
      bytes.clear();
    }
  });
  good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && good;
  good = std::fclose(file) == 0 && good;
  if (!good) {
    return fmt::format("{}: cannot be written", dump.request.path);
  }
  if (missing > 0) {
    say(fmt::format("lockstep: warning: {}: {} uninitialised or poison, written as 0\n", dump.request.path, counted(missing, "cell")));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> too_many_cells(std::int64_t length, std::int64_t base) {
  if (length > max_cells) {
    return fmt::format("--dump: {} cells are too many, a dump has at most {}", length, max_cells);
  }
  if (length > 0 && length - 1 > std::numeric_limits<std::int64_t>::max() - base) {
    return "--dump: the cells go beyond the last address, 2^63 - 1";
  }
  return std::nullopt;
}

std::expected<Dump, std::string> locate(const DumpRequest& request, const Cells& shared) {
  const auto base = look_up(request.base, shared);
  const auto length = look_up(request.length, shared);
  if (!base || !length) {
    return std::unexpected("--dump: " + (base ? length.error() : base.error()));
  }
  if (const auto problem = too_many_cells(*length, *base)) {
    return std::unexpected(*problem);
  }
  return Dump{request, *base, static_cast<std::uint64_t>(*length)};
}

std::optional<std::string> write_dump(const Dump& dump, const Cells& shared, bool heading) {
  using Format = DumpRequest::Format;
  if (dump.request.format == Format::Npy) {
    return write_npy(dump, shared);
  }
  if (heading) {
    fmt::print("\nΣ: {} from {}\n", counted(dump.length, "cell"), dump.base);
  }
  if (dump.request.format == Format::Text) {
    print_text(dump, shared, heading);
  } else {
    print_cells(dump, shared, dump.request.format == Format::Hex);
  }
  return std::nullopt;
}

}  // namespace lockstep::tools
