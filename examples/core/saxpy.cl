// y = alpha x + y for n elements, one an item; the last group may reach beyond them. Plain OpenCL C.
__kernel void saxpy(float alpha, __global const float *x, __global float *y, uint n) {
  const size_t i = get_global_id(0);
  if (i < n)
    y[i] = alpha * x[i] + y[i];
}
