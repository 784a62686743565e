#include "targets/ptx/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <vector>

#include "semantics/base/files.hpp"

namespace lockstep::targets {

namespace {

std::uint64_t element(const launch::Buffer& buffer, std::uint64_t index) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, buffer.bytes.data() + index * size_of(buffer.type), size_of(buffer.type));
  return bits;
}

std::string type_of(ScalarType type) { return fmt::format("{}{}", is_float(type) ? 'f' : 'u', 8 * size_of(type)); }

bool is_nan(ScalarType type, std::uint64_t bits) {
  float single = 0;
  double wide = 0;
  std::memcpy(&single, &bits, sizeof single);
  std::memcpy(&wide, &bits, sizeof wide);
  return (type == ScalarType::Float && std::isnan(single)) || (type == ScalarType::Double && std::isnan(wide));
}

/// Bits, so that no float is rounded on the way.
std::string number(ScalarType type, std::uint64_t bits) { return is_float(type) ? fmt::format(" {:#x}", bits) : fmt::format(" {}", bits); }

std::string inputs(const launch::Buffer& buffer) {
  std::string text = " " + type_of(buffer.type);
  for (std::uint64_t k = 0; k < buffer.count; ++k) {
    text += number(buffer.type, element(buffer, k));
  }
  return text + "\n";
}

/// What nobody says is `?`.
std::string expectations(const launch::Buffer& buffer, const differential::OpenElements* open) {
  std::string text;
  for (std::uint64_t k = 0; k < buffer.count; ++k) {
    const std::uint64_t bits = element(buffer, k);
    const bool is_any = std::ranges::binary_search(buffer.poison, k) || (open != nullptr && std::ranges::binary_search(open->indices, k));
    text += is_any ? " ?" : is_nan(buffer.type, bits) ? " nan" : number(buffer.type, bits);
  }
  return text + "\n";
}

std::string three(const ptx_machine::Dim3& sizes) { return fmt::format("{},{},{}", sizes.x, sizes.y, sizes.z); }

/// FNV-1a, in 64 bits.
std::uint64_t digest_of(const std::string& text) {
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const char each : text) {
    digest = (digest ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  }
  return digest;
}

}  // namespace

Option cases_option() {
  return {"--ptx-cases",
          "DIR",
          "keep what is run, with its launch and what the interpreter leaves, as cases for ptx_hardware",
          "",
          {Use::Diff, Use::Fuzz}};
}

std::optional<std::string> case_text(const std::string& ptx, const std::string& kernel, const std::string& name,
                                     const launch::Arguments& before, const PtxLaunch& launch, const Left& left) {
  const bool is_empty = std::ranges::all_of(before.buffers, [](const launch::Buffer& buffer) { return buffer.count == 0; });
  if (!launch.shared.empty() || std::ranges::any_of(launch.written, &launch::WrittenParameter::is_split) || is_empty) {
    return std::nullopt;
  }
  const ptx_machine::Geometry geometry = launch.geometry.value_or(ptx_machine::Geometry{{launch.blocks, 1, 1}, {launch.threads, 1, 1}});
  std::string text =
      fmt::format("//@ form {}\n//@ run grid={} block={} kernel={}\n", name, three(geometry.grid), three(geometry.block), kernel);
  // Memory first: a pointer may stand in front of the one whose name a buffer has, and none need point to its beginning.
  for (std::size_t k = 0; k < before.buffers.size(); ++k) {
    text += fmt::format("//@ memory b{}", k) + inputs(before.buffers[k]);
  }
  std::size_t number_of_parameter = 0;
  for (const Argument& value : before.values) {
    const std::size_t k = number_of_parameter++;
    if (const auto* points = std::get_if<BufferNumber>(&value)) {
      text += fmt::format("//@ pointer p{} b{} {}\n", k, points->number, points->first * size_of(before.buffers[points->number].type));
    } else {
      text += fmt::format("//@ scalar p{} b64 {:#x}\n", k, std::get<ScalarBits>(value).bits);
    }
  }
  for (const std::uint64_t more : launch.more) {
    text += fmt::format("//@ scalar p{} b64 {:#x}\n", number_of_parameter++, more);
  }
  for (std::size_t k = 0; k < before.buffers.size(); ++k) {
    const auto* open = k < left.open.size() ? &left.open[k] : nullptr;
    text += before.buffers[k].count == 0 ? "" : fmt::format("//@ expect b{} ==", k) + expectations(left.buffers[k], open);
  }
  return text + ptx;
}

void keep_case(const std::string& folder, const std::string& ptx, const std::string& kernel, const launch::Arguments& before,
               const PtxLaunch& launch, const Left& left) {
  const auto unnamed = case_text(ptx, kernel, kernel, before, launch, left);
  if (!unnamed) {
    return;
  }
  const std::string name = fmt::format("{}-{:016x}", kernel, digest_of(*unnamed));
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  static_cast<void>(write_text(fmt::format("{}/{}.ptx", folder, name), *case_text(ptx, kernel, name, before, launch, left)));
}

}  // namespace lockstep::targets
