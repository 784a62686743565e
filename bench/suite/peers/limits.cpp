// The machine's limits: how fast the bytes of a task can be moved at all, and operations that depend on no memory.
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <fmt/format.h>

#include <array>
#include <chrono>

#include "bench/suite/peers/peer.hpp"

namespace lockstep::bench {

namespace {

// ---- traffic -----------------------------------------------------------------------------------------------------------------------

/// A cache line, or as much of one as is handled at a time.
typedef std::int64_t Line __attribute__((vector_size(64)));  // NOLINT(modernize-use-using): GCC's attribute wants it

enum class Access : std::uint8_t { Read, Write, Update };

/// Lines that are read, written or updated from one end to the other.
struct Stream {
  Access access;
  Line* lines;
  std::uint64_t count;
};

template <bool is_streaming>
void store(Line* to, Line value) {
#if defined(__AVX512F__)
  if constexpr (is_streaming) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i&>(value));
    return;
  }
#elif defined(__SSE2__)
  if constexpr (is_streaming) {
    for (int part = 0; part < 4; ++part) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to) + part, reinterpret_cast<__m128i*>(&value)[part]);
    }
    return;
  }
#endif
  *to = value;
}

/// Streaming stores are done when others see them.
template <bool is_streaming>
void finish_stores() {
#if defined(__SSE2__)
  if constexpr (is_streaming) {
    _mm_sfence();
  }
#endif
}

/// Keeps a value from being optimised away.
void use(const Line& value) { asm volatile("" : : "m"(value)); }

template <bool is_streaming>
void move_lines(Access access, Line* lines, std::uint64_t count, Line zero) {
  if (access == Access::Read) {
    std::array<Line, 4> sums = {zero, zero, zero, zero};
    std::uint64_t k = 0;
    for (; k + 4 <= count; k += 4) {
      sums[0] += lines[k];
      sums[1] += lines[k + 1];
      sums[2] += lines[k + 2];
      sums[3] += lines[k + 3];
    }
    for (; k < count; ++k) {
      sums[0] += lines[k];
    }
    use((sums[0] + sums[1]) + (sums[2] + sums[3]));
  } else if (access == Access::Write) {
#pragma GCC unroll 4
    for (std::uint64_t k = 0; k < count; ++k) {
      store<is_streaming>(lines + k, zero);
    }
  } else {
#pragma GCC unroll 4
    for (std::uint64_t k = 0; k < count; ++k) {
      store<is_streaming>(lines + k, lines[k] + zero);
    }
  }
}

/// Whole lines only: what hangs over at the ends of an array is less than two lines.
Stream stream_of(Access access, std::byte* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::size_t skipped = (64 - (address % 64)) % 64;
  return {access, reinterpret_cast<Line*>(begin + skipped), bytes < skipped ? 0 : (bytes - skipped) / 64};
}

std::vector<Stream> streams_of(const Data& data) {
  std::vector<Stream> streams;
  for (const Array& array : data.arrays()) {
    if (array.role == Role::Shared) {
      continue;
    }
    const Access access = array.role == Role::In ? Access::Read : array.role == Role::Out ? Access::Write : Access::Update;
    const std::size_t pieces = info(data.task().kernel).is_group_wise ? 1 : array.each;
    const std::size_t bytes = array.bytes() / pieces;
    for (std::size_t k = 0; k < pieces; ++k) {
      streams.push_back(stream_of(access, array.memory.data() + (k * bytes), bytes));
    }
  }
  return streams;
}

/// Pages of all streams in turn, so that they are walked through together.
template <bool is_streaming>
void move_pages(const std::vector<Stream>& streams, std::uint64_t first, std::uint64_t last, std::uint64_t pages) {
  Line zero{};
  asm volatile("" : "+m"(zero));
  for (std::uint64_t page = first; page < last; ++page) {
    for (const Stream& stream : streams) {
      const std::uint64_t begin = stream.count * page / pages;
      move_lines<is_streaming>(stream.access, stream.lines + begin, (stream.count * (page + 1) / pages) - begin, zero);
    }
  }
  finish_stores<is_streaming>();
}

