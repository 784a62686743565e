// Quotients and remainders of 128 bits. nvcc writes their division itself, by carry flags of sums and differences in turn.
//   nvcc -ptx -arch=compute_80 divide.cu -o divide.ptx
// Each thread reads the two words of a dividend and of a divisor, the lower one first, and writes those of the quotient and of the remainder.
extern "C" __global__ void divide(const unsigned long long* in, unsigned long long* out) {
  in += 4 * threadIdx.x;
  out += 4 * threadIdx.x;
  const unsigned __int128 a = (unsigned __int128)in[1] << 64 | in[0];
  const unsigned __int128 b = (unsigned __int128)in[3] << 64 | in[2];
  const unsigned __int128 quotient = a / b;
  const unsigned __int128 rest = a % b;
  out[0] = quotient;
  out[1] = quotient >> 64;
  out[2] = rest;
  out[3] = rest >> 64;
}
