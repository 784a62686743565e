#include "tests/ve/support.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "codegen/host/compiler.hpp"
#include "tests/ve/kept.hpp"

namespace lockstep::test {

namespace {

std::expected<std::string, std::string> compile(const std::string& c, const std::vector<std::string>& options) {
  const auto clang = host::find_compiler("clang-19");
  if (!clang) {
    return std::unexpected(clang.error());
  }
  host::CompileRequest request;
  request.source = {"case.c", c};
  request.options = {"--target=ve-linux", "-c", "-w", "-Wno-int-conversion", "-ffp-contract=off"};
  request.options.insert(request.options.end(), options.begin(), options.end());
  auto made = host::compile_text(*clang, request);
  return made ? std::expected<std::string, std::string>(std::move(*made)) : std::unexpected(made.error().sentence);
}

}  // namespace

bool has_clang() {
  static const bool answer = [] {
    const auto made = compile("int f(void) { return 1; }", {});
    if (!made) {
      WARN("clang-19 makes no objects for VE: " << made.error());
    }
    return made.has_value();
  }();
  return answer;
}

std::string object_file(const std::string& c, const std::vector<std::string>& options) {
  const auto made = kept_or_made(fmt::format("{}{}", fmt::join(options, " "), c), [&] { return compile(c, options); });
  INFO((made ? std::string() : made.error()));
  REQUIRE(made.has_value());
  return *made;
}

ve::Object object_of(const std::string& c, const std::vector<std::string>& options) {
  auto object = ve::read_object("case.o", object_file(c, options), std::uint64_t{1} << 30);
  INFO((object ? std::string() : object.error()));
  REQUIRE(object.has_value());
  return std::move(*object);
}

const ve::Decoder& decoder() {
  static const auto made = ve::Decoder::make();
  REQUIRE(made.has_value());
  return *made;
}

Called call(const ve::Object& object, const std::string& function, const std::vector<Given>& arguments,
            const ve_machine::LaunchOptions& options) {
  ve_machine::Arguments passed;
  for (const Given& given : arguments) {
    if (const auto* number = std::get_if<std::uint64_t>(&given)) {
      passed.values.emplace_back(*number);
      continue;
    }
    const auto& elements = std::get<std::vector<std::uint64_t>>(given);
    launch::Buffer buffer;
    buffer.type = ScalarType::ULong;
    buffer.count = elements.size();
    buffer.bytes.resize(8 * elements.size());
    std::memcpy(buffer.bytes.data(), elements.data(), buffer.bytes.size());
    passed.values.emplace_back(BufferNumber{passed.buffers.size()});
    passed.buffers.push_back(std::move(buffer));
  }
  const auto kernel = ve_machine::find_kernel(object, function);
  INFO((kernel ? function : kernel.error()));
  REQUIRE(kernel.has_value());
  auto outcome = ve_machine::run(object, decoder(), **kernel, passed, options);
  INFO((outcome ? std::string() : outcome.error()));
  REQUIRE(outcome.has_value());
  Called called{std::move(*outcome), {}};
  for (const launch::Buffer& buffer : passed.buffers) {
    std::vector<std::uint64_t> elements(buffer.count);
    std::memcpy(elements.data(), buffer.bytes.data(), buffer.bytes.size());
    called.buffers.push_back(std::move(elements));
  }
  return called;
}

}  // namespace lockstep::test
