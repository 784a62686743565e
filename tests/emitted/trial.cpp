#include "tests/emitted/trial.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <random>
#include <utility>

#include "codegen/host/avx512.hpp"
#include "semantics/infreg/walk.hpp"
#include "semantics/ops/bits.hpp"
#include "tests/unit/emit_llvm_random.hpp"

namespace lockstep::emit_avx512::trial {

namespace {

constexpr std::byte canary{0xa5};
constexpr unsigned seconds_for_a_kernel = 20;

/// Memory between two pages without access: `size` bytes that end `shift` bytes before the second one, or begin `shift` bytes behind the
/// first one. What lies beside them on their own pages is known, so that it is noticed if it changes.
class Guarded {
 public:
  Guarded(std::size_t size, bool at_end, std::size_t shift) : size_(size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    inner_ = (size + shift + page - 1) / page * page;
    total_ = inner_ + 2 * page;
    void* const all = mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
      throw std::bad_alloc();
    }
    whole_ = static_cast<std::byte*>(all);
    begin_ = whole_ + page;
    if (inner_ != 0 && mprotect(begin_, inner_, PROT_READ | PROT_WRITE) != 0) {
      throw std::bad_alloc();
    }
    std::fill_n(begin_, inner_, canary);
    data_ = begin_ + (at_end ? inner_ - size - shift : shift);
  }
  Guarded(Guarded&& other) noexcept
      : whole_(std::exchange(other.whole_, nullptr)),
        begin_(other.begin_),
        data_(other.data_),
        size_(other.size_),
        inner_(other.inner_),
        total_(other.total_) {}
  Guarded& operator=(Guarded&&) = delete;
  ~Guarded() {
    if (whole_ != nullptr) {
      munmap(whole_, total_);
    }
  }

  std::byte* data() const { return data_; }
  bool is_intact() const {
    const auto is_canary = [](std::byte b) { return b == canary; };
    return std::all_of(begin_, data_, is_canary) && std::all_of(data_ + size_, begin_ + inner_, is_canary);
  }

