#include "tests/ve/intrinsics.hpp"

#include <algorithm>
#include <fstream>
#include <set>

namespace lockstep::test {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

/// What a scalar operand is in C.
std::string scalar_type(const std::string& stem) {
  const bool floats = stem.starts_with("vf") || is_one_of(stem, {"vbrdd", "vbrds"});
  return floats && stem.ends_with('d') ? "double" : floats && stem.ends_with('s') ? "float" : "long";
}

std::string scalar_text(const std::string& stem, const std::string& name) {
  const std::string type = scalar_type(stem);
  return type == "double" ? "as_double(" + name + ")" : type == "float" ? "as_float(" + name + ")" : name;
}

}  // namespace

const std::string_view wrapper_head = R"(#include <velintrin.h>
static inline double as_double(unsigned long a) { double d; __builtin_memcpy(&d, &a, 8); return d; }
static inline float as_float(unsigned long a) { unsigned h = a >> 32; float f; __builtin_memcpy(&f, &h, 4); return f; }
static inline unsigned long of_double(double d) { unsigned long a; __builtin_memcpy(&a, &d, 8); return a; }
static inline unsigned long of_float(float f) { unsigned h; __builtin_memcpy(&h, &f, 4); return (unsigned long)h << 32; }
static inline __vm256 mask(const unsigned long *w) {
  __vm256 m = _vel_vfmklaf_ml(256);
  m = _vel_lvm_mmss(m, 0, w[0]);
  m = _vel_lvm_mmss(m, 1, w[1]);
  m = _vel_lvm_mmss(m, 2, w[2]);
  return _vel_lvm_mmss(m, 3, w[3]);
}
static inline __vm512 masks(const unsigned long *w) {
  __vm512 m = _vel_pvfmkaf_Ml(256);
  m = _vel_insert_vm512u(m, mask(w));
  return _vel_insert_vm512l(m, mask(w + 4));
}
static inline void put(unsigned long *out, __vm256 m, const unsigned long *below) {
  m = _vel_andm_mmm(m, mask(below));
  out[0] = _vel_svm_sms(m, 0);
  out[1] = _vel_svm_sms(m, 1);
  out[2] = _vel_svm_sms(m, 2);
  out[3] = _vel_svm_sms(m, 3);
}
)";

std::vector<Intrinsic> header_intrinsics() {
  std::ifstream header("/usr/lib/llvm-19/lib/clang/19/include/velintrin_gen.h");
  std::vector<Intrinsic> found;
  for (std::string line; std::getline(header, line);) {
    constexpr std::string_view begin = "#define _vel_";
    if (line.starts_with(begin)) {
      const std::string name = line.substr(begin.size(), line.find(' ', begin.size()) - begin.size());
      const auto bar = name.find('_');
      found.push_back({name.substr(0, bar), bar == std::string::npos ? "" : name.substr(bar + 1)});
    }
  }
  return found;
}

Form form_of(const Intrinsic& intrinsic, unsigned operands) {
  Form form;
  std::string letters = intrinsic.letters;
  form.result = letters.front();
  letters.erase(0, 1);
  if (letters.ends_with('l')) {
    letters.pop_back();
  }
  form.operands = letters.substr(0, operands);
  letters.erase(0, operands);
  if (!letters.empty() && (letters.front() == 'm' || letters.front() == 'M')) {
    form.mask = letters.front();
    letters.erase(0, 1);
  }
  form.pass_through = letters == "v";
  return form;
}

std::string wrapper(const Intrinsic& intrinsic, std::optional<int> literal) {
  const std::string& letters = intrinsic.letters;
  const char result = letters.front();
  std::string parameters = "unsigned long *out, long vl, long stored, const unsigned long *below";
  std::string operands;
  for (std::size_t k = 1; k < letters.size(); ++k) {
    const std::string name = "a" + std::to_string(k);
    std::string operand;
    switch (letters[k]) {
      case 'v':
        parameters += ", const unsigned long *" + name;
        operand = "_vel_vld_vssl(8, " + name + ", 256)";
        break;
      case 'm':
      case 'M':
        parameters += ", const unsigned long *" + name;
        operand = (letters[k] == 'm' ? "mask(" : "masks(") + name + ")";
        break;
      case 'l':
        operand = "vl";
        break;
      default:
        parameters += ", unsigned long " + name;
        operand = literal ? std::to_string(*literal) : scalar_text(intrinsic.stem, name);
    }
    operands += (operands.empty() ? "" : ", ") + operand;
  }
  std::string call = "_vel_" + intrinsic.name() + "(" + operands + ")";
  std::string body;
  if (result == 'v') {
    body = "_vel_vst_vssl(" + call + ", 8, out, stored);";
  } else if (result == 'm') {
    body = "put(out, " + call + ", below);";
  } else if (result == 'M') {
    body = "__vm512 m = " + call + "; put(out, _vel_extract_vm512u(m), below); put(out + 4, _vel_extract_vm512l(m), below);";
  } else {
    const std::string of = intrinsic.stem == "lvsd" ? "of_double(" : intrinsic.stem == "lvss" ? "of_float(" : "(";
    body = "*out = " + of + call + ");";
  }
  return "void f_" + intrinsic.name() + (literal ? "_k" : "") + "(" + parameters + ") { " + body + " }\n";
}

}  // namespace lockstep::test
