#include "tests/ve_emitted/support.hpp"

#include <catch2/catch.hpp>
#include <iostream>
#include <string>
#include <utility>

#include "targets/clang_ptx/compile.hpp"
#include "targets/ve/compile.hpp"
#include "targets/ve/machine.hpp"
#include "tests/unit/emit_llvm.hpp"
#include "tests/ve/kept.hpp"

namespace lockstep::ve_emitted {

namespace {

launch::Arguments launched(const std::vector<Argument>& arguments, const std::vector<infreg::Buffer>& memory) {
  launch::Arguments launch;
  launch.values = arguments;
  for (const infreg::Buffer& buffer : memory) {
    launch.buffers.push_back({buffer.type, buffer.count, buffer.bytes, {buffer.count}, {}});
  }
  return launch;
}

bool is_poison(const std::string& sentence) { return sentence.find("was never written") != std::string::npos; }

}  // namespace

std::optional<host::Compiler> clang_with(const char* arguments) {
  const auto clang = targets::find_clang(std::string("clang-19 ") + arguments);
  if (!clang) {
    std::cout << "skipped: " << clang.error() << '\n';
    return std::nullopt;
  }
  return *clang;
}

std::vector<emit_ve::LayoutChoice> arrangements_of(const infreg::Kernel& kernel) {
  const bool fits = std::uint64_t{kernel.shape.wg_size} * kernel.shape.wg_pack <= emit_ve::most_lanes;
  return fits ? std::vector{emit_ve::LayoutChoice::Groups, emit_ve::LayoutChoice::Rows} : std::vector{emit_ve::LayoutChoice::Groups};
}

Answer compared(const infreg::Kernel& kernel, const std::vector<Argument>& arguments, const std::vector<infreg::Buffer>& memory,
                std::uint64_t groups, const host::Compiler& clang, const emit_ve::EmitOptions& options) {
  std::vector<infreg::Buffer> expected = memory;
  const infreg::Outcome outcome = infreg::evaluate(kernel, arguments, expected, {.groups = groups, .limits = {}, .observer = {}});
  REQUIRE(std::holds_alternative<infreg::Finished>(outcome.end));
  const auto emitted = emit_ve::emit(kernel, options);
  if (!emitted) {
    FAIL(emitted.error());
  }
  const auto object = test::kept_or_made(emitted->source + emitted->header, [&]() -> std::expected<std::string, std::string> {
    auto made = targets::compile_ve(kernel, *emitted, {clang, 2, "", nullptr});
    return made ? std::expected<std::string, std::string>(std::move(*made)) : std::unexpected(made.error().sentence);
  });
  if (!object) {
    FAIL(object.error());
  }
  const auto ran = targets::run_ve(*object, emitted->symbol, kernel, launched(arguments, memory), groups, emitted->stack_bytes);
  if (const auto* failure = std::get_if<differential::Failure>(&ran.result)) {
    if (is_poison(failure->sentence)) {
      return Answer::StoresPoison;
    }
    FAIL(failure->sentence);
  }
  std::vector<infreg::Buffer> found = memory;
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k].bytes = std::get<std::vector<launch::Buffer>>(ran.result)[k].bytes;
  }
  const std::string difference = emit_llvm::trial::difference(expected, found);
  INFO(difference << '\n' << emitted->source);
  REQUIRE(difference.empty());
  return Answer::Agrees;
}

}  // namespace lockstep::ve_emitted
