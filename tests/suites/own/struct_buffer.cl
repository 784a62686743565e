// Particles, structures of structures with arrays in them, that bounce off the walls of a box.
struct body {
  float at[2];
  float speed[2];
};
typedef struct {
  struct body body;
  int bounces;
  uchar kind;
  short trail[3];
} particle;

void bounce(__global particle *p, int axis, float wall) {
  if (p->body.at[axis] < 0.0f || p->body.at[axis] > wall) {
    p->body.speed[axis] = -p->body.speed[axis];
    p->bounces++;
  }
}

__kernel void struct_buffer(__global particle *particles, float dt, float wall) {
  __global particle *p = &particles[get_global_id(0)];
  for (int axis = 0; axis < 2; ++axis) {
    p->body.at[axis] += p->body.speed[axis] * dt;
    bounce(p, axis, wall);
  }
  p->kind ^= 0x80;
  for (int k = 2; k > 0; --k) p->trail[k] = p->trail[k - 1];
  p->trail[0] = (short)p->bounces;
}
