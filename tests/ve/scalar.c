// Scalar C for VE and for the host: every function takes and gives 64 bits, and nothing in it is undefined.
typedef unsigned long W;
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long i64;
typedef unsigned long u64;

double sqrt(double);
float sqrtf(float);
double fma(double, double, double);
float fmaf(float, float, float);

static inline double d_of(W a) { double d; __builtin_memcpy(&d, &a, 8); return d; }
static inline float f_of(W a) { u32 h = (u32)a; float f; __builtin_memcpy(&f, &h, 4); return f; }
static inline W of_d(double d) { W a; __builtin_memcpy(&a, &d, 8); return d == d ? a : 0x7ff8UL << 48; }
static inline W of_f(float f) { u32 h; __builtin_memcpy(&h, &f, 4); return f == f ? h : 0x7fc00000U; }

#define INTEGER(T, U)                                                                                          \
  W T##_add(W a, W b) { return (W)(T)((U)a + (U)b); }                                                          \
  W T##_sub(W a, W b) { return (W)(T)((U)a - (U)b); }                                                          \
  W T##_mul(W a, W b) { return (W)(T)((u64)(U)a * (u64)(U)b); }                                                \
  W T##_div(W a, W b) { return (T)b == 0 || ((T)-1 < 0 && (T)b == (T)-1) ? 7 : (W)(T)((T)a / (T)b); }          \
  W T##_rem(W a, W b) { return (T)b == 0 || ((T)-1 < 0 && (T)b == (T)-1) ? 7 : (W)(T)((T)a % (T)b); }          \
  W T##_max(W a, W b) { return (W)((T)a > (T)b ? (T)a : (T)b); }                                               \
  W T##_min(W a, W b) { return (W)((T)a < (T)b ? (T)a : (T)b); }                                               \
  W T##_less(W a, W b) { return (T)a < (T)b; }                                                                 \
  W T##_equal(W a, W b) { return (T)a == (T)b; }                                                               \
  W T##_choose(W a, W b) { return (T)a <= (T)b ? a ^ 5 : b + 9; }                                              \
  W T##_branch(W a, W b) { W n = 0; while ((T)a > (T)b && n < 70) { a = (W)(T)((U)a >> 1); n++; } return n; }  \
  W T##_left(W a, W b) { return (W)(T)((U)a << (b & (8 * sizeof(T) - 1))); }                                   \
  W T##_right(W a, W b) { return (W)(T)((T)a >> (b & (8 * sizeof(T) - 1))); }                                  \
  W T##_bits(W a, W b) { return (W)(T)(((T)a & ~(T)b) | ((T)a ^ 12345)); }                                     \
  W T##_merge(W a, W b) { return (W)(T)(((T)a & (T)0x0f0f0f0f0f0f0f0fL) | ((T)b & ~(T)0x0f0f0f0f0f0f0f0fL)); } \
  W T##_double(W a, W b) { return of_d((double)(T)a); }                                                        \
  W T##_float(W a, W b) { return of_f((float)(T)a); }                                                          \
  W T##_negate(W a, W b) { return (W)(T)(0 - (U)a); }                                                          \
  W T##_third(W a, W b) { return (W)(T)((T)a / 3); }                                                           \
  W T##_array(W a, W b) { T x[16]; for (int i = 0; i < 16; i++) x[i] = (T)(a + i * b); return (W)x[b & 15]; }
INTEGER(i8, u8)
INTEGER(u8, u8)
INTEGER(i16, u16)
INTEGER(u16, u16)
INTEGER(i32, u32)
INTEGER(u32, u32)
INTEGER(i64, u64)
INTEGER(u64, u64)

#define FLOATING(P, T, GET, PUT, SQRT, FMA)                                                    \
  W P##_add(W a, W b) { return PUT(GET(a) + GET(b)); }                                         \
  W P##_sub(W a, W b) { return PUT(GET(a) - GET(b)); }                                         \
  W P##_mul(W a, W b) { return PUT(GET(a) * GET(b)); }                                         \
  W P##_div(W a, W b) { return PUT(GET(a) / GET(b)); }                                         \
  W P##_sqrt(W a, W b) { return PUT(SQRT(GET(a))); }                                           \
  W P##_fma(W a, W b) { return PUT(FMA(GET(a), GET(b), GET(a ^ 0x8000000080000000))); }        \
  W P##_less(W a, W b) { return GET(a) < GET(b); }                                             \
  W P##_not_less(W a, W b) { return !(GET(a) < GET(b)); }                                      \
  W P##_equal(W a, W b) { return GET(a) == GET(b); }                                           \
  W P##_unequal(W a, W b) { return GET(a) != GET(b); }                                         \
  W P##_choose(W a, W b) { return GET(a) >= GET(b) ? a : b; }                                  \
  W P##_branch(W a, W b) { T x = GET(a); W n = 0; while (x > GET(b) && n < 50) { x /= 3; n++; } return n; } \
  W P##_int(W a, W b) { T x = GET(a); return x > -1e9 && x < 1e9 ? (W)(i32)x : 3; }            \
  W P##_unsigned(W a, W b) { T x = GET(a); return x >= 0 && x < 1e9 ? (W)(u32)x : 3; }         \
  W P##_long(W a, W b) { T x = GET(a); return x > -1e18 && x < 1e18 ? (W)(i64)x : 3; }         \
  W P##_negate(W a, W b) { return PUT(-GET(a)); }                                              \
  W P##_magnitude(W a, W b) { return PUT(GET(a) < 0 ? -GET(a) : GET(a)); }                     \
  W P##_constant(W a, W b) { return PUT(GET(a) * (T)0.1 + (T)1.5); }
