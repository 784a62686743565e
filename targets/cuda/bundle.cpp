#include "targets/cuda/bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/cuda/support/support.hpp"
#include "semantics/base/internal_error.hpp"
#include "targets/cuda/compile.hpp"

namespace lockstep::targets {

namespace {

// The build makes these lists of pieces from the files of bench/cuda.
constexpr std::string_view bench_pieces[] = {
#include <lockstep_bench.cuh.inc>
};
constexpr std::string_view peers_pieces[] = {
#include <peers.cuh.inc>
};
constexpr std::string_view threads_pieces[] = {
#include <threads.cu.inc>
};
constexpr std::string_view rows_pieces[] = {
#include <rows.cu.inc>
};

std::string joined(std::span<const std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
  }
  return text;
}

constexpr std::string_view cuda_makefile =
    R"(# make check: on a GPU, by nvcc. make check-host: without one, by a C++ compiler and lockstep_cuda_host.h. make bench: times on a GPU,
# also as @KERNEL@.bench.json; with COPIES=N of a launch of N times as many groups, whose inputs are those of this one again and again.
NVCC ?= nvcc
NVCCFLAGS ?= -O3 -arch=native
CXX ?= g++
CXXFLAGS ?= -O1
COPIES ?= 1
check: run_@KERNEL@
	$(RUN) ./run_@KERNEL@
check-host: host_@KERNEL@
	$(RUN) ./host_@KERNEL@
bench: bench_@KERNEL@
	COPIES=$(COPIES) $(RUN) ./bench_@KERNEL@
run_@KERNEL@: main.cpp @KERNEL@.cu @KERNEL@.cuda.h lockstep_cuda.h
	$(NVCC) -std=c++17 $(NVCCFLAGS) -DEVIDENCE='"a GPU, by nvcc"' -o $@ main.cpp @KERNEL@.cu
host_@KERNEL@: main.cpp host.cpp @KERNEL@.cu @KERNEL@.cuda.h lockstep_cuda.h lockstep_cuda_host.h
	$(CXX) -std=c++17 $(CXXFLAGS) -ffp-contract=off -DEVIDENCE='"host emulation"' -o $@ main.cpp host.cpp
bench_@KERNEL@: main.cpp bench.cu @KERNEL@.cu @KERNEL@.cuda.h lockstep_cuda.h lockstep_bench.cuh variants.cuh @PEERS@
	$(NVCC) -std=c++17 $(NVCCFLAGS) -DEVIDENCE='"a GPU, by nvcc"' -DENTRY=bench_@KERNEL@ -o $@ main.cpp bench.cu @KERNEL@.cu -ldl
clean:
	rm -f run_@KERNEL@ host_@KERNEL@ bench_@KERNEL@ @KERNEL@.bench.json
.PHONY: check check-host bench clean
)";

/// A kernel of examples/borg, for which there is plain CUDA C++.
struct Peer {
  std::string_view kernel;
  std::size_t parameters;
  bool has_rows;
};
constexpr std::array<Peer, 7> peer_table = {{{"gema", 3, true},
                                             {"gemm", 3, true},
                                             {"trsv", 2, true},
                                             {"ldus", 1, true},
                                             {"pade", 8, false},
                                             {"enumerate", 6, false},
                                             {"frcg", 5, false}}};

/// Of a matrix whose rows find room in a block of rows.cu.
constexpr unsigned most_rows = 48;

/// The type of a kernel's numbers: what its first pointer to floats points to.
std::optional<ScalarType> real_of(const infreg::Kernel& kernel) {
  const auto real = std::ranges::find_if(
      kernel.parameters, [](const infreg::Parameter& parameter) { return parameter.is_pointer && is_float(parameter.scalar); });
  return real == kernel.parameters.end() ? std::nullopt : std::optional(real->scalar);
}

/// The peers of a kernel, and the type of its numbers.
struct Peers {
  Peer peer;
  ScalarType real;
};
std::optional<Peers> peers_of(const infreg::Kernel& kernel) {
  const auto peer = std::ranges::find_if(
      peer_table, [&](const Peer& one) { return one.kernel == kernel.name && one.parameters == kernel.parameters.size(); });
  const auto real = real_of(kernel);
  return peer == peer_table.end() || !real ? std::nullopt : std::optional(Peers{*peer, *real});
}

/// Parameters by number, so that no name is in the way.
std::string type_of(const infreg::Parameter& parameter) {
  return fmt::format("{}{}{}", parameter.is_pointer && parameter.is_const ? "const " : "", emit_c::c_type(parameter.scalar),
                     parameter.is_pointer ? " *" : "");
}

std::string host_parameters(const infreg::Kernel& kernel) {
  std::string text;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    text += fmt::format("{} p{}, ", type_of(kernel.parameters[k]), k);
    text += kernel.parameters[k].is_pointer ? fmt::format("size_t n{}, ", k) : "";
  }
  return text + "size_t num_groups";
}

