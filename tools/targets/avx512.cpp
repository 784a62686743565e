// C++ with AVX512 intrinsics, which a C++ compiler of this machine takes; where the processor lacks them, with loops in their place.

#include "tools/targets/avx512.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <memory>
#include <vector>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/emit/avx512/pack.hpp"
#include "codegen/emit/avx512/size.hpp"
#include "codegen/emit/avx512/ways.hpp"
#include "codegen/host/avx512.hpp"
#include "tools/choice_option.hpp"
#include "tools/interrupts.hpp"
#include "tools/number_option.hpp"
#include "tools/targets/target.hpp"

namespace lockstep::tools {

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  emit_avx512::EmitOptions emit;
  Avx512Flags flags;
  bool explain = false;
  bool misaligned = false;
  host::Compiler compiler;  ///< of code that is run
};

/// What the one kernel of a translation unit is called: its own name may be one of the compiler's.
constexpr const char* kernel_symbol = "kernel";

constexpr std::string_view avx512_makefile =
    R"(# make: compiles the kernel and the driver, runs them, and compares. CXX is g++, clang++ or their like. Where the machine (CXXFLAGS) has no
# AVX512, the same source is compiled with loops in place of the instructions, and the result says "emulated", not "hardware".
CXXFLAGS ?= -O3 -march=native
check: run_@KERNEL@
	$(RUN) ./run_@KERNEL@
run_@KERNEL@: main.cpp @KERNEL@.avx512.cpp @KERNEL@.avx512.h @SUPPORT@
	$(CXX) -std=c++17 $(CXXFLAGS) -o $@ main.cpp @KERNEL@.avx512.cpp
clean:
	rm -f run_@KERNEL@
.PHONY: check clean
)";

/// What shapes the code.
void add_shape(CLI::App& command, const std::string& group, emit_avx512::EmitOptions& options) {
  constexpr unsigned most = 1024;
  add_number(command, "--most-chunks", options.most_chunks, 1, most,
             "values of more chunks (vector registers) lie in memory, and loops work on them")
      ->default_str(std::to_string(options.most_chunks))
      ->group(group);
  using emit_avx512::Approx;
  using emit_avx512::LayoutChoice;
  using emit_avx512::Nontemporal;
  add_choice<LayoutChoice>(
      command, "--layout", options.layout, {{"auto", LayoutChoice::Auto}, {"rows", LayoutChoice::Rows}, {"groups", LayoutChoice::Groups}},
      "what lies side by side in vectors: rows (items, or an item's elements), groups (as many as a vector has lanes), or auto")
      ->type_name("LAYOUT")
      ->group(group);
  add_choice<Nontemporal>(command, "--nontemporal", options.nontemporal,
                          {{"auto", Nontemporal::Auto}, {"on", Nontemporal::On}, {"off", Nontemporal::Off}},
                          "stores past the caches and loads ahead: on, off, or auto, which is for calls with more than 4 MiB of data")
      ->type_name("WHEN")
      ->group(group);
  add_choice<Approx>(command, "--approx", options.approx, {{"none", Approx::None}, {"rcp14", Approx::Rcp14}},
                     "quotients and roots of floats: none, which rounds them exactly, or rcp14, made of the processor's approximations "
                     "and off by less than 0.63 of the distance to the next number")
      ->default_str("none")
      ->type_name("HOW")
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--without",
          [&options](const std::vector<std::string>& words) {
            for (const std::string& word : words) {
              if (!emit_avx512::switch_off(options, word)) {
                throw CLI::ValidationError("--without", fmt::format("there is no '{}' that could be left out; there are {}", word,
                                                                    fmt::join(emit_avx512::ways_to_reorder(), ", ")));
              }
            }
          },
          "ways to reorder lanes that are not to be used, with commas between them")
      ->delimiter(',')
      ->type_name("LIST")
      ->group(group);
}

void add_options(CLI::App& command, Use use, Options& options) {
  const std::string group = group_of("avx512");
  if (use == Use::Emit) {
    command.add_flag("--explain", options.explain, "what was chosen and why, on standard output in place of the code")->group(group);
  } else {
    add_avx512_compile_options(command, options.flags);
    command.add_flag("--misaligned", options.misaligned, "buffers that begin where no element of their type should")->group(group);
  }
  add_shape(command, group, options.emit);
}

std::optional<Unfit> complete(Use use, const Asked& asked, Options& options) {
  options.emit.chunk_lanes = asked.chunk_lanes.value_or(0);
  if (asked.chunk_lanes && *asked.chunk_lanes != 8 && *asked.chunk_lanes != 16) {
    return Unfit{fmt::format("--chunk-lanes: chunks of the avx512 target have 8 or 16 lanes, not {}", *asked.chunk_lanes)};
  }
  if (asked.is_bundle && options.emit.approx != emit_avx512::Approx::None) {
    return Unfit{"--bundle compares bits, and with --approx=rcp14 quotients need not have those of the interpreter"};
  }
  if (use == Use::Diff) {
    auto compiler = host::find_compiler(options.flags.compiler);
    if (!compiler) {
      return Unfit{compiler.error(), true};
    }
    options.compiler = std::move(*compiler);
  }
  return std::nullopt;
}

