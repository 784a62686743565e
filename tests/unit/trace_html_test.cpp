// The HTML trace as a document; tests/scripts/html_trace.sh looks at what a browser shows of it.
#include "interpreter/observe/trace_html.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/unit/run_text.hpp"

using namespace lockstep;
using namespace lockstep::testing;
using nlohmann::json;

namespace {

struct Page {
  std::string text;
  std::string notes;
};

Page page(const std::string& program, TraceHtml::Limits limits, const std::string& name = "test.mus", std::uint64_t steps = 100'000) {
  const SourceFile source(name, program);
  std::ostringstream out;
  std::ostringstream notes;
  TraceHtml observer(out, source, notes, limits);
  const auto machine = make_machine(program);
  machine->attach(observer);
  const Ending ending = machine->run(steps);
  if (!machine->ending()) {
    observer.ended(*machine, ending);
  }
  machine->detach(observer);
  return {out.str(), notes.str()};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

/// The content of the script element with this id.
std::string data(const Page& p, const std::string& id) {
  const std::string opening = "id=\"" + id + "\">";
  const std::size_t begin = p.text.find(opening);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = p.text.find("</script>", begin);
  REQUIRE(end != std::string::npos);
  return p.text.substr(begin + opening.size(), end - begin - opening.size());
}

std::vector<json> lines(const Page& p) {
  std::vector<json> out;
  std::istringstream in(data(p, "trace"));
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) {
      out.push_back(json::parse(line));
    }
  }
  return out;
}

std::size_t steps(const Page& p) {
  const std::vector<json> all = lines(p);
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const json& line) { return line.contains("step"); }));
}

const std::string endless = "i = 0\nL: i = i + 1\njmp L";

}  // namespace

TEST_CASE("trace html: one whole document", "[trace_html]") {
  const Page p = page("a = tid\nstop", {});
  CHECK(p.text.starts_with("<!DOCTYPE html>"));
  CHECK(p.text.ends_with("</html>\n"));
  CHECK(p.text.find("default-src 'none'") != std::string::npos);
  CHECK(steps(p) == 2);
  CHECK(p.notes.empty());
}

TEST_CASE("trace html: the rules and premises as the paper's figures have them", "[trace_html]") {
  const json rules = json::parse(data(page("stop", {}), "rules"));
  CHECK(rules.at("rules").size() == 23);
  CHECK(rules.at("rules").at("SI.sync").at("figure") == "Fig. 4");
  CHECK(rules.at("rules").at("LD").at("figure") == "Fig. 5");
  CHECK(rules.at("premises").at("SP.2") == "Π = []");
}

TEST_CASE("trace html: nothing in a program ends the page's elements", "[trace_html]") {
  const Page p = page("stop // </script><script>alert(1)</script><!-- ]]> & \"", {}, "</title><b>\"&.mus");
  CHECK(count(p.text, "</script") == 3);
  CHECK(count(p.text, "<script") == 3);
  CHECK(count(p.text, "<!--") == 0);
  CHECK(count(p.text, "<b>") == 0);
  CHECK(count(p.text, "</title") == 1);
  CHECK(lines(p).front().at("program")[0].at("source") == "stop // </script><script>alert(1)</script><!-- ]]> & \"");
}

TEST_CASE("trace html: recording stops at its limits and says so", "[trace_html]") {
  const Page few = page(endless, {.steps = 7}, "test.mus", 100);
  CHECK(steps(few) == 7);
  CHECK(lines(few).back().at("steps") == 100);
  CHECK(few.notes == "lockstep: note: the HTML trace stops after 7 steps (its limit of steps)\n");
  const Page small = page(endless, {.steps = 1'000'000, .bytes = 20'000}, "test.mus", 10'000);
  CHECK(data(small, "trace").size() < 25'000);
  CHECK(steps(small) > 10);
  CHECK(lines(small).back().at("steps") == 10'000);
  CHECK(small.notes.find("its limit of size") != std::string::npos);
  // As many steps as the limit is no reason for a note.
  CHECK(page("a = 1\nstop", {.steps = 2}).notes.empty());
  CHECK(page(endless, {.steps = 7}, "test.mus", 7).notes.empty());
}
