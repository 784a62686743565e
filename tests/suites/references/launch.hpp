#pragma once
// A launch of a .sim file as the references see it: sizes, and the bytes of each argument. Linked to nothing of ours.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockstep::suites {

/// Numbers of one type, whose indices are looked at.
template <class T>
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(std::int64_t count, T value = T{}) : all_(static_cast<std::size_t>(count), value) {}
  T& operator[](std::int64_t k) { return all_.at(static_cast<std::size_t>(k)); }
  const T& operator[](std::int64_t k) const { return all_.at(static_cast<std::size_t>(k)); }
  std::int64_t count() const { return static_cast<std::int64_t>(all_.size()); }
  std::vector<T>& all() { return all_; }
  const std::vector<T>& all() const { return all_; }

 private:
  std::vector<T> all_;
};

/// Arguments have the numbers that they have in the file; of a __local one there are no bytes.
class Launch {
 public:
  using Bytes = std::vector<std::byte>;

  std::array<std::int64_t, 3> items{};
  std::array<std::int64_t, 3> group{};
  std::array<std::int64_t, 3> offset{};
  std::vector<Bytes> bytes;  ///< before the launch; what a reference sets is what has to be there afterwards
  std::vector<Bytes> left;   ///< what the kernel has left there

  template <class T>
  Numbers<T> get(std::size_t argument) const {
    return numbers<T>(bytes.at(argument));
  }
  template <class T>
  T one(std::size_t argument) const {
    return get<T>(argument)[0];
  }
  template <class T>
  void set(std::size_t argument, const Numbers<T>& numbers) {
    Bytes& there = bytes.at(argument);
    if (there.size() != sizeof(T) * numbers.all().size()) {
      throw std::logic_error("a reference has another number of bytes for argument " + std::to_string(argument));
    }
    std::memcpy(there.data(), numbers.all().data(), there.size());
  }

  /// What a mathematical function gave for a number whose exact value is near `exact`: what the kernel has left in place `at` of an
  /// argument, if that is no more than `ulps` units in the last place away, as docs/mathematics.md promises; else `exact` rounded, which is
  /// then missed.
  float near(std::size_t argument, std::int64_t at, double exact, double ulps) const {
    const float found = numbers<float>(left.at(argument))[at];
    const auto rounded = static_cast<float>(exact);
    const double unit = static_cast<double>(std::nextafter(std::fabs(rounded), INFINITY)) - std::fabs(static_cast<double>(rounded));
    return std::fabs(static_cast<double>(found) - exact) <= ulps * unit ? found : rounded;
  }

 private:
  template <class T>
  static Numbers<T> numbers(const Bytes& bytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    Numbers<T> found(static_cast<std::int64_t>(bytes.size() / sizeof(T)));
    if (bytes.size() % sizeof(T) != 0) {
      throw std::logic_error("a reference takes bytes that are no whole numbers of its type");
    }
    if (!bytes.empty()) {
      std::memcpy(found.all().data(), bytes.data(), bytes.size());
    }
    return found;
  }
};

/// What NAME.cl leaves of what NAME.sim gives it.
struct Reference {
  const char* name;
  void (*run)(Launch&);
  std::array<std::int64_t, 3> offset{};  ///< what get_global_id begins with
};

std::vector<Reference> vector_references();
std::vector<Reference> matrix_references();
std::vector<Reference> grid_references();
std::vector<Reference> order_references();
std::vector<Reference> science_references();

}  // namespace lockstep::suites
