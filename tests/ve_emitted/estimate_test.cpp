// What is reckoned for a plan, against what the VE machine counts when it runs; and which arrangement is chosen for how many groups.

#include "codegen/emit/ve/estimate.hpp"

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "codegen/emit/ve/choice.hpp"
#include "targets/ve/compile.hpp"
#include "targets/ve/machine.hpp"
#include "tests/unit/borg_call.hpp"
#include "tests/ve/kept.hpp"
#include "tests/ve_emitted/support.hpp"

using namespace lockstep;
using emit_ve::Arrangement;
using emit_ve::LayoutChoice;
using emit_ve::Work;

namespace {

double number_behind(const std::string& text, const std::string& name) {
  const std::string key = "\"" + name + "\":";
  const std::size_t at = text.find(key, text.find("\"modelled\""));
  REQUIRE(at != std::string::npos);
  return std::strtod(text.c_str() + at + key.size(), nullptr);
}

/// What the machine counts for a call that fills the plan's vectors.
struct Counted {
  Work work;
  double chain = 0;
};
Counted counted(const infreg::Kernel& kernel, const emit_ve::EmitOptions& options, std::uint64_t groups, const host::Compiler& clang) {
  const auto emitted = emit_ve::emit(kernel, options);
  REQUIRE(emitted.has_value());
  const auto object = test::kept_or_made(emitted->source + emitted->header, [&]() -> std::expected<std::string, std::string> {
    auto made = targets::compile_ve(kernel, *emitted, {clang, 2, "", nullptr});
    return made ? std::expected<std::string, std::string>(std::move(*made)) : std::unexpected(made.error().sentence);
  });
  REQUIRE(object.has_value());
  launch::Arguments arguments;
  for (const infreg::Parameter& parameter : kernel.parameters) {
    if (!parameter.is_pointer) {
      arguments.values.emplace_back(ScalarBits{groups * kernel.shape.wg_size});
      continue;
    }
    arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
    infreg::Buffer buffer = infreg::make_buffer(parameter.scalar, groups * kernel.shape.wg_size * std::max(kernel.shape.wg_size, 16U));
    for (std::uint64_t k = 0; k < buffer.count; ++k) {
      test::put_number(buffer, k, static_cast<std::int64_t>(1 + k * 37 % 211));
    }
    arguments.buffers.push_back({buffer.type, buffer.count, buffer.bytes, {buffer.count}, {}});
  }
  const auto ran = targets::run_ve(*object, emitted->symbol, kernel, arguments, groups, emitted->stack_bytes);
  REQUIRE(std::holds_alternative<std::vector<launch::Buffer>>(ran.result));
  const auto of = [&](const char* name) { return number_behind(ran.counted_json, name); };
  return {{of("vector instructions"), of("the cache"), of("floats"), of("integers"), of("quotients")}, of("dependences")};
}

/// So near to what was counted, and to one of a few that are rounded.
bool is_near(double reckoned, double counted, double share) { return std::abs(reckoned - counted) <= share * counted + 1; }

}  // namespace

TEST_CASE("what is reckoned is near to what the machine counts", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  if (!clang) {
    return;
  }
  for (const char* name : {"gema", "gemm", "trsv", "ldus", "pade"}) {
    for (const unsigned size : {4U, 8U}) {
      for (const auto& [layout, pack] :
           {std::pair(LayoutChoice::Groups, 1U), std::pair(LayoutChoice::Rows, 1U), std::pair(LayoutChoice::Rows, 256 / size)}) {
        const infreg::Kernel kernel = test::borg_call(name, "double", size, pack).kernel;
        const emit_ve::EmitOptions options{layout, {}};
        const auto choice = emit_ve::choose(kernel, options);
        REQUIRE(choice.has_value());
        const emit_ve::Plan& plan = layout == LayoutChoice::Rows ? choice->rows->plan : choice->groups->plan;
        const Work work = emit_ve::work_of(kernel, plan, plan.lanes);
        const auto [found, chain] = counted(kernel, options, layout == LayoutChoice::Rows ? pack : plan.lanes, *clang);
        const double reckoned = emit_ve::chain_of(kernel, plan);
        INFO("dependences " << reckoned << " of " << chain);
        CHECK(is_near(reckoned, chain, name == std::string("pade") ? 0.35 : 0.12));  // PADE has absolute values and signs, which take more
        INFO(fmt::format(
            "{}, {} items, {}, packs of {}: instructions {} of {}, cache {} of {}, floats {} of {}, integers {} of {}, quotients {} of {}",
            name, size, layout == LayoutChoice::Rows ? "rows" : "groups", pack, work.instructions, found.instructions, work.cache,
            found.cache, work.floats, found.floats, work.integers, found.integers, work.quotients, found.quotients));
        // What LLVM leaves out, or makes beside it, is some vectors and masks; the floats that a kernel computes are these and no others.
        CHECK(is_near(work.instructions, found.instructions, 0.4));
        CHECK(is_near(work.cache, found.cache, 0.65));
        CHECK(is_near(work.integers, found.integers, 0.75));
        CHECK(is_near(work.floats, found.floats, 0.05));
        CHECK(is_near(work.quotients, found.quotients, 0));
        CHECK(work.most() == std::max({work.instructions, work.cache, work.floats, work.integers, work.quotients}));
        if (layout == LayoutChoice::Groups && (name == std::string("gema") || name == std::string("gemm"))) {
          CHECK(is_near(work.instructions, found.instructions, 0));
          CHECK(is_near(work.cache, found.cache, 0));
        }
      }
    }
  }
}

TEST_CASE("rows are chosen for as many groups as they are expected to be faster for", "[ve]") {
  for (const char* name : {"gema", "gemm", "trsv", "ldus", "pade", "frcg"}) {
    for (const unsigned size : {4U, 8U, 16U, 32U}) {
      const infreg::Kernel kernel = test::borg_call(name, "double", size, 1).kernel;
      const auto choice = emit_ve::choose(kernel, {LayoutChoice::Auto, {}});
      const auto groups = emit_ve::choose(kernel, {LayoutChoice::Groups, {}});
      REQUIRE((choice.has_value() && groups.has_value()));
      CAPTURE(name, size, choice->rows_up_to);
      const emit_ve::Plan& side_by_side = groups->groups->plan;
      const auto of_groups = [&](std::uint64_t count) {
        return std::max(emit_ve::cycles_of(kernel, side_by_side, static_cast<unsigned>(count)), emit_ve::chain_of(kernel, side_by_side));
      };
      if (!choice->rows) {
        CHECK(choice->groups.has_value());
        continue;
      }
      const emit_ve::Plan& rows = choice->rows->plan;
      const std::uint64_t together = rows.shape.wg_pack;
      const auto of_rows = [&](std::uint64_t count) {
        const double whole = static_cast<double>(count / together) * emit_ve::cycles_of(kernel, rows, rows.lanes);
        const auto rest = static_cast<unsigned>(count % together);
        const double all = whole + (rest == 0 ? 0 : emit_ve::cycles_of(kernel, rows, rest * size));
        return std::max(all, emit_ve::chain_of(kernel, rows));
      };
      const bool is_always = choice->rows_up_to == emit_ve::Choice::always;
      CHECK(choice->groups.has_value() != is_always);
      const std::uint64_t last = is_always ? 256 : choice->rows_up_to;
      CHECK(of_rows(last) < of_groups(last));
      CHECK(of_rows(1) < of_groups(1));
      if (!is_always) {
        const std::uint64_t next = last < together ? std::min(2 * last, together) : last + together;
        CHECK((next > 256 || of_rows(next) >= of_groups(next)));
      }
    }
  }
}
