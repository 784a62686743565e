// The words for what can be switched off.
#include <algorithm>
#include <catch2/catch.hpp>

#include "codegen/emit/avx512/ways.hpp"

namespace {

using namespace lockstep::emit_avx512;

/// How many of the options are off.
std::size_t off(const EmitOptions& options) {
  std::size_t count = (options.columns ? 0U : 1U) + (options.from_memory ? 0U : 1U);
  for (std::size_t i = 0; i < form_count; ++i) {
    count += options.forms.allows(static_cast<Form>(i)) ? 0U : 1U;
  }
  return count;
}

}  // namespace

TEST_CASE("avx512: each way to reorder switches one thing off, and all of them together all that can be") {
  EmitOptions all;
  const auto ways = ways_to_reorder();
  for (std::size_t k = 0; k < ways.size(); ++k) {
    INFO(ways[k]);
    CHECK(ways[k].find(' ') == std::string::npos);  // a word of a list
    EmitOptions one;
    CHECK(switch_off(one, ways[k]));
    CHECK(off(one) == 1);
    CHECK(switch_off(all, ways[k]));
    CHECK(off(all) == k + 1);
  }
  EmitOptions none;
  none.forms = Allowed::none();
  CHECK(off(all) == off(none) + 2);
}

TEST_CASE("avx512: what always may be done cannot be switched off") {
  EmitOptions options;
  for (const char* word : {"", "merge", "one-register", "anything", "scalar broadcast", "nothing of the kind"}) {
    INFO(word);
    CHECK_FALSE(switch_off(options, word));
  }
  CHECK(off(options) == 0);
}
