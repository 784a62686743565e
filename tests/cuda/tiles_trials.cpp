#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "tests/cuda/trial.hpp"

namespace lockstep::cuda_trial {

namespace {

struct Kind {
  const char* name;
  ScalarType type;
  const char* sum;
  const char* less;
};
constexpr std::array<Kind, 8> kinds = {{{"f32", ScalarType::Float, "fadd", "flt"},
                                        {"f64", ScalarType::Double, "fadd", "flt"},
                                        {"i32", ScalarType::Int, "add", "lt"},
                                        {"i64", ScalarType::Long, "add", "lt"},
                                        {"f32", ScalarType::Float, "fadd", "flt"},
                                        {"u64", ScalarType::ULong, "add", "lt"},
                                        {"i16", ScalarType::Short, "add", "lt"},
                                        {"u8", ScalarType::UChar, "add", "lt"}}};

/// A group has cells of its own, in which its items have rows, one behind the other or apart, in either direction, of several regions.
class Tiles {
 public:
  explicit Tiles(std::uint64_t seed) : random_(seed), kind_(kinds[seed % kinds.size()]) {
    items_ = one_of(2) ? pick({4, 8, 12, 16, 20, 28, 32}) : one_of(6) ? between(33, 70) : between(1, 32);
    elements_ = one_of(2) ? 4 * between(1, 10) : one_of(2) ? 2 * between(1, 20) : between(1, 40);
    if (items_ > 32) {
      elements_ = std::min(elements_, 16);
    }
    pack_ = one_of(4) ? between(2, 3) : 1;
    stride_ = elements_ + pick({0, 0, 0, 4, 8, 2, 1, 32});
    span_ = (items_ * stride_ + 40 + 15) / 16 * 16;
    overlaps_ = one_of(3);
    for (int k = 0; k < 2; ++k) {
      load();
    }
    for (int k = between(2, 7); k > 0; --k) {
      step();
    }
    control();
    for (int k = between(0, 3); k > 0; --k) {
      step();
    }
    store();
    text = fmt::format("kernel @k(%a: ptr<{0}>{1}, %b: ptr<{0}>, %n: i64) wg_size {2} wg_pack {3} {{\n{4}}}\n", kind_.name,
                       overlaps_ || one_of(2) ? "" : " restrict", items_, pack_, body_);
  }

  infreg::Buffer buffer() {
    infreg::Buffer made = infreg::make_buffer(kind_.type, cells());
    for (std::uint64_t k = 0; k < cells(); ++k) {
      put_number(made, k, static_cast<std::int64_t>(k * 37 % 101));
    }
    return made;
  }

  std::vector<Argument> arguments() {
    const auto offset = [&] { return one_of(3) ? static_cast<std::uint64_t>(between(1, 8)) : 0; };
    const std::uint64_t first = offset();
    return {BufferNumber{0, first}, BufferNumber{overlaps_ ? 0U : 1U, offset()}, ScalarBits{static_cast<std::uint64_t>(between(0, 3))}};
  }

  std::uint64_t groups() { return static_cast<std::uint64_t>(between(1, most_groups)); }

  std::string text;

 private:
  static constexpr int regions = 3;
  static constexpr int most_groups = 9;

  bool one_of(int n) { return between(1, n) == 1; }
  int between(int first, int last) { return std::uniform_int_distribution<int>(first, last)(random_); }
  int pick(const std::vector<int>& from) { return from[static_cast<std::size_t>(between(0, static_cast<int>(from.size()) - 1))]; }
  const std::string& any() { return values_[static_cast<std::size_t>(between(0, static_cast<int>(values_.size()) - 1))]; }
  std::uint64_t cells() const { return static_cast<std::uint64_t>(span_) * regions * most_groups + 16; }

  void line(const std::string& one) { body_ += "  " + one + "\n"; }
  std::string name() { return fmt::format("%v{}", count_++); }
  std::string type(const std::string& element, int elements) const {
    return fmt::format("{}[{}wi {} x ix {}]", element, pack_ == 1 ? "" : fmt::format("wg {} x ", pack_), items_, elements);
  }
  std::string made(const std::string& element, int elements, const std::string& how) {
    std::string result = name();
    line(fmt::format("{} : {} = {}", result, type(element, elements), how));
    return result;
  }

  /// `first`: of the row, from where it usually begins.
  std::string place(const std::string& element, int first) {
    const bool is_reversed = one_of(5);
    const int from = span_ * between(0, regions - 1) + first + (is_reversed ? (items_ - 1) * stride_ : 0);
    return fmt::format("{} [wg.ix*{} {} wi*{}{} + {}] gather", one_of(2) ? "%a" : "%b", span_ * regions, is_reversed ? '-' : '+', stride_,
                       element, from);
  }
  std::string row_place() {
    const int first = pick({0, 0, 0, 4, 8, 2, 1, 3});
    return elements_ > 1 && one_of(8) ? place(" - ix", first + elements_ - 1) : place(" + ix", first);
  }
  std::string cell_place() { return place("", between(0, elements_ - 1)); }

