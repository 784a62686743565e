#include "codegen/emit/avx512/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <utility>

#include "codegen/emit/c/header.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_avx512 {

namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Calls f with each identifier of the text that stands for itself: not for a member, nor for something in a namespace.
template <class F>
void for_each_word(std::string_view text, F&& f) {
  for (std::size_t i = 0; i < text.size();) {
    if (!in_word(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && in_word(text[i])) {
      ++i;
    }
    const bool is_part = begin > 0 && (text[begin - 1] == '.' || text[begin - 1] == ':');
    if (!is_part && std::isdigit(static_cast<unsigned char>(text[begin])) == 0) {
      f(std::string(text.substr(begin, i - begin)));
    }
  }
}

/// Which statements are needed: effects, and what defines a name that needed ones mention.
class Needed {
 public:
  explicit Needed(const std::vector<Statement>& statements) {
    enter(statements, nullptr);
    while (!pending_.empty()) {
      const std::string name = std::move(pending_.back());
      pending_.pop_back();
      for (const Statement* statement : definitions_[name]) {
        need(statement);
      }
    }
  }

  bool operator()(const Statement& statement) const { return needed_.contains(&statement); }
  std::unordered_set<std::string>& used() { return used_; }
  /// Whether a number that is broadcast is half of a vector as well: two loads would be made of it.
  bool is_half(const std::string& name) const { return halves_.contains(name); }
  /// How often needed statements mention the name, its definition included.
  std::size_t mentions(const std::string& name) const {
    const auto found = mentions_.find(name);
    return found == mentions_.end() ? 0 : found->second;
  }

 private:
  void enter(const std::vector<Statement>& statements, const Statement* parent) {
    for (const Statement& statement : statements) {
      parents_[&statement] = parent;
      if (!statement.defines.empty()) {
        definitions_[statement.defines].push_back(&statement);
        if (used_.contains(statement.defines)) {
          need(&statement);
        }
      }
      if (statement.is_block) {
        enter(statement.inside, &statement);
      } else if (statement.defines.empty()) {
        need(&statement);
      }
    }
  }

  void need(const Statement* statement) {
    for (; statement != nullptr && needed_.insert(statement).second; statement = parents_[statement]) {
      const bool joins = statement->text.find(" = v::halves(") != std::string::npos;
      for_each_word(statement->text, [&](std::string word) {
        ++mentions_[word];
        if (joins && word != statement->defines) {
          halves_.insert(word);
        }
        if (word != statement->defines && used_.insert(word).second) {
          pending_.push_back(std::move(word));
        }
      });
    }
  }

  std::unordered_map<const Statement*, const Statement*> parents_;
  std::unordered_map<std::string, std::vector<const Statement*>> definitions_;
  std::unordered_set<const Statement*> needed_;
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, std::size_t> mentions_;
  std::unordered_set<std::string> halves_;
  std::vector<std::string> pending_;
};

/// A vector from memory that is used so often is better kept in a register: g++ would make a memory operand of each use.
constexpr std::size_t many_uses = 3;

std::string kept_in_register(const std::string& text) {
  const std::size_t begin = text.find(" = ") + 3;
  return fmt::format("{}v::in_register({});", text.substr(0, begin), text.substr(begin, text.size() - begin - 1));
}

void print_into(std::string& out, const std::vector<Statement>& statements, const Needed& needed, unsigned depth) {
  const std::string indent(std::size_t{2} * depth, ' ');
  for (const Statement& statement : statements) {
    if (!needed(statement)) {
      continue;
    }
    if (statement.is_block) {
      out += fmt::format("{}{} {{\n", indent, statement.text);
      print_into(out, statement.inside, needed, depth + 1);
      out += indent + "}\n";
    } else {
      const bool is_row =
          statement.text.find(" = v::load<") != std::string::npos || statement.text.find(" = v::halves<") != std::string::npos;
      const bool keep = (is_row && needed.mentions(statement.defines) > many_uses) || needed.is_half(statement.defines);
      out += fmt::format("{}{}\n", indent, keep ? kept_in_register(statement.text) : statement.text);
    }
  }
}

}  // namespace

Code::Code() {
  scopes_.emplace_back();
  for (const char* word : {"std", "assert", "errno", "stdin", "stdout", "stderr", "EOF", "I", "complex"}) {
    reserve(word);
  }
}

