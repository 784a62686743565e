// Reorderings of reorderings. Each is another name for the vector that it reads, so that the places of a chain are put into one another as
// text, and so are the numbers of an index or a mask at its end: a parenthesis that is missing reads another vector, or makes another
// number.

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/infreg/with_pack.hpp"
#include "tests/ve_emitted/support.hpp"

using namespace lockstep;

namespace {

constexpr std::uint64_t groups = 5;
constexpr std::uint64_t chains = 12;
constexpr unsigned most_links = 6;
constexpr const char* of_items = "[wi 3 x ix 4]";
constexpr const char* of_group = "[ix 12]";
constexpr const char* short_of_group = "[ix 4]";

class Chains {
 public:
  explicit Chains(unsigned seed) : random_(seed) {}

  /// Stores the ends of some chains, each in each round of a loop.
  std::string kernel() {
    std::string text =
        "kernel @k(%a: ptr<i64>, %b: ptr<i64>, %n: i64) wg_size 3 wg_pack 1 {\n"
        "  %x : i64[wi 3 x ix 4] = load %a [wg.ix*24 + wi*4 + ix] gather\n"
        "  %y : i64[ix 12] = load %a [wg.ix*24 + ix + 12] gather\n"
        "  for %s = 0 to 3 step 1 {\n";
    for (std::uint64_t chain = 0; chain < chains; ++chain) {
      text += this->chain(chain);
    }
    return text + "  }\n}\n";
  }

 private:
  std::string one_of(const std::vector<std::string>& all) {
    return all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random_)];
  }

  /// What lies behind a value of that layout, and the layout it has.
  struct Link {
    std::string layout;
    std::string pattern;
  };

  Link link_behind(const std::string& layout) {
    const std::string item = one_of({"wi", "2 - wi", "%s", "2 - %s", "1"});
    const std::string element = one_of({"ix", "3 - ix", "wi + 1", "3 - wi", "%s", "3 - %s", "2"});
    if (layout == of_items) {
      return one_of({"items", "items", "short"}) == "items"
                 ? Link{of_items, fmt::format("(wi, ix) <- ({}, {})", item, element)}
                 : Link{short_of_group,
                        fmt::format("(ix) <- ({}, {})", one_of({"%s", "2 - %s", "1"}), one_of({"ix", "3 - ix", "%s + 1", "3 - %s"}))};
    }
    if (layout == short_of_group) {
      return {of_items, fmt::format("(wi, ix) <- ({})", element)};
    }
    return one_of({"items", "group"}) == "items"
               ? Link{of_items,
                      fmt::format("(wi, ix) <- ({})", one_of({"wi*4 + ix", "11 - wi*4 - ix", "wi + ix*3", "11 - ix*3", "%s*3 + ix"}))}
               : Link{of_group, fmt::format("(ix) <- ({})", one_of({"11 - ix", "ix", "%s*4"}))};
  }

  std::string chain(std::uint64_t number) {
    const std::string layout = one_of({of_items, of_group});
    std::string last = fmt::format("%v{}", number);
    const std::string begin = one_of({"value", "index", "mask"});
    std::string text;
    if (begin == "value") {
      last = layout == of_items ? "%x" : "%y";
    } else if (begin == "index") {
      text = fmt::format("    {} : i64{} = index {{ {} }}\n", last, layout,
                         layout == of_items ? one_of({"%n*wi - %n*ix*%s + 7", "5 - wi*3 - ix*2", "wg.ix*wi*3 - ix", "%n*%n - wi*ix*%n"})
                                            : one_of({"%n*ix - %n*%s", "5 - ix*3", "wg.ix*ix - 7"}));
    } else {
      text = fmt::format("    %m{0} : i1{1} = mask {{ {2} }}\n    {3} : i64{1} = convert %m{0}\n", number, layout,
                         layout == of_items ? one_of({"%n*wi < ix*5", "2 - wi < ix", "wg.ix - wi > ix - 2", "1 - ix <= wi*%n - 1"})
                                            : one_of({"%n*ix < 40", "7 - ix > %s*2", "wg.ix*3 > ix - 2"}),
                         last);
    }
    Link link{layout, ""};
    const unsigned links = std::uniform_int_distribution<unsigned>(1, most_links)(random_);
    for (unsigned k = 0; k < links || link.layout != of_items; ++k) {
      link = link_behind(link.layout);
      const std::string next = fmt::format("%v{}_{}", number, k);
      text += fmt::format("    {} : i64{} = reorder {} {{ {} }}\n", next, link.layout, last, link.pattern);
      last = next;
    }
    return text + fmt::format("    store %b [wg.ix*{} + %s*12 + wi*4 + ix + {}] gather, {}\n", chains * 36, number * 36, last);
  }

  std::mt19937 random_;
};

infreg::Buffer numbers() {
  infreg::Buffer buffer = infreg::make_buffer(ScalarType::Long, groups * 24);
  for (std::uint64_t k = 0; k < buffer.count; ++k) {
    const std::uint64_t number = k * k + 1000;
    std::memcpy(buffer.bytes.data() + 8 * k, &number, 8);
  }
  return buffer;
}

}  // namespace

TEST_CASE("chains of reorderings read the right vectors", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  if (!clang) {
    return;
  }
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const std::string text = Chains(seed).kernel();
    INFO("seed " << seed << '\n' << text);
    const auto kernel = infreg::parse(std::make_shared<SourceFile>("case.ir", text));
    REQUIRE(kernel.has_value());
    REQUIRE(infreg::verify(*kernel).empty());
    for (const emit_ve::LayoutChoice layout : ve_emitted::arrangements_of(*kernel)) {
      const auto answer =
          ve_emitted::compared(infreg::with_pack(*kernel, 1 + seed % 2), {BufferNumber{0}, BufferNumber{1}, ScalarBits{11}},
                               {numbers(), infreg::make_buffer(ScalarType::Long, groups * chains * 36)}, groups, *clang, {layout, {}});
      REQUIRE((answer == ve_emitted::Answer::Agrees));
    }
  }
}
