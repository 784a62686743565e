// A structure by value, with a vector in it, and one in constant memory.
typedef struct {
  float2 scale;
  int shift;
  float bias;
} transform;

float2 applied(transform t, float2 p) { return p * t.scale + (float2)(t.bias, -t.bias); }

__kernel void struct_value(transform t, __constant transform *more, __global const float2 *in, __global float2 *out, __global int *cells) {
  int i = get_global_id(0);
  float2 p = applied(t, in[i]);
  p = applied(more[i & 1], p);
  out[i] = p;
  cells[i] = (i << t.shift) + more[0].shift;
}
