#include "codegen/passes/streaming.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "codegen/passes/distances.hpp"
#include "codegen/passes/touches.hpp"
#include "codegen/passes/walk.hpp"

namespace lockstep::passes {

namespace {

/// A statement of the kernel's own body, and one inside that moves an array's element to or from memory in each round of a loop over all.
struct Move {
  std::size_t at = 0;  ///< the loop: in Assignments::body
  std::size_t load = 0;
  std::size_t store = 0;  ///< both in the loop's body
  VarId round = 0;
  Place memory;  ///< in terms of `round`
};

/// What the kernel does with memory, by statement of its own body.
struct Access {
  std::size_t at = 0;
  bool writes = false;
  Place place;
};

bool leaves(const Body& body, LabelId label) {
  bool found = false;
  for_each_statement(body, [&](const Statement& statement) {
    const auto* leave = std::get_if<Leave>(&statement.node);
    found = found || (leave != nullptr && leave->label == label);
  });
  return found;
}

/// Puts the statements of blocks that nobody leaves in the blocks' places.
void dissolve_blocks(Body& body) {
  Body result;
  for (Statement& statement : body) {
    for_each_body(statement, [](Body& inner) { dissolve_blocks(inner); });
    auto* block = std::get_if<Block>(&statement.node);
    if (block != nullptr && !leaves(block->body, block->label)) {
      std::ranges::move(block->body, std::back_inserter(result));
    } else {
      result.push_back(std::move(statement));
    }
  }
  body = std::move(result);
}

class Streaming {
 public:
  explicit Streaming(Assignments& in) : in_(in) {}

  /// One array after the other: where one is streamed, the kernel's memory is touched earlier than before.
  void run() {
    for (ObjectId object = 0; object < in_.objects.size(); ++object) {
      if (in_.objects[object].space != AddressSpace::Private) {
        continue;
      }
      collect();
      if (has_pointers_) {
        return;
      }
      if (const auto move = streamable(object)) {
        replace(object, *move);
        remove_moves();
      }
    }
  }

 private:
  void collect() {
    accesses_.clear();
    for (std::size_t at = 0; at < in_.body.size(); ++at) {
      const auto look = [&](const Statement& statement) {
        const auto* assign = std::get_if<Assign>(&statement.node);
        const auto* load = assign == nullptr ? nullptr : std::get_if<Load>(&assign->right);
        const auto* store = std::get_if<Store>(&statement.node);
        const auto* atomic = assign == nullptr ? nullptr : std::get_if<Atomic>(&assign->right);
        if (atomic != nullptr) {
          accesses_.push_back({at, true, atomic->place});
          has_pointers_ = has_pointers_ || std::holds_alternative<Operand>(atomic->place.base);
        } else if (load != nullptr || store != nullptr) {
          accesses_.push_back({at, store != nullptr, load != nullptr ? load->place : store->place});
          has_pointers_ = has_pointers_ || std::holds_alternative<Operand>(accesses_.back().place.base);
        } else if (assign != nullptr && std::holds_alternative<Address>(assign->right)) {
          has_pointers_ = true;
        }
      };
      look(in_.body[at]);
      for_each_body(in_.body[at], [&](const Body& inner) { for_each_statement(inner, look); });
    }
  }

  /// Calls f(Move) for each pair of a load and a store of what has been loaded, in a loop over `count` elements that does nothing else.
  template <class F>
  void for_each_move(std::uint64_t count, F&& f) const {
    for (std::size_t at = 0; at < in_.body.size(); ++at) {
      const auto* loop = std::get_if<For>(&in_.body[at].node);
      if (loop == nullptr || loop->step != 1 || !(loop->from == Polynomial(0)) ||
          !(loop->limit == Polynomial(static_cast<std::int64_t>(count))) || !only_moves(loop->body)) {
        continue;
      }
      for (std::size_t store = 1; store < loop->body.size(); store += 2) {
        f(Move{at, store - 1, store, loop->var, {}}, std::get<Load>(std::get<Assign>(loop->body[store - 1].node).right).place,
          std::get<Store>(loop->body[store].node).place);
      }
    }
  }

  static bool only_moves(const Body& body) {
    for (std::size_t i = 0; i + 1 < body.size(); i += 2) {
      const auto* assign = std::get_if<Assign>(&body[i].node);
      const auto* store = std::get_if<Store>(&body[i + 1].node);
      const auto* value = store == nullptr ? nullptr : std::get_if<Ref>(&store->value);
      if (assign == nullptr || !std::holds_alternative<Load>(assign->right) || value == nullptr || value->var != assign->target.var) {
        return false;
      }
    }
    return body.size() % 2 == 0;
  }

  bool is_element(const Place& place, ObjectId object, VarId round) const {
    const auto* of = std::get_if<OfObject>(&place.base);
    return of != nullptr && of->id == object && place.index == Polynomial(Symbol::of(round));
  }