 private:
  std::byte* whole_ = nullptr;
  std::byte* begin_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t inner_ = 0;
  std::size_t total_ = 0;
};

/// The parameter `second` points `distance` elements behind where `first` points.
struct Overlap {
  infreg::ParameterId first = 0;
  infreg::ParameterId second = 0;
  std::uint64_t distance = 0;
};

/// One call, or several that do a part of the groups each.
struct Run {
  std::string name;
  std::uint64_t groups = 0;
  std::vector<std::uint64_t> cuts;  ///< ascending: where one part ends and the next one begins
  bool at_end = true;
  std::size_t shift = 0;
  std::optional<Overlap> overlap;
};

std::size_t buffer_of(const Trial& trial, infreg::ParameterId parameter) {
  return std::get<BufferNumber>(trial.arguments[parameter]).number;
}

/// The same kernel, which goes to the second buffer through the first parameter.
infreg::Kernel through_one_parameter(infreg::Kernel kernel, const Overlap& overlap) {
  const auto move = [&](infreg::Place& place) {
    const auto* of = std::get_if<infreg::OfParameter>(&place.base);
    if (of != nullptr && of->id == overlap.second) {
      place.base = infreg::OfParameter{overlap.first};
      place.index += infreg::Polynomial(static_cast<std::int64_t>(overlap.distance));
    }
  };
  for (infreg::Region& region : kernel.regions) {
    for (infreg::Operation& operation : region.operations) {
      if (auto* load = std::get_if<infreg::Load>(&operation.node)) {
        move(load->place);
      } else if (auto* store = std::get_if<infreg::Store>(&operation.node)) {
        move(store->place);
      } else if (auto* atomic = std::get_if<infreg::Atomic>(&operation.node)) {
        move(atomic->place);
      }
    }
  }
  return kernel;
}

bool has_address(const infreg::Kernel& kernel, infreg::ParameterId parameter) {
  const auto takes_it = [&](const infreg::Operation& operation) {
    const auto* address = std::get_if<infreg::AddressOf>(&operation.node);
    const auto* of = address == nullptr ? nullptr : std::get_if<infreg::OfParameter>(&address->object);
    return of != nullptr && of->id == parameter;
  };
  return std::ranges::any_of(kernel.regions,
                             [&](const infreg::Region& region) { return std::ranges::any_of(region.operations, takes_it); });
}

/// Two parameters of one type, if there are any whose addresses are not numbers for the kernel.
std::optional<Overlap> random_overlap(const Trial& trial, std::mt19937_64& random) {
  std::vector<Overlap> all;
  const std::vector<infreg::Parameter>& parameters = trial.kernel.parameters;
  for (infreg::ParameterId a = 0; a < parameters.size(); ++a) {
    for (infreg::ParameterId b = 0; b < parameters.size(); ++b) {
      if (a != b && parameters[a].is_pointer && parameters[b].is_pointer && parameters[a].scalar == parameters[b].scalar &&
          !has_address(trial.kernel, a) && !has_address(trial.kernel, b)) {
        all.push_back({a, b, 0});
      }
    }
  }
  if (all.empty()) {
    return std::nullopt;
  }
  Overlap chosen = all[random() % all.size()];
  const std::uint64_t count = trial.buffers[buffer_of(trial, chosen.first)].count;
  const std::uint64_t distances[] = {0, 1, 2, 7, 8, count / 2, count == 0 ? 0 : count - 1, count};
  chosen.distance = std::min(count, distances[random() % std::size(distances)]);
  return chosen;
}

std::vector<Run> runs_of(const Trial& trial) {
  std::mt19937_64 random(trial.seed);
  std::vector<Run> runs;
  runs.push_back({"all groups", trial.groups, {}, true, 0, {}});
  Run parts{"groups in parts", trial.groups, {}, false, 0, {}};
  for (std::uint64_t cut = trial.kernel.shape.wg_pack; cut < trial.groups; cut += trial.kernel.shape.wg_pack) {
    if (random() % 2 == 0) {
      parts.cuts.push_back(cut);
    }
  }
  runs.push_back(std::move(parts));
  runs.push_back({"fewer groups, misaligned", random() % (trial.groups + 1), {}, trial.seed % 2 == 0, 1 + random() % 63, {}});
  for (int i = 0; i < 2; ++i) {
    if (const auto overlap = random_overlap(trial, random)) {
      const std::string name = fmt::format("{} and {} {} elements apart", trial.kernel.parameters[overlap->first].name,
                                           trial.kernel.parameters[overlap->second].name, overlap->distance);
      runs.push_back({name, trial.groups, {}, true, 0, overlap});
    }
  }
  return runs;
}

/// The buffers of a run: those of the trial; where two overlap, the first one holds both and the second one nothing.
std::vector<infreg::Buffer> buffers_of(const Trial& trial, const Run& run) {
  std::vector<infreg::Buffer> buffers = trial.buffers;
  if (run.overlap) {
    infreg::Buffer& first = buffers[buffer_of(trial, run.overlap->first)];
    infreg::Buffer& second = buffers[buffer_of(trial, run.overlap->second)];
    const std::uint64_t count = std::max(first.count, run.overlap->distance + second.count);
    infreg::Buffer both = infreg::make_buffer(first.type, count);
    const std::size_t size = size_of(first.type);
    std::copy(second.bytes.begin(), second.bytes.end(), both.bytes.begin() + static_cast<std::ptrdiff_t>(run.overlap->distance * size));
    std::copy(first.bytes.begin(), first.bytes.end(), both.bytes.begin());
    first = std::move(both);
    second = infreg::make_buffer(first.type, 0);
  }
  return buffers;
}

/// The first cell that differs from what is expected (poison matches anything, a NaN any NaN), or "".
std::string difference(const std::vector<infreg::Buffer>& expected, const std::vector<Guarded>& found) {
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const std::size_t size = size_of(expected[b].type);
    for (std::size_t k = 0; k < expected[b].count; ++k) {
      const std::uint64_t wanted = ops::bits_at(expected[b].type, expected[b].bytes.data() + k * size);
      const std::uint64_t got = ops::bits_at(expected[b].type, found[b].data() + k * size);
      if (expected[b].poison[k] == 0 && !ops::same_number(expected[b].type, wanted, got)) {
        return fmt::format("buffer {}, element {}: {:#x} instead of {:#x}", b, k, got, wanted);
      }
    }
    if (!found[b].is_intact()) {
      return fmt::format("something is written outside of buffer {}", b);
    }
  }
  return "";
}

