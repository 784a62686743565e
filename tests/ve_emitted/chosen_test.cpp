// What is chosen, as lines for people, for kernels small enough to see it; the stack that a call needs, against the arrays that stand in
// the code; and names of the kernel that emitted code has for something else.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "semantics/infreg/with_pack.hpp"
#include "tests/unit/borg_call.hpp"
#include "tests/unit/infreg_parsed.hpp"
#include "tests/ve_emitted/support.hpp"

using namespace lockstep;
using emit_ve::EmitOptions;
using emit_ve::LayoutChoice;

namespace {

const std::string carried = R"(
kernel @k(%a: ptr<i64>, %b: ptr<i8>, %n: i64) wg_size 6 wg_pack 1 {
  private %o : i16[3]
  local %l : f64[5]
  %x : i64[wi 6 x ix 2] = load %a [wg.ix*12 + wi*2 + ix] gather
  %r : i64[wi 6 x ix 2] = reorder %x { (wi, ix) <- (0, ix) }
  %c : i8[wi 6 x ix 2] = load %b [wi] gather
  %d : i64[wi 6 x ix 2] = convert %c
  %y : i64[wi 6 x ix 2] = for %s = 0 to 5 step 1 (%e = %x) {
    %t : i64[wi 6 x ix 2] = add %e, %r
    %q : i64[wi 6 x ix 2] = mul %t, %d
    yield %q
  }
  store %a [wg.ix*12 + wi*2 + ix] gather, %y
}
)";

const std::string voting = R"(
kernel @k(%a: ptr<f32>, %n: i64) wg_size 4 wg_pack 2 {
  %x : f32[wg 2 x wi 4 x ix 1] = load %a [wg.ix*4 + wi] gather
  %zero : f32[wg 2 x wi 4 x ix 1] = constant 0.0
  %m : i1[wg 2 x wi 4 x ix 1] = flt %x, %zero
  %all : i1[wg 2 x wi 4 x ix 1] = mask { }
  %v : i1[wg 2 x ix 1] = any.group %m, %all
  %w : i1[wg 2 x wi 4 x ix 1] = spread %v
  %one : f32[wg 2 x wi 4 x ix 1] = constant 1.0
  %y : f32[wg 2 x wi 4 x ix 1] = select %w, %x, %one
  store %a [wg.ix*4 + wi] gather, %y
}
)";

std::string explained(const std::string& text, const EmitOptions& options, std::uint32_t pack = 0) {
  const infreg::Kernel kernel = infreg::verified(text);
  const auto emitted = emit_ve::emit(pack == 0 ? kernel : infreg::with_pack(kernel, pack), options);
  REQUIRE(emitted.has_value());
  return emitted->explain;
}

std::size_t bytes_of(const std::string& type) {
  static const std::map<std::string, std::size_t> bytes = {{"double", 8},  {"float", 4},    {"uint64_t", 8}, {"int64_t", 8},
                                                           {"int32_t", 4}, {"uint32_t", 4}, {"int16_t", 2},  {"uint16_t", 2},
                                                           {"int8_t", 1},  {"uint8_t", 1}};
  const auto found = bytes.find(type);
  return found == bytes.end() ? 0 : found->second;
}

/// Of a function's text: `  uint64_t x[2][256];`, wherever it stands.
std::uint64_t bytes_of_arrays(const std::string& text) {
  std::uint64_t sum = 0;
  for (std::size_t begin = 0, end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
    const std::string line = text.substr(begin, end - begin);
    const std::size_t word = line.find_first_not_of(' ');
    const std::size_t name = line.find(' ', std::min(word, line.size()));
    const std::size_t bracket = line.find('[');
    if (word == std::string::npos || name == std::string::npos || bracket == std::string::npos || line.find('=') < bracket ||
        line.find('(') < bracket || line.find("const") == 0) {
      continue;
    }
    std::uint64_t bytes = bytes_of(line.substr(word, name - word));
    for (std::size_t at = bracket; at < line.size() && line[at] == '['; at = line.find(']', at) + 1) {
      bytes *= std::strtoull(line.c_str() + at + 1, nullptr, 10);
    }
    sum += bytes;
  }
  return sum;
}

}  // namespace

