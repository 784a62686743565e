// opencl: uninitialised-variable of 'p_y' in line 7; pirch: uninitialised-variable of 'p_y' in line 7
// One member of two.
typedef struct { int x, y; } point;
__kernel void k(__global point *out) {
  point p;
  p.x = get_global_id(0);
  out[get_global_id(0)] = p;
}
