// `lockstep bench`: measures kernels against what one would use otherwise, and against the machine's limits.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bench/suite/gpu.hpp"
#include "bench/suite/ours.hpp"
#include "bench/suite/report.hpp"
#include "bench/suite/suite.hpp"
#include "semantics/base/files.hpp"
#include "semantics/musimd/number.hpp"
#include "tools/command.hpp"
#include "tools/number_option.hpp"

namespace lockstep::tools {

namespace {

struct BenchOptions {
  std::vector<std::string> kernels;
  std::vector<std::string> sizes;
  std::string precision = "both";
  std::vector<std::string> targets{bench::target_names.begin(), bench::target_names.end()};
  std::vector<std::string> peers;
  std::vector<std::string> packs = {"auto"};
  std::vector<std::string> studies;
  std::vector<std::string> threads = {"1"};
  std::vector<std::string> data = {"cold", "hot"};
  std::uint64_t batch = 100'000;
  unsigned rounds = 10;
  unsigned warm_ups = 2;
  std::string out;
  std::string plots;
  std::vector<std::string> gpu_files;
  bool json = false;
};

/// One line on standard error, if that is a terminal.
class ProgressLine {
 public:
  ProgressLine() : is_terminal_(isatty(STDERR_FILENO) != 0) {}
  void show(const std::string& what) const {
    if (is_terminal_) {
      say("\r" + what + "\033[K");
    }
  }
  void clear() const { show(""); }

 private:
  bool is_terminal_;
};

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const bench::KernelInfo& kernel : bench::kernel_table) {
    names.emplace_back(kernel.name);
  }
  return names;
}

std::vector<std::string> size_names() {
  std::vector<std::string> names;
  for (const unsigned size : bench::sizes) {
    names.push_back(std::to_string(size));
  }
  return names;
}

/// Without the names that stand there twice.
std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (std::ranges::find(out, name) == out.end()) {
      out.push_back(name);
    }
  }
  return out;
}

/// "1", "4", "all"
std::expected<std::vector<unsigned>, std::string> thread_counts(const std::vector<std::string>& texts) {
  std::vector<unsigned> counts;
  for (const std::string& text : texts) {
    const auto count = text == "all" ? std::max(1U, std::thread::hardware_concurrency()) : parse_number(text, 1, 1024);
    if (!count) {
      return std::unexpected(fmt::format("--threads: {}, or 'all'", count.error()));
    }
    if (std::ranges::find(counts, *count) == counts.end()) {
      counts.push_back(static_cast<unsigned>(*count));
    }
  }
  return counts;
}

std::expected<bench::SuiteOptions, std::string> suite_options(const BenchOptions& options) {
  bench::SuiteOptions suite;
  for (const std::string& name : each_once(options.kernels.empty() ? kernel_names() : options.kernels)) {
    suite.kernels.push_back(*bench::kernel_named(name));
  }
  for (const std::string& size : each_once(options.sizes.empty() ? size_names() : options.sizes)) {
    suite.sizes.push_back(static_cast<unsigned>(std::stoul(size)));
  }
  std::ranges::sort(suite.sizes);
  if (options.precision != "float") {
    suite.reals.push_back(ScalarType::Double);
  }
  if (options.precision != "double") {
    suite.reals.push_back(ScalarType::Float);
  }
  suite.targets = each_once(options.targets);
  suite.has_peers = options.peers != std::vector<std::string>{"none"};
  suite.peers = {options.peers.begin(), options.peers.end()};
  suite.packs = each_once(options.packs);
  for (const std::string& study : each_once(options.studies)) {
    suite.studies.push_back(study == "packs"         ? bench::Study::Packs
                            : study == "reorderings" ? bench::Study::Reorderings
                                                     : bench::Study::Loops);
  }
  if (auto problem = bench::left_out(suite)) {
    return std::unexpected(std::move(*problem));
  }
  suite.batch = options.batch;
  const auto threads = thread_counts(options.threads);
  if (!threads) {
    return std::unexpected(threads.error());
  }
  suite.threads = *threads;
  suite.is_cold = std::ranges::find(options.data, "cold") != options.data.end();
  suite.is_hot = std::ranges::find(options.data, "hot") != options.data.end();
  suite.rounds = options.rounds;
  suite.warm_ups = options.warm_ups;
  return suite;
}

std::expected<void, std::string> write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    return std::unexpected(fmt::format("cannot write {}", path.string()));
  }
  return {};
}

using Files = std::vector<std::pair<std::string, std::string>>;

std::expected<void, std::string> write_folder(const std::string& folder, const Files& files) {
  for (const auto& [name, text] : files) {
    if (const auto written = write(std::filesystem::path(folder) / name, text); !written) {
      return written;
    }
  }
  return {};
}

std::string all_tables(const bench::SuiteResult& result) {
  std::string out;
  for (const bench::CaseResult& one : result.cases) {
    out += bench::case_table(one);
  }
  return fmt::format("{}\n{}", out, bench::summary_text(result));
}

/// What --out and --plots ask for.
std::expected<void, std::string> write_folders(const BenchOptions& options, const bench::SuiteResult& result) {
  const Files pictures = bench::figures(result);
  if (!options.plots.empty()) {
    Files files = pictures;
    files.emplace_back("summary.md", bench::summary_page(result));
    if (const auto written = write_folder(options.plots, files); !written) {
      return written;
    }
  }
  if (!options.out.empty()) {
    Files files = pictures;
    files.emplace_back("bench.json", bench::to_json(result));
    files.emplace_back("bench.txt", all_tables(result));
    return write_folder(options.out, files);
  }
  return {};
}

