#include <fmt/format.h>

#include <array>
#include <random>

#include "tests/cuda/trial.hpp"

namespace lockstep::cuda_trial {

namespace {

struct Kind {
  const char* name;
  ScalarType type;
  const char* sum;
};
constexpr std::array<Kind, 4> kinds = {{{"i32", ScalarType::Int, "add"},
                                        {"i64", ScalarType::Long, "add"},
                                        {"f32", ScalarType::Float, "fadd"},
                                        {"f64", ScalarType::Double, "fadd"}}};

class Rows {
 public:
  explicit Rows(std::uint64_t seed) : random_(seed), kind_(kinds[seed % kinds.size()]) {
    items_ = pick({4, 8, 12, 16, 32});
    elements_ = one_of(2) ? items_ : pick({2, 4, 6, 8, 16});
    pack_ = one_of(5) ? 2 : 1;
    type_ = fmt::format("{}[{}wi {} x ix {}]", kind_.name, pack_ == 1 ? "" : "wg 2 x ", items_, elements_);
    values_ = {load(), load()};
    for (int k = 0; k < 8; ++k) {
      step("");
    }
    const std::string carried = any();
    const std::string end = fmt::format("%end{}", count_++);
    line(fmt::format("{} : {} = for %s = 0 to {} step 1 (%row = {}) {{", end, type_, std::min(items_, 6), carried));
    const std::vector<std::string> outside = values_;
    values_.push_back("%row");
    for (int k = 0; k < 4; ++k) {
      step("%s");
    }
    line("yield " + values_.back());
    line("}");
    values_ = outside;
    values_.push_back(end);
    store();
    text = fmt::format("kernel @k(%a: ptr<{0}>, %b: ptr<{0}>) wg_size {1} wg_pack {2} {{\n{3}}}\n", kind_.name, items_, pack_, body_);
  }

  infreg::Buffer buffer() {
    infreg::Buffer made = infreg::make_buffer(kind_.type, cells());
    for (std::uint64_t k = 0; k < cells(); ++k) {
      put_number(made, k, static_cast<std::int64_t>(k * 37 % 211));
    }
    return made;
  }

  std::uint64_t offset() { return one_of(3) ? static_cast<std::uint64_t>(pick({1, 2, 3})) : 0; }

  std::string text;

 private:
  bool one_of(int n) { return std::uniform_int_distribution<int>(1, n)(random_) == 1; }
  int pick(const std::vector<int>& from) { return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random_)]; }
  /// Most often one of two that all may want.
  std::string any() { return values_[std::uniform_int_distribution<std::size_t>(0, one_of(3) ? values_.size() - 1 : 1)(random_)]; }
  std::uint64_t cells() const { return static_cast<std::uint64_t>(items_ * elements_) * 24; }

  void line(const std::string& one) { body_ += "  " + one + "\n"; }

  std::string made(const std::string& how) {
    const std::string name = fmt::format("%v{}", count_++);
    line(fmt::format("{} : {} = {}", name, type_, how));
    return name;
  }

  std::string load() {
    return made(fmt::format("load %a [wg.ix*{0} + wi*{1} + ix + {2}] gather", items_ * elements_, elements_, pick({0, 4, 8, 3})));
  }

  /// Into cells that no other store has.
  void store() {
    const std::string mask = fmt::format("%m{}", count_++);
    line(fmt::format("{} : i1[{}wi {} x ix {}] = mask {{ {} }}", mask, pack_ == 1 ? "" : "wg 2 x ", items_, elements_,
                     one_of(4) ? "wi <= ix" : fmt::format("wi < {}", items_ - 1)));
    line(fmt::format("store %b [wg.ix*{0} + wi*{1} + ix + {2}] gather, {3}{4}", items_ * elements_, elements_,
                     stores_++ * 4 * items_ * elements_, any(), one_of(2) ? ", " + mask : ""));
  }

  void step(const std::string& item) {
    const int what = pick({0, 0, 0, 0, 1, 1, 2, 2, 3, 4});
    if (what == 0) {
      values_.push_back(
          made(fmt::format("reorder {} {{ (wi, ix) <- ({}, ix) }}", any(), item.empty() ? std::to_string(pick({0, 1, 3})) : item)));
    } else if (what == 1) {
      values_.push_back(made(fmt::format("{} {}, {}", kind_.sum, any(), any())));
    } else if (what == 2) {
      // Turned, which goes through memory, or the other way round.
      const std::string from = items_ == elements_ ? "(ix, wi)" : fmt::format("({} - wi, {} - ix)", items_ - 1, elements_ - 1);
      values_.push_back(made(fmt::format("reorder {} {{ (wi, ix) <- {} }}", any(), from)));
    } else if (what == 3) {
      values_.push_back(load());
    } else if (stores_ < 4 && item.empty()) {
      store();
    }
  }

  std::mt19937_64 random_;
  Kind kind_;
  int items_ = 4;
  int elements_ = 4;
  int pack_ = 1;
  std::string type_;
  std::vector<std::string> values_;
  std::string body_;
  int count_ = 0;
  int stores_ = 0;
};

}  // namespace

Trial rows_trial(std::uint64_t seed) {
  Rows random(seed);
  Trial trial;
  trial.name = fmt::format("rows_{}", seed);
  trial.kernel = kernel_of(random.text);
  trial.arguments = {BufferNumber{0, random.offset()}, BufferNumber{1, random.offset()}};
  trial.memory = {random.buffer(), random.buffer()};
  trial.groups = trial.kernel.shape.wg_pack + 1;
  return trial;
}

}  // namespace lockstep::cuda_trial
