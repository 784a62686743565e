// Declarations of the tree builder: specifiers, declarators, initialisers, attributes, functions and the file.

#include <algorithm>
#include <array>
#include <utility>

#include "semantics/core/parse_builder.hpp"
#include "semantics/core/parse_mistakes.hpp"

namespace lockstep::core {

// Specifiers and declarators.

void TreeBuilder::open_declaration() {
  declaring_.emplace_back();
  declaring_.back().first = at;
}

void TreeBuilder::set_space(AddressSpace space) {
  std::optional<AddressSpace>& present = declaring_.back().specifiers.space;
  if (present && *present != space) {
    refuse(last(), "an object lies in one address space: this is '" + std::string(name_of(*present)) + "' already");
  }
  present = space;
}

void TreeBuilder::set_uniformity(syntax::Uniformity uniformity) {
  syntax::Uniformity& present = declaring_.back().specifiers.uniformity;
  if (present != syntax::Uniformity::Unspecified && present != uniformity) {
    refuse(last(), "a value is either 'uniform' or 'varying', not both");
  }
  present = uniformity;
}

void TreeBuilder::specifier() {
  Declaring& declaring = declaring_.back();
  const Token& token = last();
  const Word word = token.word;
  if (word.kind() == WordKind::Type) {
    const SourceSpan span = declaring.type_words.empty() ? token.span : join(declaring.specifiers.type_span, token.span);
    declaring.specifiers.type_span = span;
    declaring.type_words.push_back(token.text);
    if (word == "struct S"_w) {
      declaring.specifiers.named = token.text;
    }
  } else if (word == "const"_w) {
    declaring.specifiers.is_const = true;
  } else if (word == "kernel"_w || word == "__kernel"_w) {
    declaring.specifiers.is_kernel = true;
    declaring.kernel = &token;
  } else if (word == "static"_w || word == "inline"_w) {
    declaring.storage = &token;
  } else if (word == "uniform"_w || word == "varying"_w) {
    set_uniformity(word == "uniform"_w ? syntax::Uniformity::Uniform : syntax::Uniformity::Varying);
  } else {
    for (std::size_t i = 0; i < address_space_names.size(); ++i) {
      if (token.text.ends_with(address_space_names[i])) {
        set_space(static_cast<AddressSpace>(i));
      }
    }
  }
}

void TreeBuilder::refuse_type(const Declaring& declaring) const {
  std::string words;
  for (const std::string_view word : declaring.type_words) {
    words += (words.empty() ? "" : " ") + std::string(word);
  }
  if (!declaring.specifiers.named.empty()) {
    refuse(declaring.specifiers.type_span, "there is no type '" + shortened(words) + "'; is a ';' missing behind a '}'?");
  }
  const bool is_long = std::ranges::count(declaring.type_words, "long") > 1;
  const std::string hint = is_long                                                    ? "; long has 64 bits"
                           : words.ends_with("double") || words.starts_with("double") ? "; double has 64 bits"
                                                                                      : "";
  refuse(declaring.specifiers.type_span, "there is no type '" + shortened(words) + "'" + hint);
}

void TreeBuilder::close_specifiers() {
  Declaring& declaring = declaring_.back();
  declaring.specifiers.span = from(declaring.first);
  if (declaring.type_words.empty()) {
    const bool is_declared = at->kind == TokenKind::Identifier && (at[1].kind == TokenKind::Identifier || at[1].word == "*"_w);
    if (at->word.kind() == WordKind::Refused) {
      refuse(*at, refusal(at->word, at->text));
    }
    if (is_declared && at->word.kind() == WordKind::None) {
      refuse(*at, unknown_type(*at));
    }
    refuse(last(), "expected a type after " + quoted(last().text) + "; there is no implicit 'int'");
  }
  const bool is_declared_type = !declaring.specifiers.named.empty();
  const auto type = is_declared_type ? std::nullopt : type_of(declaring.type_words.data(), declaring.type_words.size());
  if (is_declared_type ? declaring.type_words.size() > 1 : !type) {
    refuse_type(declaring);
  }
  if (is_declared_type) {
    return;
  }
  declaring.specifiers.type = type->scalar;
  declaring.specifiers.components = type->components;
}

void TreeBuilder::pointer() {
  syntax::Declarator& declarator = declaring_.back().declarator;
  ++declarator.pointers;
  declarator.is_const = false;
  declarator.is_restrict = false;
  if (declarator.pointers > syntax::max_nesting) {
    refuse_depth(last());
  }
}

void TreeBuilder::pointer_qualifier() {
  const Word word = last().word;
  if (word == "const"_w) {
    declaring_.back().declarator.is_const = true;
  } else if (word == "restrict"_w || word == "__restrict"_w) {
    declaring_.back().declarator.is_restrict = true;
  } else if (word != "volatile"_w && word != "private"_w && word != "__private"_w) {
    refuse(last(), quoted(last().text) + " cannot stand behind '*': a pointer itself is private");
  }
}

void TreeBuilder::declared_name() { declaring_.back().declarator.name = {std::string(last().text), last().span}; }

void TreeBuilder::extent() {
  close_fence();
  Value value = pop();
  Declaring& declaring = declaring_.back();
  declaring.height = std::max(declaring.height, value.height);
  declaring.declarator.extents.push_back(std::move(value.expr));
}

void TreeBuilder::no_extent() {
  close_fence();
  declaring_.back().declarator.extents.emplace_back();
}

void TreeBuilder::initialised() {
  declaring_.back().declarator.initialiser = std::move(initialisers_.back());
  initialisers_.pop_back();
}

void TreeBuilder::close_declarator() {
  Declaring& declaring = declaring_.back();
  declaring.declarator.layout = std::exchange(declaring.layout, {});
  declaring.finished.push_back(std::exchange(declaring.declarator, {}));
}

syntax::Declaration TreeBuilder::take_declaration() {
  Declaring declaring = std::move(declaring_.back());
  declaring_.pop_back();
  if (declaring.kernel != nullptr) {
    refuse(*declaring.kernel, "only a function can be a kernel");
  }
  refuse_required_size(declaring);
  return {std::move(declaring.specifiers), std::move(declaring.finished)};
}

// Initialisers.

void TreeBuilder::value_initialiser() {
  Value value = pop();
  const SourceSpan span = value.expr->span;
  if (!lists_.empty()) {
    lists_.back().height = std::max(lists_.back().height, value.height);
  }
  initialisers_.push_back({std::move(value.expr), span});
}

void TreeBuilder::open_list() {
  enter(last());
  open_bracket();
  lists_.push_back({&last(), initialisers_.size()});
}

void TreeBuilder::close_list() {
  const Lists list = lists_.back();
  lists_.pop_back();
  list_height_ = list.height;
  if (!lists_.empty()) {
    lists_.back().height = std::max(lists_.back().height, list.height);
  }
  close_bracket();
  leave();
  const auto first = initialisers_.begin() + static_cast<std::ptrdiff_t>(list.initialisers);
  std::vector<syntax::Initialiser> values(std::make_move_iterator(first), std::make_move_iterator(initialisers_.end()));
  initialisers_.erase(first, initialisers_.end());
  initialisers_.push_back({std::move(values), from(list.open)});
}

void TreeBuilder::open_path() { paths_.emplace_back(); }

void TreeBuilder::designated_name() { paths_.back().designators.emplace_back(syntax::Name{std::string(last().text), last().span}); }

void TreeBuilder::designated_index() {
  close_fence();
  Value index = pop();
  paths_.back().height = std::max(paths_.back().height, index.height);
  paths_.back().designators.emplace_back(std::move(index.expr));
}

void TreeBuilder::close_designators() { lists_.back().height = std::max(lists_.back().height, paths_.back().height); }

void TreeBuilder::designated() {
  initialisers_.back().designators = std::move(paths_.back().designators);
  paths_.pop_back();
}

// Attributes.

/// Of the member that is being declared, else of the structure; null where attributes of layout say nothing.
syntax::Layout* TreeBuilder::layout() { return !record_ ? nullptr : declaring_.empty() ? &record_->layout : &declaring_.back().layout; }

void TreeBuilder::packed() {
  if (syntax::Layout* of = layout()) {
    of->is_packed = true;
  }
}

void TreeBuilder::aligned() {
  Value value = pop();
  auto& call = std::get<syntax::Call>(value.expr->node);
  if (call.arguments.size() != 1) {
    refuse(value.expr->span, "'aligned' takes one number, of bytes");
  }
  if (syntax::Layout* of = layout()) {
    of->alignments.push_back(std::move(call.arguments.front()));
  }
}

void TreeBuilder::aligned_most() {
  const Value name = pop();
  if (record_) {
    refuse(name.expr->span, "'aligned' needs a number of bytes here, as in aligned(16)");
  }
}

void TreeBuilder::required_size() {
  Value value = pop();
  auto& call = std::get<syntax::Call>(value.expr->node);
  std::optional<syntax::GroupSize>& size = declaring_.empty() ? function_.required_size : declaring_.back().required_size;
  if (size) {
    refuse(value.expr->span, "the size of the work groups is required twice");
  }
  size = syntax::GroupSize{std::move(call.arguments), value.expr->span};
}

void TreeBuilder::attribute() {
  std::string_view name = last().text;
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    name = name.substr(2, name.size() - 4);
  }
  // What says nothing about the meaning of a kernel: OpenCL C 6.11 and what compilers for it read.
  static constexpr std::array known = {"work_group_size_hint",
                                       "vec_type_hint",
                                       "opencl_unroll_hint",
                                       "endian",
                                       "always_inline",
                                       "noinline",
                                       "unused",
                                       "used",
                                       "const",
                                       "pure",
                                       "nosvm",
                                       "deprecated",
                                       "may_alias",
                                       "maybe_unused"};
  if (std::ranges::find(known, name) == known.end()) {
    unit_.unknown_attributes.push_back({std::string(last().text), last().span});
  }
}

