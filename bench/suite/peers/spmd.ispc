// The kernels in SPMD style for ISPC: each program instance has a problem of its own. Compiled for each type REAL and size N; N is 0 for
// the item-wise kernels. spmd_REAL_N solves problems first to last - 1 of the kernel with that number.
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)
#define ARRAY(k) ((uniform REAL * uniform)arrays[k])

#if N > 0

static void gema(const uniform REAL * uniform a, const uniform REAL * uniform b, uniform REAL * uniform c, int64 at) {
  for (uniform int k = 0; k < N * N; ++k)
    c[at + k] = a[at + k] + b[at + k];
}

static void gemm(const uniform REAL * uniform a, const uniform REAL * uniform b, uniform REAL * uniform c, int64 at) {
  for (uniform int i = 0; i < N; ++i) {
    REAL row[N];
    for (uniform int j = 0; j < N; ++j)
      row[j] = 0;
    for (uniform int k = 0; k < N; ++k)
      for (uniform int j = 0; j < N; ++j)
        row[j] = row[j] + a[at + i * N + k] * b[at + k * N + j];
    for (uniform int j = 0; j < N; ++j)
      c[at + i * N + j] = row[j];
  }
}

static void trsv(const uniform REAL * uniform m, uniform REAL * uniform b, int64 at, int64 at_b) {
  REAL x[N];
  for (uniform int i = 0; i < N; ++i)
    x[i] = b[at_b + i];
  for (uniform int s = 0; s < N; ++s)
    for (uniform int i = s + 1; i < N; ++i)
      x[i] = x[i] - m[at + i * N + s] * x[s];
  for (uniform int i = 0; i < N; ++i)
    x[i] = x[i] / m[at + i * N + i];
  for (uniform int s = N - 1; s >= 0; --s)
    for (uniform int i = 0; i < s; ++i)
      x[i] = x[i] - m[at + i * N + s] * x[s];
  for (uniform int i = 0; i < N; ++i)
    b[at_b + i] = x[i];
}

static void ldus(uniform REAL * uniform a, int64 at) {
  for (uniform int s = 0; s < N; ++s) {
    REAL pivot[N];
    for (uniform int j = s; j < N; ++j)
      pivot[j] = a[at + s * N + j];
    for (uniform int i = s + 1; i < N; ++i) {
      const REAL factor = a[at + i * N + s] / pivot[s];
      a[at + i * N + s] = factor;
      for (uniform int j = s + 1; j < N; ++j)
        a[at + i * N + j] = a[at + i * N + j] - factor * pivot[j];
    }
    for (uniform int j = s + 1; j < N; ++j)
      a[at + s * N + j] = pivot[j] / pivot[s];
  }
}

#else

static void pade(const uniform REAL * uniform a, const uniform REAL * uniform b, REAL x, REAL g, uniform REAL * uniform dx,
                 uniform REAL * uniform da, uniform REAL * uniform db, int64 item, uniform int64 batch) {
  const REAL x2 = x * x, x3 = x2 * x, x4 = x3 * x, x5 = x4 * x;
  const REAL p = ((((a[0] + a[1] * x) + a[2] * x2) + a[3] * x3) + a[4] * x4) + a[5] * x5;
  const REAL inner = ((b[0] * x + b[1] * x2) + b[2] * x3) + b[3] * x4;
  const REAL s = inner < 0 ? (REAL)-1 : (REAL)1;
  const REAL q = 1 + (inner < 0 ? -inner : inner);
  const REAL dp = (((a[1] + (2 * a[2]) * x) + (3 * a[3]) * x2) + (4 * a[4]) * x3) + (5 * a[5]) * x4;
  const REAL d_inner = ((b[0] + (2 * b[1]) * x) + (3 * b[2]) * x2) + (4 * b[3]) * x3;
  const REAL r = 1 / q, f = p * r, gr = g * r, h = -(s * (gr * f));
  dx[item] = gr * (dp - (f * (s * d_inner)));
  da[item] = gr;
  da[batch + item] = gr * x;
  da[2 * batch + item] = gr * x2;
  da[3 * batch + item] = gr * x3;
  da[4 * batch + item] = gr * x4;
  da[5 * batch + item] = gr * x5;
  db[item] = h * x;
  db[batch + item] = h * x2;
  db[2 * batch + item] = h * x3;
  db[3 * batch + item] = h * x4;
}

