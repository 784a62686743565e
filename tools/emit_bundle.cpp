#include "tools/emit_bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/emit/c/header.hpp"
#include "differential/compare/compare.hpp"
#include "differential/compare/orders.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/base/files.hpp"
#include "tools/machine_options.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {

using namespace differential;

namespace {

constexpr std::string_view driver_head =
    R"(/* Runs the kernel on the inputs that lie here and compares what it leaves with what is expected: the same bits, any NaN for a NaN. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of a file, which has so many; the program ends if it has not. */
static unsigned char *bytes_of(const char *path, size_t size) {
  unsigned char *bytes = (unsigned char *)malloc(size + 1);
  FILE *file = fopen(path, "rb");
  if (!bytes || !file || fread(bytes, 1, size + 1, file) != size) {
    fprintf(stderr, "%s: not %zu bytes\n", path, size);
    exit(2);
  }
  fclose(file);
  return bytes;
}

static int is_nan(const unsigned char *at, char kind) {
  float f;
  double d;
  if (kind == 'f') return memcpy(&f, at, sizeof f), isnan(f);
  if (kind == 'd') return memcpy(&d, at, sizeof d), isnan(d);
  return 0;
}

/* Says which element is the first that differs, if there is one; `any` marks elements that may be anything, and may be null. */
static int differs(const char *name, const unsigned char *found, const unsigned char *expected, const unsigned char *any, size_t count,
                   size_t size, char kind) {
  for (size_t k = 0; k < count; ++k) {
    const unsigned char *a = found + k * size, *b = expected + k * size;
    if (memcmp(a, b, size) && !(any && any[k]) && !(is_nan(a, kind) && is_nan(b, kind))) {
      printf("%s[%zu] differs: 0x", name, k);
      for (size_t i = size; i-- > 0;) printf("%02x", a[i]);
      printf(" instead of 0x");
      for (size_t i = size; i-- > 0;) printf("%02x", b[i]);
      printf("\n");
      return 1;
    }
  }
  return 0;
}

int main(void) {
  int wrong = 0;
)";

std::string text_of(const std::vector<std::byte>& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// One parameter after the other: declares what it gets, and compares what it
/// leaves.
struct Driver {
  std::string before;
  std::string pointers;
  std::string call;
  std::string after;
};

void add_scalar(Driver& driver, const std::string& name, ScalarType type, std::uint64_t bits) {
  driver.before += fmt::format(
      "  const uint64_t bits_{0} = UINT64_C({1:#x});\n  {2} arg_{0};\n  "
      "memcpy(&arg_{0}, &bits_{0}, sizeof arg_{0});\n",
      name, bits,
      emit_c::c_type(type));  // every machine that is compiled for is little-endian
}

/// The buffer that a parameter owns.
void add_buffer(Driver& driver, std::vector<host::TextFile>& files, const std::string& name, const launch::Buffer& before,
                const launch::Buffer& after, bool is_written, const OpenElements* open) {
  files.push_back({name + ".in.bin", text_of(before.bytes)});
  driver.before += fmt::format("  unsigned char *arg_{0} = bytes_of(\"{0}.in.bin\", {1});\n", name, before.bytes.size());
  if (!is_written) {
    return;
  }
  files.push_back({name + ".expected.bin", text_of(after.bytes)});
  std::string any = "NULL";
  const bool has_open = open != nullptr && !open->indices.empty();
  if (!after.poison.empty() || has_open) {
    std::string marks(after.count, '\0');
    for (const std::uint64_t k : after.poison) {
      marks[k] = 1;
    }
    for (std::size_t k = 0; has_open && k < open->indices.size(); ++k) {
      marks[open->indices[k]] = 1;
    }
    any = fmt::format("bytes_of(\"{}.any.bin\", {})", name, marks.size());
    files.push_back({name + ".any.bin", std::move(marks)});
  }
  const char kind = after.type == ScalarType::Float ? 'f' : after.type == ScalarType::Double ? 'd' : 'i';
  driver.after += fmt::format(
      "  wrong |= differs(\"{0}\", arg_{0}, bytes_of(\"{0}.expected.bin\", "
      "{1}), {2}, {3}, {4}, '{5}');\n",
      name, after.bytes.size(), any, after.count, size_of(after.type), kind);
}

/// A parameter that points into another one's buffer.
void add_pointer(Driver& driver, const std::string& name, const std::string& owner, std::uint64_t bytes) {
  driver.pointers += fmt::format("  unsigned char *arg_{} = arg_{} + {};\n", name, owner, bytes);
}

std::string driver_text(const infreg::Kernel& kernel, const Driver& driver, const targets::Surroundings& around) {
  std::string call = fmt::format("{}({})", around.entry.empty() ? kernel.name : around.entry, driver.call);
  if (around.is_hosted) {
    call = fmt::format("const int error = {};\n  if (error != 0) return fprintf(stderr, \"error %d\\n\", error), 2", call);
  }
  return fmt::format("{}\n{}{}  {};\n{}  if (!wrong) {};\n  return wrong;\n}}\n", around.headers, driver_head,
                     driver.before + driver.pointers, call, driver.after, around.if_equal);
}

}  // namespace

std::expected<std::vector<host::TextFile>, Refusal> bundle_files(const ReadKernel& read, const infreg::Kernel& kernel,
                                                                 const BundleRequest& request, const targets::Surroundings& around) {
  const LoadedKernel loaded = load(read.program, *read.function);
  const std::size_t memory_limit = parse_bytes(MachineFlags().memory_limit).value_or(0);
  const auto read_array = [](const std::string& path, std::size_t most) { return read_file(path, most); };
  const auto grid = grid_of(request.grid, loaded);
  if (!grid) {
    return std::unexpected(refusal(grid.error()));
  }
  const auto before = launch::parse_arguments(*loaded.program, with_grid(request.arguments, loaded, *grid), memory_limit, read_array,
                                              loaded.writable, loaded.restricted, loaded.structures, loaded.written_parameters);
  if (!before) {
    return std::unexpected(refusal(before.error()));
  }
  if (const auto problem = launch::null_pointer(*loaded.program, *before)) {
    return std::unexpected(refusal(*problem));
  }
  launch::Arguments after = *before;
  launch::LaunchOptions options;
  options.groups = groups_of(*grid);
  options.ragged = ragged_range(request.grid, loaded, *grid);
  const auto outcome = launch::run(loaded.program, after, options);
  if (!outcome) {
    return std::unexpected(refusal(outcome.error()));
  }
  if (outcome->fault) {
    return std::unexpected(Refusal{launch::render(*loaded.program, *outcome->fault, places_of(loaded, *grid)), outcome->fault->message});
  }
  if (deciding_race(*outcome) != nullptr) {
    return std::unexpected(
        refusal("the result depends on the order of the "
                "groups: there is nothing to expect"));
  }
  // What depends on the order of atomic changes may be anything there, since a GPU has an order of its own.
  const auto open = open_elements(loaded, *before, after, options);
  if (!open) {
    return std::unexpected(Refusal{launch::render(*loaded.program, open.error(), places_of(loaded, *grid)), open.error().message});
  }
  std::vector<host::TextFile> files;
  Driver driver;
  for (std::size_t k = 0; k < before->values.size(); ++k) {
    const std::string& name = launch::parameter_name(*loaded.program, k);
    std::string elements;
    if (const auto* scalar = std::get_if<ScalarBits>(&before->values[k])) {
      add_scalar(driver, name, kernel.parameters[k].scalar, scalar->bits);
    } else {
      const auto& points = std::get<BufferNumber>(before->values[k]);
      const std::size_t owner = owner_of(before->values, points.number);
      const std::uint64_t count = before->buffers[points.number].count - points.first;
      elements = around.is_hosted ? fmt::format(", {}", count) : "";
      if (owner == k) {
        const launch::Buffer& buffer = before->buffers[points.number];
        add_buffer(driver, files, name, buffer, after.buffers[points.number], may_write(loaded, before->values, points.number),
                   points.number < open->size() ? &(*open)[points.number] : nullptr);
      } else {
        add_pointer(driver, name, launch::parameter_name(*loaded.program, owner), points.first * size_of(kernel.parameters[k].scalar));
      }
    }
    const std::string cast = kernel.parameters[k].is_pointer ? fmt::format("({} *)", emit_c::c_type(kernel.parameters[k].scalar)) : "";
    driver.call += fmt::format("{}{}arg_{}{}", driver.call.empty() ? "" : ", ", cast, name, elements);
  }
  driver.call += fmt::format("{}{}", driver.call.empty() ? "" : ", ", options.groups);
  files.push_back({around.driver, driver_text(kernel, driver, around)});
  files.push_back(around.makefile);
  files.insert(files.end(), around.more.begin(), around.more.end());
  return files;
}

}  // namespace lockstep::tools
