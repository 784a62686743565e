#include "semantics/musimd/blocks.hpp"

#include <algorithm>

#include "semantics/musimd/cfg.hpp"

namespace lockstep::musimd {

bool Blocks::sound(const Program& program) const {
  if (!unopened.empty() || !conflicts.empty()) {
    return false;
  }
  for (Label pc = 0; pc < end_of(program); ++pc) {
    if (reachable[pc] && std::holds_alternative<Everywhere>(program.code[pc].instruction) && ends[pc].size() != 1) {
      return false;
    }
  }
  return true;
}

// A block is named by the pc of its everywhere. Since an everywhere has one innermost enclosing block itself, the name stands for
// the whole sequence of open blocks, and following the sequence needs no more than comparing names.
Blocks find_blocks(const Program& program) {
  const Label end = end_of(program);
  Blocks blocks;
  blocks.reachable.assign(end + std::size_t{1}, false);
  blocks.innermost.assign(end + std::size_t{1}, no_label);
  blocks.came_from.assign(end + std::size_t{1}, no_label);
  blocks.ends.resize(end + std::size_t{1});
  blocks.reachable[0] = true;
  std::vector<Label> queue{0};
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const Label pc = queue[next];
    if (pc == end) {
      continue;
    }
    Label block = blocks.innermost[pc];
    if (std::holds_alternative<Everywhere>(program.code[pc].instruction)) {
      block = pc;
    } else if (std::holds_alternative<EndEverywhere>(program.code[pc].instruction)) {
      if (block == no_label) {
        blocks.unopened.push_back(pc);
      } else {
        blocks.ends[block].push_back(pc);
        block = blocks.innermost[block];
      }
    }
    for (const Label to : successors(program, pc)) {
      if (!blocks.reachable[to]) {
        blocks.reachable[to] = true;
        blocks.innermost[to] = block;
        blocks.came_from[to] = pc;
        queue.push_back(to);
      } else if (blocks.innermost[to] != block && to != end) {
        blocks.conflicts.push_back({pc, to});
      }
    }
  }
  return blocks;
}

std::vector<Label> path_to(const Blocks& blocks, Label pc) {
  std::vector<Label> path;
  for (; pc != no_label; pc = blocks.came_from[pc]) {
    path.push_back(pc);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace lockstep::musimd
