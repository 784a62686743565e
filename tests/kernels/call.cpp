#include "tests/kernels/call.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"

namespace lockstep::test {

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot read " + path);
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::shared_ptr<const typed::Program> compile(const KernelId& id) {
  const std::string path = std::string(LOCKSTEP_SOURCE_DIR) + "/examples/" + id.file;
  const auto source = std::make_shared<const SourceFile>(path, text_of(path));
  Diagnostics warnings;
  const auto program = core::read_kernels(source, id.options, warnings);
  if (!program) {
    throw std::runtime_error(render(*source, program.error()));
  }
  if (!warnings.empty()) {
    throw std::runtime_error(render(*source, warnings));
  }
  const core::Function* const kernel = program->kernel(id.kernel);
  if (kernel == nullptr) {
    throw std::runtime_error(path + " has no kernel '" + id.kernel + "'");
  }
  return std::make_shared<const typed::Program>(core::translate(*program, *kernel));
}

/// Everything that a program depends on, as text.
std::string key_of(const KernelId& id) {
  const core::Options& options = id.options;
  std::string key = id.file + ' ' + id.kernel + ' ' + std::to_string(options.wg_size) + (options.contract ? " on " : " off ") +
                    std::to_string(static_cast<int>(options.crev_order)) + ' ' + std::to_string(options.crev_seed);
  for (const auto& [name, value] : options.defines) {
    key += ' ' + name + '=' + value;
  }
  return key;
}

}  // namespace

std::shared_ptr<const typed::Program> compiled(const KernelId& id) {
  static std::map<std::string, std::shared_ptr<const typed::Program>> programs;
  std::shared_ptr<const typed::Program>& program = programs[key_of(id)];
  if (program == nullptr) {
    program = compile(id);
  }
  return program;
}

launch::Outcome Call::run(const launch::LaunchOptions& options) {
  auto outcome = launch::run(program_, arguments_, options);
  if (!outcome) {
    throw std::runtime_error(outcome.error());
  }
  if (outcome->fault) {
    throw std::runtime_error(launch::render(*program_, *outcome->fault));
  }
  if (outcome->race_count != 0) {
    throw std::runtime_error(outcome->races.empty() ? "a race that is not listed" : launch::render(*program_, outcome->races.front()));
  }
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (!arguments_.buffers[i].poison.empty()) {
      throw std::runtime_error("poison in element " + std::to_string(arguments_.buffers[i].poison.front()) + " of buffer " +
                               std::to_string(i));
    }
    copies_[i](arguments_.buffers[i]);
  }
  return *std::move(outcome);
}

}  // namespace lockstep::test
