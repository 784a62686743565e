#pragma once
// The arrays that a batch of problems lies in.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bench/suite/kernels.hpp"

namespace lockstep::bench {

/// Bytes that begin on a boundary of 2 MiB if there are as many, and on one of 64 bytes else; the system is asked for large pages.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t bytes);
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

enum class Role : std::uint8_t { Shared, In, Out, InOut };

/// An array parameter. Of a group-wise kernel problem g has elements g * each to g * each + each - 1; of an item-wise one the elements
/// k * batch + g for k < each. Shared arrays belong to no problem.
struct Array {
  std::string_view name;  ///< as examples/borg calls it
  ScalarType type = ScalarType::Double;
  Role role = Role::In;
  std::size_t each = 0;   ///< elements of a problem; of a shared array all
  std::size_t count = 0;  ///< elements
  Memory memory;
  Memory original;  ///< of InOut: what restore() puts back

  std::size_t bytes() const { return count * size_of(type); }
};

/// A batch of problems in memory.
class Data {
 public:
  /// Inputs are random, the same in every run; matrices are diagonally dominant by rows and by columns, so that pivoting changes nothing.
  Data(const Task& task, std::uint64_t batch);

  const Task& task() const { return task_; }
  std::uint64_t batch() const { return batch_; }
  const std::vector<Array>& arrays() const { return arrays_; }
  /// The kernel's pointers in the order of its parameters; item-wise kernels have the parameter `batch` behind them.
  std::span<void* const> pointers() const { return pointers_; }
  /// All arrays together, in bytes.
  std::size_t footprint() const;

  /// Whether a run changes inputs, so that it has to be restored before the next one.
  bool has_in_out() const;
  /// Puts back the inputs that are outputs too.
  void restore();
  /// Overwrites the outputs, so that results of one run are not mistaken for those of the next one.
  void clear_outputs();

  /// An array of numbers that all problems share, behind all others.
  void add_shared(std::string_view name, std::span<const std::int32_t> numbers);

  /// Element k of problem g of an array, its index.
  std::size_t element(const Array& array, std::uint64_t g, std::size_t k) const;

  /// These problems as a batch of their own, with what is in memory now.
  Data sample(std::span<const std::uint64_t> problems) const;

 private:
  Data() = default;
  void add(std::string_view name, ScalarType type, Role role, std::size_t each);
  void fill(std::uint64_t seed);
  void keep();

  Task task_;
  std::uint64_t batch_ = 0;
  std::vector<Array> arrays_;
  std::vector<void*> pointers_;
};

}  // namespace lockstep::bench