/// Arrays of the same size, line by line: the sums of the first ones, which are read, into all others.
template <std::size_t reads, std::size_t writes, bool is_streaming>
void by_line(const std::vector<Stream>& streams, std::uint64_t first, std::uint64_t last, std::uint64_t /*parts*/) {
  std::array<Line*, reads + writes> arrays{};
  std::ranges::transform(streams, arrays.begin(), &Stream::lines);
#pragma GCC unroll 4
  for (std::uint64_t k = first; k < last; ++k) {
    Line sum = arrays[0][k];
#pragma GCC unroll 16
    for (std::size_t read = 1; read < reads; ++read) {
      sum += arrays[read][k];
    }
#pragma GCC unroll 16
    for (std::size_t write = reads; write < reads + writes; ++write) {
      store<is_streaming>(arrays[write] + k, sum);
    }
  }
  finish_stores<is_streaming>();
}

using Move = void (*)(const std::vector<Stream>& streams, std::uint64_t first, std::uint64_t last, std::uint64_t pages);

Contestant traffic(std::string name, Move move, bool is_by_line) {
  Contestant limit;
  limit.name = std::move(name);
  limit.side = Side::Limit;
  limit.agreement = Agreement::None;
  limit.limit = LimitKind::Traffic;
  limit.prepare = [=](const Data& data, unsigned threads) -> std::expected<Run, std::string> {
    const auto streams = streams_of(data);
    const auto [least, most] = std::ranges::minmax(streams, {}, &Stream::count);
    const std::uint64_t parts = is_by_line ? least.count : std::max<std::uint64_t>(1, most.count / 64);
    return [=] { parallel(threads, parts, 1, [&](std::uint64_t first, std::uint64_t last) { move(streams, first, last, parts); }); };
  };
  return limit;
}

// ---- operations --------------------------------------------------------------------------------------------------------------------

template <class T>
struct Wide;
template <>
struct Wide<float> {
  typedef float Vector __attribute__((vector_size(64)));  // NOLINT(modernize-use-using)
};
template <>
struct Wide<double> {
  typedef double Vector __attribute__((vector_size(64)));  // NOLINT(modernize-use-using)
};

constexpr std::uint64_t rounds = 200'000;          // about a millisecond, so that it does not matter what starting threads takes
constexpr std::uint64_t dividing_rounds = 25'000;  // divisions take longer
constexpr std::size_t chains = 16;                 // independent, to hide latencies
constexpr std::size_t comparing_chains = 7;        // as many registers of masks as there are

/// Numbers of a vector.
template <class T>
constexpr std::size_t width = 64 / sizeof(T);

template <class T>
using Vectors = std::array<typename Wide<T>::Vector, chains>;

/// Numbers that the compiler does not know, a little apart.
template <class T>
Vectors<T> some_vectors() {
  Vectors<T> out{};
  for (std::size_t k = 0; k < chains; ++k) {
    for (std::size_t lane = 0; lane < width<T>; ++lane) {
      out[k][lane] = T(1.3) + (T(k) / 64) + (T(lane) / 512);
    }
  }
  asm volatile("" : "+m"(out));
  return out;
}

template <class T>
void do_fma() {
  Vectors<T> x = some_vectors<T>();
  typename Wide<T>::Vector summand{};
  auto factor = summand + T(1);
  asm volatile("" : "+m"(factor), "+m"(summand));
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < chains; ++k) {
      x[k] = x[k] * factor + summand;
    }
  }
  asm volatile("" : : "m"(x));
}

template <class T>
void do_divide() {
  Vectors<T> x = some_vectors<T>();
  auto dividend = x[3] + x[5];
  asm volatile("" : "+m"(dividend));
  for (std::uint64_t round = 0; round < dividing_rounds; ++round) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < chains; ++k) {
      x[k] = dividend / x[k];  // comes back to where it was every second time
    }
  }
  asm volatile("" : : "m"(x));
}