/// What is wrong, or "".
std::string wrong_in(const Trial& trial, const Run& run, host::Avx512Callable::Function function) {
  const std::vector<infreg::Buffer> before = buffers_of(trial, run);
  std::vector<infreg::Buffer> expected = before;
  const infreg::Kernel kernel = run.overlap ? through_one_parameter(trial.kernel, *run.overlap) : trial.kernel;
  const infreg::Outcome outcome = infreg::evaluate(kernel, trial.arguments, expected, {.groups = run.groups, .limits = {}, .observer = {}});
  if (const auto* undefined = std::get_if<infreg::Undefined>(&outcome.end)) {
    return "the kernel is undefined: " + undefined->sentence;
  }
  if (!std::holds_alternative<infreg::Finished>(outcome.end)) {
    return "the evaluator does not come to an end";
  }
  std::vector<Guarded> memory;
  for (const infreg::Buffer& buffer : before) {
    memory.emplace_back(buffer.bytes.size(), run.at_end, run.shift);
    std::copy(buffer.bytes.begin(), buffer.bytes.end(), memory.back().data());
  }
  std::vector<const void*> pointers;
  for (infreg::ParameterId i = 0; i < trial.kernel.parameters.size(); ++i) {
    if (!trial.kernel.parameters[i].is_pointer) {
      pointers.push_back(&std::get<ScalarBits>(trial.arguments[i]).bits);
    } else if (run.overlap && run.overlap->second == i) {
      pointers.push_back(memory[buffer_of(trial, run.overlap->first)].data() +
                         run.overlap->distance * size_of(trial.kernel.parameters[i].scalar));
    } else {
      pointers.push_back(memory[buffer_of(trial, i)].data());
    }
  }
  std::uint64_t from = 0;
  for (const std::uint64_t cut : run.cuts) {
    function(pointers.data(), from, cut, run.groups);
    from = cut;
  }
  function(pointers.data(), from, run.groups, run.groups);
  return difference(expected, memory);
}

/// What a process that may crash leaves for the one that waits.
struct Notes {
  std::size_t at = 0;     ///< the kernel that is run
  bool is_wrong = false;  ///< and leaves something else
  char text[2000] = {};   ///< what
};

void note(Notes& notes, const std::string& text) {
  const std::size_t length = std::min(text.size(), sizeof notes.text - 1);
  std::memcpy(notes.text, text.data(), length);
  notes.text[length] = 0;
}

/// In the child: runs kernels from notes.at on, until one is wrong or all are done.
[[noreturn]] void run_all(const std::vector<Trial>& trials, const std::vector<host::Avx512Callable::Function>& functions, Notes& notes) {
  for (; notes.at < trials.size(); ++notes.at) {
    alarm(seconds_for_a_kernel);
    for (const Run& run : runs_of(trials[notes.at])) {
      note(notes, run.name);
      const std::string wrong = wrong_in(trials[notes.at], run, functions[notes.at]);
      if (!wrong.empty()) {
        note(notes, fmt::format("{}: {}", run.name, wrong));
        notes.is_wrong = true;
        _exit(0);
      }
    }
  }
  _exit(0);
}

}  // namespace