static void enumerate(const uniform int32 * uniform d, const uniform REAL * uniform c, const uniform REAL * uniform b,
                      uniform REAL * uniform best_out, uniform int32 * uniform arg_out, int64 item, uniform int64 batch) {
  REAL limit[8];
  for (uniform int r = 0; r < 8; ++r)
    limit[r] = b[r * batch + item];
  REAL best = -1 / (REAL)0;
  int32 arg = -1;
  for (uniform int x = 0; x < 1024; ++x) {
    uniform REAL objective = 0;
    for (uniform int j = 0; j < 10; ++j)
      objective = objective + c[j] * (uniform REAL)((x >> j) & 1);
    bool better = objective > best;
    for (uniform int r = 0; r < 8; ++r) {
      uniform REAL left = 0;
      for (uniform int j = 0; j < 10; ++j)
        left = left + (uniform REAL)d[r * 10 + j] * (uniform REAL)((x >> j) & 1);
      better = better & (left <= limit[r]);
    }
    best = better ? objective : best;
    arg = better ? x : arg;
  }
  best_out[item] = best;
  arg_out[item] = arg;
}

static REAL value(REAL a, REAL b, REAL x, REAL y) {
  const REAL u = a - x, v = y - (x * x);
  return (u * u) + (b * (v * v));
}

static void frcg(REAL a, REAL b, uniform REAL * uniform x_out, uniform REAL * uniform y_out, int64 item) {
  REAL x = x_out[item], y = y_out[item];
  REAL u = a - x, v = y - (x * x);
  REAL gx = (-2 * u) - (((4 * b) * x) * v), gy = (2 * b) * v;
  REAL f = value(a, b, x, y), dx = -gx, dy = -gy, gg = (gx * gx) + (gy * gy);
  for (uniform int step = 0; step < 20; ++step) {
    REAL best = f, best_length = 0;
    uniform REAL length = 1;
    for (uniform int trial = 0; trial < 10; ++trial) {
      const REAL there = value(a, b, x + length * dx, y + length * dy);
      best_length = there < best ? (REAL)length : best_length;
      best = there < best ? there : best;
      length = length / 2;
    }
    x = x + (best_length * dx);
    y = y + (best_length * dy);
    f = best;
    u = a - x;
    v = y - (x * x);
    gx = (-2 * u) - (((4 * b) * x) * v);
    gy = (2 * b) * v;
    const REAL gg_new = (gx * gx) + (gy * gy);
    const REAL beta = gg > 0 ? gg_new / gg : (REAL)0;
    dx = (beta * dx) - gx;
    dy = (beta * dy) - gy;
    gg = gg_new;
  }
  x_out[item] = x;
  y_out[item] = y;
}

#endif

export void JOIN(spmd, SUFFIX)(uniform int32 kernel, void * uniform * uniform arrays, uniform int64 first, uniform int64 last,
                               uniform int64 batch) {
  foreach (g = (uniform int)first ... (uniform int)last) {
    const int64 item = g;
#if N > 0
    if (kernel == 0)
      gema(ARRAY(0), ARRAY(1), ARRAY(2), item * (N * N));
    else if (kernel == 1)
      gemm(ARRAY(0), ARRAY(1), ARRAY(2), item * (N * N));
    else if (kernel == 2)
      trsv(ARRAY(0), ARRAY(1), item * (N * N), item * N);
    else
      ldus(ARRAY(0), item * (N * N));
#else
    if (kernel == 4)
      pade(ARRAY(0), ARRAY(1), ARRAY(2)[item], ARRAY(3)[item], ARRAY(4), ARRAY(5), ARRAY(6), item, batch);
    else if (kernel == 5)
      enumerate((uniform int32 * uniform)arrays[0], ARRAY(1), ARRAY(2), ARRAY(3), (uniform int32 * uniform)arrays[4], item, batch);
    else
      frcg(ARRAY(0)[item], ARRAY(1)[item], ARRAY(2), ARRAY(3), item);
#endif
  }
}
