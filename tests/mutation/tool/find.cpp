#include "tests/mutation/tool/find.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "tests/mutation/tool/kinds.hpp"

namespace lockstep::mutate {

namespace {

using namespace clang;

/// A part of one of the sources.
struct Part {
  std::string file;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What has been found so far, by all programs that were read.
struct Collected {
  const Sources& sources;
  std::string root;
  Found& found;
  std::set<std::tuple<std::string, std::size_t, std::size_t, std::string>> seen;
};

/// The text in one line, as it is shown.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t';
    if (!is_blank || (!line.empty() && line.back() != ' ')) {
      line += is_blank ? ' ' : c;
    }
  }
  return line;
}

bool is_known(const Expr* e) { return !e->isTypeDependent(); }

bool is_record_named(QualType type, std::string_view name) {
  const auto* record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  return record != nullptr && record->getName() == llvm::StringRef(name.data(), name.size());
}

/// The name of a function or member that is called without arguments of templates; "" if it has none.
std::pair<llvm::StringRef, SourceLocation> called_name(const Expr* callee) {
  callee = callee->IgnoreImpCasts();
  if (const auto* member = dyn_cast<MemberExpr>(callee)) {
    const auto* named = member->getMemberDecl();
    return {named->getDeclName().isIdentifier() ? named->getName() : llvm::StringRef(), member->getMemberLoc()};
  }
  if (const auto* member = dyn_cast<CXXDependentScopeMemberExpr>(callee)) {
    const auto* identifier = member->getMember().getAsIdentifierInfo();
    return {identifier == nullptr ? llvm::StringRef() : identifier->getName(), member->getMemberLoc()};
  }
  if (const auto* reference = dyn_cast<DeclRefExpr>(callee)) {
    const auto name = reference->getNameInfo();
    return {name.getName().isIdentifier() ? reference->getDecl()->getName() : llvm::StringRef(), name.getLoc()};
  }
  if (const auto* overloaded = dyn_cast<OverloadExpr>(callee)) {
    const auto* identifier = overloaded->getName().getAsIdentifierInfo();
    return {identifier == nullptr ? llvm::StringRef() : identifier->getName(), overloaded->getNameLoc()};
  }
  return {};
}

class Finder : public RecursiveASTVisitor<Finder> {
 public:
  using Base = RecursiveASTVisitor<Finder>;

  Finder(ASTContext& context, Collected& collected) : context_(context), manager_(context.getSourceManager()), collected_(collected) {}

  // Where no fault can be switched on at run time: what is found there is only counted.

