#include "semantics/generate/kernel_shrink.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "semantics/generate/kernel_build.hpp"
#include "semantics/generate/kernel_parts.hpp"
#include "semantics/generate/smallest.hpp"

namespace lockstep::generate {

namespace {

namespace syntax = core::syntax;
using build::ExprPtr;
using Statements = std::vector<syntax::Stmt>;

template <class... F>
struct Cases : F... {
  using F::operator()...;
};

// ---- measure -----------------------------------------------------------------------------------------------------------

std::uint64_t measure(const ExprPtr& e) {
  if (const auto* literal = std::get_if<syntax::IntegerLiteral>(&e->node)) {
    return 1 + std::min<std::uint64_t>(literal->value, 3) + (literal->is_unsigned || literal->is_long || literal->is_character ? 1U : 0U);
  }
  std::uint64_t sum = 5 + (e->parenthesised ? 1U : 0U);
  for_each_part(e->node, [&](const ExprPtr& part) { sum += measure(part); });
  return sum;
}

std::uint64_t measure(const syntax::Initialiser& initialiser) {
  if (const auto* value = std::get_if<ExprPtr>(&initialiser.value)) {
    return measure(*value);
  }
  std::uint64_t sum = 5;
  for (const syntax::Initialiser& part : std::get<1>(initialiser.value)) {
    sum += 2 + measure(part);
  }
  return sum;
}

std::uint64_t measure(const syntax::Declaration& declaration) {
  std::uint64_t sum = 20;
  for (const syntax::Declarator& d : declaration.declarators) {
    sum += 20 + (d.initialiser ? measure(*d.initialiser) : 0) + 5 * d.extents.size();
  }
  return sum;
}

std::uint64_t measure(const syntax::Stmt& s) {
  std::uint64_t sum = std::holds_alternative<syntax::Block>(s.node) ? 10 : 100;
  if (const auto* block = std::get_if<syntax::Block>(&s.node)) {
    for (const syntax::Stmt& inner : block->statements) {
      sum += measure(inner);
    }
  } else if (const auto* declaration = std::get_if<syntax::Declaration>(&s.node)) {
    sum += measure(*declaration);
  }
  for_each_part(
      s.node, [&](const ExprPtr& part) { sum += measure(part); },
      [&](const std::unique_ptr<syntax::Stmt>& part) { sum += 20 + measure(*part); });
  return sum;
}

// ---- shrinking ---------------------------------------------------------------------------------------------------------

Statements copy_statements(const Statements& from, std::size_t first, std::size_t last) {
  Statements result;
  for (std::size_t k = first; k < last; ++k) {
    result.push_back(build::copy(from[k]));
  }
  return result;
}

void append(Statements& to, Statements from) {
  for (syntax::Stmt& s : from) {
    to.push_back(std::move(s));
  }
}

/// What stands inside a statement, to stand in its place.
std::vector<Statements> insides(const syntax::Stmt& s) {
  std::vector<Statements> result;
  const auto add = [&](const std::unique_ptr<syntax::Stmt>& from) {
    if (from == nullptr) {
      return;
    }
    Statements inner;
    if (const auto* block = std::get_if<syntax::Block>(&from->node)) {
      inner = copy_statements(block->statements, 0, block->statements.size());
    } else {
      inner.push_back(build::copy(*from));
    }
    std::erase_if(inner, [](const syntax::Stmt& one) {
      return std::holds_alternative<syntax::CaseLabel>(one.node) || std::holds_alternative<syntax::Break>(one.node) ||
             std::holds_alternative<syntax::Continue>(one.node);
    });
    result.push_back(std::move(inner));
  };
  if (const auto* block = std::get_if<syntax::Block>(&s.node)) {
    result.push_back(copy_statements(block->statements, 0, block->statements.size()));
  } else if (const auto* branch = std::get_if<syntax::If>(&s.node)) {
    add(branch->then);
    add(branch->otherwise);
  } else if (const auto* loop = std::get_if<syntax::For>(&s.node)) {
    add(loop->body);
    result.push_back(copy_statements(result.back(), 0, result.back().size()));
    if (loop->init != nullptr) {
      result.back().insert(result.back().begin(), build::copy(*loop->init));
    }
  } else {
    std::visit(
        [&](const auto& other) {
          if constexpr (requires { other.body; }) {
            add(other.body);
          }
        },
        s.node);
  }
  return result;
}

class KernelShrinker {
 public:
  KernelShrinker(Kernel start, const std::function<bool(const Kernel&)>& still_fails)
      : best_(std::move(start), still_fails, generate::measure, max_kernel_shrink_tries) {}

