// In place of targets/list.cpp: the evaluator and the toy. None of the targets of the command is there.

#include "targets/infreg/row.hpp"
#include "tests/toy_target/row.hpp"

namespace lockstep::targets {

std::vector<Target> all_targets() { return {infreg_target(), toy_target()}; }

std::string_view usual_targets(Use use) { return use == Use::Diff ? "infreg,toy" : "toy"; }

}  // namespace lockstep::targets
