#include "semantics/generate/kernel_probes.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "semantics/generate/kernel_build.hpp"
#include "semantics/generate/kernel_parts.hpp"

namespace lockstep::generate {

namespace {

namespace syntax = core::syntax;
using Statements = std::vector<syntax::Stmt>;

class ProbeMaker {
 public:
  explicit ProbeMaker(std::size_t wanted) : left_(wanted) {}

  /// Whether a probe has been put into the function.
  bool run(syntax::Function& function) {
    for (const syntax::Parameter& p : function.parameters) {
      declare(p.specifiers, p.declarator);
    }
    list(function.body->statements);
    return made_;
  }

  const std::string& variable() const { return variable_; }
  ScalarType type() const { return type_; }

 private:
  void declare(const syntax::Specifiers& specifiers, const syntax::Declarator& d) {
    if (specifiers.type && specifiers.components == 1 && d.pointers == 0 && d.extents.empty() && specifiers.space != AddressSpace::Local) {
      scalars_[d.name.text] = *specifiers.type;
    } else {
      scalars_.erase(d.name.text);
    }
  }

  /// The scalar variables that a statement gives a value.
  std::vector<std::string> assigned(const syntax::Stmt& s) {
    std::vector<std::string> names;
    const auto add = [&](const build::ExprPtr& e) {
      const auto* variable = std::get_if<syntax::Identifier>(&e->node);
      if (variable != nullptr && scalars_.contains(variable->name)) {
        names.push_back(variable->name);
      }
    };
    if (const auto* declared = std::get_if<syntax::Declaration>(&s.node)) {
      for (const syntax::Declarator& d : declared->declarators) {
        declare(declared->specifiers, d);
        if (d.initialiser && scalars_.contains(d.name.text)) {
          names.push_back(d.name.text);
        }
      }
    } else if (const auto* evaluated = std::get_if<syntax::ExprStatement>(&s.node); evaluated != nullptr && evaluated->expression) {
      if (const auto* assignment = std::get_if<syntax::Assignment>(&evaluated->expression->node)) {
        add(assignment->left);
      } else if (const auto* unary = std::get_if<syntax::Unary>(&evaluated->expression->node)) {
        add(unary->operand);
      }
    }
    return names;
  }

  /// A store behind `s`, if it is the one that is wanted.
  std::optional<syntax::Stmt> store_behind(const syntax::Stmt& s) {
    for (const std::string& name : assigned(s)) {
      if (left_-- == 0) {
        made_ = true;
        variable_ = name;
        type_ = scalars_[name];
        std::vector<build::ExprPtr> zero;
        zero.push_back(build::integer(0));
        build::ExprPtr place = build::element(build::name(std::string(probe_name)), build::call("get_global_id", std::move(zero)));
        return build::evaluate(build::assignment(std::nullopt, std::move(place), build::name(name)));
      }
    }
    return std::nullopt;
  }

  void list(Statements& statements) {
    const auto outside = scalars_;
    for (std::size_t k = 0; k < statements.size() && !made_; ++k) {
      if (auto store = store_behind(statements[k])) {
        statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(k) + 1, std::move(*store));
      } else {
        inside(statements[k]);
      }
    }
    scalars_ = outside;
  }

  void inside(syntax::Stmt& s) {
    if (auto* block = std::get_if<syntax::Block>(&s.node)) {
      return list(block->statements);
    }
    const auto outside = scalars_;
    if (auto* loop = std::get_if<syntax::For>(&s.node); loop != nullptr && loop->init != nullptr) {
      if (const auto* declared = std::get_if<syntax::Declaration>(&loop->init->node)) {
        for (const syntax::Declarator& d : declared->declarators) {
          declare(declared->specifiers, d);
        }
      }
      boxed(loop->body);
    } else {
      for_each_part(s.node, [](build::ExprPtr&) {}, [&](std::unique_ptr<syntax::Stmt>& part) { boxed(part); });
    }
    scalars_ = outside;
  }

  /// An arm or body, which gets braces if it is to become two statements.
  void boxed(std::unique_ptr<syntax::Stmt>& s) {
    if (made_) {
      return;
    }
    if (auto store = store_behind(*s)) {
      Statements both;
      both.push_back(std::move(*s));
      both.push_back(std::move(*store));
      s = build::boxed(build::block(std::move(both)));
    } else {
      inside(*s);
    }
  }

  std::size_t left_;
  bool made_ = false;
  std::string variable_;
  ScalarType type_ = ScalarType::Int;
  std::map<std::string, ScalarType> scalars_;
};

}  // namespace

std::optional<Probed> with_probe(const Kernel& kernel, std::size_t number) {
  Probed probed{copy(kernel), ""};
  for (syntax::Item& item : probed.kernel.unit.items) {
    auto* function = std::get_if<syntax::Function>(&item.node);
    if (function == nullptr || !function->specifiers.is_kernel || !function->body) {
      continue;
    }
    ProbeMaker maker(number);
    if (!maker.run(*function)) {
      return std::nullopt;
    }
    const ScalarType type = is_float(maker.type()) ? ScalarType::Double : ScalarType::Long;  // which hold every number of the others
    syntax::Parameter p;
    p.specifiers = build::specifiers(type);
    p.specifiers.space = AddressSpace::Global;
    p.declarator = build::declarator(std::string(probe_name));
    p.declarator.pointers = 1;
    function->parameters.push_back(std::move(p));
    probed.variable = maker.variable();
    const std::size_t items = kernel.wg_size * static_cast<std::size_t>(kernel.groups);
    probed.kernel.inputs.push_back({std::string(probe_name), type, true, std::vector<std::uint64_t>(items, 0)});
    return probed;
  }
  return std::nullopt;
}

}  // namespace lockstep::generate
