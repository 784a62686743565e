// Addresses that are the same number for a whole group, whatever computes it, and a part that is affine in the item: machine code must not
// gather. What is loaded and stored is held against loops over groups and items that are written here.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/emit/avx512/pack.hpp"
#include "codegen/emit/llvm/emit.hpp"
#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;

namespace {

/// A group's number, as C text and as a function of the group: of n = 3 and where = {4, 0, 9, 2, 7, 5}.
struct OfGroup {
  std::string text;
  std::function<std::size_t(std::size_t)> number;
};
constexpr std::size_t where[] = {4, 0, 9, 2, 7, 5};

const std::vector<OfGroup>& numbers() {
  static const std::vector<OfGroup> all = {
      {"get_group_id(0) % n", [](std::size_t g) { return g % 3; }},
      {"get_group_id(0) / n", [](std::size_t g) { return g / 3; }},
      {"(get_group_id(0) >> 1)", [](std::size_t g) { return g >> 1; }},
      {"(get_group_id(0) ^ n)", [](std::size_t g) { return g ^ 3; }},
      {"where[get_group_id(0)]", [](std::size_t g) { return where[g]; }},
      {"where[get_group_id(0)] * n % 7", [](std::size_t g) { return where[g] * 3 % 7; }},
      {"(get_group_id(0) / n * get_num_groups(0) + get_group_id(0) % n)", [](std::size_t g) { return g / 3 * 6 + g % 3; }},
      {"min(get_group_id(0), n)", [](std::size_t g) { return std::min<std::size_t>(g, 3); }},
  };
  return all;
}

std::string text_of(const OfGroup& of, const std::string& own) {
  return "kernel void k(global const float *x, global float *y, global const ulong *where, ulong n) {\n  const size_t l = "
         "get_local_id(0);\n"
         "  y[get_global_id(0)] = x[" +
         of.text + " * 8 + " + own + "] + x[" + of.text + " + " + own + " + n];\n}\n";
}

template <class T>
void fill(infreg::Buffer& buffer, const std::vector<T>& numbers) {
  REQUIRE(buffer.bytes.size() == numbers.size() * sizeof(T));
  std::memcpy(buffer.bytes.data(), numbers.data(), buffer.bytes.size());
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

std::string llvm_of(const infreg::Kernel& kernel) {
  const auto module = emit_llvm::emit(kernel, {});
  REQUIRE(module);
  return module->text();
}

std::string avx512_of(const infreg::Kernel& kernel) {
  const auto emitted = emit_avx512::emit(kernel);
  REQUIRE(emitted);
  return emitted->source;
}

}  // namespace

TEST_CASE("passes places: what a group adds to an address is a number of the group", "[passes]") {
  for (const OfGroup& of : numbers()) {
    for (const std::string own : {"l", "2 * l"}) {
      const std::string text = text_of(of, own);
      INFO(text);
      for (const unsigned wg_size : {16U, 32U, 48U}) {
        const infreg::Kernel kernel = test::lowered(text, wg_size);
        CHECK(emit_avx512::choose_pack(kernel) == 1);
        CHECK(count(avx512_of(kernel), "v::gather<F32>") == 0);
        CHECK((own == "l" ? count(llvm_of(kernel), "@llvm.masked.gather") : 0) == 0);
      }
    }
    // Of the item, it is gathered.
    const infreg::Kernel own = test::lowered(text_of(of, "(l * l)"), 16);
    CHECK(count(avx512_of(own), "v::gather<F32>") > 0);
  }
}

TEST_CASE("passes places: what is found there", "[passes]") {
  constexpr std::size_t groups = 6;
  for (const OfGroup& of : numbers()) {
    for (const bool is_double : {false, true}) {
      for (const unsigned wg_size : {1U, 4U, 5U}) {
        for (const unsigned pack : {1U, 2U, 3U}) {
          passes::PipelineOptions pipeline;
          pipeline.wg_pack = pack;
          pipeline.verify_each = true;
          const infreg::Kernel kernel = test::lowered(text_of(of, is_double ? "2 * l" : "l"), wg_size, pipeline);
          std::vector<float> x(128);
          for (std::size_t k = 0; k < x.size(); ++k) {
            x[k] = static_cast<float>(k * k % 97);
          }
          std::vector<float> wanted;
          for (std::size_t g = 0; g < groups; ++g) {
            for (std::size_t l = 0; l < wg_size; ++l) {
              const std::size_t own = is_double ? 2 * l : l;
              wanted.push_back(x[of.number(g) * 8 + own] + x[of.number(g) + own + 3]);
            }
          }
          std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Float, x.size()),
                                                infreg::make_buffer(ScalarType::Float, wanted.size()),
                                                infreg::make_buffer(ScalarType::ULong, groups)};
          fill(memory[0], x);
          fill(memory[2], std::vector<std::uint64_t>(std::begin(where), std::end(where)));
          infreg::EvaluateOptions options;
          options.groups = groups;
          const auto ran = infreg::sketch::run(kernel, {BufferNumber{0}, BufferNumber{1}, BufferNumber{2}, ScalarBits{3}}, memory, options);
          REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
          CHECK(infreg::sketch::numbers_of<float>(memory[1]) == wanted);
        }
      }
    }
  }
}
