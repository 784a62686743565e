// PADE: the backward pass of the "safe" Padé activation unit of order (5,4): F = P/Q with P = sum a_j x^j and Q = 1 + |A|,
// A = sum b_k x^k for k from 1. The coefficients are shared; each item has its own x and upstream gradient g, and gets the gradients of x
// and of all coefficients. Scalar k of item i is element k * batch + i.
#ifndef REAL
#define REAL double
#endif

__kernel void pade(__global const REAL *a, __global const REAL *b, __global const REAL *x, __global const REAL *g, __global REAL *dx,
                   __global REAL *da, __global REAL *db, uint batch) {
  const size_t item = get_global_id();
  if (item < batch) {
    const REAL a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5];
    const REAL b1 = b[0], b2 = b[1], b3 = b[2], b4 = b[3];

    const REAL x1 = x[item];
    const REAL x2 = x1 * x1;
    const REAL x3 = x2 * x1;
    const REAL x4 = x3 * x1;
    const REAL x5 = x4 * x1;

    const REAL p = ((((a0 + a1 * x1) + a2 * x2) + a3 * x3) + a4 * x4) + a5 * x5;
    const REAL q_inner = ((b1 * x1 + b2 * x2) + b3 * x3) + b4 * x4;
    const REAL sign = (q_inner < 0) ? -1 : 1;
    const REAL q = 1 + fabs(q_inner);

    const REAL dp = (((a1 + (2 * a2) * x1) + (3 * a3) * x2) + (4 * a4) * x3) + (5 * a5) * x4;
    const REAL dq_inner = ((b1 + (2 * b2) * x1) + (3 * b3) * x2) + (4 * b4) * x3;

    const REAL r = 1 / q;
    const REAL f = p * r;
    const REAL gr = g[item] * r;

    dx[item] = gr * (dp - (f * (sign * dq_inner)));
    da[0 * batch + item] = gr;
    da[1 * batch + item] = gr * x1;
    da[2 * batch + item] = gr * x2;
    da[3 * batch + item] = gr * x3;
    da[4 * batch + item] = gr * x4;
    da[5 * batch + item] = gr * x5;

    const REAL h = -(sign * (gr * f));
    db[0 * batch + item] = h * x1;
    db[1 * batch + item] = h * x2;
    db[2 * batch + item] = h * x3;
    db[3 * batch + item] = h * x4;
  }
}
