#include "semantics/musimd/cfg.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace lockstep::musimd {

namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

Graph reversed(const Graph& graph) {
  Graph result(graph.size());
  for (std::uint32_t from = 0; from < graph.size(); ++from) {
    for (const std::uint32_t to : graph[from]) {
      result[to].push_back(from);
    }
  }
  return result;
}

// One node for each instruction and one more, the exit.
Graph graph_of(const Program& program) {
  const Label exit = end_of(program);
  Graph graph(exit + std::size_t{1});
  for (Label pc = 0; pc < exit; ++pc) {
    const Successors next = successors(program, pc);
    graph[pc].assign(next.begin(), next.end());
    if (next.count == 0) {
      graph[pc].push_back(exit);
    }
  }
  return graph;
}

// A depth-first search: the nodes in preorder, and for each preorder number the number of its parent in the search tree.
struct SearchTree {
  std::vector<std::uint32_t> vertex;
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> number;  // of a node; `unseen` if it is not reachable

  static constexpr std::uint32_t unseen = 0xffffffffU;
};

SearchTree search(const Graph& successors, std::uint32_t root) {
  SearchTree tree;
  tree.number.assign(successors.size(), SearchTree::unseen);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> work{{root, 0}};  // a node and the number of the parent
  while (!work.empty()) {
    const auto [node, parent] = work.back();
    work.pop_back();
    if (tree.number[node] != SearchTree::unseen) {
      continue;
    }
    const auto number = static_cast<std::uint32_t>(tree.vertex.size());
    tree.number[node] = number;
    tree.vertex.push_back(node);
    tree.parent.push_back(parent);
    for (const std::uint32_t to : successors[node]) {
      work.emplace_back(to, number);
    }
  }
  return tree;
}

// The forest of Lengauer and Tarjan: link(v) hangs v under its search parent; best(v) is the node with the smallest
// semidominator on the way from v up to, but without, the root of its tree.
class LinkForest {
 public:
  LinkForest(const std::vector<std::uint32_t>& parent, const std::vector<std::uint32_t>& semi)
      : parent_(parent), semi_(semi), ancestor_(parent.size(), unlinked), best_(parent.size()) {
    for (std::uint32_t v = 0; v < best_.size(); ++v) {
      best_[v] = v;
    }
  }

  void link(std::uint32_t v) { ancestor_[v] = parent_[v]; }

  std::uint32_t best(std::uint32_t v) {
    if (ancestor_[v] == unlinked) {
      return v;
    }
    path_.clear();
    for (std::uint32_t u = v; ancestor_[ancestor_[u]] != unlinked; u = ancestor_[u]) {
      path_.push_back(u);
    }
    for (auto u = path_.rbegin(); u != path_.rend(); ++u) {
      const std::uint32_t above = ancestor_[*u];
      if (semi_[best_[above]] < semi_[best_[*u]]) {
        best_[*u] = best_[above];
      }
      ancestor_[*u] = ancestor_[above];
    }
    return best_[v];
  }

 private:
  static constexpr std::uint32_t unlinked = 0xffffffffU;

  const std::vector<std::uint32_t>& parent_;
  const std::vector<std::uint32_t>& semi_;
  std::vector<std::uint32_t> ancestor_;
  std::vector<std::uint32_t> best_;
  std::vector<std::uint32_t> path_;
};

// Immediate dominators, by preorder number; the root's is itself.
std::vector<std::uint32_t> immediate_dominators(const Graph& predecessors, const SearchTree& tree) {
  const auto count = static_cast<std::uint32_t>(tree.vertex.size());
  std::vector<std::uint32_t> semi(count);
  for (std::uint32_t v = 0; v < count; ++v) {
    semi[v] = v;
  }
  std::vector<std::uint32_t> dominator(count, 0);
  std::vector<std::vector<std::uint32_t>> bucket(count);
  LinkForest forest(tree.parent, semi);
  for (std::uint32_t w = count - 1; w > 0; --w) {
    for (const std::uint32_t node : predecessors[tree.vertex[w]]) {
      if (tree.number[node] == SearchTree::unseen) {
        continue;
      }
      semi[w] = std::min(semi[w], semi[forest.best(tree.number[node])]);
    }
    bucket[semi[w]].push_back(w);
    forest.link(w);
    const std::uint32_t parent = tree.parent[w];
    for (const std::uint32_t v : bucket[parent]) {
      const std::uint32_t best = forest.best(v);
      dominator[v] = semi[best] < semi[v] ? best : parent;
    }
    bucket[parent].clear();
  }
  for (std::uint32_t w = 1; w < count; ++w) {
    if (dominator[w] != semi[w]) {
      dominator[w] = dominator[dominator[w]];
    }
  }
  return dominator;
}

}  // namespace

Label end_of(const Program& program) { return static_cast<Label>(program.code.size()); }

Successors successors(const Program& program, Label pc) {
  const Label end = end_of(program);
  return std::visit(
      [&](const auto& instruction) -> Successors {
        using T = std::decay_t<decltype(instruction)>;
        if constexpr (std::is_same_v<T, BranchZero> || std::is_same_v<T, JumpMask>) {
          return {{pc + 1, std::min(instruction.target.pc, end)}, 2};
        } else if constexpr (std::is_same_v<T, Jump>) {
          return {{std::min(instruction.target.pc, end)}, 1};
        } else if constexpr (std::is_same_v<T, Stop>) {
          return {};
        } else {
          return {{pc + 1}, 1};
        }
      },
      program.code[pc].instruction);
}

DominatorTree::DominatorTree(const Graph& successors, std::uint32_t root) : first_(successors.size(), none), last_(successors.size(), 0) {
  const SearchTree tree = search(successors, root);
  const std::vector<std::uint32_t> dominator = immediate_dominators(reversed(successors), tree);
  const auto count = static_cast<std::uint32_t>(dominator.size());
  // Dominators have smaller preorder numbers than what they dominate, so two sweeps number the tree.
  std::vector<std::uint32_t> size(count, 1);
  for (std::uint32_t v = count - 1; v > 0; --v) {
    size[dominator[v]] += size[v];
  }
  std::vector<std::uint32_t> next(count);  // of a node: the number of its next child
  for (std::uint32_t v = 0; v < count; ++v) {
    const std::uint32_t above = dominator[v];
    const std::uint32_t first = v == 0 ? 0 : next[above];
    if (v != 0) {
      next[above] += size[v];
    }
    next[v] = first + 1;
    first_[tree.vertex[v]] = first;
    last_[tree.vertex[v]] = first + size[v] - 1;
  }
}

bool DominatorTree::dominates(std::uint32_t a, std::uint32_t b) const {
  if (!reachable(b)) {
    return true;
  }
  return reachable(a) && first_[a] <= first_[b] && first_[b] <= last_[a];
}

ControlEquivalence::ControlEquivalence(const Program& program)
    : forward_(graph_of(program), 0), backward_(reversed(graph_of(program)), end_of(program)) {}

}  // namespace lockstep::musimd
