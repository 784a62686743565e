// Gravity between all, a tile of bodies in local memory; softened, so that nobody needs to be left out.
float4 pull(float4 accel, float4 at, float4 other, float eps) {
  float3 r = other.xyz - at.xyz;
  float d2 = dot(r, r) + eps;
  float inv = 1.0f / sqrt(d2);
  float s = other.w * (inv * inv * inv);
  accel.xyz += r * s;
  return accel;
}
__kernel void bodies(__global const float4 *pos, __global float4 *out, int n, float eps, __local float4 *shared) {
  int i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
  float4 at = pos[i], accel = 0.0f;
  for (int tile = 0; tile < n / size; ++tile) {
    shared[lid] = pos[tile * size + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
    for (int k = 0; k < size; ++k) accel = pull(accel, at, shared[k], eps);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = accel;
}