void TreeBuilder::refuse_required_size(const Declaring& declaring) {
  if (declaring.required_size) {
    refuse(declaring.required_size->span, "only a kernel can require a size of its work groups");
  }
}

// Functions and the file.

void TreeBuilder::open_function() {
  Declaring& declaring = declaring_.back();
  open_bracket();
  function_ = {};
  function_.specifiers = declaring.specifiers;
  function_.pointers = declaring.declarator.pointers;
  function_.name = std::move(declaring.declarator.name);
  function_.span.begin = declaring.first->span.begin;
  function_.required_size = std::move(declaring.required_size);
  declaring_.pop_back();
}

void TreeBuilder::close_parameter() {
  Declaring declaring = std::move(declaring_.back());
  declaring_.pop_back();
  const Token* wrong = declaring.kernel != nullptr ? declaring.kernel : declaring.storage;
  if (wrong != nullptr) {
    refuse(*wrong, quoted(wrong->text) + " cannot stand in front of a parameter");
  }
  refuse_required_size(declaring);
  function_.parameters.push_back({declaring.specifiers, std::move(declaring.declarator), from(declaring.first)});
}

void TreeBuilder::close_parameters() {
  close_bracket();
  function_.span.end = std::max(function_.name.span.end, last().span.end);
  const auto is_void = [](const syntax::Parameter& parameter) {
    return !parameter.specifiers.type && parameter.specifiers.named.empty() && parameter.declarator.pointers == 0 &&
           parameter.declarator.name.text.empty() && parameter.declarator.extents.empty();
  };
  if (function_.parameters.size() == 1 && is_void(function_.parameters[0])) {
    function_.parameters.clear();
  }
}