/// "p0, n0, p1, " or without the numbers of elements.
std::string call_arguments(const infreg::Kernel& kernel, bool with_counts) {
  std::string text;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    text += fmt::format("p{}, ", k);
    text += with_counts && kernel.parameters[k].is_pointer ? fmt::format("n{}, ", k) : "";
  }
  return text;
}

std::string host_file(const infreg::Kernel& kernel, const emit_cuda::Emitted& emitted) {
  std::string unused;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    unused += kernel.parameters[k].is_pointer ? fmt::format("  (void)n{};\n", k) : "";
  }
  return fmt::format(
      "// The same source without a GPU: each thread is a fiber.\n{}{}\nextern \"C\" int {}({}) {{\n{}"
      "  if (num_groups == 0) return 0;\n"
      "  lockstep_cuda_host::run_grid(3, {}, [&] {{ ::{}({}num_groups); }});\n  return 0;\n}}\n",
      include_line(emit_cuda::host_support_name), include_line(kernel.name + ".cu"), emitted.entry_symbol, host_parameters(kernel), unused,
      emitted.block_threads, emitted.kernel_symbol, call_arguments(kernel, false));
}

/// The kernel otherwise: in other packs, or without something.
struct Variant {
  std::string name;
  unsigned pack = 1;
  emit_cuda::Emitted emitted;
};

/// Those that there is code for, and other code than the kernel's.
std::vector<Variant> variants_of(const infreg::Kernel& kernel, const InPacks& in_packs, const emit_cuda::EmitOptions& options,
                                 const std::string& symbol) {
  std::vector<Variant> all;
  std::vector<std::string> texts;
  const auto add = [&](const infreg::Kernel& other, emit_cuda::Choices choices, const std::string& name, const std::string& suffix) {
    emit_cuda::EmitOptions own{.symbol = symbol, .entries = false, .choices = choices};
    const auto alike = emit_cuda::emit(other, own);
    if (!alike || std::ranges::find(texts, alike->source) != texts.end()) {
      return;
    }
    texts.push_back(alike->source);
    own.symbol = symbol + suffix;
    all.push_back({name, other.shape.wg_pack, *emit_cuda::emit(other, own)});
  };
  add(kernel, options.choices, "", "");
  for (const unsigned pack : {1U, 2U, 4U, 8U}) {
    if (const auto other = in_packs(pack)) {
      add(*other, options.choices, fmt::format("WG_PACK {}", pack), fmt::format("_in_packs_of_{}", pack));
    }
  }
  for (const NamedChoice& one : named_choices()) {
    emit_cuda::Choices choices = options.choices;
    choices.*one.choice = false;
    add(kernel, choices, fmt::format("without {}", one.name), fmt::format("_without_{}", one.name));
  }
  all.erase(all.begin());
  return all;
}

std::string variants_file(const std::vector<Variant>& variants) {
  std::string text = fmt::format("// The kernel in other packs, and without what shapes its code.\n{}\nnamespace v = lockstep_cuda;\n",
                                 include_line(emit_cuda::support_name));
  for (const Variant& variant : variants) {
    text += fmt::format("\n// {}\n{}", variant.name, variant.emitted.source);
  }
  return text;
}

