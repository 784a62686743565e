#include "semantics/generate/kernel.hpp"

#include <cstring>

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

constexpr unsigned max_tasks = 3;

std::uint64_t bits_of(ScalarType type, double value) {
  std::uint64_t bits = 0;
  if (type == ScalarType::Float) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, sizeof narrow);
  } else {
    std::memcpy(&bits, &value, sizeof value);
  }
  return bits;
}

std::uint64_t bits_of(ScalarType type, std::uint64_t value) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      return value;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<T>(value)));
    } else {
      return static_cast<std::uint64_t>(type == ScalarType::Bool ? value % 2 : static_cast<T>(value));
    }
  });
}

}  // namespace

std::uint64_t KernelMaker::input_number(ScalarType type) {
  if (is_float(type)) {
    static constexpr std::array edges = {0.0, -0.0, 1e30, -1e-30, 1e-310, 16777217.0};
    return one_in(8) ? bits_of(type, edges[below(edges.size())]) : bits_of(type, (static_cast<double>(below(64)) - 16) / 4);
  }
  static constexpr std::array<std::uint64_t, 7> edges = {~std::uint64_t{0},  0x80000000, 0x7FFFFFFF, 0x8000000000000000,
                                                         0x7FFFFFFFFFFFFFFF, 128,        32768};
  return bits_of(type, one_in(6) ? edges[below(edges.size())] : std::uint64_t{below(20)});
}

void KernelMaker::choose_size() {
  static constexpr std::array usual = {4U, 2U, 3U, 5U, 8U, 1U, 7U};
  static constexpr std::array large = {32U, 33U, 16U, 31U, 17U};
  const bool crev = options_.profile == Profile::Crev || options_.profile == Profile::Parity;
  kernel_.wg_size = one_in(8) && !crev ? large[below(large.size())] : usual[below(usual.size())];
  kernel_.wg_size = options_.wg_size != 0 ? options_.wg_size : std::min(kernel_.wg_size, options_.max_wg_size);
  kernel_.groups = options_.groups != 0 ? options_.groups : options_.profile == Profile::Parity ? 1 : 1 + below(3);
  kernel_.contract = below(3) != 0 && !options_.portable;
  reckless_ = options_.undefined && one_in(3);
  rounds_limit_ = kernel_.wg_size <= 8 ? 24 : 8;
}

// ---- file scope and functions ------------------------------------------------------------------------------------------

void KernelMaker::file_scope() {
  if (options_.portable) {
    kernel_.unit.items.push_back(item(syntax::ContractPragma{false}));
  }
  if (!is_plain() && one_in(10)) {
    kernel_.unit.items.push_back(item(syntax::ContractPragma{one_in(3) ? std::nullopt : std::optional(below(2) == 0)}));
  }
  for (unsigned count = below(3); count > 0; --count) {
    KnownArray table{fresh("t"), below(2) == 0 ? integer_type() : below(2) == 0 ? ScalarType::Float : ScalarType::Double,
                     {},         KnownArray::Kind::Whole,
                     false,      false,
                     ""};
    syntax::Declaration declared;
    declared.specifiers = specifiers(table.type);
    declared.specifiers.space = AddressSpace::Constant;
    declared.declarators.push_back(declarator(table.name));
    if (below(3) == 0) {
      declared.declarators.back().initialiser = initialiser(constant(table.type));
      scope_.scalars.push_back({table.name, table.type, true});
    } else {
      static constexpr std::array extents = {4U, 2U, 3U, 8U};
      table.extents.push_back(extents[below(extents.size())]);
      std::vector<syntax::Initialiser> values;
      for (unsigned k = 0; k < table.extents.front(); ++k) {
        values.push_back(initialiser(constant(table.type)));
      }
      declared.declarators.back().extents.push_back(integer(table.extents.front()));
      syntax::Initialiser list;
      list.value = std::move(values);
      declared.declarators.back().initialiser = std::move(list);
      scope_.arrays.push_back(table);
    }
    kernel_.unit.items.push_back(item(std::move(declared)));
  }
  file_scope_ = scope_;
}

syntax::Function KernelMaker::function_head(std::optional<ScalarType> result, const std::string& name) {
  syntax::Function f;
  f.specifiers = specifiers(result);
  f.name.text = name;
  return f;
}

