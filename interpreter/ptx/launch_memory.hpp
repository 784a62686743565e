#pragma once
// The objects of a launch that are there from its beginning to its end: buffers, variables, the kernel's parameters.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/ptx/address_space.hpp"
#include "interpreter/ptx/code.hpp"
#include "interpreter/ptx/launch.hpp"
#include "interpreter/ptx/races.hpp"
#include "interpreter/ptx/rows.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx_machine {

/// Objects with their bytes. What the constructor gets must outlive it; buffers' bytes are the arguments' own.
class LaunchMemory {
 public:
  LaunchMemory(const ptx::resolved::Module& module, std::uint32_t kernel, Arguments& arguments, const LaunchOptions& options);

  /// Makes all objects. The error is a sentence.
  std::optional<std::string> make();

  /// Shared memory is another one in each block, in which nothing has been written.
  void begin_block();

  /// Gives each object that races may be about its marks; what they take counts. The error is a sentence.
  std::optional<std::string> watch();

  /// Its number in `space`.
  std::uint32_t object_of_buffer(std::size_t buffer) const { return buffers_[buffer]; }

  AddressSpace space;
  Placement placement;

 private:
  void take(std::uint64_t bytes);
  std::string buffer_name(std::size_t number) const;
  std::uint32_t add(Object object);
  std::byte* bytes(std::uint64_t count);
  std::uint32_t add_variable(const ptx::resolved::VariableInfo& variable);
  std::uint32_t add_parameter(const ptx::resolved::VariableInfo& variable, const ParameterValue& value);
  void set_initial(const ptx::resolved::VariableInfo& variable, Object& object);
  std::uint64_t symbol(const ptx::resolved::InitialBytes::Symbol& symbol) const;

  const ptx::resolved::Module& module_;
  Arguments& arguments_;
  const LaunchOptions& options_;
  std::uint64_t taken_ = 0;
  std::vector<std::uint32_t> buffers_;
  std::vector<std::uint32_t> shared_;
  std::vector<std::pair<const ptx::resolved::VariableInfo*, std::uint32_t>> initialised_;
  std::optional<std::uint32_t> dynamic_;
  std::vector<RowStorage> storage_;
  std::vector<std::vector<std::uint8_t>> written_;
  std::vector<std::unique_ptr<Marks>> marks_;
  std::optional<std::string> problem_;
};

}  // namespace lockstep::ptx_machine
