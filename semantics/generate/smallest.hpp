#pragma once
// What shrinkers that change a value in place have in common.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace lockstep::generate {

/// The smallest value so far that fails still. A shrinker changes a part of it and asks whether the change is accepted: whether
/// the value has become smaller and fails. A change that is not is taken back.
template <class T>
class Smallest {
 public:
  /// `still_fails`, which outlives this, says yes of `start`, and is asked at most `tries` times.
  Smallest(T start, const std::function<bool(const T&)>& still_fails, std::uint64_t (*measure)(const T&), std::size_t tries)
      : value_(std::move(start)), still_fails_(still_fails), measure_(measure), size_(measure(value_)), tries_left_(tries) {}

  T& operator*() { return value_; }
  T* operator->() { return &value_; }

  /// Whether the predicate may still be asked.
  bool goes_on() const { return tries_left_ > 0; }

  /// Whether what the value has just been changed to is accepted; if not, the caller changes it back.
  bool accepted() {
    const std::uint64_t size = measure_(value_);
    if (size >= size_ || tries_left_ == 0) {
      return false;
    }
    --tries_left_;
    if (!still_fails_(value_)) {
      return false;
    }
    size_ = size;
    return true;
  }

  /// Puts `part` into `slot`, a part of the value, if that is accepted.
  template <class Part>
  bool replace(Part& slot, Part part) {
    std::swap(slot, part);
    if (accepted()) {
      return true;
    }
    std::swap(slot, part);
    return false;
  }

  /// Takes list[k] out of a list in the value if that is accepted.
  template <class Part>
  bool remove(std::vector<Part>& list, std::size_t k) {
    Part removed = std::move(list[k]);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
    if (accepted()) {
      return true;
    }
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(k), std::move(removed));
    return false;
  }

 private:
  T value_;
  const std::function<bool(const T&)>& still_fails_;
  std::uint64_t (*measure_)(const T&);
  std::uint64_t size_;
  std::size_t tries_left_;
};

}  // namespace lockstep::generate
