#include "codegen/passes/dead.hpp"

#include <vector>

#include "codegen/passes/walk.hpp"

namespace lockstep::passes {

namespace {

bool sweep(Body& body, const std::vector<std::size_t>& reads) {
  bool changed = false;
  for (Statement& statement : body) {
    for_each_body(statement, [&](Body& inner) { changed = sweep(inner, reads) || changed; });
  }
  const auto removed = std::erase_if(body, [&](const Statement& statement) {
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      return reads[assign->target.var] == 0 && !std::holds_alternative<Atomic>(assign->right);
    }
    if (const auto* forget = std::get_if<Forget>(&statement.node)) {
      const auto* var = std::get_if<VarId>(&forget->what);
      return var == nullptr || reads[*var] == 0;
    }
    const auto* loop = std::get_if<For>(&statement.node);
    return loop != nullptr && loop->body.empty();
  });
  return changed || removed != 0;
}

}  // namespace

void remove_dead(Assignments& assignments) {
  bool changed = true;
  while (changed) {
    std::vector<std::size_t> reads(assignments.variables.size());
    for_each_statement(assignments.body, [&](const Statement& statement) {
      for_each_read(statement, [&](VarId var) { ++reads[var]; });
      if (const auto* loop = std::get_if<Loop>(&statement.node); loop != nullptr && loop->live) {
        ++reads[*loop->live];
      }
    });
    changed = sweep(assignments.body, reads);
  }
}

}  // namespace lockstep::passes