  Kernel run() {
    // Each goes over the whole kernel once; what one of them removes makes others possible.
    for (bool smaller = true; smaller && best_.goes_on();) {
      smaller = items();
      smaller = sizes() || smaller;
      smaller = parameters() || smaller;
      smaller = values() || smaller;
    }
    return std::move(*best_);
  }

 private:
  bool items() {
    auto& list = best_->unit.items;
    bool smaller = false;
    for (std::size_t k = list.size(); k-- > 0;) {
      smaller = best_.remove(list, k) || smaller;
    }
    for (std::size_t k = list.size(); k-- > 0;) {
      if (auto* f = std::get_if<syntax::Function>(&list[k].node)) {
        smaller = (f->body && body(f->body->statements)) || smaller;
      } else if (auto* declared = std::get_if<syntax::Declaration>(&list[k].node)) {
        smaller = declaration(*declared) || smaller;
      }
    }
    return smaller;
  }

  bool sizes() {
    bool smaller = false;
    for (const unsigned size : {1U, 2U, 3U, 4U, best_->wg_size / 2, best_->wg_size - 1}) {
      smaller = (size > 0 && size < best_->wg_size && best_.replace(best_->wg_size, size)) || smaller;
    }
    for (const std::uint64_t groups : {std::uint64_t{1}, best_->groups - 1}) {
      smaller = (groups > 0 && groups < best_->groups && best_.replace(best_->groups, groups)) || smaller;
    }
    return smaller;
  }

  /// Removes parameters of the kernel with what they get.
  bool parameters() {
    bool smaller = false;
    for (syntax::Item& item : best_->unit.items) {
      auto* f = std::get_if<syntax::Function>(&item.node);
      if (f == nullptr || !f->specifiers.is_kernel) {
        continue;
      }
      for (std::size_t k = f->parameters.size(); k-- > 0;) {
        const auto at = static_cast<std::ptrdiff_t>(k);
        syntax::Parameter parameter = std::move(f->parameters[k]);
        KernelInput input = best_->inputs[k];
        f->parameters.erase(f->parameters.begin() + at);
        best_->inputs.erase(best_->inputs.begin() + at);
        if (best_.accepted()) {
          smaller = true;
          continue;
        }
        f->parameters.insert(f->parameters.begin() + at, std::move(parameter));
        best_->inputs.insert(best_->inputs.begin() + at, std::move(input));
      }
    }
    return smaller;
  }

  bool values() {
    bool smaller = false;
    for (KernelInput& input : best_->inputs) {
      smaller = best_.replace(input.values, std::vector<std::uint64_t>(input.values.size(), 0)) || smaller;
      for (const std::size_t count : {std::size_t{1}, std::size_t{2}, input.values.size() / 2, input.values.size() - 1}) {
        if (input.is_buffer && count > 0 && count < input.values.size()) {
          auto fewer = input.values;
          fewer.resize(count);
          smaller = best_.replace(input.values, std::move(fewer)) || smaller;
        }
      }
    }
    return smaller;
  }

  /// Shrinks a sequence everywhere: runs of statements first, then single ones.
  bool body(Statements& list) {
    bool smaller = false;
    for (std::size_t run = list.size(); run > 0; run /= 2) {
      for (std::size_t first = 0; first + run <= list.size() && best_.goes_on();) {
        Statements fewer = copy_statements(list, 0, first);
        append(fewer, copy_statements(list, first + run, list.size()));
        if (best_.replace(list, std::move(fewer))) {
          smaller = true;
        } else {
          first += run;
        }
      }
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
      while (k < list.size() && unfold(list, k)) {
        smaller = true;
      }
      smaller = (k < list.size() && statement(list[k])) || smaller;
    }
    return smaller;
  }

  bool unfold(Statements& list, std::size_t k) {
    for (Statements& inside : insides(list[k])) {
      Statements flat = copy_statements(list, 0, k);
      append(flat, std::move(inside));
      append(flat, copy_statements(list, k + 1, list.size()));
      if (best_.replace(list, std::move(flat))) {
        return true;
      }
    }
    return false;
  }