  /// Where the array is filled from; empty if it must stay an array.
  std::optional<Move> streamable(ObjectId object) const {
    std::optional<Move> filled;
    std::optional<Move> saved;
    const std::uint64_t count = in_.objects[object].count;
    for_each_move(count, [&](Move move, const Place& from, const Place& to) {
      if (is_element(to, object, move.round) && std::holds_alternative<OfParameter>(from.base) && !filled) {
        move.memory = from;
        filled = move;
      } else if (is_element(from, object, move.round) && std::holds_alternative<OfParameter>(to.base)) {
        move.memory = to;
        saved = move;
      }
    });
    if (!filled || !is_fixed(filled->memory.index, filled->round)) {
      return std::nullopt;
    }
    std::size_t first = in_.body.size();
    std::size_t last = 0;
    std::optional<std::size_t> first_change;
    std::size_t fills = 0;
    for (const Access& access : accesses_) {
      const auto* of = std::get_if<OfObject>(&access.place.base);
      if (of == nullptr || of->id != object) {
        continue;
      }
      first = std::min(first, access.at);
      last = std::max(last, access.at);
      if (access.writes && access.at == filled->at) {
        ++fills;
      } else if (access.writes && !first_change) {
        first_change = access.at;
      }
    }
    if (first != filled->at || fills != 1) {
      return std::nullopt;
    }
    const bool is_fine = first_change ? can_change(*filled, saved, *first_change, last) : can_be_read_again(*filled, last);
    return is_fine ? filled : std::nullopt;
  }

  /// Whether the index is the same whenever it is computed: of items, groups, parameters and the round.
  bool is_fixed(const Polynomial& index, VarId round) const {
    bool fixed = true;
    index.for_each_value([&](VarId var) { fixed = fixed && (var == round || in_.variables[var].parameter); });
    return fixed;
  }

  bool is_same_memory(const Access& access, const Move& move) const {
    return std::holds_alternative<OfParameter>(access.place.base) && may_be_same_memory(in_, access.place, move.memory);
  }

  bool can_be_read_again(const Move& filled, std::size_t last) const {
    return std::ranges::none_of(accesses_, [&](const Access& access) {
      return access.writes && access.at >= filled.at && access.at <= last && is_same_memory(access, filled);
    });
  }

  bool can_change(const Move& filled, const std::optional<Move>& saved, std::size_t first_change, std::size_t last) const {
    const Polynomial index = filled.memory.index;
    if (!saved || saved->at != last || !(saved->memory.base == filled.memory.base) ||
        !(saved->memory.index.substitute(Symbol::of(saved->round), Symbol::of(filled.round)) == index) || !has_own_cells(filled)) {
      return false;
    }
    std::size_t saves = 0;
    for (const Access& access : accesses_) {
      if (!is_same_memory(access, filled)) {
        continue;
      }
      if (access.writes && access.at == saved->at && access.place.base == saved->memory.base && access.place.index == saved->memory.index) {
        ++saves;
      } else if (access.at <= last && access.at >= (access.writes ? filled.at : first_change)) {
        return false;
      }
    }
    return saves == 1;
  }

  /// Whether no two elements, of one item or two, lie in one cell.
  bool has_own_cells(const Move& filled) const {
    const auto by_round = filled.memory.index.slope(Symbol::of(filled.round));
    const auto by_item = filled.memory.index.slope(Symbol::item());
    if (!by_round || !by_item || !by_round->is_constant() || !by_item->is_constant()) {
      return false;
    }
    const auto* loop = std::get_if<For>(&in_.body[filled.at].node);
    return are_all_apart(Touching<Wide>{by_round->constant(), by_item->constant(), 0, loop->limit.constant(), in_.wg_size});
  }

  void replace(ObjectId object, const Move& move) {
    const auto redirect = [&](Place& place) {
      if (const auto* of = std::get_if<OfObject>(&place.base); of != nullptr && of->id == object) {
        place.base = move.memory.base;
        place.index = move.memory.index.substitute(Symbol::of(move.round), place.index);
      }
    };
    for_each_statement(in_.body, [&](Statement& statement) {
      if (auto* store = std::get_if<Store>(&statement.node)) {
        redirect(store->place);
      } else if (auto* assign = std::get_if<Assign>(&statement.node)) {
        if (auto* load = std::get_if<Load>(&assign->right)) {
          redirect(load->place);
        }
      }
    });
  }

  /// Takes away what now moves a cell to itself, and the loops that are empty then.
  void remove_moves() {
    for (Statement& statement : in_.body) {
      auto* loop = std::get_if<For>(&statement.node);
      if (loop == nullptr || !only_moves(loop->body)) {
        continue;
      }
      Body kept;
      for (std::size_t i = 0; i + 1 < loop->body.size(); i += 2) {
        const Place& from = std::get<Load>(std::get<Assign>(loop->body[i].node).right).place;
        const Place& to = std::get<Store>(loop->body[i + 1].node).place;
        if (!(from.base == to.base && from.index == to.index)) {
          kept.push_back(std::move(loop->body[i]));
          kept.push_back(std::move(loop->body[i + 1]));
        }
      }
      loop->body = std::move(kept);
    }
    std::erase_if(in_.body, [](const Statement& statement) {
      const auto* loop = std::get_if<For>(&statement.node);
      return loop != nullptr && loop->body.empty();
    });
  }

  Assignments& in_;
  std::vector<Access> accesses_;  ///< in the order of the text
  bool has_pointers_ = false;     ///< which may point anywhere
};

}  // namespace

void stream_arrays(Assignments& assignments) {
  dissolve_blocks(assignments.body);
  Streaming(assignments).run();
}

}  // namespace lockstep::passes
