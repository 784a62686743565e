// Pixels over pixels, by the alpha of the upper ones; saturated.
__kernel void uchar4_blend(__global const uchar4 *upper, __global const uchar4 *lower, __global uchar4 *out, int gain) {
  int i = get_global_id(0);
  int4 u = convert_int4(upper[i]), l = convert_int4(lower[i]);
  int alpha = u.w;
  int4 mixed = (u * alpha + l * (255 - alpha)) / 255 + gain;
  uchar4 pixel = convert_uchar4_sat(mixed);
  pixel.w = max(upper[i].w, lower[i].w);
  out[i] = pixel;
}