void KernelMaker::add_scalar_parameter(syntax::Function& f, ScalarType type, const std::string& name, bool uniform) {
  syntax::Parameter p;
  p.specifiers = specifiers(type);
  p.specifiers.uniformity = uniform ? syntax::Uniformity::Uniform : syntax::Uniformity::Unspecified;
  p.declarator = declarator(name);
  f.parameters.push_back(std::move(p));
}

void KernelMaker::add_pointer_parameter(syntax::Function& f, const KnownArray& array, std::optional<AddressSpace> space) {
  syntax::Parameter p;
  p.specifiers = specifiers(array.type);
  p.specifiers.space = space;
  p.specifiers.is_const = !array.is_writable;
  p.declarator = declarator(array.name);
  if (array.extents.size() > 1) {
    p.declarator.extents.push_back(nullptr);
    for (std::size_t k = 1; k < array.extents.size(); ++k) {
      p.declarator.extents.push_back(integer(array.extents[k]));
    }
  } else {
    p.declarator.pointers = 1;
  }
  f.parameters.push_back(std::move(p));
}

/// In front of everything else: nothing more at depth 0, and one call less deep somewhere below.
void KernelMaker::recursion(Statements& body, const KnownFunction& self) {
  Statements base;
  return_here(base);
  body.push_back(
      build::statement(syntax::If{binary(BinaryOp::LessEqual, name("depth"), integer(0)), boxed(std::move(base.front())), nullptr}));
  start_expression();
  effects_ = false;
  std::vector<ExprPtr> arguments;
  arguments.push_back(binary(BinaryOp::Sub, name("depth"), integer(1)));
  for (std::size_t k = 1; k < self.parameters.size(); ++k) {
    arguments.push_back(value_for(self.parameters[k], 1));
  }
  const std::string deeper = fresh("v");
  body.push_back(declare(*self.result, deeper, call(self.name, std::move(arguments))));
  scope_.scalars.push_back({deeper, *self.result, false});
}

void KernelMaker::make_function() {
  within_ = Within::Function;
  scope_ = file_scope_;
  cost_ = 0;
  KnownFunction made;
  made.name = fresh("f");
  const unsigned kind = below(3);
  made.result = kind == 2 ? std::nullopt : std::optional(any_type());
  made.is_recursive = kind == 0 && !is_plain() && below(2) == 0 && options_.recursion;
  if (kind != 0) {
    const bool flat = below(3) != 0;
    made.array =
        KnownArray{"p", below(2) == 0 ? ScalarType::Int : any_type(), {1 + below(4)}, KnownArray::Kind::Whole, below(3) != 0, true, ""};
    if (!flat) {
      made.array->extents.push_back(2 + below(3));
    }
  }
  syntax::Function f = function_head(made.result, made.name);
  if (made.array) {
    add_pointer_parameter(f, *made.array, std::nullopt);
    scope_.arrays.push_back(*made.array);
  }
  if (made.is_recursive) {
    made.parameters.push_back(ScalarType::Int);
    add_scalar_parameter(f, ScalarType::Int, "depth", false);
    scope_.scalars.push_back({"depth", ScalarType::Int, true});
  }
  for (unsigned count = 1 + below(3); count > 0; --count) {
    made.parameters.push_back(any_type());
    const std::string parameter = fresh("x");
    add_scalar_parameter(f, made.parameters.back(), parameter, false);
    scope_.scalars.push_back({parameter, made.parameters.back(), false});
  }
  result_ = made.result;
  Statements body;
  if (made.is_recursive) {
    recursion(body, made);
  }
  const Site site{.depth = 1, .rounds = 3};
  for (unsigned count = 1 + below(3); count > 0; --count) {
    statement(body, site);
  }
  if (result_) {
    return_here(body);
  }
  f.body = syntax::Block{std::move(body)};
  made.cost = (1 + cost_ / 3) * (made.is_recursive ? 4 : 1);
  if (one_in(4)) {
    syntax::Function prototype = function_head(f.specifiers.type, f.name.text);
    for (const syntax::Parameter& p : f.parameters) {
      syntax::Parameter again;
      again.specifiers = p.specifiers;
      again.declarator.pointers = p.declarator.pointers;
      again.declarator.name = p.declarator.name;
      for (const ExprPtr& extent : p.declarator.extents) {
        again.declarator.extents.push_back(build::copy(extent));
      }
      prototype.parameters.push_back(std::move(again));
    }
    kernel_.unit.items.push_back(item(std::move(prototype)));
  }
  kernel_.unit.items.push_back(item(std::move(f)));
  functions_.push_back(std::move(made));
}

