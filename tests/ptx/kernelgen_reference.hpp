#pragma once
// What the kernels of examples/kernelgen compute, in plain C++ that is linked to nothing of ours.

#include <functional>
#include <string>
#include <vector>

namespace lockstep::reference {

/// A launch of one block along x and of a grid along x; elements that no thread comes by stay as they are.
struct KernelGenLaunch {
  int nx = 1;
  int ny = 1;
  int nz = 1;     ///< of matmul, ns
  int block = 1;  ///< threads: at most the distance in which they go
  std::vector<float> scalars;
  std::vector<std::vector<float>> buffers;  ///< in the order of the parameters
};

struct KernelGenKernel {
  std::string name;    ///< of the file
  std::string entry;   ///< of the kernel, if it is another one
  int sizes = 3;       ///< how many of nx, ny, nz it gets
  int distance = 512;  ///< in which threads of a block go
  int scalars = 0;
  int buffers = 0;
  std::function<void(KernelGenLaunch&)> compute;
  /// How many elements a buffer has.
  std::function<std::size_t(const KernelGenLaunch&, int buffer)> elements;
};

/// All sixteen. Products and sums are not contracted. sincos is the sum of the correctly rounded sine and cosine.
const std::vector<KernelGenKernel>& kernelgen_kernels();

}  // namespace lockstep::reference
