#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cuda/trial.hpp"

namespace lockstep::cuda_trial {

namespace {

struct Scalar {
  std::string name;
  ScalarType type;
  std::vector<const char*> constants;

  bool is_float() const { return name.front() == 'f'; }
  bool is_truth() const { return name == "i1"; }
};

const std::vector<Scalar>& scalars() {
  const std::vector<const char*> reals = {"0.1", "-0.0", "inf", "-inf", "1e-40", "-1e+30", "3"};
  static const std::vector<Scalar> all = {
      {"i1", ScalarType::Bool, {"0", "1"}},
      {"i8", ScalarType::Char, {"-128", "127", "-1"}},
      {"u8", ScalarType::UChar, {"0", "255"}},
      {"i16", ScalarType::Short, {"-32768", "32767"}},
      {"u16", ScalarType::UShort, {"65535", "1"}},
      {"i32", ScalarType::Int, {"-2147483648", "2147483647", "-1"}},
      {"u32", ScalarType::UInt, {"4294967295", "2147483648"}},
      {"i64", ScalarType::Long, {"-9223372036854775808", "9223372036854775807", "-4294967297"}},
      {"u64", ScalarType::ULong, {"18446744073709551615", "9223372036854775808"}},
      {"f32", ScalarType::Float, reals},
      {"f64", ScalarType::Double, reals},
  };
  return all;
}

constexpr unsigned items = 8;

/// Every operation, each stored behind the others.
class Text {
 public:
  explicit Text(const Scalar& scalar) : scalar_(scalar) {
    load("x", 0);
    load("z", 1);
    load("few", 2);
    if (!scalar.is_float() && !scalar.is_truth()) {
      line("one", "constant 1");
      line("y", "or %z, %one");  // a divisor
    }
    for (const char* const operation : operations()) {
      store(line("", operation));
    }
    for (const char* const number : scalar.constants) {
      store(line("", std::string("constant ") + number));
    }
    std::string lanes;
    for (unsigned k = 0; k < items; ++k) {
      lanes += (k == 0 ? "" : ", ") + std::string(scalar.constants[k % scalar.constants.size()]);
    }
    store(line("", "lanes [" + lanes + "]"));
    for (const std::string_view comparison : {"lt", "le", "gt", "ge", "eq", "ne"}) {
      if (!scalar.is_truth() || comparison == "eq" || comparison == "ne") {
        const std::string is = line("", fmt::format("{}{} %x, %z", scalar.is_float() ? "f" : "", comparison), "i1");
        store(line("", "select " + is + ", %x, %z"));
        store(line("", "select " + is + ", %z, %x"));
      }
    }
    for (const Scalar& other : scalars()) {
      converted(other);
    }
    text = fmt::format("kernel @k(%a: ptr<{0}>, %b: ptr<{0}>) wg_size {1} wg_pack 1 {{\n{2}}}\n", scalar.name, items, body_);
  }

  std::string text;
  unsigned stores() const { return stores_; }

 private:
  std::vector<const char*> operations() const {
    if (scalar_.is_float()) {
      return {"fadd %x, %z", "fsub %x, %z", "fmul %x, %z",      "fdiv %x, %few", "fneg %x", "fabs %x",
              "fmin %x, %z", "fmax %x, %z", "fma %x, %z, %few", "sqrt %few",     "rcp %few"};
    }
    if (scalar_.is_truth()) {
      return {"and %x, %z", "or %x, %z", "xor %x, %z", "eq %x, %z", "ne %x, %z", "select %x, %z, %few"};
    }
    return {"add %x, %z", "sub %x, %z", "mul %x, %z", "div %x, %y", "rem %x, %y", "neg %x",     "min %x, %z",  "max %x, %z",
            "and %x, %z", "or %x, %z",  "xor %x, %z", "not %x",     "shl %x, %z", "shr %x, %z", "popcount %x", "index { wi*2 - 5 }"};
  }

  /// There and back again, with a step in between that shows what numbers there are.
  void converted(const Scalar& other) {
    const bool is_exact = !scalar_.is_float() && !other.is_float();
    std::string there = line("", std::string("convert ") + (is_exact ? "%x" : "%few"), other.name);
    if (!other.is_truth()) {
      const std::string step = line("", std::string("constant ") + (other.is_float() ? "0.75" : "1"), other.name);
      there = line("", fmt::format("{} {}, {}", other.is_float() ? "fmul" : "shr", there, step), other.name);
    }
    store(line("", "convert " + there));
    if (!other.is_truth() && !scalar_.is_truth() && size_of(other.type) == size_of(scalar_.type)) {
      store(line("", "bitcast " + line("", "bitcast %x", other.name)));
    }
  }

  /// The value's name.
  std::string line(const std::string& name, const std::string& how, const std::string& type = "") {
    const std::string value = "%" + (name.empty() ? fmt::format("v{}", values_++) : name);
    body_ += fmt::format("  {} : {}[wi {} x ix 1] = {}\n", value, type.empty() ? scalar_.name : type, items, how);
    return value;
  }
  void load(const std::string& name, unsigned row) { line(name, fmt::format("load %a [wi + {}] contiguous", row * items)); }
  void store(const std::string& value) { body_ += fmt::format("  store %b [wi + {}] contiguous, {}\n", stores_++ * items, value); }

  const Scalar& scalar_;
  std::string body_;
  unsigned values_ = 0;
  unsigned stores_ = 0;
};

/// Any, or, of floats and of what is converted from and to these, such as all types have.
std::int64_t number(const Scalar& scalar, std::uint64_t k) {
  const auto any = static_cast<std::int64_t>((k + 1) * 0x9e3779b97f4a7c15U);
  const auto few = static_cast<std::int64_t>(k * 37 % 100 + 1);
  return scalar.is_truth()    ? static_cast<std::int64_t>(k * k / 3 % 2)
         : k >= 2UL * items   ? few
         : !scalar.is_float() ? any
         : k % 3 == 0         ? -few
                              : few * 3;
}

}  // namespace

std::vector<Trial> operation_trials() {
  std::vector<Trial> trials;
  for (const Scalar& scalar : scalars()) {
    const Text text(scalar);
    Trial& trial = trials.emplace_back();
    trial.name = "operations_" + scalar.name;
    trial.kernel = kernel_of(text.text);
    trial.arguments = {BufferNumber{0}, BufferNumber{1}};
    trial.memory = {infreg::make_buffer(scalar.type, 3UL * items),
                    infreg::make_buffer(scalar.type, static_cast<std::uint64_t>(text.stores()) * items)};
    for (std::uint64_t k = 0; k < trial.memory[0].count; ++k) {
      put_number(trial.memory[0], k, number(scalar, k));
    }
  }
  return trials;
}

}  // namespace lockstep::cuda_trial