FLOATING(f64, double, d_of, of_d, sqrt, fma)
FLOATING(f32, float, f_of, of_f, sqrtf, fmaf)
W f64_narrow(W a, W b) { return of_f((float)d_of(a)); }
W f32_widen(W a, W b) { return of_d((double)f_of(a)); }

W ones(W a, W b) { return (W)__builtin_popcountl(a); }
W leading(W a, W b) { return a == 0 ? 64 : (W)__builtin_clzl(a); }
W trailing(W a, W b) { return a == 0 ? 64 : (W)__builtin_ctzl(a); }
W swapped(W a, W b) { return __builtin_bswap64(a); }
W swapped32(W a, W b) { return __builtin_bswap32((u32)a); }

static W fibonacci(W n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
W recursive(W a, W b) { return fibonacci(a & 15); }
W eleven(W a, W b, W c, W d, W e, W f, W g, W h, W i, W j, W k) { return a - b + 2 * c - d + 3 * e - f + 4 * g - h + 5 * i - j + 6 * k; }
W stack_arguments(W a, W b) { return eleven(a, b, a + b, a - b, 3, a ^ b, 5, b, a * 3, 7, b + 1); }
W room(W a, W b) { W n = (a & 31) + 1; W x[n]; for (W i = 0; i < n; i++) x[i] = i * b; W s = 0; for (W i = 0; i < n; i++) s = 3 * s + x[i]; return s; }
struct S { double d; int i; char c; };
W structures(W a, W b) { struct S x = {1.5, (int)a, (char)b}; struct S y = x; y.i += 3; return (W)(u32)y.i + (W)(u8)y.c + (y.d == x.d); }
static W counter = 5;
static const W primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
W globals(W a, W b) { counter += a; return counter * primes[b & 7]; }
// Neighbours that are stored together, or read together, although they do not begin at a multiple of that.
static u32 words[8];
static void store_words(u32 *to) { to[1] = 4; to[2] = (u32)-61; ((u16 *)to)[7] = 3; ((u16 *)to)[8] = 9; }
W joined(W a, W b) { for (int i = 0; i < 8; i++) words[i] = (u32)(a + i); u32 *volatile to = words + (a & 1); store_words(to); u16 *x = (u16 *)words + (b & 7) + 1; return x[0] | (W)x[1] << 16 | (W)x[2] << 32 | (W)x[3] << 48; }
W jumps(W a, W b) { switch (a & 7) { case 0: return b; case 1: return b + 7; case 2: return b ^ 3; case 3: return b * 5; case 4: return ~b; case 5: return b >> 3; default: return 1; } }
static W twice(W a) { return 2 * a; }
static W thrice(W a) { return 3 * a; }
W pointers(W a, W b) { W (*volatile f)(W) = (a & 1) ? twice : thrice; return f(b) + f(a); }
W cleared(W a, W b) { u8 x[100]; for (int i = 0; i < 100; i++) x[i] = 0; x[a % 100] = (u8)b; W s = 0; for (int i = 0; i < 100; i++) s = s * 31 + x[i]; return s; }
W atomics(W a, W b) { W x = a; u32 y = (u32)a; W s = __atomic_fetch_add(&x, b, 5) + __atomic_exchange_n(&y, (u32)b, 5); W e = a + b; __atomic_compare_exchange_n(&x, &e, 77, 0, 5, 5); return s + x + y; }
#ifdef __ve__
typedef long double Q;
#else
typedef __float128 Q;
#endif
W quads(W a, W b) { Q x = (double)(i32)a, y = (double)(i32)b; Q z = x * y + x - y; return of_d((double)z) + (x < y) + 2 * (x == y); }
W f64_quad(W a, W b) { Q x = d_of(a), y = d_of(b); return of_d((double)(x * y + (x - y))) + (x < y) + 2 * (x == y) + 4 * (x > y) + 8 * (x != x); }
W f32_quad(W a, W b) { Q x = f_of(a), y = f_of(b); return of_f((float)(x * y - (y + x))) + (x <= y) + 2 * (x != y) + 4 * (x >= y) + 8 * (y != y); }
