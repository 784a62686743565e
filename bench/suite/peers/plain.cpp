// Batches of each kernel, in three forms:
//   loops   one problem after the other, as the compiler vectorises it
//   lanes   a problem in each lane of the widest vectors, as SPMD languages have it; matrices are brought into lanes and back
//   blocks  of ENUM: candidate by candidate over a block of problems, so that the sums are made once for all of them
// Compiled by each compiler with LOCKSTEP_PLAIN the name of its table.
#include "bench/suite/peers/plain.hpp"

#include "bench/suite/peers/plain_table.hpp"

namespace {

using namespace plain;

using Arrays = void* const*;

template <class T>
T* array(Arrays arrays, size_t k) {
  return static_cast<T*>(arrays[k]);
}

// ---- group-wise ------------------------------------------------------------------------------------------------------------------

enum class Matrix { Gema, Gemm, Trsv, Ldus };

template <Matrix kernel, class V, size_t N>
void solve(const V* in, const V* in2, V* out) {
  if constexpr (kernel == Matrix::Gema) {
    gema<V, N>(in, in2, out);
  } else if constexpr (kernel == Matrix::Gemm) {
    gemm<V, N>(in, in2, out);
  } else if constexpr (kernel == Matrix::Trsv) {
    trsv<V, N>(in, out);
  } else {
    ldus<V, N>(out);
  }
}

/// Where the kernel's operands stand among its parameters, and how large the one is that it writes.
template <Matrix kernel, class T, size_t N>
struct Operands {
  static constexpr bool has_in = kernel != Matrix::Ldus;
  static constexpr bool has_in2 = kernel == Matrix::Gema || kernel == Matrix::Gemm;
  static constexpr bool reads_out = !has_in2;
  static constexpr size_t out_size = kernel == Matrix::Trsv ? N : N * N;