// ---- r-functions -------------------------------------------------------------------------------------------------------

/// Rows of `rows` that belong to calls at lower levels; a level has one row for each activation that there can be.
unsigned KernelMaker::rows_before(unsigned level) const {
  unsigned rows = 0;
  auto activations = static_cast<unsigned>(kernel_.groups);
  for (unsigned k = 0; k < level; ++k) {
    activations *= kernel_.wg_size;
    rows += activations;
  }
  return rows;
}

void KernelMaker::task_body(Statements& out, const KnownTask& task) {
  initial_variables(out, 2);
  for (unsigned count = 1 + below(4); count > 0; --count) {
    statement(out, Site{.depth = 1, .rounds = 1, .is_uniform = !has_left_});
  }
  if (task.is_recursive) {
    start_expression();
    effects_ = false;
    std::vector<ExprPtr> arguments;
    ExprPtr child = binary(BinaryOp::Mul, name(who_), cast(ScalarType::Int, query("get_local_size")));
    arguments.push_back(binary(BinaryOp::Add, std::move(child), cast(ScalarType::Int, query("get_local_id"))));
    arguments.push_back(binary(BinaryOp::Sub, name("depth"), integer(1)));
    for (const ScalarType type : task.parameters) {
      arguments.push_back(value_for(type, 2));
    }
    arguments.push_back(name("rows"));
    ExprPtr when = binary(BinaryOp::And, binary(BinaryOp::Greater, name("depth"), integer(0)), condition(1));
    out.push_back(build::statement(syntax::If{std::move(when), boxed(evaluate(call(task.name, std::move(arguments), true))), nullptr}));
  }
}

void KernelMaker::make_task() {
  within_ = Within::Task;
  scope_ = file_scope_;
  cost_ = 0;
  has_left_ = false;
  result_ = std::nullopt;
  who_ = "who";
  KnownTask made;
  made.name = fresh("r");
  made.level = level_;
  made.is_recursive = level_ == 0 && tasks_.empty() && kernel_.wg_size <= 5 && below(2) == 0 && options_.recursion;
  is_recursive_ = made.is_recursive;
  syntax::Function f = function_head(std::nullopt, made.name);
  add_scalar_parameter(f, ScalarType::Int, who_, true);
  scope_.scalars.push_back({who_, ScalarType::Int, true});
  if (made.is_recursive) {
    add_scalar_parameter(f, ScalarType::Int, "depth", true);
    scope_.scalars.push_back({"depth", ScalarType::Int, true});
  }
  for (unsigned count = below(3); count > 0; --count) {
    made.parameters.push_back(any_type());
    const std::string parameter = fresh("x");
    add_scalar_parameter(f, made.parameters.back(), parameter, true);
    scope_.scalars.push_back({parameter, made.parameters.back(), true});
  }
  KnownArray rows{"rows", ScalarType::Double, {1}, KnownArray::Kind::Own, true, false, who_};
  add_pointer_parameter(f, rows, AddressSpace::Global);
  scope_.arrays.push_back(rows);
  Statements body;
  task_body(body, made);
  // What it has computed is seen in its row.
  start_expression();
  effects_ = false;
  syntax::Stmt shown = evaluate(assignment(BinaryOp::Add, element_of(rows, 0), value_for(ScalarType::Double, 2)));
  body.insert(body.end() - (made.is_recursive && !body.empty() ? 1 : 0), std::move(shown));
  f.body = syntax::Block{std::move(body)};
  made.cost = (1 + cost_) * (made.is_recursive ? 1 + kernel_.wg_size : 1);
  kernel_.unit.items.push_back(item(std::move(f)));
  tasks_.push_back(std::move(made));
}

// ---- the kernel --------------------------------------------------------------------------------------------------------

void KernelMaker::initial_variables(Statements& out, unsigned count) {
  for (unsigned k = 0; k < count; ++k) {
    start_expression();
    effects_ = false;
    const ScalarType type = k == 0 ? ScalarType::Int : k == 1 ? ScalarType::Float : any_type();
    const std::string variable = fresh("v");
    ExprPtr value = value_for(type, 2);
    out.push_back(declare(type, variable, std::move(value)));
    scope_.scalars.push_back({variable, type, false});
  }
}