  bool statement(syntax::Stmt& s) {
    if (auto* block = std::get_if<syntax::Block>(&s.node)) {
      return body(block->statements);
    }
    if (auto* declared = std::get_if<syntax::Declaration>(&s.node)) {
      return declaration(*declared);
    }
    bool smaller = false;
    if (auto* branch = std::get_if<syntax::If>(&s.node)) {
      smaller = branch->otherwise != nullptr && best_.replace(branch->otherwise, std::unique_ptr<syntax::Stmt>());
    }
    for_each_part(
        s.node, [&](ExprPtr& part) { smaller = expression(part) || smaller; },
        [&](std::unique_ptr<syntax::Stmt>& part) { smaller = statement(*part) || smaller; });
    return smaller;
  }

  bool declaration(syntax::Declaration& declared) {
    bool smaller = false;
    for (std::size_t k = declared.declarators.size(); k-- > 0;) {
      if (declared.declarators.size() > 1 && best_.remove(declared.declarators, k)) {
        smaller = true;
        continue;
      }
      syntax::Declarator& d = declared.declarators[k];
      if (d.initialiser) {
        smaller = best_.replace(d.initialiser, std::optional<syntax::Initialiser>()) || initialiser(*d.initialiser) || smaller;
      }
    }
    return smaller;
  }

  bool initialiser(syntax::Initialiser& value) {
    if (auto* one = std::get_if<ExprPtr>(&value.value)) {
      return expression(*one);
    }
    bool smaller = false;
    auto& list = std::get<1>(value.value);
    while (list.size() > 1 && best_.remove(list, list.size() - 1)) {
      smaller = true;
    }
    for (syntax::Initialiser& part : list) {
      smaller = initialiser(part) || smaller;
    }
    return smaller;
  }

  /// `value` in place of `slot`, in parentheses where it needs them.
  bool put(ExprPtr& slot, ExprPtr value) {
    const bool loose = build::precedence(*value) < build::precedence(*slot);
    value->parenthesised = value->parenthesised || loose;
    return best_.replace(slot, std::move(value));
  }

  bool expression(ExprPtr& slot) {
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}}) {
      if (put(slot, build::integer(n))) {
        return true;
      }
    }
    std::vector<ExprPtr> parts;
    for_each_part(slot->node, [&](ExprPtr& part) { parts.push_back(build::copy(part)); });
    for (ExprPtr& part : parts) {
      if (put(slot, std::move(part))) {
        expression(slot);
        return true;
      }
    }
    bool smaller = false;
    for_each_part(slot->node, [&](ExprPtr& part) { smaller = expression(part) || smaller; });
    return smaller;
  }

  Smallest<Kernel> best_;
};

}  // namespace

std::uint64_t measure(const Kernel& kernel) {
  std::uint64_t sum = kernel.wg_size + 10 * kernel.groups;
  for (const syntax::Item& item : kernel.unit.items) {
    sum += std::visit(Cases{[](const syntax::Function& f) {
                              std::uint64_t size = 200 + 20 * f.parameters.size();
                              for (std::size_t k = 0; f.body && k < f.body->statements.size(); ++k) {
                                size += measure(f.body->statements[k]);
                              }
                              return size;
                            },
                            [](const syntax::Declaration& d) { return 100 + measure(d); },
                            [](const syntax::ContractPragma&) { return std::uint64_t{100}; },
                            [](const syntax::Record& r) {
                              std::uint64_t size = 100;
                              for (const syntax::Declaration& member : r.members) {
                                size += measure(member);
                              }
                              return size;
                            },
                            [](const syntax::Typedef&) { return std::uint64_t{100}; }},
                      item.node);
  }
  for (const KernelInput& input : kernel.inputs) {
    sum += 10 + input.values.size();
    sum += static_cast<std::uint64_t>(std::count_if(input.values.begin(), input.values.end(), [](std::uint64_t v) { return v != 0; }));
  }
  return sum;
}

Kernel shrink(Kernel kernel, const std::function<bool(const Kernel&)>& still_fails) {
  return KernelShrinker(std::move(kernel), still_fails).run();
}

}  // namespace lockstep::generate
