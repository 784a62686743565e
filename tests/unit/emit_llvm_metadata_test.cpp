// The metadata of `lower --to llvm`: it says of each instruction what the layout of its value says, and without it the program is the one
// that the target compiles.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/emit/llvm/emit.hpp"
#include "semantics/infreg/layout.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;

namespace {

std::string emitted(const infreg::Kernel& kernel, bool metadata, unsigned most_ssa_chunks) {
  emit_llvm::EmitOptions options;
  options.metadata = metadata;
  options.chunk_lanes = 8;
  options.most_ssa_chunks = most_ssa_chunks;
  const auto module = emit_llvm::emit(kernel, options);
  REQUIRE(module);
  return module->text();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Without what the metadata is made of.
std::string stripped(const std::string& text) {
  std::string result;
  for (std::string line : lines_of(text)) {
    if (line.starts_with("!")) {
      continue;
    }
    result += line.substr(0, line.find(", !infreg ")) + "\n";
  }
  while (result.ends_with("\n")) {
    result.pop_back();
  }
  return result;
}

/// The numbers of `!"word", <n x i32> <i32 0, i32 1>` in a node; splat and zeroinitializer too.
std::vector<std::uint32_t> numbers_of(const std::string& node, const std::string& word) {
  std::smatch found;
  REQUIRE(
      std::regex_search(node, found, std::regex("!\"" + word + "\", <([0-9]+) x i32> (zeroinitializer|splat \\(i32 [0-9]+\\)|<[^>]*>)")));
  const std::size_t count = std::stoul(found[1]);
  const std::string list = found[2];
  std::vector<std::uint32_t> numbers;
  const std::regex number("i32 ([0-9]+)");
  for (auto at = std::sregex_iterator(list.begin(), list.end(), number); at != std::sregex_iterator(); ++at) {
    numbers.push_back(static_cast<std::uint32_t>(std::stoul((*at)[1])));
  }
  if (numbers.size() <= 1) {
    numbers.assign(count, numbers.empty() ? 0 : numbers[0]);
  }
  REQUIRE(numbers.size() == count);
  return numbers;
}

/// Names that do not begin with each other, so that LLVM's names (%alpha.0, %beta12) tell which value is meant.
infreg::Kernel kernel_of(unsigned wg_pack) {
  const std::string wg = wg_pack == 1 ? "" : "wg " + std::to_string(wg_pack) + " x ";
  const std::string items = " : f64[" + wg + "wi 4 x ix 4] = ";
  const std::string rows = " : f64[" + wg + "wi 4 x ix 1] = ";
  const std::string groups = "[" + wg + "ix 1] = ";
  const std::string text =
      "kernel @k(%a: ptr<f64>, %n: i64) wg_size 4 wg_pack " + std::to_string(wg_pack) + " {\n  %alpha" + items +
      "load %a [wg.ix*16 + wi*4 + ix] contiguous\n  %beta" + items + "reorder %alpha { (wi, ix) <- (ix, wi) }\n  %gamma" + items +
      "fadd %alpha, %beta\n  %delta" + rows + "reorder %gamma { (wi, ix) <- (wi, 2) }\n  %eps" + rows +
      "for %i = 0 to %n step 1 (%zeta = %delta) {\n    %eta" + rows + "fmul %zeta, %zeta\n    yield %eta\n  }\n  %theta : i1[" + wg +
      "wi 4 x ix 1] = fgt %eps, %delta\n  %iota : i1[" + wg + "wi 4 x ix 1] = mask { wi > 1 }\n  %kappa : i1" + groups +
      "any.group %theta, %iota\n  %lambda : i1[" + wg + "wi 4 x ix 1] = spread %kappa\n  %mu" + rows +
      "select %lambda, %eps, %delta\n  store %a [wg.ix*16 + wi*4 + ix] contiguous, %gamma\n"
      "  store %a [wg.ix*16 + wi*4] strided, %mu\n}\n";
  return infreg::verified(text);
}

}  // namespace

TEST_CASE("emit_llvm: metadata is the layout's", "[emit_llvm]") {
  const unsigned wg_pack = GENERATE(1U, 2U);
  const unsigned most_ssa_chunks = GENERATE(16U, 1U);
  const infreg::Kernel kernel = kernel_of(wg_pack);
  const std::string text = emitted(kernel, true, most_ssa_chunks);
  std::map<std::string, std::string> nodes;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("!") && line.find(" = ") != std::string::npos) {
      nodes[line.substr(0, line.find(' '))] = line;
    }
  }
  std::size_t instructions = 0;
  std::size_t in_loops = 0;
  std::string function;
  const std::regex annotated("  %([^ ]+) = .*, !infreg (![0-9]+)");
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("define")) {
      function = line;
    }
    std::smatch found;
    if (!std::regex_search(line, found, annotated)) {
      continue;
    }
    ++instructions;
    std::smatch parts;
    const std::string chunk = nodes.at(found[2]);
    REQUIRE(std::regex_search(chunk, parts, std::regex("\\{(![0-9]+), (i64 ([0-9]+)|!\"loop\")\\}")));
    const std::string& node = nodes.at(parts[1]);
    in_loops += parts[3].matched ? 0U : 1U;
    INFO(line);
    const std::string name = found[1];
    const auto value = std::find_if(kernel.values.begin(), kernel.values.end(), [&](const auto& v) { return name.starts_with(v.name); });
    REQUIRE(value != kernel.values.end());
    const bool is_one = function.find("k.one") != std::string::npos;
    const infreg::Shape shape{4, is_one ? 1 : wg_pack};
    const auto ix = numbers_of(node, "ix");
    const auto wg_off = numbers_of(node, "wg.off");
    CHECK(numbers_of(node, "wg.size") == std::vector<std::uint32_t>(ix.size(), 4));
    CHECK(node.find("!\"wg.ix\", !\"%wg.ix + wg.off\"") != std::string::npos);
    const bool has_items = node.find("wi.ix") != std::string::npos;
    const infreg::Layout layout = has_items ? infreg::Layout::item(static_cast<std::uint32_t>(ix.size() / 4 / shape.wg_pack))
                                            : infreg::Layout::group(static_cast<std::uint32_t>(ix.size() / shape.wg_pack));
    CHECK(layout == value->type.layout);
    REQUIRE(infreg::lanes(layout, shape) == ix.size());
    for (std::size_t k = 0; k < ix.size(); ++k) {
      const infreg::Lane lane = infreg::lane_at(layout, shape, k);
      CHECK(ix[k] == lane.ix);
      CHECK(wg_off[k] == lane.wg);
      CHECK((has_items ? numbers_of(node, "wi.ix")[k] : 0) == lane.wi);
    }
    if (parts[3].matched) {
      CHECK(std::stoul(parts[3]) % 8 == 0);
      CHECK(std::stoul(parts[3]) < ix.size());
    }
  }
  CHECK(instructions >= 8);
  CHECK((in_loops > 0) == (most_ssa_chunks == 1));
}

TEST_CASE("emit_llvm: metadata changes nothing else", "[emit_llvm]") {
  const infreg::Kernel kernel = kernel_of(2);
  for (const unsigned most_ssa_chunks : {16U, 1U}) {
    const std::string plain = emitted(kernel, false, most_ssa_chunks);
    CHECK(plain.find("infreg") == std::string::npos);
    CHECK(stripped(emitted(kernel, true, most_ssa_chunks)) == stripped(plain));
  }
}