TEST_CASE("what is chosen is told line by line", "[ve]") {
  CHECK(explained(carried, {LayoutChoice::Groups, {}}) ==
        "k: groups: up to 256 packs of 1 groups side by side; 376 bytes of scratch memory for each\n"
        "  x: in scratch memory, 12 vectors\n"
        "  r: where it is used\n"
        "  c: item by item, the same for all groups\n"
        "  d: in scratch memory, 12 vectors\n"
        "  y: in scratch memory, 12 vectors, those of e\n"
        "  t: item by item\n"
        "  q: in scratch memory, 12 vectors, those of e\n");
  // A broadcast is one number; else 6 distances, or a store and a gather.
  CHECK(explained(carried, {LayoutChoice::Rows, {}}) ==
        "k: rows: 6 items side by side, of 1 groups; 48 bytes of scratch memory for each\n"
        "  x: in scratch memory, 2 vectors\n"
        "  r: where it is used, the same for all groups, by number (cycles: number 1, memory 1, gather 3, moves 27)\n"
        "  c: item by item\n"
        "  d: in scratch memory, 2 vectors\n"
        "  y: in scratch memory, 2 vectors, those of e\n"
        "  t: item by item\n"
        "  q: in scratch memory, 2 vectors, those of e\n");
  CHECK(explained(carried, {LayoutChoice::Rows, {emit_ve::Way::Number, emit_ve::Way::Memory}})
            .find(", by gather (cycles: gather 3, moves 27)\n") != std::string::npos);
  CHECK(explained(carried, {LayoutChoice::Rows, {}}, 3).find(", by gather (cycles: gather 5, segments 11, doubling 14, moves 27)\n") !=
        std::string::npos);
  // A group's answer has a vector for each group of the pack.
  const std::string votes = explained(voting, {LayoutChoice::Groups, {}});
  CHECK(votes.starts_with("k: groups: up to 256 packs of 2 groups side by side; "));
  CHECK(votes.find("  x: in scratch memory, 8 vectors\n") != std::string::npos);
  CHECK(votes.find("  zero: where it is used, the same for all groups\n") != std::string::npos);
  CHECK(votes.find("  v: in scratch memory, 2 vectors\n") != std::string::npos);
  CHECK(votes.find("  y: item by item\n") != std::string::npos);
  CHECK(explained(voting, {LayoutChoice::Rows, {}}).find("  v: in scratch memory, 1 vector\n") != std::string::npos);
  const std::string paired = explained(
      "kernel @k(%a: ptr<f32>) wg_size 4 wg_pack 1 {\n"
      "  %x : f32[wi 4 x ix 1] = load %a [wg.ix*4 + wi] gather\n"
      "  %y : f32[wi 4 x ix 1] = fadd %x, %x\n  %z : f32[wi 4 x ix 1] = fadd %y, %x\n"
      "  %u : f32[wi 4 x ix 1] = fadd %z, %y\n  %v : f32[wi 4 x ix 1] = fmul %u, %z\n"
      "  %w : f32[wi 4 x ix 1] = fadd %v, %u\n  %x1 : f32[wi 4 x ix 1] = fadd %w, %v\n"
      "  %y1 : f32[wi 4 x ix 1] = fmul %x1, %w\n  %z1 : f32[wi 4 x ix 1] = fadd %y1, %x1\n"
      "  store %a [wg.ix*4 + wi] gather, %z1\n}\n",
      {LayoutChoice::Groups, {}});
  // 4 items: two loads and two stores of 256 elements, 8 cycles each, and z1 goes through memory, since loads and stores share no loop. The
  // operations on three pipes take less.
  CHECK(paired.find("k: floats of two packs in each element, 192 cycles for those of 256 elements\n") == 0);
  CHECK(paired.find("k: pairs of groups: up to 512 packs of 1 groups side by side; 32 bytes of scratch memory for each\n") !=
        std::string::npos);
}

TEST_CASE("a call needs as much of the stack as its arrays", "[ve]") {
  for (const LayoutChoice layout : {LayoutChoice::Groups, LayoutChoice::Rows}) {
    for (const std::uint32_t pack : {1U, 2U, 5U}) {
      std::vector<infreg::Kernel> kernels = {infreg::with_pack(infreg::verified(carried), pack)};
      for (const char* name : {"gemm", "trsv", "ldus", "enumerate"}) {
        kernels.push_back(test::borg_call(name, "double", 12, pack).kernel);
      }
      for (const infreg::Kernel& kernel : kernels) {
        const auto emitted = emit_ve::emit(kernel, {layout, {}, false});
        REQUIRE(emitted.has_value());
        INFO(emitted->source);
        std::uint64_t small = 0;  // accesses of elements of 1 or 2 bytes, each by a helper with two arrays of 256 words
        for (const infreg::Region& region : kernel.regions) {
          for (const infreg::Operation& operation : region.operations) {
            const auto* load = std::get_if<infreg::Load>(&operation.node);
            const auto* store = std::get_if<infreg::Store>(&operation.node);
            if (load != nullptr || store != nullptr) {
              const infreg::Element element = load != nullptr ? load->type.element : kernel.type_of(store->value).element;
              small += !element.is_pointer && size_of(element.scalar) < 4 ? 1U : 0U;
            }
          }
        }
        // Groups side by side have a function for packs of one as well; all of them are called by the entry point.
        const std::uint64_t functions = layout == LayoutChoice::Groups && pack > 1 ? 2 : 1;
        CHECK(emitted->stack_bytes == bytes_of_arrays(emitted->source) + functions * small * 2 * 8 * 256);
      }
    }
  }
}