  bool TraverseDecl(Decl* d) {
    if (d == nullptr || (!isa<TranslationUnitDecl, NamespaceDecl, LinkageSpecDecl>(d) && file_of(d->getLocation()).empty())) {
      return true;
    }
    return within(reason(d), [&] { return Base::TraverseDecl(d); });
  }
  bool TraverseTypeLoc(TypeLoc t) {
    return within(LeftOut::CompileTime, [&] { return Base::TraverseTypeLoc(t); });
  }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc& a) {
    return within(LeftOut::CompileTime, [&] { return Base::TraverseTemplateArgumentLoc(a); });
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr* e) {
    return within(LeftOut::CompileTime, [&] { return Base::TraverseUnaryExprOrTypeTraitExpr(e); });
  }
  bool TraverseRequiresExpr(RequiresExpr* e) {
    return within(LeftOut::CompileTime, [&] { return Base::TraverseRequiresExpr(e); });
  }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr* e) {
    return within(LeftOut::CompileTime, [&] { return Base::TraverseCXXNoexceptExpr(e); });
  }
  bool TraverseCaseStmt(CaseStmt* s) {
    return within(LeftOut::CompileTime, [&] { return TraverseStmt(s->getLHS()); }) && TraverseStmt(s->getSubStmt());
  }
  bool TraverseLambdaExpr(LambdaExpr* e) {
    const LeftOut outside = std::exchange(where_, where_ == LeftOut::BeforeMain ? LeftOut::No : where_);
    const bool result = Base::TraverseLambdaExpr(e);
    where_ = outside;
    return result;
  }
  bool TraverseIfStmt(IfStmt* s) {
    if (!s->isConstexpr()) {
      return Base::TraverseIfStmt(s);
    }
    return within(LeftOut::CompileTime, [&] { return TraverseStmt(s->getCond()); }) && TraverseStmt(s->getThen()) &&
           (s->getElse() == nullptr || TraverseStmt(s->getElse()));
  }

  // Operators exchanged.

  bool VisitBinaryOperator(BinaryOperator* e) {
    exchange_operator(e, e->getOpcodeStr(), e->getOperatorLoc());
    if (e->isLogicalOp()) {
      constant_operand(e->getLHS(), e->getOpcode());
      constant_operand(e->getRHS(), e->getOpcode());
    }
    return true;
  }
  bool VisitCXXRewrittenBinaryOperator(CXXRewrittenBinaryOperator* e) {
    exchange_operator(e, e->getOpcodeStr(), e->getOperatorLoc());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* e) {
    const bool is_stream = e->getOperator() == OO_LessLess || e->getOperator() == OO_GreaterGreater;
    if (e->isInfixBinaryOp() && !is_stream && !is_record_named(e->getType(), "basic_string")) {
      exchange_operator(e, getOperatorSpelling(e->getOperator()), e->getOperatorLoc());
    } else if (e->getOperator() == OO_Exclaim) {
      become(e, kind_condition, std::string(text_of(e->getArg(0))));
    }
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* e) {
    const std::string operand(text_of(e->getSubExpr()));
    switch (e->getOpcode()) {
      case UO_LNot:
        become(e, kind_condition, is_known(e) ? fmt::format("static_cast<bool>({})", operand) : operand);
        break;
      case UO_Minus:
      case UO_Not:
        become(e, kind_arithmetic, operand);
        break;
      case UO_PreInc:
        become(e, kind_arithmetic, "--" + operand);
        break;
      case UO_PreDec:
        become(e, kind_arithmetic, "++" + operand);
        break;
      case UO_PostInc:
        become(e, kind_arithmetic, operand + "--");
        break;
      case UO_PostDec:
        become(e, kind_arithmetic, operand + "++");
        break;
      default:
        break;
    }
    return true;
  }

  // Conditions negated and constant.

  bool VisitIfStmt(IfStmt* s) {
    if (!s->isConstexpr() && !s->isConsteval() && s->getConditionVariable() == nullptr) {
      condition(s->getCond(), {"not", "true", "false"});
    }
    return true;
  }
  bool VisitConditionalOperator(ConditionalOperator* e) {
    condition(e->getCond(), {"not"});
    return true;
  }
  bool VisitWhileStmt(WhileStmt* s) {
    if (s->getConditionVariable() == nullptr) {
      condition(s->getCond(), {"false"});
    }
    return left_out_statement(s->getBody());
  }
  bool VisitDoStmt(DoStmt* s) {
    condition(s->getCond(), {"false"});
    return left_out_statement(s->getBody());
  }
  bool VisitForStmt(ForStmt* s) {
    if (s->getCond() != nullptr && s->getConditionVariable() == nullptr) {
      condition(s->getCond(), {"false"});
    }
    return left_out_statement(s->getBody());
  }

  // Constants off by one.

  bool VisitImplicitCastExpr(ImplicitCastExpr* e) {
    if (isa<IntegerLiteral>(e->getSubExpr())) {
      if (e->getCastKind() == CK_IntegralCast) {
        literal_types_[e->getSubExpr()] = e->getType();
      } else if (e->getCastKind() == CK_NullToPointer) {
        literal_types_[e->getSubExpr()] = QualType();
      }
    }
    return true;
  }
  bool VisitIntegerLiteral(IntegerLiteral* e) {
    const auto cast = literal_types_.find(e);
    const QualType type = cast == literal_types_.end() ? e->getType() : cast->second;
    if (type.isNull() || !type->isBuiltinType()) {
      return true;
    }
    const std::string name = type.getCanonicalType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
    const std::uint64_t value = e->getValue().getLimitedValue();
    const auto off_by_one = [&](std::uint64_t other) {
      around(e, kind_constant, fmt::format("{}", other), fmt::format("(\1 ? static_cast<{}>({}U) : static_cast<{}>(", name, other, name),
             "))");
    };
    off_by_one(value + 1);
    if (value > 0) {
      off_by_one(value - 1);
    }
    return true;
  }
  bool VisitCXXBoolLiteralExpr(CXXBoolLiteralExpr* e) {
    become(e, kind_constant, e->getValue() ? "false" : "true");
    return true;
  }

  // Statements left out.

  bool VisitCompoundStmt(CompoundStmt* s) {
    for (Stmt* child : s->body()) {
      left_out_statement(child);
    }
    return true;
  }
  bool VisitSwitchCase(SwitchCase* s) { return left_out_statement(s->getSubStmt()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* s) { return left_out_statement(s->getBody()); }

  // Arguments exchanged.

  bool VisitCallExpr(CallExpr* e) {
    if (!isa<CXXOperatorCallExpr, UserDefinedLiteral>(e)) {
      exchange_arguments(e, e->arguments());
      exchange_name(e);
      premise(e);
    }
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* e) {
    exchange_arguments(e, e->arguments());
    return true;
  }
  bool VisitCXXUnresolvedConstructExpr(CXXUnresolvedConstructExpr* e) {
    exchange_arguments(e, e->arguments());
    return true;
  }
  bool VisitInitListExpr(InitListExpr* e) {
    exchange_arguments(e, e->inits());
    return true;
  }

 private:
  template <class Do>
  bool within(LeftOut reason, Do&& traverse) {
    const LeftOut outside = std::exchange(where_, where_ == LeftOut::No ? reason : where_);
    const bool result = traverse();
    where_ = outside;
    return result;
  }

  static LeftOut reason(const Decl* d) {
    if (isa<EnumConstantDecl, StaticAssertDecl, NonTypeTemplateParmDecl, TemplateTypeParmDecl, ConceptDecl, ParmVarDecl>(d)) {
      return LeftOut::CompileTime;  // or, for what a parameter has where none is given, where somebody else calls
    }
    if (const auto* function = dyn_cast<FunctionDecl>(d)) {
      return function->isConsteval() ? LeftOut::CompileTime : LeftOut::No;
    }
    if (const auto* variable = dyn_cast<VarDecl>(d)) {
      return variable->isConstexpr()                                      ? LeftOut::CompileTime
             : variable->hasGlobalStorage() && !variable->isStaticLocal() ? LeftOut::BeforeMain
                                                                          : LeftOut::No;
    }
    return LeftOut::No;
  }

  /// The source that the place is in; "" if in none.
  std::string file_of(SourceLocation place) const {
    const auto name = manager_.getFilename(manager_.getExpansionLoc(place));
    const std::string path = std::filesystem::path(name.str()).lexically_normal().string();
    if (!path.starts_with(collected_.root + "/")) {
      return "";
    }
    const std::string below = path.substr(collected_.root.size() + 1);
    return collected_.sources.contains(below) ? below : "";
  }

  std::string_view text(const Part& part) const {
    return std::string_view(collected_.sources.at(part.file)).substr(part.begin, part.end - part.begin);
  }

  /// Nothing where a macro has a hand in it, which is counted.
  std::optional<Part> part_of(SourceRange range) {
    if (range.isInvalid()) {
      return std::nullopt;
    }
    const std::string file = file_of(range.getBegin());
    if (file.empty()) {
      return std::nullopt;
    }
    const auto [file_of_begin, begin] = manager_.getDecomposedLoc(manager_.getExpansionLoc(range.getBegin()));
    if (range.getBegin().isMacroID() || range.getEnd().isMacroID()) {
      count(LeftOut::InMacro, file, begin, begin, "");
      return std::nullopt;
    }
    const SourceLocation behind = Lexer::getLocForEndOfToken(range.getEnd(), 0, manager_, context_.getLangOpts());
    if (behind.isInvalid()) {
      return std::nullopt;
    }
    const auto [file_of_end, end] = manager_.getDecomposedLoc(behind);
    const Part part{file, begin, end};
    const bool is_whole = file_of_begin == file_of_end && begin < end && text(part).find("\n#") == std::string_view::npos;
    return is_whole ? std::optional(part) : std::nullopt;
  }
  std::string_view text_of(const Expr* e) {
    const auto part = part_of(e->getSourceRange());
    return part ? text(*part) : std::string_view();
  }

  bool is_new(const std::string& file, std::size_t begin, std::size_t end, const std::string& what) {
    return collected_.seen.emplace(file, begin, end, what).second;
  }
  void count(LeftOut reason, const std::string& file, std::size_t begin, std::size_t end, const std::string& what) {
    if (is_new(file, begin, end, what)) {
      ++collected_.found.left_out[reason];
    }
  }

  /// Adds a fault, or counts it, unless it is known.
  void add(const char* kind, const Part& shown, const std::string& becomes, std::vector<Edit> edits) {
    if (where_ != LeftOut::No) {
      count(where_, shown.file, shown.begin, shown.end, kind + becomes);
      return;
    }
    if (!is_new(shown.file, shown.begin, shown.end, kind + becomes)) {
      return;
    }
    const std::string& source = collected_.sources.at(shown.file);
    const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(shown.begin), '\n');
    collected_.found.faults.push_back(
        {kind, "", shown.file, static_cast<unsigned>(line), in_one_line(text(shown)), in_one_line(becomes), std::move(edits)});
  }
  void around(const Expr* e, const char* kind, const std::string& becomes, const std::string& before, const std::string& after) {
    if (const auto part = part_of(e->getSourceRange())) {
      add(kind, *part, becomes, {{part->begin, part->end, before, after}});
    }
  }
  /// The expression, or another one of its type. Only one of them is evaluated.
  void become(const Expr* e, const char* kind, const std::string& other) {
    if (!other.empty()) {
      around(e, kind, other, fmt::format("(\1 ? ({}) : (", other), "))");
    }
  }

  /// `e` with one of its tokens replaced.
  void become_with(const Expr* e, const char* kind, SourceLocation token, std::size_t length, std::string_view other) {
    const auto part = part_of(e->getSourceRange());
    if (!part || token.isMacroID() || token.isInvalid()) {
      return;
    }
    const std::size_t at = manager_.getFileOffset(token) - part->begin;
    become(e, kind, std::string(text(*part)).replace(at, length, other));
  }
  void exchange_operator(const Expr* e, llvm::StringRef sign, SourceLocation place) {
    const bool are_numbers = is_known(e) && e->getType()->isArithmeticType();
    for (const OperatorExchange& exchange : operator_exchanges) {
      if (exchange.sign == std::string_view(sign.data(), sign.size()) && !(exchange.only_sets && are_numbers)) {
        become_with(e, exchange.kind, place, sign.size(), exchange.other);
      }
    }
  }
  void exchange_name(const CallExpr* e) {
    const auto [name, place] = called_name(e->getCallee());
    for (const auto& [one, other] : name_exchanges) {
      if (name == llvm::StringRef(one.data(), one.size())) {
        become_with(e, kind_ends, place, one.size(), other);
      }
    }
  }

  /// A premise of a rule, which is `ask(...)` or `ask.threads(...)`.
  void premise(const CallExpr* e) {
    const std::string_view called = text_of(e->getCallee());
    if ((called == "ask" || called == "ask.threads") && (!is_known(e) || e->getType()->isBooleanType())) {
      become(e, kind_premise, "true");
      around(e, kind_premise, fmt::format("!{}", text_of(e)), "(\1 != static_cast<bool>(", "))");
    }
  }

  /// The operand of && or || that decides nothing: true or false instead.
  void constant_operand(const Expr* e, BinaryOperatorKind sign) {
    const auto* inner = dyn_cast<BinaryOperator>(e->IgnoreImpCasts());
    const bool is_of_same = inner != nullptr && inner->getOpcode() == sign;
    if (!is_of_same && (!is_known(e) || e->getType()->isBooleanType())) {
      const char* constant = sign == BO_LAnd ? "true" : "false";
      around(e, kind_condition, constant, fmt::format("(\1 ? {} : static_cast<bool>(", constant), "))");
    }
  }
  void condition(const Expr* e, std::initializer_list<std::string_view> ways) {
    for (const std::string_view way : ways) {
      if (way != "not") {
        around(e, kind_condition, std::string(way), fmt::format("(\1 ? {} : static_cast<bool>(", way), "))");
      } else if (!is_negated_otherwise(e)) {
        around(e, kind_condition, fmt::format("!({})", text_of(e)), "(\1 != static_cast<bool>(", "))");
      }
    }
  }
  /// Whether dropping a ! or exchanging == and != negates it already.
  static bool is_negated_otherwise(const Expr* e) {
    const Expr* inner = e->IgnoreImplicit();
    if (const auto* unary = dyn_cast<UnaryOperator>(inner)) {
      return unary->getOpcode() == UO_LNot;
    }
    const auto* binary = dyn_cast<BinaryOperator>(inner);
    return binary != nullptr && binary->isEqualityOp();
  }

  bool left_out_statement(const Stmt* s) {
    const auto* e = dyn_cast_or_null<Expr>(s);
    if (e != nullptr ? isa<CXXThrowExpr, CXXStaticCastExpr, CStyleCastExpr>(e->IgnoreImplicit())
                     : s == nullptr || !isa<BreakStmt, ContinueStmt>(s)) {
      return true;
    }
    auto part = part_of(s->getSourceRange());
    if (!part) {
      return true;
    }
    const SourceLocation behind = Lexer::findLocationAfterToken(s->getEndLoc(), tok::semi, manager_, context_.getLangOpts(), false);
    if (behind.isValid()) {
      part->end = manager_.getFileOffset(behind);
      add(kind_statement, *part, "", {{part->begin, part->end, "{ if (!\1) { ", " } }"}});
    }
    return true;
  }

  /// Of one type, and both places or both values: then neither is copied where it was not.
  bool can_be_exchanged(const Expr* a, const Expr* b) const {
    a = a->IgnoreUnlessSpelledInSource();
    b = b->IgnoreUnlessSpelledInSource();
    if (isa<InitListExpr, DesignatedInitExpr, PackExpansionExpr, LambdaExpr>(a) ||
        isa<InitListExpr, DesignatedInitExpr, PackExpansionExpr, LambdaExpr>(b)) {
      return false;
    }
    return is_known(a) == is_known(b) && a->getValueKind() == b->getValueKind() && context_.hasSameType(a->getType(), b->getType());
  }
  template <class Arguments>
  void exchange_arguments(const Expr* call, const Arguments& arguments) {
    const Expr* last = nullptr;
    for (const Expr* e : arguments) {
      if (isa<CXXDefaultArgExpr>(e)) {
        return;
      }
      if (last != nullptr && can_be_exchanged(last, e)) {
        exchange(call, last, e);
      }
      last = e;
    }
  }
  void exchange(const Expr* call, const Expr* a, const Expr* b) {
    const auto whole = part_of(call->getSourceRange());
    const auto first = part_of(a->getSourceRange());
    const auto second = part_of(b->getSourceRange());
    if (!whole || !first || !second || first->file != second->file || first->end > second->begin || text(*first) == text(*second)) {
      return;
    }
    // What is not known before instances are made may differ in type: then each keeps its own, also while the fault is off.
    const bool may_differ = !is_known(a);
    const auto instead = [&](const Part& part, std::string_view other) {
      const std::string cast = may_differ ? fmt::format("static_cast<decltype(({}))>", text(part)) : "";
      return Edit{part.begin, part.end, fmt::format("(\1 ? {}({}) : (", cast, other), "))"};
    };
    add(kind_arguments, {first->file, first->begin, second->end}, fmt::format("{}, {}", text(*second), text(*first)),
        {instead(*first, text(*second)), instead(*second, text(*first)), {whole->begin, whole->end, "", ""}});
  }

  ASTContext& context_;
  SourceManager& manager_;
  Collected& collected_;
  LeftOut where_ = LeftOut::No;
  std::map<const Expr*, QualType> literal_types_;  ///< what a literal is converted to; null: a pointer
};

class Consumer : public ASTConsumer {
 public:
  explicit Consumer(Collected& collected) : collected_(collected) {}
  void HandleTranslationUnit(ASTContext& context) override { Finder(context, collected_).TraverseDecl(context.getTranslationUnitDecl()); }

 private:
  Collected& collected_;
};

class Action : public ASTFrontendAction {
 public:
  explicit Action(Collected& collected) : collected_(collected) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& /*compiler*/, llvm::StringRef /*file*/) override {
    return std::make_unique<Consumer>(collected_);
  }

 private:
  Collected& collected_;
};

class Factory : public tooling::FrontendActionFactory {
 public:
  explicit Factory(Collected collected) : collected_(std::move(collected)) {}
  std::unique_ptr<FrontendAction> create() override { return std::make_unique<Action>(collected_); }

 private:
  Collected collected_;
};

}  // namespace

std::unique_ptr<clang::tooling::FrontendActionFactory> finder(const std::string& root, const Sources& sources, Found& found) {
  return std::make_unique<Factory>(Collected{sources, root, found, {}});
}

}  // namespace lockstep::mutate
