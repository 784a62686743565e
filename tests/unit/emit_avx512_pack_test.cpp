// How many groups a pack has for the AVX512 target, and whether they lie side by side: by the rules of pack.hpp.

#include <catch2/catch.hpp>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/emit/avx512/pack.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;
using namespace lockstep::emit_avx512;
using lockstep::test::lowered;

namespace {

/// Each item loads a row, does something with it, and stores it.
std::string of_rows(const std::string& type, const std::string& what) {
  return "__kernel void k(__global " + type + " *x, int n) { const size_t first = get_global_id() * get_local_size();" + " " + type +
         " row[get_local_size()];" + " for (int j = 0; j < get_local_size(); j += 1) row[j] = x[first + j]; " + what +
         " for (int j = 0; j < get_local_size(); j += 1) x[first + j] = row[j]; }";
}
/// Rows that look at each other again and again.
const std::string eliminate =
    "for (int s = 0; s < get_local_size(); s += 1) for (int j = 0; j < get_local_size(); j += 1)"
    " row[j] = row[j] - shuffle(row[j], s) * row[s];";

}  // namespace

TEST_CASE("emit_avx512: groups lie side by side if what they compute moves", "[emit_avx512]") {
  // As many as a chunk has lanes: 8 of double, 16 of float.
  for (const unsigned size : {4U, 8U, 12U, 20U, 28U}) {
    CHECK(choose_pack(lowered(of_rows("double", eliminate), size)) == 8);
    CHECK(choose_pack(lowered(of_rows("float", eliminate), size)) == 16);
    CHECK(are_groups_better(lowered(of_rows("double", eliminate), size), 8));
  }
  // 32 * 32 vectors of 64 bytes are 64 KiB: more than 52.
  CHECK(!are_groups_better(lowered(of_rows("double", eliminate), 32), 8));
  // What was loaded may move: that takes a load.
  const std::string of_loaded = of_rows("double", "for (int j = 0; j < get_local_size(); j += 1) row[j] = row[j] + shuffle(row[j], 1);");
  CHECK(!are_groups_better(lowered(of_loaded, 12), 8));
  CHECK(choose_pack(lowered(of_loaded, 12)) == 1);
  // A vote, an item's own lane, and a mask.
  for (const char* const other : {"if (any(row[0] > 1)) row[1] = shuffle(row[0] * 2, 1);", "row[0] = shuffle(row[0] * 2, (int)row[1]);"}) {
    CHECK(!are_groups_better(lowered(of_rows("double", other), 12), 8));
  }
  CHECK(!are_groups_better(
      lowered("__kernel void k(__global double *x, int n) { if (get_global_id() < n) x[get_global_id()] = 1 + x[get_global_id()]; }", 12),
      8));
}

TEST_CASE("emit_avx512: items that are alone fill chunks, and no more", "[emit_avx512]") {
  const std::string alone =
      "__kernel void k(__global REAL *x, int n) { if (get_global_id() < n) x[get_global_id()] = 1 + x[get_global_id()]; }";
  const auto of = [&](const char* type) {
    std::string text = alone;
    text.replace(text.find("REAL"), 4, type);
    return text;
  };
  // wg_size, and the least number of groups with which items are a multiple of 8 or 16.
  for (const auto& [size, of_double, of_float] :
       {std::tuple(4U, 2U, 4U), {8U, 1U, 2U}, {12U, 2U, 4U}, {16U, 1U, 1U}, {20U, 2U, 4U}, {2U, 4U, 8U}}) {
    CHECK(choose_pack(lowered(of("double"), size)) == of_double);
    CHECK(choose_pack(lowered(of("float"), size)) == of_float);
  }
}

TEST_CASE("emit_avx512: a group whose rows are only loaded, and do not stay in registers, is a pack of its own", "[emit_avx512]") {
  const std::string rows = R"(__kernel void k(__global const double *b, __global double *o, uint n) {
    const size_t i = get_global_id();
    double r[8];
    for (int k = 0; k < 8; ++k) r[k] = b[k * n + i];
    double s = 0;
    for (int c = 0; c < 100; ++c) for (int k = 0; k < 8; ++k) s = s * 0.5 + r[k];
    o[i] = s + r[n % 8];  // so that the row is one value
  })";
  CHECK(choose_pack(lowered(rows, 20)) == 1);
  CHECK(choose_pack(lowered(rows, 4)) == 4);  // four groups' rows are 16 vectors
}

TEST_CASE("emit_avx512: what the user says of the layout", "[emit_avx512]") {
  const infreg::Kernel kernel = lowered(of_rows("double", eliminate), 8, {.wg_pack = 8});
  const auto explained = [&](const infreg::Kernel& of, LayoutChoice layout) {
    EmitOptions options;
    options.layout = layout;
    const auto emitted = emit(of, options);
    return emitted ? emitted->explain : emitted.error();
  };
  const auto says = [](const std::string& text) { return Catch::Contains(text); };
  CHECK_THAT(explained(kernel, LayoutChoice::Auto), says("packs: 8 lanes a chunk, groups side by side"));
  CHECK_THAT(explained(kernel, LayoutChoice::Groups), says("groups side by side"));
  CHECK_THAT(explained(kernel, LayoutChoice::Rows), !says("groups side by side"));
  // What does not fill a pack runs by rows.
  CHECK_THAT(explained(kernel, LayoutChoice::Groups), says("single_groups: 8 lanes a chunk, "));
  CHECK_THAT(explained(lowered(of_rows("double", eliminate), 8, {.wg_pack = 4}), LayoutChoice::Auto), !says("groups side by side"));
  CHECK_THAT(explained(lowered(of_rows("double", eliminate), 8, {.wg_pack = 4}), LayoutChoice::Groups), says("WG_PACK must be 8, it is 4"));
  EmitOptions rows;
  rows.layout = LayoutChoice::Rows;
  CHECK(choose_pack(lowered(of_rows("double", eliminate), 12), rows) <= 8);
  EmitOptions groups;
  groups.layout = LayoutChoice::Groups;
  CHECK(choose_pack(lowered("__kernel void k(__global double *x) { x[get_global_id()] = 1; }", 4), groups) == 8);
}