TEST_CASE("names of the kernel are no words of the code", "[ve]") {
  const auto clang = ve_emitted::clang_with("-Wshadow");
  if (!clang) {
    return;
  }
  for (const std::string kernel_name : {"k", "v_add", "s_k", "_vel_vld_vssl", "int"}) {
    std::string text =
        "kernel @" + kernel_name +
        "(%a: ptr<i64>, %num_groups: i64, %first_group: i64) wg_size 4 wg_pack 1 {\n"
        "  constant %items : i64[4] = [5, 6, 7, 8]\n  local %answers : i64[4]\n"
        "  %x : i64[wi 4 x ix 1] = load %a [wg.ix*4 + wi] gather\n"
        "  %table : i64[wi 4 x ix 1] = load %items [wi] gather\n"
        "  %m : i1[wi 4 x ix 1] = lt %x, %table\n  %all : i1[wi 4 x ix 1] = mask { }\n"
        "  %count : u64[ix 1] = ballot.group %m, %all\n  %c : i64[ix 1] = bitcast %count\n  %of_all : i64[wi 4 x ix 1] = spread %c\n"
        "  %v0 : i64[wi 4 x ix 1] = add %table, %of_all\n";
    std::string last = "%v0";
    for (const std::string& word : {std::string("p"),
                                    std::string("wi"),
                                    std::string("ix"),
                                    std::string("vl"),
                                    std::string("group"),
                                    std::string("in_packs"),
                                    std::string("in_pairs"),
                                    std::string("so_far"),
                                    std::string("lane"),
                                    std::string("of_group"),
                                    std::string("x_here"),
                                    std::string("v_as_i64"),
                                    std::string("s_length"),
                                    std::string("_vel_vst_vssl"),
                                    kernel_name + "_pack",
                                    kernel_name + "_rows",
                                    kernel_name + "_constant_items",
                                    kernel_name + "_lane_items",
                                    kernel_name + "_pack_one",
                                    std::string("int64_t"),
                                    std::string("while")}) {
      // Some wait in scratch memory for another item.
      text += fmt::format(
          "  %{0} : i64[wi 4 x ix 1] = add {1}, %x\n  %r_{0} : i64[wi 4 x ix 1] = reorder %{0} {{ (wi, ix) <- (3 - wi, ix) }}\n"
          "  %s_{0}_1 : i64[wi 4 x ix 1] = xor %r_{0}, %x\n",
          word, last);
      last = "%s_" + word + "_1";
    }
    text += "  store %a [wg.ix*4 + wi] gather, " + last + "\n}\n";
    const infreg::Kernel kernel = infreg::verified(text);
    infreg::Buffer numbers = infreg::make_buffer(ScalarType::Long, 11 * 4);
    for (std::uint64_t k = 0; k < numbers.count; ++k) {
      test::put_number(numbers, k, static_cast<std::int64_t>(k % 13));
    }
    for (const LayoutChoice layout : {LayoutChoice::Groups, LayoutChoice::Rows}) {
      for (const std::uint32_t pack : {1U, 2U}) {
        INFO(text);
        const auto answer = ve_emitted::compared(infreg::with_pack(kernel, pack), {BufferNumber{0}, ScalarBits{1}, ScalarBits{2}},
                                                 {numbers}, 11, *clang, {layout, {}});
        CHECK((answer == ve_emitted::Answer::Agrees));
      }
    }
    const auto emitted = emit_ve::emit(kernel, {});
    CHECK(emitted->symbol == kernel_name);
    CHECK(emitted->header.find(emitted->function + "(int64_t *") != std::string::npos);
    CHECK(emitted->header.find("size_t ") != std::string::npos);
  }
}
