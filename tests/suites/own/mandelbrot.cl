// How long points stay: a loop whose items leave one after the other, coordinates in float.
__kernel void mandelbrot(__global int *iterations, float x0, float y0, float step, int most) {
  int px = get_global_id(0), py = get_global_id(1);
  float cx = x0 + px * step, cy = y0 + py * step;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (x * x + y * y <= 4.0f && n < most) {
    float t = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = t;
    ++n;
  }
  iterations[py * get_global_size(0) + px] = n;
}