void TreeBuilder::close_function() {
  if (!statements_.empty()) {
    function_.body = std::move(std::get<syntax::Block>(statements_.back()->node));
    statements_.pop_back();
  }
  unit_.items.push_back({std::move(function_)});
}

void TreeBuilder::file_declaration() {
  const Token* storage = declaring_.back().storage;
  if (storage != nullptr && storage->word == "inline"_w) {
    refuse(*storage, "only a function can be inline");
  }
  unit_.items.push_back({take_declaration()});
}

void TreeBuilder::file_typedef() {
  syntax::Declaration declaration = take_declaration();
  unit_.items.push_back({syntax::Typedef{std::move(declaration.specifiers), std::move(declaration.declarators.front())}});
}

void TreeBuilder::open_record() {
  record_.emplace();
  record_->is_union = last().word == "union"_w;
}

void TreeBuilder::record_name() { record_->name = {std::string(last().text), last().span}; }

void TreeBuilder::record_member() {
  const Token* wrong = declaring_.back().storage;
  if (wrong != nullptr) {
    refuse(*wrong, quoted(wrong->text) + " cannot stand in front of a member");
  }
  record_->members.push_back(take_declaration());
}

void TreeBuilder::bit_field() {
  refuse(declaring_.back().declarator.name.span,
         "there are no bit-fields, such as " + quoted(declaring_.back().declarator.name.text) + "; use a whole number and masks");
}

void TreeBuilder::close_record() {
  unit_.items.push_back({std::move(*record_)});
  record_.reset();
}

void TreeBuilder::file_pragma() { unit_.items.push_back({contract()}); }

}  // namespace lockstep::core
