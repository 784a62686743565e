#include "tests/ptx/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "semantics/ptx/check.hpp"
#include "semantics/ptx/parse.hpp"

namespace lockstep::test {

PtxFile read_ptx(const std::string& name, const std::string& text) {
  PtxFile file{std::make_shared<const SourceFile>(name, text), {}, {}};
  auto module = ptx::parse(*file.source);
  if (!module) {
    throw std::runtime_error(render(*file.source, module.error()));
  }
  file.module = std::move(*module);
  auto resolved = ptx::resolve(file.module, file.source);
  if (!resolved) {
    throw std::runtime_error(render(*file.source, resolved.error()));
  }
  file.resolved = std::move(*resolved);
  return file;
}

PtxFile read_ptx_file(const std::string& path) { return read_ptx(path, text_of_file(path)); }

std::string source_path(const std::string& below) { return std::string(LOCKSTEP_SOURCE_DIR) + "/" + below; }

std::string text_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw std::runtime_error("cannot be read: " + path);
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

const std::vector<NamedSchedule>& schedules() {
  using ptx_machine::Schedule;
  static const std::vector<NamedSchedule> all = {{"lowest-pc", Schedule::LowestPc, 0},
                                                 {"stack", Schedule::Stack, 0},
                                                 {"fair", Schedule::Fair, 0},
                                                 {"random:1", Schedule::Random, 1},
                                                 {"random:2", Schedule::Random, 2}};
  return all;
}

void run_ptx(const PtxFile& file, const std::string& kernel, ptx_machine::Arguments& arguments, ptx_machine::LaunchOptions options) {
  const auto& functions = file.resolved.functions;
  const auto entry = std::ranges::find_if(
      functions, [&](const ptx::resolved::Function& function) { return function.entry && (kernel.empty() || function.name == kernel); });
  if (entry == functions.end()) {
    throw std::runtime_error("there is no kernel " + kernel);
  }
  const auto outcome = ptx_machine::run(file.resolved, *entry, arguments, options);
  if (!outcome) {
    throw std::runtime_error(outcome.error());
  }
  if (outcome->fault) {
    throw std::runtime_error(render(file.resolved, *outcome->fault));
  }
  if (!outcome->races.empty()) {
    throw std::runtime_error(render(file.resolved, outcome->races.front()));
  }
}

void add_scalar(ptx_machine::Arguments& arguments, std::uint64_t bits, unsigned bytes) {
  ptx_machine::ParameterBytes value;
  value.bytes.resize(bytes);
  std::memcpy(value.bytes.data(), &bits, bytes);
  arguments.values.emplace_back(std::move(value));
}

void add_buffer(ptx_machine::Arguments& arguments, const std::vector<std::uint64_t>& elements, unsigned bytes) {
  const ScalarType type = bytes == 1   ? ScalarType::UChar
                          : bytes == 2 ? ScalarType::UShort
                          : bytes == 4 ? ScalarType::UInt
                                       : ScalarType::ULong;
  launch::Buffer buffer{type, elements.size(), {}, {elements.size()}, {}};
  buffer.bytes.resize(elements.size() * bytes);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    std::memcpy(buffer.bytes.data() + k * bytes, &elements[k], bytes);
  }
  arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
  arguments.buffers.push_back(std::move(buffer));
}

std::uint64_t element_of(const launch::Buffer& buffer, std::size_t k, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, buffer.bytes.data() + k * bytes, bytes);
  return bits;
}

}  // namespace lockstep::test
