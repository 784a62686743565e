// Charts are well-formed XML and show what they are given.
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "bench/suite/plot.hpp"

namespace {

using namespace lockstep::bench;

/// What is wrong with a text as XML of elements, attributes in double quotes and the five entities; empty: nothing.
std::string xml_fault(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '&') {
      const std::size_t end = text.find(';', at);
      const std::string name = end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
      if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "apos") {
        return "a bare &";
      }
      at = end + 1;
    } else if (text[at] == '<') {
      std::size_t end = at;
      for (bool is_quoted = false; ++end < text.size() && (is_quoted || text[end] != '>');) {
        is_quoted = is_quoted != (text[end] == '"');
        if (text[end] == '<') {
          return "a < in a tag";
        }
      }
      if (end >= text.size()) {
        return "a tag without end";
      }
      const std::string tag = text.substr(at + 1, end - at - 1);
      const std::string name = tag.substr(0, tag.find_first_of(" /"));
      if (tag.starts_with("/")) {
        if (open.empty() || open.back() != tag.substr(1)) {
          return "</" + tag.substr(1) + "> closes nothing";
        }
        open.pop_back();
      } else if (!tag.ends_with("/")) {
        open.push_back(name);
      }
      at = end + 1;
    } else if (text[at] == '>') {
      return "a bare >";
    } else {
      ++at;
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("bench: the XML check itself") {
  CHECK(xml_fault("<a b=\"1 > 0\"><c/>x &lt; y</a>\n").empty());
  CHECK_FALSE(xml_fault("<a><b></a></b>").empty());
  CHECK_FALSE(xml_fault("<a>").empty());
  CHECK_FALSE(xml_fault("<a>x & y</a>").empty());
  CHECK_FALSE(xml_fault("<a").empty());
}

TEST_CASE("bench: a chart is well-formed, whatever its names are") {
  const Plot plot{"a < b & \"c\"",
                  "x > y",
                  "ns",
                  true,
                  {{"<one>", {{4, 1}, {8, 10}, {12, 100}}, 0, true, false}, {"two", {{4, 3}, {8, 30}}, 1, false, true}}};
  const std::string text = svg("1 & 2", {plot, plot, plot}, 2);
  CHECK(xml_fault(text).empty());
  CHECK(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(count(text, "<polyline") == 6);
  CHECK(count(text, "<circle") == 3 * 5);
  CHECK(count(text, ">&lt;one&gt;<") == 1);  // in the legend, once for all plots
}

TEST_CASE("bench: what cannot be drawn is left out") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Plot plot{"", "", "", true, {{"s", {{1, 0}, {2, -1}, {3, infinity}, {4, std::nan("")}, {5, 2}}, 0, false, false}}};
  const std::string text = svg("", {plot}, 1);
  CHECK(xml_fault(text).empty());
  CHECK(count(text, "<circle") == 1);
  CHECK(text.find("inf") == std::string::npos);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(xml_fault(svg("", {}, 3)).empty());
  CHECK(xml_fault(svg("", {Plot{}}, 3)).empty());
}

TEST_CASE("bench: a linear axis begins at 0 and higher values stand higher") {
  const std::string text = svg("", {{"", "", "", false, {{"s", {{0, 1}, {1, 3}}, 0, false, false}}}}, 1);
  const auto height_of = [&](std::size_t which) {
    std::size_t at = 0;
    for (std::size_t k = 0; k <= which; ++k) {
      at = text.find("<circle", at + 1);
    }
    return std::stod(text.substr(text.find("cy=\"", at) + 4));
  };
  CHECK(height_of(1) < height_of(0));
  CHECK(text.find(">0</text>") != std::string::npos);
}
