// A polynomial in double by Horner's rule, coefficients by value in a double4.
__kernel void double_horner(double4 c, __global const double *x, __global double *y, __global float *rounded) {
  size_t i = get_global_id(0);
  double v = ((c.w * x[i] + c.z) * x[i] + c.y) * x[i] + c.x;
  y[i] = v;
  rounded[i] = (float)v;
}