Trial random_trial(std::uint64_t seed) {
  // Of four kernels one has its groups side by side.
  const std::uint32_t side_by_side = seed % 4 != 2 ? 0 : seed % 8 == 2 ? 8 : 16;
  emit_llvm::trial::DefinedKernel made(seed, 1 + seed % 9, side_by_side);
  made.make();
  Trial trial;
  trial.seed = seed;
  trial.kernel = made.kernel();
  trial.arguments = made.arguments;
  trial.buffers = made.memory;
  trial.groups = made.groups();
  trial.options.most_chunks = seed % 3 == 0 ? 16 : seed % 3 == 1 ? 3 : 1;
  trial.options.chunk_lanes = seed % 5 == 0 ? 16 : seed % 5 < 3 ? 8 : 0;
  trial.options.nontemporal = seed % 4 == 1 ? Nontemporal::On : Nontemporal::Auto;
  trial.options.columns = seed % 7 != 0;
  trial.options.from_memory = seed % 11 != 0;
  if (side_by_side != 0) {
    trial.options.chunk_lanes = side_by_side;
    trial.options.layout = LayoutChoice::Groups;
  }
  return trial;
}

std::optional<std::string> emit_into(Trial& trial) {
  try {
    auto source = host::source_for_calls(trial.kernel, fmt::format("k{}", trial.seed), trial.options);
    if (!source) {
      return fmt::format("kernel {} is refused: {}", trial.seed, source.error());
    }
    trial.source = std::move(source->text);
  } catch (const std::exception& thrown) {
    return fmt::format("kernel {}: {}", trial.seed, thrown.what());
  }
  return std::nullopt;
}

std::string name_of(const Build& build) {
  return fmt::format("{} -O{}{}", build.compiler.command.front(), build.level, build.emulated ? " -DLOCKSTEP_AVX512_EMULATE" : "");
}

std::expected<host::Library, std::string> compiled(const std::vector<Trial>& trials, const Build& build) {
  host::CompileRequest request;
  std::string text = "#include \"lockstep_avx512.h\"\n";
  for (const Trial& trial : trials) {
    text += trial.source;
  }
  request.source = {"kernels.avx512.cpp", std::move(text)};
  request.headers = host::avx512_support_files();
  request.options = {"-std=c++17", fmt::format("-O{}", build.level), "-Wall", "-Wextra", "-Wpedantic", "-Werror"};
  if (build.emulated) {
    request.options.emplace_back("-DLOCKSTEP_AVX512_EMULATE");
  }
  auto library = host::compile_library(build.compiler, request);
  return library ? std::expected<host::Library, std::string>(std::move(*library)) : std::unexpected(library.error().sentence);
}

std::vector<std::string> failures(const std::vector<Trial>& trials, const host::Library& library) {
  std::vector<host::Avx512Callable::Function> functions;
  for (const Trial& trial : trials) {
    void* const function = library.find(fmt::format("k{}_call", trial.seed));
    if (function == nullptr) {
      return {fmt::format("kernel {} has no entry point", trial.seed)};
    }
    functions.push_back(reinterpret_cast<host::Avx512Callable::Function>(function));
  }
  void* const shared = mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    return {"there is no memory to share with a process"};
  }
  Notes& notes = *new (shared) Notes;
  std::vector<std::string> result;
  while (notes.at < trials.size()) {
    notes.is_wrong = false;
    const pid_t child = fork();
    if (child == 0) {
      run_all(trials, functions, notes);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
      result.emplace_back("no process can be started");
      break;
    }
    if (notes.at == trials.size()) {
      break;
    }
    const std::string kind = WIFSIGNALED(status) ? fmt::format(" (signal {})", WTERMSIG(status)) : "";
    result.push_back(fmt::format("kernel {}: {}{}", trials[notes.at].seed, notes.text, kind));
    ++notes.at;
  }
  munmap(shared, sizeof(Notes));
  return result;
}

std::size_t count_with(const std::vector<Trial>& trials, std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(trials, [&](const Trial& trial) { return trial.source.find(text) != std::string::npos; }));
}

}  // namespace lockstep::emit_avx512::trial
