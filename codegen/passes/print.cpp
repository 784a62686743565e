#include "codegen/passes/print.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <unordered_map>

#include "semantics/ops/apply.hpp"

namespace lockstep::passes {

namespace {

class Printer {
 public:
  explicit Printer(const Assignments& assignments) : in_(assignments) {
    std::unordered_map<std::string, unsigned> seen;
    for (const Variable& variable : in_.variables) {
      const unsigned number = ++seen[variable.name];
      names_.push_back(number == 1 ? variable.name : fmt::format("{}.{}", variable.name, number));
    }
  }

  std::string run() {
    for (const Variable& variable : in_.variables) {
      if (!variable.is_implicit && !variable.is_loop) {
        line(fmt::format("{} {}{};", element(variable.element), names_[static_cast<std::size_t>(&variable - in_.variables.data())],
                         variable.is_array ? fmt::format("[{}]", variable.count) : ""));
      }
    }
    body(in_.body);
    return std::move(text_);
  }

 private:
  void line(std::string_view content) { text_ += fmt::format("{:{}}{}\n", "", 2 * depth_, content); }

  static std::string element(Element e) { return e.is_pointer ? "pointer" : std::string(info(e.scalar).name); }

  std::string symbol(Symbol s) const {
    switch (s.kind) {
      case Symbol::Kind::Item:
        return "wi";
      case Symbol::Kind::Element:
        return "ix";
      case Symbol::Kind::Group:
        return "wg";
      case Symbol::Kind::Value:
        break;
    }
    return names_[s.value];
  }

  std::string polynomial(const Polynomial& p) const {
    std::string text;
    const auto join = [&](std::int64_t coefficient, const std::string& factors) {
      const bool is_minus = coefficient < 0;
      text += text.empty() ? (is_minus ? "-" : "") : (is_minus ? " - " : " + ");
      const std::string magnitude =
          fmt::format("{}", is_minus ? 0 - static_cast<std::uint64_t>(coefficient) : static_cast<std::uint64_t>(coefficient));
      text += factors.empty() ? magnitude : magnitude == "1" ? factors : magnitude + "*" + factors;
    };
    for (const infreg::Monomial& term : p.terms()) {
      std::string factors;
      for (const Symbol s : term.factors) {
        factors += (factors.empty() ? "" : "*") + symbol(s);
      }
      join(term.coefficient, factors);
    }
    if (p.constant() != 0 || text.empty()) {
      join(p.constant(), "");
    }
    return text;
  }

  std::string operand(const Operand& o) const {
    return std::visit(
        [&](const auto& node) -> std::string {
          using Node = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<Node, Literal>) {
            return node.element.is_pointer ? "null" : ops::text_of(node.element.scalar, node.bits);
          } else if constexpr (std::is_same_v<Node, Number>) {
            return node.value.terms().size() + (node.value.constant() != 0 ? 1 : 0) > 1 ? fmt::format("({})", polynomial(node.value))
                                                                                        : polynomial(node.value);
          } else {
            return ref(node);
          }
        },
        o);
  }

  std::string ref(const Ref& r) const {
    return in_.variables[r.var].is_array ? fmt::format("{}[{}]", names_[r.var], polynomial(r.index)) : names_[r.var];
  }

  std::string place(const Place& p) const {
    const std::string base = std::visit(
        [&](const auto& b) -> std::string {
          using B = std::decay_t<decltype(b)>;
          if constexpr (std::is_same_v<B, OfParameter>) {
            return in_.parameters[b.id].name;
          } else if constexpr (std::is_same_v<B, OfObject>) {
            return in_.objects[b.id].name;
          } else {
            return operand(b);
          }
        },
        p.base);
    return fmt::format("{}[{}]", base, polynomial(p.index));
  }

