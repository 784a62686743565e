#include "tests/ptx/cases/generate/case_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace lockstep::ptx_cases {

namespace {

constexpr std::size_t most_columns = 140;

/// `//@ HEAD` and words, on as many lines as they take.
std::string directive(const std::string& head, const std::vector<std::string>& words) {
  std::string text;
  std::string line = "//@ " + head;
  for (const std::string& word : words) {
    if (line.size() + 1 + word.size() > most_columns) {
      text += line + "\n";
      line = "//@ ..";
    }
    line += " " + word;
  }
  return text + line + "\n";
}

/// A sentence as comments.
std::string prose(const std::string& text) {
  std::string result;
  std::string line = "//";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (line.size() + 1 + end - begin > most_columns) {
      result += line + "\n";
      line = "//";
    }
    line += " " + text.substr(begin, end - begin);
    begin = end + 1;
  }
  return result + line + "\n";
}

std::string extent(const std::array<unsigned, 3>& numbers) {
  const std::size_t count = numbers[2] != 1 ? 3 : numbers[1] != 1 ? 2 : 1;
  return fmt::format("{}", fmt::join(numbers.begin(), numbers.begin() + count, ","));
}

bool is_zero(const Argument& argument) {
  return std::ranges::all_of(argument.values, [](std::uint64_t bits) { return bits == 0; });
}

std::string directives(const CaseText& text) {
  const Case& launch = text.launch;
  std::string result = fmt::format("//@ form {}\n//@ run", fmt::join(text.forms, " "));
  if (!launch.kernel.empty()) {
    result += " kernel=" + launch.kernel;
  }
  result += fmt::format(" grid={} block={}", extent(launch.grid), extent(launch.block));
  result += launch.shared != 0 ? fmt::format(" shared={}\n", launch.shared) : "\n";
  for (const Argument& argument : launch.arguments) {
    const std::string head = fmt::format("{} {}", argument.name, text_of(argument.type));
    if (argument.is_buffer && is_zero(argument)) {
      result += fmt::format("//@ output {} {}\n", head, argument.values.size());
      continue;
    }
    std::vector<std::string> words;
    for (const std::uint64_t bits : argument.values) {
      words.push_back(text_of(argument.type, bits));
    }
    result += directive((argument.is_buffer ? "buffer " : "scalar ") + head, words);
  }
  for (const Expectation& expectation : launch.expectations) {
    const auto buffer = std::ranges::find(launch.arguments, expectation.name, &Argument::name);
    std::vector<std::string> words;
    for (const Expected& each : expectation.values) {
      words.push_back(text_of(buffer->type, each));
    }
    result += directive(fmt::format("expect {} ==", expectation.name), words);
  }
  if (!launch.refused.empty()) {
    result += fmt::format("//@ refused {}\n", launch.refused);
  }
  if (launch.approximate) {
    result += fmt::format("//@ approximate {}\n", *launch.approximate);
  }
  return result;
}

std::string parameters(const Case& launch) {
  std::vector<std::string> each;
  for (const Argument& argument : launch.arguments) {
    each.push_back(fmt::format("  .param .{} {}", argument.is_buffer ? "u64" : text_of(argument.type), argument.name));
  }
  return fmt::format("{}", fmt::join(each, ",\n"));
}

/// "%a" for the first input.
std::string input_register(std::size_t k) { return fmt::format("%{}", static_cast<char>('a' + k)); }

/// A register that holds an element: there are no 8-bit operations.
std::string register_type(const std::string& type) {
  const ElementType element = type_of(type);
  return fmt::format("{}{}", element.kind == 'f' ? 'f' : 'b', 8 * std::max(element.bytes, 2U));
}

std::string access(const std::string& instruction, const std::string& parameter, const std::string& type, const std::string& value,
                   bool is_load) {
  const unsigned bytes = type_of(type).bytes;
  return fmt::format("    ld.param.u64 %y0, [{}];\n    mad.wide.u32 %y0, %tid_x, {}, %y0;\n    {}.global.{} {};\n", parameter, bytes,
                     instruction, type, is_load ? fmt::format("{}, [%y0]", value) : fmt::format("[%y0], {}", value));
}

}  // namespace

std::string text_of(const CaseText& text) {
  std::string result = prose(text.meaning) + directives(text);
  result += fmt::format(".version {}\n.target {}\n.address_size 64\n\n", text.version, text.target);
  if (!text.before.empty()) {
    result += text.before + "\n";
  }
  result += fmt::format(".visible .entry {}(\n{})\n{{\n{}  ret;\n}}\n", text.launch.kernel.empty() ? "k" : text.launch.kernel,
                        parameters(text.launch), text.body);
  return result;
}

Elementwise::Elementwise(std::string file, std::vector<std::string> forms, std::string meaning) {
  text_.file = std::move(file);
  text_.forms = std::move(forms);
  text_.meaning = std::move(meaning);
}

