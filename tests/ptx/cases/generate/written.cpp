#include <fmt/format.h>

#include <algorithm>

#include "tests/ptx/cases/generate/case_text.hpp"

namespace lockstep::ptx_cases {

Written::Written(std::string file, std::vector<std::string> forms, std::string meaning) {
  text_.file = std::move(file);
  text_.forms = std::move(forms);
  text_.meaning = std::move(meaning);
}

Written& Written::grid(unsigned x, unsigned y, unsigned z) {
  text_.launch.grid = {x, y, z};
  return *this;
}

Written& Written::block(unsigned x, unsigned y, unsigned z) {
  text_.launch.block = {x, y, z};
  return *this;
}

Written& Written::shared(unsigned bytes) {
  text_.launch.shared = bytes;
  return *this;
}

Written& Written::target(const std::string& version, const std::string& target) {
  text_.version = version;
  text_.target = target;
  return *this;
}

Written& Written::buffer(const std::string& name, const std::string& type, std::vector<std::uint64_t> values) {
  text_.launch.arguments.push_back({name, type_of(type), true, std::move(values)});
  return *this;
}

Written& Written::scalar(const std::string& name, const std::string& type, std::uint64_t value) {
  text_.launch.arguments.push_back({name, type_of(type), false, {value}});
  return *this;
}

Written& Written::output(const std::string& name, const std::string& type, std::size_t count,
                         const std::function<std::uint64_t(std::uint64_t)>& expected) {
  buffer(name, type, std::vector<std::uint64_t>(count, 0));
  Expectation expectation{name, {}};
  const unsigned bytes = type_of(type).bytes;
  for (std::uint64_t k = 0; k < count; ++k) {
    expectation.values.emplace_back(ExpectedBits{expected(k) & (bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1)});
  }
  text_.launch.expectations.push_back(std::move(expectation));
  return *this;
}

Written& Written::refused(const std::string& instruction) {
  text_.launch.refused = instruction;
  return *this;
}

Written& Written::before(const std::string& text) {
  text_.before = text;
  return *this;
}

Written& Written::body(const std::string& text) {
  text_.body =
      "  .reg .pred %p<8>;\n  .reg .b16 %h<8>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<16>;\n  .reg .f32 %f<8>;\n  .reg .f64 %fd<8>;\n"
      "  mov.u32 %r0, %tid.x;\n";
  const auto out = std::ranges::find(text_.launch.arguments, "out", &Argument::name);
  if (out != text_.launch.arguments.end()) {
    text_.body += fmt::format("  ld.param.u64 %rd0, [out];\n  mad.wide.u32 %rd1, %r0, {}, %rd0;\n", out->type.bytes);
  }
  text_.body += text.starts_with('\n') ? text.substr(1) : text;
  return *this;
}

CaseText Written::text() const { return text_; }

}  // namespace lockstep::ptx_cases