  /// Of all elements of an item alike, most often.
  std::string mask() {
    switch (between(0, 4)) {
      case 0: {
        const std::string one = made(kind_.name, 1, "load " + cell_place());
        const std::string other = made(kind_.name, 1, "load " + cell_place());
        const std::string less = made("i1", 1, fmt::format("{} {}, {}", kind_.less, one, other));
        return made("i1", elements_, "spread " + less);
      }
      case 1:
        return made("i1", elements_, "mask { wi <= ix }");
      case 2:
        return made("i1", elements_, fmt::format("mask {{ wi == {} }}", between(0, items_ - 1)));
      case 3:
        return made("i1", elements_, fmt::format("mask {{ wi < {}, wi + %n != 3 }}", between(1, items_)));
      default:
        return made("i1", elements_, fmt::format("mask {{ wi < {} }}", between(1, items_)));
    }
  }

  void load() { values_.push_back(made(kind_.name, elements_, "load " + row_place())); }
  void load_some() {
    const std::string some = mask();
    const std::string loaded = made(kind_.name, elements_, fmt::format("load {}, {}", row_place(), some));
    values_.push_back(made(kind_.name, elements_, fmt::format("select {}, {}, {}", some, loaded, any())));
  }
  void store() {
    const std::string some = one_of(3) ? ", " + mask() : "";
    line(fmt::format("store {}, {}{}", row_place(), any(), some));
  }

  void step() {
    switch (between(0, 9)) {
      case 0:
      case 1:
        return load();
      case 2:
        return load_some();
      case 3:
      case 4:
      case 5:
        return store();
      case 6:
        values_.push_back(made(kind_.name, elements_, fmt::format("{} {}, {}", kind_.sum, any(), any())));
        return;
      case 7: {
        // A cell of the item's own, which lanes access for themselves.
        const std::string one = made(kind_.name, 1, "load " + cell_place());
        line(fmt::format("store {}, {}", cell_place(), made(kind_.name, 1, fmt::format("{} {}, {}", kind_.sum, one, one))));
        return;
      }
      case 8:
        values_.push_back(made(kind_.name, elements_,
                               fmt::format("reorder {} {{ (wi, ix) <- ({}, ix) }}", values_[0], between(0, std::min(items_, 3) - 1))));
        return;
      default:
        values_.push_back(
            made(kind_.name, elements_, fmt::format("reorder {} {{ (wi, ix) <- ({} - wi, {} - ix) }}", any(), items_ - 1, elements_ - 1)));
        return;
    }
  }

  void control() {
    const std::vector<std::string> outside = values_;
    const int what = between(0, 4);
    if (what == 0) {
      return;
    }
    if (what == 4) {
      // Packs go different ways.
      const std::string one = made(kind_.name, 1, "load " + cell_place());
      const std::string less = made("i1", 1, fmt::format("{} {}, {}", kind_.less, one, made(kind_.name, 1, "load " + cell_place())));
      const std::string all = made("i1", 1, fmt::format("mask {{ wi == {} }}", between(0, items_ - 1)));
      const std::string is = name();
      line(fmt::format("{} : i1 = any.pack {}, {}", is, less, all));
      line(fmt::format("if {} {{", is));
    } else if (what == 3) {
      const std::string two = name();
      const std::string is = name();
      line(two + " : i64 = constant 2");
      line(fmt::format("{} : i1 = lt %n, {}", is, two));
      line(fmt::format("if {} {{", is));
    } else {
      line(fmt::format("for %j{} = 0 to {} step 1 {{", count_++, what == 1 ? "3" : "%n"));
    }
    for (int k = between(1, 4); k > 0; --k) {
      step();
    }
    line("}");
    values_ = outside;
  }

  std::mt19937_64 random_;
  Kind kind_;
  int items_ = 4;
  int elements_ = 4;
  int pack_ = 1;
  int stride_ = 4;
  int span_ = 16;  ///< cells of a region
  bool overlaps_ = false;
  std::vector<std::string> values_;
  std::string body_;
  int count_ = 0;
};

}  // namespace

Trial tiles_trial(std::uint64_t seed) {
  Tiles random(seed);
  Trial trial;
  trial.name = fmt::format("tiles_{}", seed);
  trial.kernel = kernel_of(random.text);
  trial.memory = {random.buffer(), random.buffer()};
  trial.arguments = random.arguments();
  trial.groups = random.groups();
  return trial;
}

}  // namespace lockstep::cuda_trial