#if defined(__AVX512F__)
/// Into masks that nobody joins: some processors take twice as long for that.
template <class T>
void do_compare() {
  Vectors<T> x = some_vectors<T>();
  auto bound = x[4];
  for (std::uint64_t round = 0; round < rounds; ++round) {
    asm volatile("" : "+v"(bound));
#pragma GCC unroll 8
    for (std::size_t k = 0; k < comparing_chains; ++k) {
      if constexpr (sizeof(T) == 8) {
        const __mmask8 mask = _mm512_cmp_pd_mask((__m512d)x[k], (__m512d)bound, _CMP_LE_OQ);
        asm volatile("" : : "Yk"(mask));
      } else {
        const __mmask16 mask = _mm512_cmp_ps_mask((__m512)x[k], (__m512)bound, _CMP_LE_OQ);
        asm volatile("" : : "Yk"(mask));
      }
    }
  }
}

template <class T>
void do_permute() {
  Vectors<T> x = some_vectors<T>();
  __m512i order =
      sizeof(T) == 8 ? _mm512_set_epi64(0, 7, 2, 5, 4, 3, 6, 1) : _mm512_set_epi32(0, 15, 2, 13, 4, 11, 6, 9, 8, 7, 10, 5, 12, 3, 14, 1);
  asm volatile("" : "+v"(order));
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) {
      if constexpr (sizeof(T) == 8) {
        x[k] = (typename Wide<T>::Vector)_mm512_permutexvar_pd(order, (__m512d)x[k]);
      } else {
        x[k] = (typename Wide<T>::Vector)_mm512_permutexvar_ps(order, (__m512)x[k]);
      }
    }
  }
  asm volatile("" : : "m"(x));
}
#else
template <class T>
void do_compare() {
  Vectors<T> x = some_vectors<T>();
  auto bound = x[4];
  auto all = x[0] <= x[1];
  std::array<decltype(all), comparing_chains> masks{};
  masks.fill(all);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    asm volatile("" : "+m"(bound));
    for (std::size_t k = 0; k < masks.size(); ++k) {
      masks[k] = masks[k] & (x[k] <= bound);
    }
  }
  asm volatile("" : : "m"(masks));
}
#endif

/// Something that a thread does over and over.
struct Operation {
  const char* name;
  LimitKind kind;
  void (*work)();
  double vectors;  ///< operations of a run, in vectors
};

template <class T>
constexpr std::array<Operation, 3> operations() {
  return {{{"multiplications and additions", LimitKind::Fma, do_fma<T>, rounds * chains},
           {"divisions", LimitKind::Divide, do_divide<T>, dividing_rounds * chains},
           {"comparisons", LimitKind::Compare, do_compare<T>, rounds * comparing_chains}}};
}

template <class T>
void add_operations(const Cost& cost, std::vector<Contestant>& into) {
  for (const Operation& operation : operations<T>()) {
    if ((operation.kind == LimitKind::Divide && cost.divisions == 0) || (operation.kind == LimitKind::Compare && cost.compares == 0)) {
      continue;
    }
    Contestant limit;
    limit.name = operation.name;
    limit.side = Side::Limit;
    limit.agreement = Agreement::None;
    limit.limit = operation.kind;
    limit.units = operation.vectors * static_cast<double>(width<T>);
    limit.prepare = [work = operation.work](const Data&, unsigned threads) -> std::expected<Run, std::string> {
      return [=] { parallel(threads, threads, 1, [&](std::uint64_t, std::uint64_t) { work(); }); };
    };
    into.push_back(std::move(limit));
  }
}

// ---- figures of the machine ----------------------------------------------------------------------------------------------------------