Elementwise& Elementwise::operation(const std::string& instructions, const std::string& result, const std::vector<Column>& inputs,
                                    const std::function<Expected(const Inputs&)>& expected) {
  Operation made{instructions, result, inputs, {}};
  for (std::size_t t = 0; t < inputs.front().values.size(); ++t) {
    Inputs tuple;
    for (const Column& column : inputs) {
      tuple.push_back(column.values.at(t));
    }
    made.expected.push_back(expected(tuple));
  }
  operations_.push_back(std::move(made));
  return *this;
}

Elementwise& Elementwise::operation(const std::string& instructions, const std::string& result, const std::vector<Column>& inputs,
                                    const std::function<std::uint64_t(const Inputs&)>& expected) {
  const unsigned bits = 8 * type_of(result).bytes;
  return operation(instructions, result, inputs, [&](const Inputs& tuple) -> Expected {
    return ExpectedBits{expected(tuple) & (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1)};
  });
}

Elementwise& Elementwise::approximate(const std::string& why) {
  text_.launch.approximate = why;
  return *this;
}

CaseText Elementwise::text() const {
  CaseText made = text_;
  std::size_t threads = 0;
  for (const Operation& operation : operations_) {
    threads = std::max(threads, operation.expected.size());
  }
  made.launch.block[0] = static_cast<unsigned>(threads);
  made.body = "  .reg .b32 %tid_x;\n  mov.u32 %tid_x, %tid.x;\n";
  for (std::size_t n = 0; n < operations_.size(); ++n) {
    const Operation& operation = operations_[n];
    const std::string suffix = operations_.size() == 1 ? "" : std::to_string(n);
    made.body += "  {\n    .reg .pred %p<4>;\n    .reg .b16 %h<4>;\n    .reg .b32 %x<8>;\n    .reg .b64 %y<8>;\n    .reg .f32 %f<4>;\n";
    std::string loads;
    for (std::size_t k = 0; k < operation.inputs.size(); ++k) {
      const Column& column = operation.inputs[k];
      Argument argument{input_register(k).substr(1) + suffix, type_of(column.type), true, {}};
      for (std::size_t t = 0; t < threads; ++t) {
        argument.values.push_back(column.values[t % column.values.size()]);
      }
      made.body += fmt::format("    .reg .{} {};\n", register_type(column.type), input_register(k));
      loads += access("ld", argument.name, column.type, input_register(k), true);
      made.launch.arguments.push_back(std::move(argument));
    }
    Expectation expectation{"d" + suffix, {}};
    for (std::size_t t = 0; t < threads; ++t) {
      expectation.values.push_back(operation.expected[t % operation.expected.size()]);
    }
    made.launch.arguments.push_back({"d" + suffix, type_of(operation.result), true, std::vector<std::uint64_t>(threads, 0)});
    made.launch.expectations.push_back(std::move(expectation));
    made.body += fmt::format("    .reg .{} %d;\n{}    {}\n{}  }}\n", register_type(operation.result), loads, operation.instructions,
                             access("st", "d" + suffix, operation.result, "%d", false));
  }
  return made;
}

ElementType type_of(const std::string& name) {
  const ElementType type{name.at(0), static_cast<unsigned>(std::stoul(name.substr(1))) / 8};
  if (text_of(type) != name) {
    throw std::invalid_argument("no type: " + name);
  }
  return type;
}

std::vector<Column> crossed(const std::vector<std::string>& types, const std::vector<std::vector<std::uint64_t>>& lists) {
  std::vector<Column> columns;
  std::size_t count = 1;
  for (const auto& list : lists) {
    count *= list.size();
  }
  std::size_t stride = 1;
  for (std::size_t k = 0; k < lists.size(); ++k) {
    Column column{types[k], {}};
    for (std::size_t t = 0; t < count; ++t) {
      column.values.push_back(lists[k][t / stride % lists[k].size()]);
    }
    stride *= lists[k].size();
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<Column> drawn(const std::vector<std::string>& types, const std::vector<std::vector<std::uint64_t>>& lists, std::size_t count) {
  Sequence random(20);
  std::vector<Column> columns;
  for (std::size_t k = 0; k < lists.size(); ++k) {
    columns.push_back({types[k], {}});
  }
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t k = 0; k < lists.size(); ++k) {
      columns[k].values.push_back(lists[k][random() % lists[k].size()]);
    }
  }
  return columns;
}

std::vector<std::uint64_t> integer_edges(unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const std::uint64_t all = sign | (sign - 1);
  return {0, 1, 2, sign - 1, sign, sign + 1, all - 1, all, 0x123456789abcdef0U & all};
}

std::vector<std::uint64_t> few_integer_edges(unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return {1, sign - 1, sign, sign | (sign - 1), 0x0fedcba987654321U & (sign | (sign - 1))};
}

std::uint64_t Sequence::operator()() {  // SplitMix64
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace lockstep::ptx_cases
