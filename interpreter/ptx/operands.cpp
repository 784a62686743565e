#include "interpreter/ptx/operands.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace lockstep::ptx_machine {

namespace {

struct Collector {
  std::vector<Source> sources;
  std::vector<Destination> destinations;

  void read(const Source& source) { sources.push_back(source); }
  void write(const std::optional<Destination>& to) {
    if (to) {
      destinations.push_back(*to);
    }
  }
  template <class List>
  void write_all(const List& list) {
    for (const std::optional<Destination>& to : list) {
      write(to);
    }
  }

  void operator()(const Compute& a) {
    sources = a.sources;
    write_all(a.destinations);
  }
  void operator()(const Move& a) {
    read(a.from);
    write(a.to);
  }
  void operator()(const Pack& a) {
    sources = a.elements;
    write(a.to);
  }
  void operator()(const Unpack& a) {
    read(a.from);
    write_all(a.elements);
  }
  void operator()(const Repack& a) {
    sources = a.pack.elements;
    write_all(a.unpack.elements);
  }
  void operator()(const Resized& a) {
    sources = a.compute.sources;
    for (const Move& part : a.narrow) {
      read(part.from);
    }
    write(a.widen ? a.widen->to : a.compute.destinations[0]);
  }
  void operator()(const ConvertAddress& a) {
    read(a.from);
    write(a.to);
  }
  void operator()(const IsSpace& a) {
    read(a.from);
    write(a.to);
  }
  void operator()(const Load& a) { write_all(a.elements); }
  void operator()(const Store& a) { sources = a.elements; }
  void operator()(const Atomic& a) {
    read(a.operand);
    if (a.swap) {
      read(*a.swap);
    }
    write(a.to);
  }
  void operator()(const IndexedBranch& a) { read(a.index); }
  void operator()(const Barrier& a) {
    if (a.kind == Barrier::Kind::Reduce) {
      read(a.predicate);
    }
    write(a.to);
  }
  void operator()(const Collective& a) {
    sources.assign(a.operands.begin(), a.operands.begin() + static_cast<std::ptrdiff_t>(a.operand_count));
    write(a.to);
    write(a.predicate);
  }
  void operator()(const auto&) {}  // the others are about no numbers, or, of a call, pass them on by themselves
};

}  // namespace

Operands operands_of(const Action& action) {
  Collector all;
  std::visit(all, action);
  return {std::move(all.sources), std::move(all.destinations)};
}

const Place* place_of(const Action& action) {
  return std::visit(
      [](const auto& a) -> const Place* {
        if constexpr (requires { a.place; }) {
          return &a.place;
        } else {
          return nullptr;
        }
      },
      action);
}

}  // namespace lockstep::ptx_machine