/// The least time of several runs.
template <class Work>
double least_seconds(const Work& work, int runs = 7) {
  double least = 1e300;
  for (int k = 0; k < runs; ++k) {
    const auto start = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

void add_bandwidths(std::size_t bytes, std::vector<MachineFigure>& into) {
  const Memory memory(bytes);
  const std::uint64_t third = bytes / 3 / 64;
  Line* const lines = reinterpret_cast<Line*>(memory.data());
  const std::uint64_t repeats = std::max<std::uint64_t>(1, (std::uint64_t{1} << 24) / bytes);
  struct Pattern {
    const char* name;
    std::vector<Stream> streams;
    Move move;
  };
  const std::vector<Stream> all_read = {{Access::Read, lines, 3 * third}};
  const std::vector<Stream> all_written = {{Access::Write, lines, 3 * third}};
  const std::vector<Stream> all_updated = {{Access::Update, lines, 3 * third}};
  const std::vector<Stream> sum = {
      {Access::Read, lines, third}, {Access::Read, lines + third, third}, {Access::Write, lines + (2 * third), third}};
  for (const Pattern& pattern :
       {Pattern{"write", all_written, move_pages<false>}, Pattern{"write, streaming stores", all_written, move_pages<true>},
        Pattern{"read", all_read, move_pages<false>}, Pattern{"triad", sum, by_line<2, 1, false>},
        Pattern{"triad, streaming stores", sum, by_line<2, 1, true>}, Pattern{"update in place", all_updated, move_pages<false>},
        Pattern{"update in place, streaming stores", all_updated, move_pages<true>}}) {
    const bool is_by_line = pattern.streams.size() == 3;
    const std::uint64_t parts = is_by_line ? third : std::max<std::uint64_t>(1, 3 * third / 64);
    const double seconds = least_seconds([&] {
      for (std::uint64_t k = 0; k < repeats; ++k) {
        pattern.move(pattern.streams, 0, parts, parts);
      }
    });
    const double moved = static_cast<double>(3 * third * 64) * (pattern.streams.front().access == Access::Update ? 2 : 1);
    const std::string size = bytes >= (std::size_t{1} << 20) ? fmt::format("{} MiB", bytes >> 20) : fmt::format("{} KiB", bytes >> 10);
    into.push_back({fmt::format("{}: {}", size, pattern.name), "GB/s", 1e-9 * moved * static_cast<double>(repeats) / seconds});
  }
}

template <class T>
void add_rates(std::vector<MachineFigure>& into) {
  const std::string type = sizeof(T) == 8 ? "double" : "float";
  for (const Operation& operation : operations<T>()) {
    const double done = operation.vectors * static_cast<double>(width<T>);
    into.push_back({fmt::format("{}: {}", type, operation.name), "G/s", 1e-9 * done / least_seconds(operation.work)});
  }
#if defined(__AVX512F__)
  into.push_back({fmt::format("{}: permutations of a vector", type), "G/s", 1e-9 * rounds * 8 / least_seconds(do_permute<T>)});
#endif
}

}  // namespace

void add_limits(const Task& task, std::vector<Contestant>& into) {
  into.push_back(traffic("pages", move_pages<false>, false));
  into.push_back(traffic("pages, streaming stores", move_pages<true>, false));
  if (task.kernel == KernelId::Gema || task.kernel == KernelId::Gemm) {
    into.push_back(traffic("lines", by_line<2, 1, false>, true));
    into.push_back(traffic("lines, streaming stores", by_line<2, 1, true>, true));
  } else if (task.kernel == KernelId::Pade) {
    into.push_back(traffic("lines", by_line<2, 11, false>, true));
    into.push_back(traffic("lines, streaming stores", by_line<2, 11, true>, true));
  }
  task.real == ScalarType::Double ? add_operations<double>(cost_of(task), into) : add_operations<float>(cost_of(task), into);
}

std::vector<MachineFigure> machine_figures(bool is_quick) {
  std::vector<MachineFigure> figures;
  add_rates<double>(figures);
  add_rates<float>(figures);
  for (const std::size_t bytes : {std::size_t{24} << 10, std::size_t{384} << 10, std::size_t{12} << 20, std::size_t{512} << 20}) {
    if (!is_quick || bytes <= (std::size_t{1} << 20)) {
      add_bandwidths(bytes, figures);
    }
  }
  return figures;
}

}  // namespace lockstep::bench
