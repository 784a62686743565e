#include "bench/suite/data.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace lockstep::bench {

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

/// SplitMix64.
struct Random {
  std::uint64_t state;

  std::uint64_t next() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  double between(double low, double high) { return low + ((high - low) * 0x1p-53 * static_cast<double>(next() >> 11)); }
};

void put(const Array& array, std::size_t k, double value) {
  if (array.type == ScalarType::Float) {
    reinterpret_cast<float*>(array.memory.data())[k] = static_cast<float>(value);
  } else if (array.type == ScalarType::Double) {
    reinterpret_cast<double*>(array.memory.data())[k] = value;
  } else {
    reinterpret_cast<std::int32_t*>(array.memory.data())[k] = static_cast<std::int32_t>(value);
  }
}

/// The range of an array's numbers.
struct Range {
  double low = -1;
  double high = 1;
};

Range range_of(const Task& task, std::string_view array) {
  if (task.kernel == KernelId::Trsv && array == "m") {
    return {-1.0 / task.n, 1.0 / task.n};  // small, so that solutions do not grow
  }
  if (task.kernel == KernelId::Enumerate && array != "c") {
    return array == "d" ? Range{0, 9} : Range{-2, 30};  // some problems have no solution
  }
  if (task.kernel == KernelId::Frcg && array.size() == 1 && (array == "a" || array == "b")) {
    return array == "a" ? Range{0.5, 1.5} : Range{1, 10};
  }
  return {};
}

}  // namespace

Memory::Memory(std::size_t bytes) : size_(bytes) {
  const std::size_t alignment = bytes >= large_page ? large_page : 64;
  const std::size_t rounded = std::max<std::size_t>(1, (bytes + alignment - 1) / alignment) * alignment;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  if (!data_) {
    throw std::bad_alloc();
  }
  if (alignment == large_page) {
    madvise(data_.get(), rounded, MADV_HUGEPAGE);  // advice: nothing depends on it but the time
  }
}

Data::Data(const Task& task, std::uint64_t batch) : task_(task), batch_(batch) {
  const std::size_t n = task.n;
  const Real real = task.real;
  switch (task.kernel) {
    case KernelId::Gema:
    case KernelId::Gemm:
      add("a", real, Role::In, n * n);
      add("b", real, Role::In, n * n);
      add("c", real, Role::Out, n * n);
      break;
    case KernelId::Trsv:
      add("m", real, Role::In, n * n);
      add("b", real, Role::InOut, n);
      break;
    case KernelId::Ldus:
      add("a", real, Role::InOut, n * n);
      break;
    case KernelId::Pade:
      add("a", real, Role::Shared, 6);
      add("b", real, Role::Shared, 4);
      add("x", real, Role::In, 1);
      add("g", real, Role::In, 1);
      add("dx", real, Role::Out, 1);
      add("da", real, Role::Out, 6);
      add("db", real, Role::Out, 4);
      break;
    case KernelId::Enumerate:
      add("d", ScalarType::Int, Role::Shared, 80);
      add("c", real, Role::Shared, 10);
      add("b", real, Role::In, 8);
      add("best", real, Role::Out, 1);
      add("arg", ScalarType::Int, Role::Out, 1);
      break;
    case KernelId::Frcg:
      add("a", real, Role::In, 1);
      add("b", real, Role::In, 1);
      add("x", real, Role::InOut, 1);
      add("y", real, Role::InOut, 1);
      break;
  }
  fill(1 + static_cast<std::uint64_t>(task.kernel));
  keep();
}

void Data::add(std::string_view name, ScalarType type, Role role, std::size_t each) {
  Array array;
  array.name = name;
  array.type = type;
  array.role = role;
  array.each = each;
  array.count = role == Role::Shared ? each : each * batch_;
  array.memory = Memory(array.bytes());
  arrays_.push_back(std::move(array));
}

void Data::fill(std::uint64_t seed) {
  Random random{seed};
  for (const Array& array : arrays_) {
    const Range range = range_of(task_, array.name);
    for (std::size_t k = 0; k < array.count; ++k) {
      put(array, k, array.role == Role::Out ? 0 : random.between(range.low, range.high));
    }
    const std::size_t n = task_.n;
    if ((task_.kernel == KernelId::Trsv || task_.kernel == KernelId::Ldus) && array.each == n * n) {
      for (std::size_t row = 0; row < batch_ * n; ++row) {
        const double heavy = task_.kernel == KernelId::Ldus ? static_cast<double>(n) : 0.0;
        put(array, (row * n) + (row % n), heavy + random.between(1, 2));
      }
    }
  }
}

void Data::keep() {
  for (Array& array : arrays_) {
    pointers_.push_back(array.memory.data());
    if (array.role == Role::InOut) {
      array.original = Memory(array.bytes());
      std::memcpy(array.original.data(), array.memory.data(), array.bytes());
    }
  }
}

void Data::add_shared(std::string_view name, std::span<const std::int32_t> numbers) {
  add(name, ScalarType::Int, Role::Shared, numbers.size());
  std::memcpy(arrays_.back().memory.data(), numbers.data(), numbers.size_bytes());
  pointers_.push_back(arrays_.back().memory.data());
}

std::size_t Data::footprint() const {
  std::size_t bytes = 0;
  for (const Array& array : arrays_) {
    bytes += array.bytes();
  }
  return bytes;
}

bool Data::has_in_out() const {
  return std::ranges::any_of(arrays_, [](const Array& array) { return array.role == Role::InOut; });
}

void Data::restore() {
  for (const Array& array : arrays_) {
    if (array.role == Role::InOut) {
      std::memcpy(array.memory.data(), array.original.data(), array.bytes());
    }
  }
}

void Data::clear_outputs() {
  for (const Array& array : arrays_) {
    if (array.role == Role::Out) {
      std::memset(array.memory.data(), 0xA5, array.bytes());
    }
  }
}

std::size_t Data::element(const Array& array, std::uint64_t g, std::size_t k) const {
  return array.role == Role::Shared ? k : info(task_.kernel).is_group_wise ? (g * array.each) + k : (k * batch_) + g;
}

Data Data::sample(std::span<const std::uint64_t> problems) const {
  Data out;
  out.task_ = task_;
  out.batch_ = problems.size();
  for (const Array& array : arrays_) {
    out.add(array.name, array.type, array.role, array.each);
    const Array& copy = out.arrays_.back();
    const std::size_t size = size_of(array.type);
    const std::size_t owners = array.role == Role::Shared ? 1 : problems.size();
    for (std::size_t p = 0; p < owners; ++p) {
      for (std::size_t k = 0; k < array.each; ++k) {
        std::memcpy(copy.memory.data() + (out.element(copy, p, k) * size), array.memory.data() + (element(array, problems[p], k) * size),
                    size);
      }
    }
  }
  out.keep();
  return out;
}

}  // namespace lockstep::bench
