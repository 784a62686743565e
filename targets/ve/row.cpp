// C with vector intrinsics for VE, which clang compiles to object code, on the VE machine.

#include "targets/ve/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "codegen/emit/ve/emit.hpp"
#include "codegen/emit/ve/support/support.hpp"
#include "differential/compare/interrupts.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/cuda/compile.hpp"
#include "targets/ve/compile.hpp"
#include "targets/ve/machine.hpp"
#include "targets/ve/shape.hpp"

namespace lockstep::targets {

namespace {

using differential::Failure;
using differential::NotRun;
using differential::Ran;
using differential::Reference;
using Clock = std::chrono::steady_clock;

constexpr std::string_view ve_makefile =
    R"(# make: compiles the kernel and the driver for a Vector Engine by clang, runs them there, and compares. CC is a clang that has a C library for
# it, as NEC's has; RUN is what starts a program there.
# make host: the same, as C++ for this machine, with loops in place of VE's intrinsics. CXX is g++, clang++ or their like.
ifeq ($(origin CC),default)
CC := clang
endif
CFLAGS ?= -O2
CXXFLAGS ?= -O1
RUN ?= ve_exec
sources := main.c @KERNEL@.ve.c
# The kernel's values lie on the stack.
with_stack := ulimit -s unlimited 2>/dev/null || ulimit -s $$(ulimit -H -s);
check: run_@KERNEL@
	$(with_stack) $(RUN) ./run_@KERNEL@
host: host_@KERNEL@
	$(with_stack) ./host_@KERNEL@
run_@KERNEL@: $(sources) @KERNEL@.ve.h @SUPPORT@
	$(CC) --target=ve-linux-gnu -std=c17 $(CFLAGS) -o $@ $(sources) -lm
host_@KERNEL@: $(sources) @KERNEL@.ve.h @SUPPORT@ @HOST@
	$(CXX) -std=c++17 -ffp-contract=off $(CXXFLAGS) -include @HOST@ -x c++ -o $@ $(sources) -lm -pthread
clean:
	rm -f run_@KERNEL@ host_@KERNEL@
.PHONY: check host clean
)";

/// What the driver says of where it has run.
constexpr std::string_view ve_where = R"(#if defined(LOCKSTEP_VE_HOST)
#define LOCKSTEP_WHERE "emulated"
#else
#define LOCKSTEP_WHERE "hardware"
#endif
)";

struct Options {
  std::string clang;
  unsigned level = 2;
  bool explain = false;
};

const std::vector<StoredOption<Options>>& table() {
  static const std::vector<StoredOption<Options>> rows = {
      {{"--explain", "", "what was chosen and why, on standard output in place of the code", "", {Use::Emit}},
       [](Options& into, const std::string& /*value*/) {
         into.explain = true;
         return std::optional<std::string>();
       }},
      {clang_option({Use::Diff, Use::Fuzz}),
       [](Options& into, const std::string& value) {
         into.clang = value;
         return std::optional<std::string>();
       }},
      {{"--ve-level", "N", "clang's level for VE, as in -O2; it needs 1 at least", "2", {Use::Diff, Use::Fuzz}},
       [](Options& into, const std::string& value) { return store_number(into.level, value, 1, 3); }},
  };
  return rows;
}

Options options_of(const Asked& asked) { return stored(table(), asked.settings); }

std::expected<MadeCode, Unmade> emit(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked) {
  const auto emitted = emit_ve::emit(kernel, ve_shape_of(asked));
  if (!emitted) {
    return std::unexpected(Unmade{emitted.error()});
  }
  const std::string source = with_verdict("//", verdict, emitted->source);
  MadeCode made{options_of(asked).explain ? emitted->explain : asked.has_folder ? "" : source, {}};
  if (asked.has_folder) {
    made.files = ve_headers(kernel, with_verdict("/*", verdict, emitted->header));
    made.files.push_back(ve_source(kernel, source));
  }
  if (asked.is_bundle) {
    made.files.push_back({std::string(emit_ve::host_support_name), std::string(emit_ve::host_support_text())});
  }
  return made;
}

Surroundings surroundings(const infreg::Kernel& kernel, const InPacks& /*in_packs*/, const Asked& /*asked*/) {
  return {"main.c",
          include_line(kernel.name + ".ve.h") + std::string(ve_where),
          fmt::format("puts(\"{}: equal (\" LOCKSTEP_WHERE \")\")", kernel.name),
          {"Makefile",
           filled(ve_makefile, {{"@KERNEL@", kernel.name}, {"@SUPPORT@", emit_ve::support_name}, {"@HOST@", emit_ve::host_support_name}})}};
}

std::expected<Ran, NotRun> run(const infreg::Kernel& kernel, const Reference& reference, const Asked& asked) {
  const Options options = options_of(asked);
  const auto clang = find_clang(options.clang);
  if (!clang) {
    return std::unexpected(NotRun{clang.error(), true});
  }
  Clock::time_point start = Clock::now();
  const auto emitted = emit_ve::emit(kernel, ve_shape_of(asked));
  if (!emitted) {
    return std::unexpected(NotRun{emitted.error()});
  }
  const auto object = compile_ve(kernel, *emitted, {*clang, options.level, asked.scratch, [] { return differential::interrupts() > 0; }});
  Ran ran;
  ran.evidence = fmt::format("our VE machine, object code by clang at -O{}", options.level);
  ran.compile_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!object) {
    using Kind = host::CompileFailure::Kind;
    if (object.error().kind == Kind::Broken) {
      return std::unexpected(NotRun{object.error().sentence, true});
    }
    ran.result =
        Failure{object.error().kind == Kind::Cancelled ? Failure::Kind::NotRun : Failure::Kind::Uncompiled, object.error().sentence};
    return ran;
  }
  start = Clock::now();
  VeRun made = run_ve(*object, emitted->symbol, kernel, reference.before, reference.groups, emitted->stack_bytes);
  ran.result = std::move(made.result);
  ran.counted = std::move(made.counted);
  ran.counted_json = std::move(made.counted_json);
  ran.run_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return ran;
}

std::optional<Unfit> complaint(Use use, const Asked& asked) {
  if (use == Use::Emit) {
    return std::nullopt;
  }
  const auto clang = find_clang(options_of(asked).clang);
  return clang ? std::nullopt : std::optional(Unfit{clang.error(), true});
}

}  // namespace

Target ve_target() {
  Target target;
  target.name = "ve";
  target.meaning = "C with vector intrinsics for VE, compiled to object code by clang, on the VE machine";
  target.options = known(table());
  std::ranges::copy(ve_shape_options(), std::back_inserter(target.options));
  target.complaint = complaint;
  target.choose_pack = [](const infreg::Kernel& kernel, const Asked& asked) { return emit_ve::choose_pack(kernel, ve_shape_of(asked)); };
  target.emit = emit;
  target.surroundings = surroundings;
  target.run = run;
  target.campaigning.kernels = 300;
  target.campaigning.full_kernels = 3000;
  target.campaigning.most_together = 16;  // each by itself, but a compiler has to be ended with the process that waits for it
  target.campaigning.meaning = "The C of ve is compiled by clang, and runs on the VE machine.";
  target.campaigning.choose = choose_ve_shape;
  return target;
}

}  // namespace lockstep::targets