std::string Code::unique(std::string_view wanted) {
  std::string base;
  for (const char c : wanted) {
    base += in_word(c) ? c : '_';
  }
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base.front())) != 0) {
    base.insert(0, "n");
  }
  // Names with a double underscore, or a capital behind one at the beginning, belong to the implementation.
  std::string plain;
  for (const char c : base) {
    if (c != '_' || plain.empty() || plain.back() != '_') {
      plain += c;
    }
  }
  if (plain.front() == '_') {
    plain.insert(0, "n");
  }
  if (plain.back() == '_' && plain.size() > 1) {
    plain.pop_back();
  }
  if (!emit_c::is_c_name(plain) || emit_c::may_be_macro(plain)) {
    plain += "_0";
  }
  for (;;) {
    const unsigned count = taken_[plain]++;
    if (count == 0) {
      return plain;
    }
    std::string numbered = fmt::format("{}_{}", plain, count + 1);
    if (taken_.emplace(numbered, 1).second) {
      return numbered;
    }
  }
}

void Code::reserve(std::string_view name) { ++taken_[std::string(name)]; }

void Code::effect(std::string text) { scopes_.back().statements.push_back({std::move(text), "", false, {}}); }

std::string Code::effect(std::string_view type, std::string_view wanted, const std::string& expression) {
  const std::string name = unique(wanted);
  effect(fmt::format("[[maybe_unused]] const {} {} = {};", type, name, expression));
  depths_[name] = scopes_.size() - 1;
  return name;
}

/// The innermost of the open blocks that know what the expression mentions.
std::size_t Code::depth_of(const std::string& expression) const {
  std::size_t depth = 0;
  for_each_word(expression, [&](const std::string& word) {
    if (assigned_.contains(word)) {
      depth = scopes_.size() - 1;
    } else if (const auto found = depths_.find(word); found != depths_.end()) {
      depth = std::max(depth, found->second);
    }
  });
  return depth;
}

std::string Code::define(std::size_t depth, std::string_view type, std::string_view wanted, const std::string& expression,
                         const std::string& key) {
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    if (const auto found = scopes_[i].known.find(key); found != scopes_[i].known.end()) {
      return found->second;
    }
  }
  const std::string name = unique(wanted);
  scopes_[depth].statements.push_back({fmt::format("const {} {} = {};", type, name, expression), name, false, {}});
  scopes_[depth].known.emplace(key, name);
  depths_[name] = depth;
  return name;
}

std::string Code::value(std::string_view type, std::string_view wanted, const std::string& expression) {
  return define(depth_of(expression), type, wanted, expression, expression);
}

std::string Code::read(std::string_view type, std::string_view wanted, const std::string& expression) {
  std::size_t depth = scopes_.size() - 1;
  while (depth > depth_of(expression) && scopes_[depth].quiet) {
    --depth;
  }
  return define(depth, type, wanted, expression, fmt::format("{}@{}", expression, epoch_));
}

void Code::variable(std::string_view type, const std::string& name, const std::string& expression) {
  scopes_.back().statements.push_back({fmt::format("{} {} = {};", type, name, expression), name, false, {}});
  depths_[name] = scopes_.size() - 1;
  if (!type.starts_with("const ")) {
    assigned_.insert(name);
  }
}

void Code::assign(const std::string& name, std::string text) { scopes_.back().statements.push_back({std::move(text), name, false, {}}); }

void Code::open(std::string head, const std::string& variable, bool quiet) {
  scopes_.emplace_back();
  scopes_.back().head = std::move(head);
  scopes_.back().quiet = quiet;
  if (!variable.empty()) {
    depths_[variable] = scopes_.size() - 1;
  }
  if (!quiet) {
    memory_changes();
  }
}

void Code::close() {
  if (scopes_.size() < 2) {
    throw InternalError("a block of C++ is closed that was not opened");
  }
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  scopes_.back().statements.push_back({std::move(scope.head), "", true, std::move(scope.statements)});
  if (!scope.quiet) {
    memory_changes();
  }
}

std::string Code::print(unsigned depth) const {
  if (scopes_.size() != 1) {
    throw InternalError("a block of C++ is left open");
  }
  Needed needed(scopes_.front().statements);
  std::string out;
  print_into(out, scopes_.front().statements, needed, depth);
  used_ = std::move(needed.used());
  return out;
}

}  // namespace lockstep::emit_avx512
