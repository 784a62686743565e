// opencl: conversion-overflow in line 4; pirch: conversion-overflow in line 4
// A float that no int has.
__kernel void k(__global const float *x, __global int *out) {
  out[get_global_id(0)] = (int)x[get_global_id(0)];
}
