// Kernels of a campaign on the AVX512 target: compiled many at a time, because a C++ compiler takes long for any file, and run one by one
// in processes of their own.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "codegen/emit/avx512/size.hpp"
#include "codegen/host/avx512.hpp"
#include "tools/fuzz.hpp"
#include "tools/interrupts.hpp"

namespace lockstep::tools {

namespace {

using Ending = FuzzAnswer::Ending;

FuzzAnswer finding(std::string kind, std::string sentence) { return {Ending::Finding, std::move(kind), std::move(sentence), {}, {}}; }

/// What a compiler has to say, without what changes from kernel to kernel: the first error, its names and numbers left out.
std::string gist_of(const std::string& message) {
  constexpr std::size_t most = 100;
  std::size_t begin = message.find("error: ");
  begin = begin == std::string::npos ? 0 : begin;
  std::string gist;
  bool is_quoted = false;
  for (const char c : message.substr(begin, message.find('\n', begin) - begin)) {
    is_quoted = is_quoted != (c == '\'');
    if (!is_quoted && c != '\'' && (c < '0' || c > '9')) {
      gist += c;
    }
  }
  return gist.substr(0, most);
}

FuzzAnswer answer_to(const host::CompileFailure& failure) {
  switch (failure.kind) {
    case host::CompileFailure::Kind::Refused:
      return finding("avx512 does not compile: " + gist_of(failure.sentence), failure.sentence);
    case host::CompileFailure::Kind::Endless:
      return finding("avx512 takes the compiler too long", failure.sentence);
    case host::CompileFailure::Kind::Cancelled:
      return {Ending::Stopped, "", "", {}, {}};
    case host::CompileFailure::Kind::Broken:
      break;
  }
  return {Ending::Missing, "", failure.sentence, {}, {}};
}

FuzzAnswer answer_to(const Ran& ran, const Reference& reference) {
  if (const auto* failure = std::get_if<Failure>(&ran.result)) {
    const bool is_endless = failure->kind == Failure::Kind::Endless;
    return finding(is_endless ? "avx512 is endless" : "avx512 crashes", failure->sentence);
  }
  return judged("avx512", reference, std::get<0>(ran.result)).value_or(FuzzAnswer());
}

/// A kernel whose C++ is there.
struct Emitted {
  std::size_t number = 0;  ///< among the cases
  LoweredCase lowered;
  host::Avx512Source source;
};

/// Kernels that are tried together, and what has come of them so far.
class Together {
 public:
  Together(const FuzzPlan& plan, const std::vector<FuzzCase>& cases, std::vector<Counts>& counts)
      : plan_(plan), cases_(cases), counts_(counts), answers_(cases.size(), FuzzAnswer{Ending::Stopped, "", "", {}, {}}) {}

  std::vector<FuzzAnswer> answers() {
    for (std::size_t k = 0; k < cases_.size() && interrupts() == 0; ++k) {
      answers_[k] = answer_from([&] { return emit(k); });
    }
    for (const auto& [level, kernels] : of_level_) {
      compile_and_run(level, kernels);
    }
    return std::move(answers_);
  }

 private:
  using Kernels = std::vector<const Emitted*>;

  /// An answer, or that it is to be compiled: then it counts as stopped for now.
  FuzzAnswer emit(std::size_t number) {
    const FuzzCase& of = cases_[number];
    auto lowered = lower_case(plan_, of, counts_[number]);
    if (auto* answer = std::get_if<FuzzAnswer>(&lowered)) {
      return std::move(*answer);
    }
    emit_avx512::EmitOptions options;
    options.chunk_lanes = of.chunk_lanes.value_or(options.chunk_lanes);
    options.most_chunks = of.most_chunks.value_or(options.most_chunks);
    options.layout = of.side_by_side ? emit_avx512::LayoutChoice::Groups : emit_avx512::LayoutChoice::Rows;
    auto& made = std::get<LoweredCase>(lowered);
    auto source = host::source_for_calls(made.kernel, fmt::format("k{}", number), options);
    if (!source) {
      return finding("avx512 refuses", source.error());
    }
    if (emit_avx512::too_large(source->text)) {
      ++counts_[number]["limit: too long for a C++ compiler"];
      return {Ending::Limit, "", "", {}, {}};
    }
    emitted_.push_back(std::make_unique<Emitted>(Emitted{number, std::move(made), std::move(*source)}));
    of_level_[of.level].push_back(emitted_.back().get());
    return {Ending::Stopped, "", "", {}, {}};
  }

  /// If the compiler fails, it is asked about each kernel by itself.
  void compile_and_run(unsigned level, const Kernels& kernels) {
    if (interrupts() > 0) {
      return;
    }
    host::Avx512Options options;
    options.compiler = plan_.compiler;
    options.level = level;
    options.scratch = plan_.scratch;
    options.is_cancelled = [] { return interrupts() > 0; };
    std::vector<host::Avx512Source> sources;
    sources.reserve(kernels.size());
    for (const Emitted* kernel : kernels) {
      sources.push_back(kernel->source);
    }
    const auto code = host::compile_avx512(sources, options);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (code) {
        answers_[kernels[k]->number] = answer_from([&] { return run(*kernels[k], code->kernels[k], code->evidence()); });
      } else if (kernels.size() > 1 && code.error().kind != host::CompileFailure::Kind::Broken) {
        compile_and_run(level, {kernels[k]});
      } else {
        answers_[kernels[k]->number] = answer_to(code.error());
      }
    }
  }

  FuzzAnswer run(const Emitted& kernel, const host::Avx512Callable& callable, const std::string& evidence) {
    if (interrupts() > 0) {
      return {Ending::Stopped, "", "", {}, {}};
    }
    const FuzzCase& of = cases_[kernel.number];
    Counts& counts = counts_[kernel.number];
    ++counts["evidence: " + evidence];
    ++counts[fmt::format("most_chunks: {}", of.most_chunks ? std::to_string(*of.most_chunks) : "usual")];
    ++counts[of.side_by_side ? "layout: groups side by side" : "layout: rows"];
    ++counts[of.misaligned ? "buffers: misaligned" : "buffers: aligned"];
    const Reference reference = kernel.lowered.interpreted.reference();
    const auto code = [&](const void* const* arguments, std::uint64_t groups) { callable(arguments, 0, groups, groups); };
    const auto ran = run_apart(code, reference, plan_.patience, of.misaligned ? Alignment::Bytes : Alignment::Elements);
    return ran ? answer_to(*ran, reference) : FuzzAnswer{Ending::Missing, "", ran.error(), {}, {}};
  }

  const FuzzPlan& plan_;
  const std::vector<FuzzCase>& cases_;
  std::vector<Counts>& counts_;
  std::vector<FuzzAnswer> answers_;
  std::vector<std::unique_ptr<Emitted>> emitted_;
  std::map<unsigned, Kernels> of_level_;
};

}  // namespace

std::vector<FuzzAnswer> try_together(const FuzzPlan& plan, const std::vector<FuzzCase>& cases, std::vector<Counts>& counts) {
  return Together(plan, cases, counts).answers();
}

}  // namespace lockstep::tools
