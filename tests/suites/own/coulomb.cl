// Potentials on a lattice, of atoms nearer than a radius: a piece that is smooth at its border.
__kernel void coulomb(__constant float4 *atoms, int n, float spacing, float cutoff2, __global float *grid) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int width = get_global_size(0), height = get_global_size(1);
  float3 at = (float3)(x, y, z) * spacing;
  float energy = 0.0f, inv = 1.0f / cutoff2;
  for (int k = 0; k < n; ++k) {
    float3 d = atoms[k].xyz - at;
    float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
    if (r2 >= cutoff2) continue;
    float s = 1.0f - r2 * inv;
    energy += atoms[k].w * (1.0f / sqrt(r2)) * s * s;
  }
  grid[(z * height + y) * width + x] = energy;
}
