#pragma once
// Running PTX in tests: from a file to the buffers that it leaves.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "interpreter/ptx/launch.hpp"
#include "semantics/ptx/resolve.hpp"
#include "semantics/ptx/syntax.hpp"

namespace lockstep::test {

/// A module and what it means.
struct PtxFile {
  std::shared_ptr<const SourceFile> source;
  ptx::Module module;
  ptx::resolved::Module resolved;
};

/// Reads, checks and resolves a text. Throws std::runtime_error with all complaints.
PtxFile read_ptx(const std::string& name, const std::string& text);
PtxFile read_ptx_file(const std::string& path);

/// A file below the sources.
std::string source_path(const std::string& below);
/// Its text. Throws std::runtime_error.
std::string text_of_file(const std::string& path);

/// A schedule with its seed, by its name.
struct NamedSchedule {
  std::string name;
  ptx_machine::Schedule schedule = ptx_machine::Schedule::LowestPc;
  std::uint64_t seed = 0;
};
/// All four; of random ones, two seeds.
const std::vector<NamedSchedule>& schedules();

/// Runs a kernel, of one that has no name the module's only one. Throws std::runtime_error if it is refused, ends in a fault or has races.
void run_ptx(const PtxFile& file, const std::string& kernel, ptx_machine::Arguments& arguments, ptx_machine::LaunchOptions options);

/// Appends a parameter's value.
void add_scalar(ptx_machine::Arguments& arguments, std::uint64_t bits, unsigned bytes);
/// Appends a buffer of elements of so many bytes, and the parameter that points to it.
void add_buffer(ptx_machine::Arguments& arguments, const std::vector<std::uint64_t>& elements, unsigned bytes);
/// Element k of a buffer.
std::uint64_t element_of(const launch::Buffer& buffer, std::size_t k, unsigned bytes);

}  // namespace lockstep::test
