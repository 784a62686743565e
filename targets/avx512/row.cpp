// C++ with AVX512 intrinsics, which a C++ compiler of this machine takes; where the processor lacks them, with loops in their place.

#include "targets/avx512/row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/emit/avx512/pack.hpp"
#include "codegen/emit/avx512/size.hpp"
#include "codegen/emit/avx512/ways.hpp"
#include "differential/compare/interrupts.hpp"
#include "semantics/infreg/with_pack.hpp"
#include "targets/on_host.hpp"

namespace lockstep::targets {

namespace {

using emit_avx512::Approx;
using emit_avx512::LayoutChoice;
using emit_avx512::Nontemporal;

struct Options {
  emit_avx512::EmitOptions emit;
  bool explain = false;
  std::string compiler;  ///< of host::find_compiler
  unsigned level = 3;    ///< the compiler's, of code that is run
  bool misaligned = false;
};

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

std::optional<std::string> store_compiler(Options& into, const std::string& value) {
  if (value.find_first_not_of(" \t\n") == std::string::npos) {
    return "the command is empty";
  }
  into.compiler = value;
  return std::nullopt;
}

std::optional<std::string> store_without(Options& into, const std::string& value) {
  std::istringstream words(value);
  for (std::string word; std::getline(words, word, ',');) {
    if (!emit_avx512::switch_off(into.emit, word)) {
      return fmt::format("there is no '{}' that could be left out; there are {}", word, fmt::join(emit_avx512::ways_to_reorder(), ", "));
    }
  }
  return std::nullopt;
}

std::vector<StoredOption<Options>> options_of_runs() {
  return {
      {{"--explain", "", "what was chosen and why, on standard output in place of the code", "", {Use::Emit}},
       [](Options& into, const std::string& /*value*/) {
         into.explain = true;
         return std::optional<std::string>();
       }},
      {{"--compiler",
        "COMMAND",
        "the C++ compiler and arguments for it: words, with blanks between them (default: $CXX, else g++ or clang++)",
        "",
        {Use::Diff, Use::Fuzz}},
       store_compiler},
      {{"--compiler-level", "N", "its optimisation level, as in -O3", "3", {Use::Diff}},
       [](Options& into, const std::string& value) { return store_number(into.level, value, 0, 3); }},
      {{"--misaligned", "", "buffers that begin where no element of their type should", "", {Use::Diff}},
       [](Options& into, const std::string& /*value*/) {
         into.misaligned = true;
         return std::optional<std::string>();
       }},
  };
}

/// What shapes the code.
std::vector<StoredOption<Options>> options_of_shape() {
  constexpr unsigned most = 1024;
  const std::vector<Use> uses = {Use::Emit, Use::Diff};
  return {
      {{"--most-chunks", "N", "values of more chunks (vector registers) lie in memory, and loops work on them",
        std::to_string(emit_avx512::EmitOptions().most_chunks), uses},
       [](Options& into, const std::string& value) { return store_number(into.emit.most_chunks, value, 1, most); }},
      {{"--layout", "LAYOUT",
        "what lies side by side in vectors: rows (items, or an item's elements), groups (as many as a vector has lanes), or auto", "",
        uses},
       [](Options& into, const std::string& value) {
         return store_choice<LayoutChoice>(into.emit.layout, value,
                                           {{"auto", LayoutChoice::Auto}, {"rows", LayoutChoice::Rows}, {"groups", LayoutChoice::Groups}});
       }},
      {{"--nontemporal", "WHEN",
        "stores past the caches and loads ahead: on, off, or auto, which is for calls with more than 4 MiB of data", "", uses},
       [](Options& into, const std::string& value) {
         return store_choice<Nontemporal>(into.emit.nontemporal, value,
                                          {{"auto", Nontemporal::Auto}, {"on", Nontemporal::On}, {"off", Nontemporal::Off}});
       }},
      {{"--approx", "HOW",
        "quotients and roots of floats: none, which rounds them exactly, or rcp14, made of the processor's approximations "
        "and off by less than 0.63 of the distance to the next number",
        "none", uses},
       [](Options& into, const std::string& value) {
         return store_choice<Approx>(into.emit.approx, value, {{"none", Approx::None}, {"rcp14", Approx::Rcp14}});
       }},
      {{"--without", "LIST", "ways to reorder lanes that are not to be used, with commas between them", "", uses, true}, store_without},
  };
}

const std::vector<StoredOption<Options>>& table() {
  static const std::vector<StoredOption<Options>> rows = [] {
    auto all = options_of_runs();
    const auto shape = options_of_shape();
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
  }();
  return rows;
}

Options options_of(const Asked& asked) {
  Options options = stored(table(), asked.settings);
  options.emit.chunk_lanes = asked.chunk_lanes.value_or(0);
  return options;
}

std::optional<Unfit> complaint(Use use, const Asked& asked) {
  const Options options = options_of(asked);
  if (asked.chunk_lanes && *asked.chunk_lanes != 8 && *asked.chunk_lanes != 16) {
    return Unfit{fmt::format("--chunk-lanes: chunks of the avx512 target have 8 or 16 lanes, not {}", *asked.chunk_lanes)};
  }
  if (asked.is_bundle && options.emit.approx != Approx::None) {
    return Unfit{"--bundle compares bits, and with --approx=rcp14 quotients need not have those of the interpreter"};
  }
  if (use != Use::Emit) {
    const auto compiler = host::find_compiler(options.compiler);
    return compiler ? std::nullopt : std::optional(Unfit{compiler.error(), true});
  }
  return std::nullopt;
}

/// What the model chooses, or half as many groups and so on where there would be more C++ than a compiler can deal with.
unsigned choose_pack(const infreg::Kernel& kernel, const Asked& asked) {
  const Options options = options_of(asked);
  unsigned pack = emit_avx512::choose_pack(kernel, options.emit);
  const auto is_too_large = [&] {
    const auto emitted = emit_avx512::emit(infreg::with_pack(kernel, pack), options.emit);
    return emitted && emit_avx512::too_large(emitted->source);
  };
  while (pack > 1 && is_too_large()) {
    pack /= 2;
  }
  return pack;
}

std::expected<MadeCode, Unmade> emit(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked) {
  const Options options = options_of(asked);
  const auto emitted = emit_avx512::emit(kernel, options.emit);
  if (!emitted) {
    return std::unexpected(Unmade{emitted.error()});
  }
  if (auto problem = emit_avx512::too_large(emitted->source)) {
    return std::unexpected(Unmade{std::move(*problem), true});
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

Surroundings surroundings(const infreg::Kernel& kernel, const InPacks& /*in_packs*/, const Asked& /*asked*/) {
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

// ---- running --------------------------------------------------------------------------------------------------------------------------

/// Kernels that are compiled together, because a C++ compiler takes long for any file.
class Batch {
 public:
  explicit Batch(const std::vector<Job>& jobs)
      : jobs_(jobs),
        codes_(jobs.size(), std::unexpected(NoCode{NoCode::Kind::Cancelled, "compiling was cancelled"})),
        sources_(jobs.size()) {}

  std::vector<std::expected<Code, NoCode>> codes() {
    const differential::Interrupts heeded;
    std::map<std::pair<unsigned, std::string>, std::vector<std::size_t>> like;  ///< the level and the compiler: jobs
    for (std::size_t k = 0; k < jobs_.size() && differential::interrupts() == 0; ++k) {
      if (emit(k)) {
        const Options options = options_of(jobs_[k].asked);
        like[{options.level, options.compiler}].push_back(k);
      }
    }
    for (const auto& [how, jobs] : like) {
      compile(jobs);
    }
    return std::move(codes_);
  }

 private:
  /// Whether there is something to compile. What each kernel is called in the translation unit is its number.
  bool emit(std::size_t k) {
    auto source = avx512_source(jobs_[k].kernel, fmt::format("k{}", k), jobs_[k].asked);
    if (!source) {
      codes_[k] = std::unexpected(NoCode{NoCode::Kind::Refused, source.error()});
    } else if (auto problem = emit_avx512::too_large(source->text)) {
      codes_[k] = std::unexpected(NoCode{NoCode::Kind::TooLarge, std::move(*problem), "the emitter"});
    } else {
      sources_[k] = std::move(*source);
      return true;
    }
    return false;
  }

  /// If the compiler fails, it is asked about each kernel by itself.
  void compile(const std::vector<std::size_t>& jobs) {
    if (differential::interrupts() > 0) {
      return;
    }
    const Asked& asked = jobs_[jobs.front()].asked;
    const Options shared = options_of(asked);
    host::Avx512Options options;
    options.level = shared.level;
    options.scratch = asked.scratch;
    options.is_cancelled = [] { return differential::interrupts() > 0; };
    auto compiler = host::find_compiler(shared.compiler);
    if (!compiler) {
      for (const std::size_t k : jobs) {
        codes_[k] = std::unexpected(NoCode{NoCode::Kind::Missing, compiler.error()});
      }
      return;
    }
    options.compiler = std::move(*compiler);
    std::vector<host::Avx512Source> sources;
    sources.reserve(jobs.size());
    for (const std::size_t k : jobs) {
      sources.push_back(sources_[k]);
    }
    const auto code = host::compile_avx512(sources, options);
    for (std::size_t n = 0; n < jobs.size(); ++n) {
      if (code) {
        codes_[jobs[n]] = code_of(jobs_[jobs[n]], code->kernels[n], code->evidence());
      } else if (jobs.size() > 1 && code.error().kind != host::CompileFailure::Kind::Broken) {
        compile({jobs[n]});
      } else {
        codes_[jobs[n]] = std::unexpected(no_code(code.error(), options.compiler));
      }
    }
  }

  static Code code_of(const Job& job, const host::Avx512Callable& callable, const std::string& evidence) {
    const Options options = options_of(job.asked);
    const bool is_near = options.emit.approx != Approx::None;
    Code code;
    code.call = [callable](const void* const* arguments, std::uint64_t groups) { callable(arguments, 0, groups, groups); };
    code.evidence = evidence + (options.misaligned ? ", misaligned buffers" : "") + (is_near ? ", --approx=rcp14" : "");
    code.caveat = is_near ? "with --approx=rcp14 quotients and roots need not have the interpreter's bits, nor what is made of them" : "";
    code.alignment = options.misaligned ? differential::Alignment::Bytes : differential::Alignment::Elements;
    return code;
  }

  const std::vector<Job>& jobs_;
  std::vector<std::expected<Code, NoCode>> codes_;
  std::vector<host::Avx512Source> sources_;
};

// ---- campaigns ------------------------------------------------------------------------------------------------------------------------

/// Groups side by side: a pack has as many as a chunk has lanes, and there are some more.
void choose_side_by_side(Shape& shape, generate::Choices& choices) {
  constexpr unsigned most_items = 8;
  shape.wg_pack = choices(2) == 0 ? 8 : 16;
  shape.chunk_lanes = shape.wg_pack;
  shape.wg_size = std::min({shape.wg_size, most_items, std::max(1U, shape.max_lanes / shape.wg_pack)});
  shape.groups = shape.wg_pack + choices(4);
  shape.settings["--layout"] = "groups";
}

/// A C++ compiler makes calls of all intrinsics at level 0: of 16 kernels one is compiled at level 3, others at level 1.
void choose(Shape& shape, generate::Choices& choices) {
  static constexpr std::array most_chunks = {0U, 1U, 0U, 2U, 0U, 4U};
  shape.settings["--compiler-level"] = shape.number % 16 == 5 ? "3" : "1";
  shape.settings["--layout"] = "rows";
  if (!shape.has_crev && choices(4) == 0) {
    choose_side_by_side(shape, choices);
  } else if (shape.chunk_lanes) {
    shape.chunk_lanes = choices(2) == 0 ? 8 : 16;
  }
  if (const unsigned most = most_chunks[choices(most_chunks.size())]; most != 0) {
    shape.settings["--most-chunks"] = std::to_string(most);
  }
  if (choices(3) == 0) {
    shape.settings["--misaligned"] = "";
  }
}

}  // namespace

std::expected<host::Avx512Source, std::string> avx512_source(const infreg::Kernel& kernel, const std::string& symbol, const Asked& asked) {
  return host::source_for_calls(kernel, symbol, options_of(asked).emit);
}

Target avx512_target() {
  Target target;
  target.name = "avx512";
  target.meaning =
      "C++ with AVX512 intrinsics, compiled here, with loops of ours for the intrinsics where the processor lacks them: \"emulated\" in\n"
      "place of \"hardware\"";
  target.options = known(table());
  target.complaint = complaint;
  target.choose_pack = choose_pack;
  target.emit = emit;
  target.surroundings = surroundings;
  target.compile = [](const std::vector<Job>& jobs) { return Batch(jobs).codes(); };
  target.campaigning.kernels = 300;
  target.campaigning.full_kernels = 3000;
  target.campaigning.most_together = 32;
  target.campaigning.meaning = "The C++ of avx512 is compiled here, many kernels at a time, and each runs in a process of its own.";
  target.campaigning.choose = choose;
  return target;
}

}  // namespace lockstep::targets