std::expected<MadeCode, Unmade> emit(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked,
                                     const Options& options) {
  const auto emitted = emit_avx512::emit(kernel, options.emit);
  if (!emitted) {
    return std::unexpected(Unmade{emitted.error()});
  }
  if (auto problem = emit_avx512::too_large(emitted->source)) {
    return std::unexpected(Unmade{std::move(*problem), limit});
  }
  const std::string source = with_verdict("//", verdict, emitted->source);
  MadeCode made{options.explain ? emitted->explain : asked.has_folder ? "" : source, {}};
  if (asked.has_folder) {
    made.files = host::avx512_support_files();
    made.files.insert(made.files.begin(),
                      {{kernel.name + ".avx512.h", with_verdict("/*", verdict, emitted->header)}, {kernel.name + ".avx512.cpp", source}});
  }
  return made;
}

Surroundings surroundings(const infreg::Kernel& kernel) {
  std::string headers = include_line(kernel.name + ".avx512.h");
  std::string support;
  for (const host::TextFile& file : host::avx512_support_files()) {
    headers += support.empty() ? include_line(file.name) : "";  // of them, the first one includes the others
    support += (support.empty() ? "" : " ") + file.name;
  }
  return {"main.cpp",
          headers,
          fmt::format(R"(printf("{}: equal (%s)\n", lockstep_avx512::emulated ? "emulated" : "hardware"))", kernel.name),
          {"Makefile", filled(avx512_makefile, {{"@KERNEL@", kernel.name}, {"@SUPPORT@", support}})}};
}

/// If this process is asked to end meanwhile (SIGINT and its like), it ends when the compiler and its files are gone.
std::expected<Ran, NotRun> run(const infreg::Kernel& kernel, const Reference& reference, const Options& options) {
  const Clock::time_point start = Clock::now();
  const auto source = host::source_for_calls(kernel, kernel_symbol, options.emit);
  if (!source) {
    return std::unexpected(NotRun{source.error()});
  }
  if (auto problem = emit_avx512::too_large(source->text)) {
    return Ran{Failure{Failure::Kind::NotRun, std::move(*problem)}, "the emitter",
               std::chrono::duration<double>(Clock::now() - start).count(), 0};
  }
  host::Avx512Options compile;
  compile.compiler = options.compiler;
  compile.level = options.flags.level;
  compile.is_cancelled = [] { return interrupts() > 0; };
  const auto code = [&] {
    const Interrupts heeded;
    return host::compile_avx512({*source}, compile);
  }();
  const double compile_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!code) {
    if (code.error().kind == host::CompileFailure::Kind::Cancelled) {
      static_cast<void>(std::raise(SIGINT));
    }
    using Kind = host::CompileFailure::Kind;
    if (code.error().kind != Kind::Refused && code.error().kind != Kind::Endless) {
      return std::unexpected(NotRun{code.error().sentence, true});
    }
    return Ran{Failure{Failure::Kind::Uncompiled, code.error().sentence}, "the compiler " + options.compiler.command.front(),
               compile_seconds, 0};
  }
  const auto call_kernel = [&](const void* const* arguments, std::uint64_t groups) { code->kernels.front()(arguments, 0, groups, groups); };
  auto ran = run_apart(call_kernel, reference, patience_with(reference), options.misaligned ? Alignment::Bytes : Alignment::Elements);
  if (!ran) {
    return std::unexpected(NotRun{ran.error()});
  }
  const bool is_near = options.emit.approx != emit_avx512::Approx::None;
  ran->evidence = code->evidence() + (options.misaligned ? ", misaligned buffers" : "") + (is_near ? ", --approx=rcp14" : "");
  ran->caveat = is_near ? "with --approx=rcp14 quotients and roots need not have the interpreter's bits, nor what is made of them" : "";
  ran->compile_seconds = compile_seconds;
  return std::move(*ran);
}

}  // namespace

void add_avx512_compile_options(CLI::App& command, Avx512Flags& flags, bool has_level) {
  command
      .add_option_function<std::string>(
          "--compiler",
          [&flags](const std::string& text) {
            if (text.find_first_not_of(" \t\n") == std::string::npos) {
              throw CLI::ValidationError("--compiler", "the command is empty");
            }
            flags.compiler = text;
          },
          "the C++ compiler and arguments for it: words, with blanks between them (default: $CXX, else g++ or clang++)")
      ->type_name("COMMAND")
      ->group(group_of("avx512"));
  if (has_level) {
    constexpr unsigned most = 3;
    add_number(command, "--compiler-level", flags.level, 0, most, "its optimisation level, as in -O3")
        ->default_str(std::to_string(flags.level))
        ->group(group_of("avx512"));
  }
}

Target avx512_target() {
  const auto options = std::make_shared<Options>();
  Target target;
  target.name = "avx512";
  target.meaning =
      "C++ with AVX512 intrinsics, compiled here, with loops of ours for the intrinsics where the processor lacks them: \"emulated\" in\n"
      "place of \"hardware\"";
  target.add_options = [options](CLI::App& command, Use use) { add_options(command, use, *options); };
  target.complete = [options](Use use, const Asked& asked) { return complete(use, asked, *options); };
  target.choose_pack = [options](const infreg::Kernel& kernel) { return emit_avx512::choose_pack(kernel, options->emit); };
  target.emit = [options](const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked) {
    return emit(kernel, verdict, asked, *options);
  };
  target.surroundings = surroundings;
  target.run = [options](const infreg::Kernel& kernel, const Reference& reference) { return run(kernel, reference, *options); };
  return target;
}

}  // namespace lockstep::tools
