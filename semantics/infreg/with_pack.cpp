#include "semantics/infreg/with_pack.hpp"

namespace lockstep::infreg {

Kernel with_pack(Kernel kernel, std::uint32_t wg_pack) {
  kernel.shape.wg_pack = wg_pack;
  return kernel;
}

}  // namespace lockstep::infreg