void KernelMaker::add_buffer(syntax::Function& f, const KnownArray& array, std::size_t count, bool is_const) {
  syntax::Parameter p;
  p.specifiers = specifiers(array.type);
  p.specifiers.space = AddressSpace::Global;
  p.specifiers.is_const = is_const;
  p.declarator = declarator(array.name);
  p.declarator.pointers = 1;
  f.parameters.push_back(std::move(p));
  KernelInput input{array.name, array.type, true, {}};
  for (std::size_t k = 0; k < count; ++k) {
    input.values.push_back(input_number(array.type));
  }
  kernel_.inputs.push_back(std::move(input));
}

void KernelMaker::kernel_parameters(syntax::Function& f) {
  const auto items = static_cast<std::size_t>(kernel_.wg_size * kernel_.groups);
  for (unsigned count = 1 + below(2); count > 0; --count) {
    const ScalarType type = count == 1 ? ScalarType::Float : integer_type();
    const KnownArray array{fresh("in"), type, {8}, KnownArray::Kind::Whole, false, false, ""};
    add_buffer(f, array, 8, true);
    scope_.arrays.push_back(array);
  }
  for (unsigned count = 1 + below(2); count > 0; --count) {
    ScalarType type = any_type();
    if (type == ScalarType::Bool && is_plain()) {
      type = ScalarType::UInt;
    }
    static constexpr std::array cells = {1U, 2U, 4U};
    const KnownArray array{fresh("io"), type, {cells[below(cells.size())]}, KnownArray::Kind::Own, true, false, ""};
    add_buffer(f, array, items * array.extents.front(), false);
    scope_.arrays.push_back(array);
  }
  for (unsigned count = below(3); count > 0; --count) {
    const ScalarType type = below(2) == 0 ? ScalarType::Int : below(2) == 0 ? ScalarType::Float : integer_type();
    const std::string scalar = fresh("n");
    add_scalar_parameter(f, type, scalar, false);
    kernel_.inputs.push_back({scalar, type, false, {input_number(type)}});
    scope_.scalars.push_back({scalar, type, true});
  }
  if (!tasks_.empty()) {
    unsigned levels = 1;
    for (const KnownTask& t : tasks_) {
      levels = std::max(levels, t.level + (t.is_recursive ? 2 : 1));
    }
    KnownArray rows{"rows", ScalarType::Double, {1}, KnownArray::Kind::Own, true, false, ""};
    add_buffer(f, rows, std::size_t{rows_before(levels)} * kernel_.wg_size, false);
  }
}

/// So that whatever a variable holds in the end can be seen.
void KernelMaker::final_stores(Statements& out) {
  unsigned integers = 0;
  unsigned reals = 0;
  std::vector<KnownScalar> shown = scope_.scalars;
  shown.insert(shown.end(), scope_.poison.begin(), scope_.poison.end());
  const auto width = [&](bool real) {
    return static_cast<unsigned>(std::count_if(shown.begin(), shown.end(), [&](const KnownScalar& s) { return is_float(s.type) == real; }));
  };
  const unsigned integer_width = width(false);
  const unsigned real_width = width(true);
  for (const KnownScalar& s : shown) {
    const bool real = is_float(s.type);
    ExprPtr at = binary(BinaryOp::Add, binary(BinaryOp::Mul, global_id(), integer(real ? real_width : integer_width)),
                        integer(real ? reals++ : integers++));
    out.push_back(evaluate(assignment(std::nullopt, element(name(real ? "outd" : "outi"), std::move(at)), name(s.name))));
  }
}

