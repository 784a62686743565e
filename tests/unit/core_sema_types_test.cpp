// The types of expressions. The tables are those that clang 19 gives for OpenCL C 3.0 (-ast-dump of the same expressions).

#include <array>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/core_tree_text.hpp"

using namespace lockstep;
using namespace lockstep::core_test;

namespace {

constexpr std::array<const char*, 11> type_names = {"bool", "char", "uchar", "short", "ushort", "int",
                                                    "uint", "long", "ulong", "float", "double"};

/// For the left type of each row and the right type of each column the type of +, -, *, / and ?: on them.
constexpr const char* usual_table =
    "int int int int int int uint long ulong float double "
    "int int int int int int uint long ulong float double "
    "int int int int int int uint long ulong float double "
    "int int int int int int uint long ulong float double "
    "int int int int int int uint long ulong float double "
    "int int int int int int uint long ulong float double "
    "uint uint uint uint uint uint uint long ulong float double "
    "long long long long long long long long ulong float double "
    "ulong ulong ulong ulong ulong ulong ulong ulong ulong float double "
    "float float float float float float float float float float double "
    "double double double double double double double double double double double ";

/// For each type that of - and + in front of it; for the integers also of ~ and, whatever the count's type is, of << and >>.
constexpr const char* promoted_table = "int int int int int int uint long ulong float double";

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) {
    result.push_back(word);
  }
  return result;
}

std::string type_text(const core::Program& program, const core::Stmt& statement) {
  return name_of(program.functions.back().at(std::get<core::Evaluate>(statement.node).expression).type);
}

/// The types of the expressions, with v_TYPE and w_TYPE declared for every type.
std::vector<std::string> types_of(const std::vector<std::string>& expressions) {
  std::string source = "__kernel void k() {\n";
  for (const char* type : type_names) {
    source += std::string(type) + " v_" + type + ", w_" + type + ";\n";
  }
  for (const std::string& expression : expressions) {
    source += "  " + expression + ";\n";
  }
  const Reading reading = read(source + "}\n");
  INFO(reading.errors());
  REQUIRE(reading.program);
  const core::Body& body = reading.program->functions.back().body;
  std::vector<std::string> types;
  for (std::size_t i = body.size() - expressions.size(); i < body.size(); ++i) {
    types.push_back(type_text(*reading.program, body[i]));
  }
  return types;
}

bool is_integer_name(const std::string& name) { return name != "float" && name != "double"; }

}  // namespace

TEST_CASE("sema types: usual arithmetic conversions") {
  const std::vector<std::string> expected = words(usual_table);
  REQUIRE(expected.size() == type_names.size() * type_names.size());
  for (const std::string op : {"+", "-", "*", "/", "?"}) {
    std::vector<std::string> expressions;
    for (const std::string left : type_names) {
      for (const std::string right : type_names) {
        expressions.push_back(op == "?" ? "v_int ? v_" + left + " : w_" + right : "v_" + left + " " + op + " w_" + right);
      }
    }
    CHECK(types_of(expressions) == expected);
  }
}

TEST_CASE("sema types: integer operators, shifts and comparisons") {
  const std::vector<std::string> usual = words(usual_table);
  const std::vector<std::string> promoted = words(promoted_table);
  std::vector<std::string> expressions;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < type_names.size(); ++i) {
    for (std::size_t j = 0; j < type_names.size(); ++j) {
      const std::string left = std::string("v_") + type_names[i] + " ";
      const std::string right = std::string(" w_") + type_names[j];
      for (const std::string op : {"<", "<=", ">", ">=", "==", "!=", "&&", "||"}) {
        expressions.push_back(left + op + right);
        expected.emplace_back("int");
      }
      if (is_integer_name(type_names[i]) && is_integer_name(type_names[j])) {
        for (const std::string op : {"%", "&", "|", "^"}) {
          expressions.push_back(left + op + right);
          expected.push_back(usual[i * type_names.size() + j]);
        }
        for (const std::string op : {"<<", ">>"}) {
          expressions.push_back(left + op + right);
          expected.push_back(promoted[i]);
        }
      }
    }
  }
  CHECK(types_of(expressions) == expected);
}