  const T* in;
  const T* in2;
  T* out;
  explicit Operands(Arrays arrays)
      : in(has_in ? array<T>(arrays, 0) : nullptr),
        in2(has_in2 ? array<T>(arrays, 1) : nullptr),
        out(array<T>(arrays, has_in2  ? 2
                             : has_in ? 1
                                      : 0)) {}
};

/// Sums of all elements of all problems, which lie in one piece.
template <class T, size_t N>
void gema_loop(Arrays arrays, size_t first, size_t last, size_t /*batch*/) {
  const T* const __restrict a = array<T>(arrays, 0);
  const T* const __restrict b = array<T>(arrays, 1);
  T* const __restrict c = array<T>(arrays, 2);
  for (size_t k = first * N * N; k < last * N * N; ++k) {
    c[k] = a[k] + b[k];
  }
}

template <Matrix kernel, class T, size_t N>
void loops(Arrays arrays, size_t first, size_t last, size_t /*batch*/) {
  using O = Operands<kernel, T, N>;
  const O o(arrays);
  for (size_t g = first; g < last; ++g) {
    solve<kernel, T, N>(O::has_in ? o.in + g * N * N : nullptr, O::has_in2 ? o.in2 + g * N * N : nullptr, o.out + g * O::out_size);
  }
}

/// Brings problems g, g+1, … into lanes.
template <class T, class V, size_t Size>
void to_lanes(const T* from, V* to) {
  for (size_t k = 0; k < Size; ++k) {
    V v;
    for (size_t lane = 0; lane < sizeof(V) / sizeof(T); ++lane) {
      v[lane] = from[lane * Size + k];
    }
    to[k] = v;
  }
}

template <class T, class V, size_t Size>
void from_lanes(const V* from, T* to) {
  for (size_t k = 0; k < Size; ++k) {
    for (size_t lane = 0; lane < sizeof(V) / sizeof(T); ++lane) {
      to[lane * Size + k] = from[k][lane];
    }
  }
}

template <Matrix kernel, class T, size_t N>
void lanes(Arrays arrays, size_t first, size_t last, size_t batch) {
  using V = typename Lanes<T>::Vector;
  using O = Operands<kernel, T, N>;
  constexpr size_t width = sizeof(V) / sizeof(T);
  const O o(arrays);
  V in[O::has_in ? N * N : 1];
  V in2[O::has_in2 ? N * N : 1];
  V out[O::out_size];
  size_t g = first;
  for (; g + width <= last; g += width) {
    if constexpr (O::has_in) {
      to_lanes<T, V, N * N>(o.in + g * N * N, in);
    }
    if constexpr (O::has_in2) {
      to_lanes<T, V, N * N>(o.in2 + g * N * N, in2);
    }
    if constexpr (O::reads_out) {
      to_lanes<T, V, O::out_size>(o.out + g * O::out_size, out);
    }
    solve<kernel, V, N>(in, in2, out);
    from_lanes<T, V, O::out_size>(out, o.out + g * O::out_size);
  }
  loops<kernel, T, N>(arrays, g, last, batch);
}

// ---- item-wise -------------------------------------------------------------------------------------------------------------------

/// The numbers of problem g, or of those from g on: vectors are read and written wherever they lie.
template <class V, class T>
V get(const T* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V, class T>
void put(T* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}

template <class T, class V>
void pade_at(Arrays arrays, size_t g, size_t batch) {
  const auto item = pade<T, V>(array<T>(arrays, 0), array<T>(arrays, 1), get<V>(array<T>(arrays, 2) + g), get<V>(array<T>(arrays, 3) + g));
  put(array<T>(arrays, 4) + g, item.dx);
  for (size_t k = 0; k < 6; ++k) {
    put(array<T>(arrays, 5) + k * batch + g, item.da[k]);
  }
  for (size_t k = 0; k < 4; ++k) {
    put(array<T>(arrays, 6) + k * batch + g, item.db[k]);
  }
}

template <class T, class V>
void frcg_at(Arrays arrays, size_t g, size_t /*batch*/) {
  V x = get<V>(array<T>(arrays, 2) + g);
  V y = get<V>(array<T>(arrays, 3) + g);
  frcg<T, V>(get<V>(array<T>(arrays, 0) + g), get<V>(array<T>(arrays, 1) + g), x, y);
  put(array<T>(arrays, 2) + g, x);
  put(array<T>(arrays, 3) + g, y);
}

/// I: integers as V has lanes, which comparisons give; `int` where V is a number.
template <class T, class V, class I>
void enumerate_at(Arrays arrays, size_t g, size_t batch) {
  V limit[8];
  for (size_t r = 0; r < 8; ++r) {
    limit[r] = get<V>(array<T>(arrays, 2) + r * batch + g);
  }
  V best = V{} - T(__builtin_inf());
  I arg = I{} - 1;
  for (int x = 0; x < 1024; ++x) {
    const Candidate<T> here = candidate(x, array<std::int32_t>(arrays, 0), array<T>(arrays, 1));
    auto better = here.objective > best;
    for (int r = 0; r < 8; ++r) {
      better = better & (here.left[r] <= limit[r]);
    }
    best = better ? V{} + here.objective : best;
    arg = better ? I{} + x : arg;
  }
  put(array<T>(arrays, 3) + g, best);
  std::int32_t* const out = array<std::int32_t>(arrays, 4) + g;
  if constexpr (sizeof(V) == sizeof(T)) {
    *out = arg;
  } else {
    for (size_t lane = 0; lane < sizeof(V) / sizeof(T); ++lane) {
      out[lane] = static_cast<std::int32_t>(arg[lane]);
    }
  }
}

/// The loop of the problems, with nothing but a kernel's arithmetic in it.
template <class T>
void pade_loop(Arrays arrays, size_t first, size_t last, size_t batch) {
  const T* const __restrict x = array<T>(arrays, 2);
  const T* const __restrict g = array<T>(arrays, 3);
  T* const __restrict dx = array<T>(arrays, 4);
  T* const __restrict da = array<T>(arrays, 5);
  T* const __restrict db = array<T>(arrays, 6);
  T a[6];
  T b[4];
  for (size_t k = 0; k < 6; ++k) {
    a[k] = array<T>(arrays, 0)[k];
  }
  for (size_t k = 0; k < 4; ++k) {
    b[k] = array<T>(arrays, 1)[k];
  }
#pragma omp simd
  for (size_t i = first; i < last; ++i) {
    const auto item = pade<T, T>(a, b, x[i], g[i]);
    dx[i] = item.dx;
    for (size_t k = 0; k < 6; ++k) {
      da[k * batch + i] = item.da[k];
    }
    for (size_t k = 0; k < 4; ++k) {
      db[k * batch + i] = item.db[k];
    }
  }
}

template <class T>
void frcg_loop(Arrays arrays, size_t first, size_t last, size_t /*batch*/) {
  const T* const __restrict a = array<T>(arrays, 0);
  const T* const __restrict b = array<T>(arrays, 1);
  T* const __restrict x = array<T>(arrays, 2);
  T* const __restrict y = array<T>(arrays, 3);
#pragma omp simd
  for (size_t i = first; i < last; ++i) {
    T px = x[i];
    T py = y[i];
    frcg<T, T>(a[i], b[i], px, py);
    x[i] = px;
    y[i] = py;
  }
}

template <class T>
void enumerate_loop(Arrays arrays, size_t first, size_t last, size_t batch) {
  for (size_t g = first; g < last; ++g) {
    enumerate_at<T, T, int>(arrays, g, batch);
  }
}

template <class T>
void enumerate_blocks(Arrays arrays, size_t first, size_t last, size_t batch) {
  constexpr size_t block = 256;
  const T* const __restrict b = array<T>(arrays, 2);
  T* const __restrict best = array<T>(arrays, 3);
  auto* const __restrict arg = array<std::int32_t>(arrays, 4);
  for (size_t begin = first; begin < last; begin += block) {
    const size_t end = begin + block < last ? begin + block : last;
    for (size_t g = begin; g < end; ++g) {
      best[g] = -T(__builtin_inf());
      arg[g] = -1;
    }
    for (int x = 0; x < 1024; ++x) {
      const Candidate<T> here = candidate(x, array<std::int32_t>(arrays, 0), array<T>(arrays, 1));
      for (size_t g = begin; g < end; ++g) {
        bool better = here.objective > best[g];
        for (size_t r = 0; r < 8; ++r) {
          better = better & (here.left[r] <= b[r * batch + g]);
        }
        best[g] = better ? here.objective : best[g];
        arg[g] = better ? x : arg[g];
      }
    }
  }
}

/// Lanes, and numbers for what is left.
template <class T, void (*in_lanes)(Arrays, size_t, size_t), void (*one)(Arrays, size_t, size_t)>
void items(Arrays arrays, size_t first, size_t last, size_t batch) {
  constexpr size_t width = sizeof(typename Lanes<T>::Vector) / sizeof(T);
  size_t g = first;
  for (; g + width <= last; g += width) {
    in_lanes(arrays, g, batch);
  }
  for (; g < last; ++g) {
    one(arrays, g, batch);
  }
}

// ---- the table -------------------------------------------------------------------------------------------------------------------

template <class T, size_t N>
PlainRun matrix_run(int kernel, PlainForm form) {
  const bool is_loops = form == PlainForm::Loops;
  switch (kernel) {
    case 0:
      return is_loops ? gema_loop<T, N> : lanes<Matrix::Gema, T, N>;
    case 1:
      return is_loops ? loops<Matrix::Gemm, T, N> : lanes<Matrix::Gemm, T, N>;
    case 2:
      return is_loops ? loops<Matrix::Trsv, T, N> : lanes<Matrix::Trsv, T, N>;
    default:
      return is_loops ? loops<Matrix::Ldus, T, N> : lanes<Matrix::Ldus, T, N>;
  }
}

template <class T>
PlainRun item_run(int kernel, PlainForm form) {
  using V = typename Lanes<T>::Vector;
  using I = typename Lanes<T>::Integers;
  const bool is_loops = form == PlainForm::Loops;
  switch (kernel) {
    case 4:
      return is_loops ? pade_loop<T> : items<T, pade_at<T, V>, pade_at<T, T>>;
    case 5:
      return form == PlainForm::Blocks ? enumerate_blocks<T>
             : is_loops                ? enumerate_loop<T>
                                       : items<T, enumerate_at<T, V, I>, enumerate_at<T, T, int>>;
    default:
      return is_loops ? frcg_loop<T> : items<T, frcg_at<T, V>, frcg_at<T, T>>;
  }
}

template <class T>
PlainRun run_of(int kernel, PlainForm form, unsigned n) {
  switch (n) {
    case 4:
      return matrix_run<T, 4>(kernel, form);
    case 8:
      return matrix_run<T, 8>(kernel, form);
    case 12:
      return matrix_run<T, 12>(kernel, form);
    case 16:
      return matrix_run<T, 16>(kernel, form);
    case 20:
      return matrix_run<T, 20>(kernel, form);
    case 24:
      return matrix_run<T, 24>(kernel, form);
    case 28:
      return matrix_run<T, 28>(kernel, form);
    case 32:
      return matrix_run<T, 32>(kernel, form);
    default:
      return item_run<T>(kernel, form);
  }
}

}  // namespace

// plain_table.hpp declares it: NOLINTNEXTLINE(misc-use-internal-linkage)
PlainRun LOCKSTEP_PLAIN(int kernel, PlainForm form, unsigned n, bool is_double) {
  return is_double ? run_of<double>(kernel, form, n) : run_of<float>(kernel, form, n);
}
