// FRCG: Fletcher-Reeves conjugate gradients on f(x,y) = (a-x)^2 + b (y-x^2)^2, one problem an item: 20 steps, each of the best of ten
// lengths 1, 1/2, …, 1/512, or of none. x and y are the start, and then the result.
#ifndef REAL
#define REAL double
#endif

#define STEPS 20
#define LENGTHS 10

REAL value(REAL a, REAL b, REAL x, REAL y) {
  const REAL u = a - x;
  const REAL v = y - (x * x);
  return (u * u) + (b * (v * v));
}

REAL slope_x(REAL a, REAL b, REAL x, REAL y) {
  const REAL u = a - x;
  const REAL v = y - (x * x);
  return ((-2) * u) - (((4 * b) * x) * v);
}

REAL slope_y(REAL b, REAL x, REAL y) {
  const REAL v = y - (x * x);
  return (2 * b) * v;
}

__kernel void frcg(__global const REAL *a, __global const REAL *b, __global REAL *x, __global REAL *y, uint batch) {
  const size_t item = get_global_id();
  if (item < batch) {
    const REAL pa = a[item];
    const REAL pb = b[item];
    REAL px = x[item];
    REAL py = y[item];

    REAL f = value(pa, pb, px, py);
    REAL gx = slope_x(pa, pb, px, py);
    REAL gy = slope_y(pb, px, py);
    REAL dx = -gx;
    REAL dy = -gy;
    REAL gg = (gx * gx) + (gy * gy);

    for (int step = 0; step < STEPS; step += 1) {
      REAL best = f;
      REAL best_length = 0;
      REAL length = 1;
      for (int trial = 0; trial < LENGTHS; trial += 1) {
        const REAL there = value(pa, pb, px + length * dx, py + length * dy);
        if (there < best) {
          best = there;
          best_length = length;
        }
        length = length * (REAL)0.5;
      }

      px = px + (best_length * dx);
      py = py + (best_length * dy);
      f = best;

      gx = slope_x(pa, pb, px, py);
      gy = slope_y(pb, px, py);
      const REAL gg_new = (gx * gx) + (gy * gy);
      const REAL beta = (gg > 0) ? gg_new / gg : 0;
      dx = (beta * dx) - gx;
      dy = (beta * dy) - gy;
      gg = gg_new;
    }

    x[item] = px;
    y[item] = py;
  }
}