  std::string right(const Right& r) const {
    return std::visit(
        [&](const auto& node) -> std::string {
          using Node = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<Node, Copy>) {
            return operand(node.source);
          } else if constexpr (std::is_same_v<Node, Operate>) {
            const OpInfo& op = info(node.op);
            if (node.operands.size() == 2 && op.precedence < 14) {
              return fmt::format("{} {} {}", operand(node.operands[0]), op.text, operand(node.operands[1]));
            }
            std::string list;
            for (const Operand& o : node.operands) {
              list += (list.empty() ? "" : ", ") + operand(o);
            }
            return op.precedence < 14 ? fmt::format("{}{}", op.text, list) : fmt::format("{}({})", op.text, list);
          } else if constexpr (std::is_same_v<Node, Convert>) {
            return fmt::format("({}){}", info(node.to).name, operand(node.source));
          } else if constexpr (std::is_same_v<Node, Bitcast>) {
            return fmt::format("as_{}({})", info(node.to).name, operand(node.source));
          } else if constexpr (std::is_same_v<Node, Choose>) {
            return fmt::format("{} ? {} : {}", operand(node.condition), operand(node.then), operand(node.otherwise));
          } else if constexpr (std::is_same_v<Node, Resolve>) {
            std::string all;
            for (const infreg::Mask::Comparison& c : node.all_of) {
              all += fmt::format("{}{} {} {}", all.empty() ? "" : " && ", polynomial(c.left), info(c.op).text, polynomial(c.right));
            }
            return fmt::format("static_resolve({})", all);
          } else if constexpr (std::is_same_v<Node, Shuffle>) {
            return fmt::format("shuffle({}, {})", operand(node.source), operand(node.lane));
          } else if constexpr (std::is_same_v<Node, NumGroups>) {
            return "get_num_groups()";
          } else if constexpr (std::is_same_v<Node, Vote>) {
            constexpr std::string_view names[] = {"any", "all", "popcount", "ballot"};
            return fmt::format("{}({})", names[static_cast<std::size_t>(node.kind)], operand(node.value));
          } else if constexpr (std::is_same_v<Node, Atomic>) {
            return fmt::format("{}({}, {}{})", info(node.op).word, place(node.place), node.compare ? operand(*node.compare) + ", " : "",
                               operand(node.value));
          } else if constexpr (std::is_same_v<Node, Load>) {
            return place(node.place);
          } else if constexpr (std::is_same_v<Node, Address>) {
            return "&" + place(node.place);
          } else if constexpr (std::is_same_v<Node, PointerDistance>) {
            return fmt::format("{} - {}", operand(node.left), operand(node.right));
          } else {
            return fmt::format("{} {} {}", operand(node.left), info(node.op).text, operand(node.right));
          }
        },
        r);
  }

  std::string masked(const std::optional<Operand>& mask) const { return mask ? fmt::format("if ({}) ", operand(*mask)) : ""; }

  void body(const Body& statements) {
    ++depth_;
    for (const Statement& statement : statements) {
      std::visit([&](const auto& node) { print(node); }, statement.node);
    }
    --depth_;
  }

  void braces(const std::string& head, const Body& inner) {
    line(head + " {");
    body(inner);
    line("}");
  }

  void print(const Assign& node) { line(fmt::format("{}{} = {};", masked(node.mask), ref(node.target), right(node.right))); }
  void print(const Store& node) { line(fmt::format("{}{} = {};", masked(node.mask), place(node.place), operand(node.value))); }
  void print(const Forget& node) {
    const auto* var = std::get_if<VarId>(&node.what);
    line(fmt::format("/* {} begins */", var != nullptr ? names_[*var] : in_.objects[std::get<OfObject>(node.what).id].name));
  }
  void print(const If& node) {
    braces(fmt::format("if ({})", operand(node.condition)), node.then);
    if (!node.otherwise.empty()) {
      braces("else", node.otherwise);
    }
  }
  void print(const Block& node) { braces(fmt::format("block_{}:", node.label), node.body); }
  void print(const Leave& node) { line(fmt::format("leave block_{};", node.label)); }
  void print(const Everywhere& node) { braces("everywhere", node.body); }
  void print(const Loop& node) { braces(node.live ? fmt::format("while (any({}))", names_[*node.live]) : "loop", node.body); }
  /// " [[0, 2], [1, 3]]"
  static std::string sets(const For& node) {
    std::string text;
    for (const RoundSet& set : node.sets) {
      constexpr std::uint32_t most_shown = 8;
      std::string rounds;
      for (std::uint32_t k = 0; k < set.count; ++k) {
        if (set.count > most_shown && k == 2) {
          rounds += ", …";
          k = set.count - 1;
        }
        rounds += fmt::format("{}{}", k == 0 ? "" : ", ", set.from + set.step * k);
      }
      text += fmt::format("{}[{}]", text.empty() ? " [" : ", ", rounds);
    }
    return text.empty() ? text : text + "]";
  }
  void print(const For& node) {
    constexpr std::string_view classes[] = {"rolled", "unroll", "vectorise"};
    const std::string& name = names_[node.var];
    const std::string step = node.step == 1 ? "++" + name : node.step == -1 ? "--" + name : fmt::format("{} += {}", name, node.step);
    const std::string guard = node.guard ? fmt::format("if (any({})) ", operand(*node.guard)) : "";
    braces(fmt::format("{}/* {}{} */ for ({} = {}; {} {} {}; {})", guard, classes[static_cast<std::size_t>(node.loop_class)], sets(node),
                       name, polynomial(node.from), name, node.step > 0 ? "<" : ">", polynomial(node.limit), step),
           node.body);
  }

  const Assignments& in_;
  std::vector<std::string> names_;
  std::string text_;
  unsigned depth_ = 0;
};

}  // namespace

std::string print(const Assignments& assignments) { return Printer(assignments).run(); }

}  // namespace lockstep::passes