/// The folders first: nobody wants to hear after an hour that they cannot be made.
std::expected<void, std::string> make_folders(const BenchOptions& options) {
  for (const std::string& folder : {options.out, options.plots}) {
    std::error_code error;
    if (!folder.empty() && (std::filesystem::create_directories(folder, error), error)) {
      return std::unexpected(fmt::format("cannot make the folder {}: {}", folder, error.message()));
    }
  }
  return {};
}

/// What bundles have measured elsewhere: nothing is measured here.
Status show_gpu_times(const BenchOptions& options) {
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  std::vector<bench::GpuFile> files;
  for (const std::string& name : options.gpu_files) {
    auto text = read_file(name, [](std::string_view) { return ByteLimit{most_bytes, ", too many for times of a bundle"}; });
    if (!text) {
      complain(text.error());
      return bad_input;
    }
    files.push_back({name, std::move(*text)});
  }
  const auto times = bench::read_gpu_times(files);
  if (!times) {
    complain(times.error());
    return bad_input;
  }
  const bench::SuiteResult cases = bench::gpu_cases(*times);
  std::string text = bench::gpu_table(*times);
  for (const bench::Table& table : {bench::gpu_speedups(cases), bench::ablations_table(cases)}) {
    text += table.rows.empty() ? "" : "\n" + bench::plain_text(table);
  }
  fmt::print("{}", text);
  if (options.plots.empty()) {
    return fine;
  }
  if (const auto written = write_folder(options.plots, bench::figures(cases)); !written) {
    complain(written.error());
    return bad_input;
  }
  return fine;
}

Status bench_command(const BenchOptions& options) {
  if (!options.gpu_files.empty()) {
    const auto made = make_folders(options);
    if (!made) {
      complain(made.error());
    }
    return made ? show_gpu_times(options) : bad_input;
  }
  const auto suite = suite_options(options);
  if (!suite) {
    complain(suite.error());
    return bad_input;
  }
  if (const auto made = make_folders(options); !made) {
    complain(made.error());
    return bad_input;
  }
  const auto module = bench::load_peers();
  if (!module) {
    complain(module.error());
    return missing;
  }
  const ProgressLine line;
  bench::SuiteObserver observer;
  observer.progress = [&](const std::string& what) { line.show(what); };
  std::expected<void, std::string> written;
  observer.case_done = [&](const bench::SuiteResult& so_far) {
    written = write_folders(options, so_far);  // what is measured stays, whatever becomes of the rest
    line.clear();
    if (!options.json) {
      fmt::print("{}", bench::case_table(so_far.cases.back()));
      std::fflush(stdout);
    }
  };
  const bench::SuiteResult result = bench::run_suite(*suite, **module, observer);
  line.clear();
  if (options.json) {
    fmt::print("{}", bench::to_json(result));
  } else {
    fmt::print("\n{}", bench::summary_text(result));
  }
  if (!written) {
    complain(written.error());
    return bad_input;
  }
  return result.all_right() ? fine : no;
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "measure kernels against compilers, libraries and the machine's limits");
  const auto names = [&](const std::string& name, std::vector<std::string>& into, const std::vector<std::string>& allowed,
                         const std::string& help) { command->add_option(name, into, help)->delimiter(',')->check(CLI::IsMember(allowed)); };
  names("--kernel", options->kernels, kernel_names(), "which kernels of examples/borg, separated by commas; all if left out");
  names("--size", options->sizes, size_names(), "rows of matrices, and items of a group of the other kernels; all if left out");
  command->add_option("--precision", options->precision, "float, double or both")
      ->check(CLI::IsMember({"float", "double", "both"}))
      ->capture_default_str();
  names("--target", options->targets, {bench::target_names.begin(), bench::target_names.end()}, "what runs our kernels");
  names("--peers", options->peers, {"none", "g++", "clang++", "libxsmm", "Eigen", "OpenBLAS", "PoCL", "ISPC"},
        "whom they are compared with; all if left out");
  names("--wg-pack", options->packs, {"auto", "1", "2", "4", "8"},
        "groups of a pack; of several the report has each, and the pictures the best");
  names("--study", options->studies, {"packs", "reorderings", "loops"},
        "Lockstep against itself, on one thread: groups of a pack (Fig. 8 of the borG paper), without ways to reorder lanes (Fig. 9; the "
        "avx512 target), loops with runtime bounds (Fig. 10)");
  command->add_option("--threads", options->threads, "how many threads, or 'all'; several one after the other")
      ->delimiter(',')
      ->capture_default_str();
  names("--data", options->data, {"cold", "hot"}, "the whole batch from memory, or a batch that stays in the first cache (one thread)");
  add_number(*command, "--batch", options->batch, 1, 10'000'000, "problems")->capture_default_str();
  add_number(*command, "--rounds", options->rounds, 1, 10'000, "rounds in which all take turns")->capture_default_str();
  add_number(*command, "--warm-ups", options->warm_ups, 0, 10'000, "rounds before that")->capture_default_str();
  command->add_option("--out", options->out, "a folder for bench.txt, bench.json and the pictures, up to date after each measurement")
      ->type_name("DIR");
  command->add_option("--plots", options->plots, "a folder for the pictures and summary.md, as docs/plots has them")->type_name("DIR");
  command
      ->add_option("--gpu", options->gpu_files,
                   "show the times that `make bench` of the cuda target's bundles has written (KERNEL.bench.json), with pictures for "
                   "--plots, and measure "
                   "nothing")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "print JSON instead of tables");
  command->footer(
      "Everything is checked before it is measured, ours bit for bit. Exit status 1: something was wrong, or could not be built.\n"
      "Example: lockstep bench --kernel gemm --size 8 --precision double\n"
      "         lockstep bench --batch 100000 --threads 1,all --study packs,reorderings,loops --out results");
  command->callback([options, &status] { status = bench_command(*options); });
}

}  // namespace lockstep::tools