TEST_CASE("sema types: unary operators and assignments") {
  const std::vector<std::string> promoted = words(promoted_table);
  std::vector<std::string> expressions;
  std::vector<std::string> expected;
  const auto expect = [&](const std::string& expression, const std::string& type) {
    expressions.push_back(expression);
    expected.push_back(type);
  };
  for (std::size_t i = 0; i < type_names.size(); ++i) {
    const std::string type = type_names[i];
    const std::string variable = "v_" + type;
    expect("-" + variable, promoted[i]);
    expect("+" + variable, promoted[i]);
    expect("!" + variable, "int");
    expect(variable + "++", type);
    expect("--" + variable, type);
    expect(variable + " = v_int", type);
    expect(variable + " += v_double", type);
    if (is_integer_name(type)) {
      expect("~" + variable, promoted[i]);
    }
  }
  CHECK(types_of(expressions) == expected);
}

TEST_CASE("sema types: constants") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"1", "int"},
      {"2147483647", "int"},
      {"2147483648", "long"},
      {"4294967296", "long"},
      {"0x7fffffff", "int"},
      {"0x80000000", "uint"},
      {"0xffffffff", "uint"},
      {"0x100000000", "long"},
      {"0x8000000000000000", "ulong"},
      {"1u", "uint"},
      {"4294967296u", "ulong"},
      {"1l", "long"},
      {"1ul", "ulong"},
      {"0x8000000000000000l", "ulong"},
      {"017", "int"},
      {"'a'", "int"},
      {"'\\0'", "int"},
      {"'\\177'", "int"},
      {"'\\200'", "int"},
      {"'\\377'", "int"},
      {"'\\xff'", "int"},
      {"1.5", "double"},
      {"1.5f", "float"},
      {"1e3", "double"},
      {"true", "bool"},
      {"sizeof(int)", "ulong"},
  };
  std::vector<std::string> expressions;
  std::vector<std::string> expected;
  for (const auto& [expression, type] : table) {
    expressions.push_back(expression);
    expected.push_back(type);
  }
  CHECK(types_of(expressions) == expected);
}

TEST_CASE("sema types: builtins") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"get_local_id(0)", "ulong"},
      {"get_group_id()", "ulong"},
      {"get_local_size(0)", "ulong"},
      {"get_num_groups(0)", "ulong"},
      {"get_global_id(0)", "ulong"},
      {"get_global_size()", "ulong"},
      {"get_sub_group_size()", "uint"},
      {"get_sub_group_id()", "uint"},
      {"get_sub_group_local_id()", "uint"},
      {"sqrt(v_float)", "float"},
      {"sqrt(v_double)", "double"},
      {"rcp(v_float)", "float"},
      {"fabs(v_double)", "double"},
      {"fma(v_float, v_int, v_float)", "float"},
      {"fma(v_float, v_double, 1)", "double"},
      {"max(v_char, w_char)", "char"},
      {"max(v_char, w_uchar)", "int"},
      {"min(v_int, w_uint)", "uint"},
      {"min(v_float, 1)", "float"},
      {"max(v_bool, w_bool)", "int"},
      {"abs(v_char)", "uchar"},
      {"abs(v_int)", "uint"},
      {"abs(v_long)", "ulong"},
      {"abs(v_uint)", "uint"},
      {"abs(v_float)", "float"},
      {"popcount(v_ushort)", "ushort"},
      {"popcount(v_long)", "long"},
      {"any(v_float)", "int"},
      {"all(v_int)", "int"},
      {"ballot(v_int)", "ulong"},
      {"shuffle(v_short, 1)", "short"},
      {"sub_group_shuffle(v_double, v_int)", "double"},
      {"sub_group_shuffle_xor(v_float, 1)", "float"},
      {"sub_group_broadcast(v_long, 0)", "long"},
      {"sub_group_non_uniform_any(v_int)", "int"},
      {"sub_group_non_uniform_all(v_int)", "int"},
      {"work_group_any(v_int)", "int"},
      {"work_group_all(v_int)", "int"},
      {"INFINITY", "float"},
      {"NAN", "float"},
      {"CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", "uint"},
      {"INT_MIN", "int"},
      {"UINT_MAX", "uint"},
      {"LONG_MAX", "long"},
      {"ULONG_MAX", "ulong"},
      {"FLT_EPSILON", "float"},
      {"DBL_MAX", "double"},
      {"M_PI", "double"},
      {"M_PI_F", "float"},
  };
  std::vector<std::string> expressions;
  std::vector<std::string> expected;
  for (const auto& [expression, type] : table) {
    expressions.push_back(expression);
    expected.push_back(type);
  }
  CHECK(types_of(expressions) == expected);
}
