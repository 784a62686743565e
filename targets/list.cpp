// The list of targets: a new one has a line here.

#include "targets/avx512/row.hpp"
#include "targets/clang_ptx/row.hpp"
#include "targets/cuda/row.hpp"
#include "targets/infreg/row.hpp"
#include "targets/llvm/row.hpp"
#include "targets/target.hpp"
#include "targets/ve/row.hpp"

namespace lockstep::targets {

std::vector<Target> all_targets() {
  return {infreg_target(),    llvm_target(),      avx512_target(), clang_ptx_target(), cuda_target(),
          cuda_nvcc_target(), cuda_host_target(), ptx_target(),    ve_target(),        ve_host_target()};
}

std::string_view usual_targets(Use use) { return use == Use::Diff ? "infreg,llvm" : "llvm"; }

}  // namespace lockstep::targets
