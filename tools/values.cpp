#include "tools/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include "interpreter/store/npy.hpp"
#include "interpreter/store/random_numbers.hpp"
#include "semantics/base/files.hpp"
#include "semantics/musimd/literal.hpp"
#include "semantics/musimd/number.hpp"
#include "tools/command.hpp"

namespace lockstep::tools {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<std::uint64_t> seed_of(std::string_view text) {
  const auto value = whole_integer(text);
  return value ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
}

/// Calls f(part) for the parts of `text` between commas until f returns false; false then.
template <class F>
bool each_part(std::string_view text, F&& f) {
  for (;;) {
    const auto comma = text.find(',');
    if (!f(trimmed(text.substr(0, comma)))) {
      return false;
    }
    if (comma == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::expected<std::vector<unsigned>, std::string> parse_threads(const std::string& text) {
  std::vector<unsigned> threads;
  const auto number = [](std::string_view word) -> std::optional<unsigned> {
    const auto value = musimd::read_decimal(word);
    return value && *value < musimd::max_threads ? std::optional(static_cast<unsigned>(*value)) : std::nullopt;
  };
  const bool good = each_part(text, [&](std::string_view part) {
    const auto dash = part.find('-');
    const auto first = number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
    if (!first || !last || threads.size() > musimd::max_threads) {
      return false;
    }
    for (unsigned t = *first; t != *last; *first < *last ? ++t : --t) {
      threads.push_back(t);
    }
    threads.push_back(*last);
    return true;
  });
  if (!good) {
    return std::unexpected(fmt::format("'{}' is no list of threads such as 0,2-3; threads are 0 to {}", text, musimd::max_threads - 1));
  }
  return threads;
}

std::expected<std::vector<unsigned>, std::string> parse_order(const std::string& text, unsigned threads) {
  std::vector<unsigned> order(threads);
  std::iota(order.begin(), order.end(), 0U);
  if (text == "ascending") {
    return std::vector<unsigned>{};
  }
  if (text == "descending") {
    std::reverse(order.begin(), order.end());
    return order;
  }
  if (text.starts_with("random")) {
    const std::optional<std::uint64_t> seed = text == "random"              ? std::optional<std::uint64_t>(0)
                                              : text.starts_with("random:") ? seed_of(text.substr(7))
                                                                            : std::nullopt;
    if (!seed) {
      return std::unexpected(fmt::format("'{}': a random order is written random or random:SEED", text));
    }
    RandomNumbers random(*seed);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random.next() % i]);
    }
    return order;
  }
  auto list = parse_threads(text);
  if (!list) {
    return std::unexpected(fmt::format("'{}' is no thread order: ascending, descending, random:SEED or a list such as 3,0-2", text));
  }
  return list;
}

std::expected<musimd::AsPrinted, std::string> parse_as_printed(const std::string& text) {
  musimd::AsPrinted printed;
  std::string wrong;
  each_part(text, [&](std::string_view part) {
    if (const auto erratum = musimd::erratum_named(part)) {
      printed.insert(*erratum);
      return true;
    }
    wrong = part;
    return false;
  });
  if (printed.empty() || !wrong.empty()) {
    std::string names;
    for (const std::string_view name : musimd::erratum_names) {
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    static constexpr std::pair<std::string_view, std::string_view> others[] = {
        {"E6", "is a misprint in the text, with nothing to execute"},
        {"E9", "is a misprint in a figure, with nothing to execute"},
        {"E11", "is in a program, not in a rule: examples/errata/E11_as_printed.mus shows it"},
        {"E12", "belongs to another paper"}};
    const auto* known = std::find_if(std::begin(others), std::end(others), [&](const auto& other) { return other.first == wrong; });
    const bool found = known != std::end(others);
    return std::unexpected(fmt::format("'{}' {}; the printed readings that can be executed are {} (see docs/errata.md)",
                                       found ? wrong : text, found ? known->second : "is no list of errata", names));
  }
  return printed;
}

std::expected<std::size_t, std::string> parse_bytes(const std::string& text) {
  std::string digits = text;
  std::uint64_t unit = 1;
  if (!digits.empty()) {
    const auto suffix = std::string_view("KMG").find(digits.back());
    if (suffix != std::string_view::npos) {
      unit = std::uint64_t{1} << (10 * (suffix + 1));
      digits.pop_back();
    }
  }
  const auto number = musimd::read_decimal(digits);
  std::uint64_t bytes = 0;
  if (!number || __builtin_mul_overflow(*number, unit, &bytes)) {
    return std::unexpected(fmt::format("'{}' is no number of bytes such as 65536, 64K, 3M or 2G", text));
  }
  return bytes;
}

namespace {

constexpr std::string_view shared_forms = "BASE:@FILE, BASE:[1,2,3] or BASE:LEN:zeros|iota|const:V|random[:SEED]";

/// Fills [base, base + count) with value(0), value(1), …
template <class F>
std::optional<std::string> fill(Machine& machine, std::int64_t base, std::uint64_t count, F&& value) {
  const std::uint64_t room = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() - base) + 1;
  if (count > room) {
    return "the cells go beyond the last address, 2^63 - 1";
  }
  // Refuse what is far beyond the limit before half of it has been written.
  bool fits = count <= machine.options().memory_limit / sizeof(std::int64_t);
  for (std::uint64_t i = 0; fits && i < count; ++i) {
    fits = machine.write_cell(base + static_cast<std::int64_t>(i), {CellState::Number, value(i)});
  }
  return fits ? std::nullopt
              : std::optional(fmt::format("{} cells do not fit into the memory limit of {} bytes", count, machine.options().memory_limit));
}

std::optional<std::string> fill_from_file(Machine& machine, std::int64_t base, const std::string& path) {
  // A byte or an element takes 8 bytes of Σ, and an .npy element at most that many of the file, which also has a header.
  constexpr std::size_t header = std::size_t{2} << 20;
  const std::size_t limit = machine.options().memory_limit;
  const auto bytes = read_file(path, [&](std::string_view beginning) {
    const bool npy = looks_like_npy(beginning) || path.ends_with(".npy");
    return ByteLimit{!npy                        ? limit / sizeof(std::int64_t)
                     : limit > SIZE_MAX - header ? SIZE_MAX
                                                 : limit + header,
                     fmt::format(", too many cells for the memory limit of {} bytes (--memory-limit)", limit)};
  });
  if (!bytes) {
    return bytes.error();
  }
  if (!looks_like_npy(*bytes) && !path.ends_with(".npy")) {
    return fill(machine, base, bytes->size(), [&](std::uint64_t i) { return static_cast<unsigned char>((*bytes)[i]); });
  }
  const auto array = read_npy(*bytes);
  if (!array) {
    return fmt::format("{}: {}", path, array.error());
  }
  if (is_float(array->type)) {
    return fmt::format("{}: elements of type {} cannot be read, only integers and booleans", path, npy_type_text(array->type));
  }
  return fill(machine, base, array->count, [&](std::uint64_t i) { return array->element(i); });
}

std::optional<std::string> fill_from_list(Machine& machine, std::int64_t base, std::string_view list) {
  std::vector<std::int64_t> values;
  std::string wrong;
  const bool good = trimmed(list).empty() || each_part(list, [&](std::string_view part) {
                      const auto value = whole_integer(part);
                      wrong = value ? "" : std::string(part);
                      values.push_back(value.value_or(0));
                      return value.has_value();
                    });
  if (!good) {
    return fmt::format("'{}' is no 64-bit integer", wrong);
  }
  return fill(machine, base, values.size(), [&](std::uint64_t i) { return values[i]; });
}

/// LEN:zeros|iota|const:V|random[:SEED]
std::optional<std::string> fill_by_rule(Machine& machine, std::int64_t base, std::string_view text) {
  const auto colon = text.find(':');
  const auto count = whole_natural(text.substr(0, colon));
  if (!count || colon == std::string_view::npos) {
    return fmt::format("it is not written {}", shared_forms);
  }
  const auto length = static_cast<std::uint64_t>(*count);
  const std::string_view kind = text.substr(colon + 1);
  if (kind == "zeros") {
    return fill(machine, base, length, [](std::uint64_t) { return 0; });
  }
  if (kind == "iota") {
    return fill(machine, base, length, [](std::uint64_t i) { return static_cast<std::int64_t>(i); });
  }
  if (kind.starts_with("const:")) {
    const auto value = whole_integer(kind.substr(6));
    return value ? fill(machine, base, length, [&](std::uint64_t) { return *value; })
                 : fmt::format("'{}' is no 64-bit integer", kind.substr(6));
  }
  if (kind == "random" || kind.starts_with("random:")) {
    const auto seed = kind == "random" ? std::optional<std::uint64_t>(0) : seed_of(kind.substr(7));
    if (!seed) {
      return fmt::format("'{}' is no seed; it is a 64-bit integer", kind.substr(7));
    }
    RandomNumbers random(*seed);
    return fill(machine, base, length, [&](std::uint64_t) { return static_cast<std::int64_t>(random.next()); });
  }
  return fmt::format("'{}' is not one of zeros, iota, const:V and random[:SEED]", kind);
}

std::optional<std::string> fill_cells(Machine& machine, std::string_view argument) {
  const auto colon = argument.find(':');
  if (colon == std::string_view::npos) {
    return fmt::format("it is not written {}", shared_forms);
  }
  const auto base = whole_natural(argument.substr(0, colon));
  if (!base) {
    return fmt::format("'{}' is no address; addresses are 0 to 2^63 - 1", argument.substr(0, colon));
  }
  const std::string_view value = argument.substr(colon + 1);
  if (value.starts_with('@')) {
    return fill_from_file(machine, *base, std::string(value.substr(1)));
  }
  if (value.starts_with('[') && value.ends_with(']')) {
    return fill_from_list(machine, *base, value.substr(1, value.size() - 2));
  }
  return fill_by_rule(machine, *base, value);
}

}  // namespace

std::optional<std::string> shared_file(const std::string& argument) {
  const auto colon = argument.find(':');
  const bool named = colon != std::string::npos && argument.substr(colon + 1).starts_with('@');
  return named ? std::optional(argument.substr(colon + 2)) : std::nullopt;
}

std::optional<std::string> fill_shared(Machine& machine, const std::string& argument) {
  const auto problem = fill_cells(machine, argument);
  return problem ? std::optional(fmt::format("--shared {}: {}", argument, *problem)) : std::nullopt;
}

std::expected<DumpRequest, std::string> parse_dump(const std::string& text) {
  const auto wrong = [&](std::string_view why) { return std::unexpected(fmt::format("--dump {}: {}", text, why)); };
  const auto cell_or_number = [](std::string_view word) -> std::optional<CellOrNumber> {
    const bool in_cell = word.starts_with('@');
    const auto value = whole_natural(in_cell ? word.substr(1) : word);
    return value ? std::optional(CellOrNumber{in_cell, *value}) : std::nullopt;
  };
  const std::string_view all = text;
  const auto first = all.find(':');
  if (first == std::string_view::npos) {
    return wrong("it is not written BASE:LEN[:text|:hex|:npy=FILE]");
  }
  const auto second = all.find(':', first + 1);
  DumpRequest request;
  const auto base = cell_or_number(all.substr(0, first));
  const auto length = cell_or_number(all.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
  if (!base || !length) {
    return wrong("BASE and LEN are integers from 0 to 2^63 - 1, or @ADDR for what a cell holds");
  }
  request.base = *base;
  request.length = *length;
  if (second == std::string_view::npos) {
    return request;
  }
  const std::string_view format = all.substr(second + 1);
  if (format == "text") {
    request.format = DumpRequest::Format::Text;
  } else if (format == "hex") {
    request.format = DumpRequest::Format::Hex;
  } else if (format.starts_with("npy=") && format.size() > 4) {
    request.format = DumpRequest::Format::Npy;
    request.path = format.substr(4);
  } else {
    return wrong("the format is text, hex or npy=FILE");
  }
  return request;
}

}  // namespace lockstep::tools
