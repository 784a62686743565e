// One step of gravity between all bodies: positions with the mass as the fourth component, a tile of them in __local memory at a time.
__kernel void nbody(__global const float4 *position, __global float4 *velocity, __global float4 *moved, __local float4 *tile, int bodies,
                    float dt, float softening) {
  int i = get_global_id(0);
  int lane = get_local_id(0);
  float4 own = position[i];
  float4 force = (float4)(0.0f);
  for (int first = 0; first < bodies; first += get_local_size(0)) {
    tile[lane] = position[first + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < (int)get_local_size(0); k++) {
      float4 other = tile[k];
      float4 d = other - own;
      float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + softening);
      force += d * (other.w * r * r * r);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float4 v = velocity[i];
  v.xyz += force.xyz * dt;
  velocity[i] = v;
  own.xyz += v.xyz * dt;
  moved[i] = own;
}