void KernelMaker::kernel_body(syntax::Function& f) {
  within_ = Within::Kernel;
  has_left_ = false;
  result_ = std::nullopt;
  level_ = 0;
  Statements body;
  if (reckless_) {
    body.push_back(declare(ScalarType::Int, "u0", nullptr));
  }
  initial_variables(body, 2 + below(4));
  if (!is_plain()) {
    for (const auto& [text, type] : {std::pair("p0", ScalarType::Int), std::pair("p1", ScalarType::Float)}) {
      body.push_back(declare(type, text, integer(below(5))));
      scope_.poison.push_back({text, type, false});
    }
  }
  if (!is_plain() && one_in(3)) {
    static constexpr std::array types = {ScalarType::Int, ScalarType::UInt, ScalarType::Long, ScalarType::ULong};
    counters_ = KnownArray{fresh("n"), types[below(types.size())], {1 + below(3)}, KnownArray::Kind::Whole, true, false, ""};
    syntax::Declaration declared;
    declared.specifiers = specifiers(counters_->type);
    declared.specifiers.space = AddressSpace::Local;
    declared.declarators.push_back(declarator(counters_->name));
    declared.declarators.back().extents.push_back(integer(counters_->extents.front()));
    body.push_back(build::statement(std::move(declared)));
  }
  if (below(2) == 0) {
    local_ =
        KnownArray{"l0", below(2) == 0 ? integer_type() : ScalarType::Float, {kernel_.wg_size}, KnownArray::Kind::Own, true, false, ""};
    syntax::Declaration declared;
    declared.specifiers = specifiers(local_->type);
    declared.specifiers.space = AddressSpace::Local;
    declared.declarators.push_back(declarator(local_->name));
    declared.declarators.back().extents.push_back(is_plain() ? integer(kernel_.wg_size) : query("get_local_size"));
    body.push_back(build::statement(std::move(declared)));
    start_expression();
    effects_ = false;
    body.push_back(evaluate(assignment(std::nullopt, element(name(local_->name), query("get_local_id")), value_for(local_->type, 1))));
    barrier(body);
  }
  for (unsigned count = 3 + below(std::max(options_.statements, 1U)); count > 0; --count) {
    statement(body, Site{.depth = 0, .rounds = 1, .is_uniform = !has_left_});
  }
  if (options_.profile == Profile::Crev) {
    crev_call(body, Site{.depth = 0, .rounds = 1, .is_uniform = !has_left_});
  }
  final_stores(body);
  f.body = syntax::Block{std::move(body)};
  const auto items = static_cast<std::size_t>(kernel_.wg_size * kernel_.groups);
  const std::size_t most = (scope_.scalars.size() + scope_.poison.size()) * items;
  add_buffer(f, {"outi", ScalarType::Long, {1}, KnownArray::Kind::Own, true, false, ""}, most, false);
  add_buffer(f, {"outd", ScalarType::Double, {1}, KnownArray::Kind::Own, true, false, ""}, most, false);
}

Kernel KernelMaker::make() {
  choose_size();
  file_scope();
  for (unsigned count = below(std::max(options_.functions, 1U)); count > 0; --count) {
    make_function();
  }
  const bool parity = options_.profile == Profile::Parity;
  if (options_.profile == Profile::Crev || parity) {
    const unsigned tasks = parity ? 1 : 1 + below(kernel_.wg_size <= 4 ? max_tasks : 2);
    for (unsigned k = 0; k < tasks; ++k) {
      level_ = tasks - 1 - k;
      make_task();
    }
  }
  within_ = Within::Kernel;
  scope_ = file_scope_;
  syntax::Function f = function_head(std::nullopt, "k");
  f.specifiers.is_kernel = true;
  kernel_parameters(f);
  if (parity) {
    std::vector<ExprPtr> arguments;
    arguments.push_back(integer(0));
    if (tasks_.front().is_recursive) {
      arguments.push_back(integer(below(2)));
    }
    for (const ScalarType type : tasks_.front().parameters) {
      arguments.push_back(constant(type));
    }
    arguments.push_back(name("rows"));
    Statements inside;
    inside.push_back(evaluate(call(tasks_.front().name, std::move(arguments), true)));
    ExprPtr one = binary(BinaryOp::Equal, query("get_local_id"), integer(below(kernel_.wg_size)));
    Statements body;
    body.push_back(build::statement(syntax::If{std::move(one), boxed(block(std::move(inside))), nullptr}));
    f.body = syntax::Block{std::move(body)};
  } else {
    kernel_body(f);
  }
  kernel_.unit.items.push_back(item(std::move(f)));
  return std::move(kernel_);
}

Kernel random_kernel(Choices& choices, const KernelOptions& options) { return KernelMaker(choices, options).make(); }

Kernel copy(const Kernel& kernel) { return {build::copy(kernel.unit), kernel.wg_size, kernel.groups, kernel.contract, kernel.inputs}; }

}  // namespace lockstep::generate