/// Buffers on the device, and who is measured with them.
std::string bench_file(const infreg::Kernel& kernel, const emit_cuda::Emitted& emitted, const std::vector<Variant>& variants) {
  const auto known = peers_of(kernel);
  const auto real = real_of(kernel);
  const bool has_rows = known && known->peer.has_rows && kernel.shape.wg_size <= most_rows;
  std::string text = fmt::format("// Times of the kernel on a GPU, beside others that do the same.\n{}{}",
                                 include_line("lockstep_bench.cuh") + include_line("variants.cuh"), include_line(kernel.name + ".cuda.h"));
  if (known) {
    text += fmt::format("#define REAL {}\n#define N {}\n{}", emit_c::c_type(known->real), kernel.shape.wg_size, include_line("threads.cu"));
    text += has_rows ? "#undef PROBLEM\n" + include_line("rows.cu") : "";
  }
  text +=
      fmt::format("\nextern \"C\" int bench_{}({}) {{\n  using namespace lockstep_bench;\n", emitted.entry_symbol, host_parameters(kernel));
  text += fmt::format("  const Copies copies(num_groups, {});\n", kernel.shape.wg_size);
  const bool is_of_items = known && !known->peer.has_rows;
  std::string on_device;
  std::string buffers;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const infreg::Parameter& parameter = kernel.parameters[k];
    if (parameter.is_pointer) {
      text += fmt::format("  Buffer<{}> b{}(p{}, n{}, {}, copies);\n", emit_c::c_type(parameter.scalar), k, k, k, !parameter.is_const);
      buffers += fmt::format("{}&b{}", buffers.empty() ? "" : ", ", k);
      on_device += fmt::format("b{}.device, ", k);
    } else {  // what the kernels with a problem for each item call their number
      on_device += is_of_items ? fmt::format("copies.of_all(p{}), ", k) : fmt::format("p{}, ", k);
    }
  }
  text += fmt::format("  Bench bench(\"{}\", \"{}\", {}, {}, copies.groups{}, {{{}}});\n", kernel.name, real ? emit_c::c_type(*real) : "",
                      kernel.shape.wg_size, kernel.shape.wg_pack, is_of_items ? fmt::format(" * {}", kernel.shape.wg_size) : "", buffers);
  text += fmt::format("  bench.time(\"ours\", [&] {{ return {}_on_device({}copies.groups, 0); }});\n", emitted.entry_symbol, on_device);
  for (const Variant& variant : variants) {
    text += fmt::format(
        "  bench.time(\"ours, {0}\", [&] {{ ::{1}<<<blocks(copies.groups / {2} + copies.groups % {2}, {3}), {4}>>>({5}copies.groups); "
        "return "
        "cudaGetLastError(); }});\n",
        variant.name, variant.emitted.kernel_symbol, variant.pack, variant.emitted.packs_of_block, variant.emitted.block_threads,
        on_device);
  }
  if (known) {
    text += fmt::format(
        "  bench.time(\"threads\", [&] {{ {0}_threads<<<blocks(bench.problems, 128), 128>>>({1}bench.problems); return cudaGetLastError(); "
        "}});\n",
        kernel.name, on_device);
  }
  if (has_rows) {
    text += fmt::format(
        "  bench.time(\"rows\", [&] {{ {0}_rows<<<blocks(bench.problems, MATRICES), THREADS>>>({1}bench.problems); return "
        "cudaGetLastError(); }});\n",
        kernel.name, on_device);
  }
  if (kernel.name == "gemm" && known) {
    text +=
        "  if (Cublas<REAL> cublas; cublas.is_there()) {\n"
        "    bench.time(\"cuBLAS\", [&] { return cublas.multiply(b0.device, b1.device, b2.device, N, bench.problems); });\n  }\n";
  } else if (kernel.name == "ldus" && known) {
    text +=
        "  if (Cublas<REAL> cublas; cublas.is_there()) {\n"
        "    Pointers<REAL> rows(b0.device, N * N, bench.problems);\n"
        "    bench.time(\"cuBLAS\", [&] { return cublas.factor(rows, N, bench.problems); });\n  }\n";
  } else if (kernel.name == "trsv" && known) {
    text +=
        "  if (Cublas<REAL> cublas; cublas.is_there()) {\n"
        "    Pointers<REAL> factors(b0.device, N * N, bench.problems), sides(b1.device, N, bench.problems);\n"
        "    bench.time(\"cuBLAS\", [&] { return cublas.solve(factors, sides, N, bench.problems); });\n  }\n";
  }
  return text + fmt::format("  if (const int error = bench.report()) return error;\n  return {}({}num_groups);\n}}\n", emitted.entry_symbol,
                            call_arguments(kernel, true));
}

}  // namespace

Surroundings cuda_surroundings(const infreg::Kernel& kernel, const InPacks& in_packs, const emit_cuda::EmitOptions& options) {
  const auto emitted = emit_cuda::emit(kernel, options);
  if (!emitted) {
    throw InternalError("a bundle of what has not been emitted");
  }
  const auto known = peers_of(kernel);
  const std::vector<Variant> variants = variants_of(kernel, in_packs, options, emitted->entry_symbol);
  Surroundings around;
  around.driver = "main.cpp";
  around.headers =
      include_line(kernel.name + ".cuda.h") + fmt::format("#ifdef ENTRY\nextern \"C\" int ENTRY({});\n#else\n#define ENTRY {}\n#endif\n",
                                                          host_parameters(kernel), emitted->entry_symbol);
  around.entry = "ENTRY";
  around.is_hosted = true;
  around.if_equal = fmt::format(R"(printf("%s: equal (%s)\n", "{}", EVIDENCE))", kernel.name);
  around.makefile = {"Makefile",
                     filled(cuda_makefile, {{"@KERNEL@", kernel.name}, {"@PEERS@", known ? "peers.cuh threads.cu rows.cu" : ""}})};
  around.more = {{"host.cpp", host_file(kernel, *emitted)},
                 {"bench.cu", bench_file(kernel, *emitted, variants)},
                 {"variants.cuh", variants_file(variants)},
                 {"lockstep_bench.cuh", joined(bench_pieces)},
                 {std::string(emit_cuda::host_support_name), std::string(emit_cuda::host_support_text())}};
  if (known) {
    around.more.push_back({"peers.cuh", joined(peers_pieces)});
    around.more.push_back({"threads.cu", joined(threads_pieces)});
    around.more.push_back({"rows.cu", joined(rows_pieces)});
  }
  return around;
}

}  // namespace lockstep::targets
