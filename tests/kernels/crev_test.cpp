// examples/crev against plain C++, in all versions: call re-vectorization, one item alone, and warp-synchronous where there is one.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string_view>

#include "tests/kernels/call.hpp"
#include "tests/kernels/compare.hpp"
#include "tests/kernels/sample.hpp"
#include "tests/reference/algorithms.hpp"
#include "tests/reference/inputs.hpp"

using namespace lockstep;
using namespace lockstep::test;
using core::CrevOrder;
using reference::Graph;
using reference::Random;

namespace {

/// One version of an algorithm, in a group of so many items.
struct Version {
  std::string name;  ///< "crev", "seq" or "par"
  unsigned wg_size = 0;
  CrevOrder order = CrevOrder::Ascending;
};

/// All versions; `orders` if the result does not depend on the order in which calls are served.
std::vector<Version> versions(bool has_par, bool orders) {
  std::vector<Version> all;
  for (const unsigned wg_size : {1U, 2U, 3U, 4U, 8U, 31U, 32U, 64U, 100U}) {
    all.push_back({"crev", wg_size, CrevOrder::Ascending});
    if (orders) {
      all.push_back({"crev", wg_size, CrevOrder::Descending});
      all.push_back({"crev", wg_size, CrevOrder::Permuted});
    }
    if (has_par) {
      all.push_back({"par", wg_size, CrevOrder::Ascending});
    }
  }
  all.push_back({"seq", 1, CrevOrder::Ascending});
  all.push_back({"seq", 4, CrevOrder::Ascending});
  return all;
}

/// Calls check(version) for all versions in a full run, else for some; the paper's eight items are always among them.
template <class Check>
void for_each(const std::vector<Version>& all, const Check& check) {
  std::vector<Version> chosen = sample(all, 8);
  chosen.push_back({"crev", 8, CrevOrder::Ascending});
  chosen.push_back({"seq", 8, CrevOrder::Ascending});
  for (const Version& version : chosen) {
    INFO("version " << version.name << ", WG_SIZE " << version.wg_size << ", order " << static_cast<int>(version.order)
                    << ", LOCKSTEP_SEED=" << run_seed());
    check(version);
  }
}

KernelId kernel(const std::string& algorithm, const Version& version) {
  KernelId id{"crev/" + algorithm + ".cl", algorithm + "_" + version.name, {}};
  id.options.wg_size = version.wg_size;
  id.options.crev_order = version.order;
  id.options.crev_seed = static_cast<unsigned>(run_seed());
  return id;
}

std::vector<std::uint8_t> bytes(std::string_view text) { return {text.begin(), text.end()}; }

std::uint32_t count(const auto& container) { return static_cast<std::uint32_t>(container.size()); }

struct TextCase {
  std::vector<std::uint8_t> text;
  std::string pattern;
};

/// The licence, random texts in which partial matches are frequent, and the borders.
std::vector<TextCase> text_cases() {
  Random random(run_seed());
  std::vector<TextCase> cases = {
      {reference::file_bytes(reference::default_text), "software"},
      {bytes("aaaaaaaa"), "aaa"},
      {bytes("abc"), "abc"},
      {bytes("\n\n\n"), "a"},
      {bytes("abc"), "abcd"},
      {bytes("xab\nabx\nno\n\nab"), "ab"},
      {{}, "a"},
  };
  for (const std::size_t length : {1U, 2U, 5U, 9U}) {
    TextCase random_case{reference::random_text(random, 600, 2), ""};
    for (std::size_t i = 0; i < length; ++i) {
      random_case.pattern += static_cast<char>('a' + random.below(2));
    }
    cases.push_back(random_case);
  }
  return cases;
}

}  // namespace

TEST_CASE("CREV: stringmatch", "[kernels][crev]") {
  const auto cases = text_cases();
  for_each(versions(true, true), [&](const Version& version) {
    for (const TextCase& c : cases) {
      INFO("pattern " << c.pattern << " in " << c.text.size() << " bytes");
      std::vector<std::uint8_t> found(c.text.size(), 0);
      std::vector<std::uint32_t> border(c.pattern.size(), 7);
      Call call(kernel("stringmatch", version));
      call.input(c.text).scalar(count(c.text)).input(bytes(c.pattern)).scalar(count(c.pattern)).buffer(found);
      if (version.name == "seq") {
        call.buffer(border);
      }
      call.run({});
      REQUIRE(difference(found, reference::occurrences(c.text, c.pattern)) == "");
    }
  });
}

TEST_CASE("CREV: bookfilter", "[kernels][crev]") {
  const auto cases = text_cases();
  for_each(versions(true, true), [&](const Version& version) {
    for (const TextCase& c : cases) {
      INFO("pattern " << c.pattern << " in " << c.text.size() << " bytes");
      std::vector<std::uint8_t> out(c.text.size(), 0);
      std::vector<std::uint32_t> start(c.text.size() + 1, 7);
      Call call(kernel("bookfilter", version));
      call.input(c.text).scalar(count(c.text)).input(bytes(c.pattern)).scalar(count(c.pattern)).buffer(out);
      if (version.name != "seq") {
        call.buffer(start);
      }
      call.run({});
      REQUIRE(difference(out, reference::filter_book(c.text, c.pattern)) == "");
    }
  });
}

TEST_CASE("CREV: bellmanford", "[kernels][crev]") {
  Random random(run_seed());
  std::vector<Graph> graphs = {reference::graph_of(1, {}), reference::graph_of(2, {{1, 0}}), reference::random_graph(random, 40, 0.04),
                               reference::random_graph(random, 60, 0.8), reference::complete_tree(8, 2, false)};
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    reference::add_weights(random, graphs[i], 100, i % 2 == 0);
  }
  for_each(versions(true, true), [&](const Version& version) {
    for (const Graph& graph : graphs) {
      INFO(graph.nodes() << " nodes, " << graph.target.size() << " edges");
      const auto source = static_cast<std::uint32_t>(graph.nodes() > 2 ? 2 : 0);
      std::vector<std::int32_t> distance(graph.nodes(), 7);
      std::vector<std::int32_t> changed(1, 7);
      Call(kernel("bellmanford", version))
          .input(graph.first)
          .input(graph.target)
          .input(graph.weight)
          .scalar(graph.nodes())
          .scalar(source)
          .buffer(distance)
          .buffer(changed)
          .run({});
      REQUIRE(difference(distance, reference::shortest_paths(graph, source)) == "");
    }
  });
}

TEST_CASE("CREV: dfs", "[kernels][crev]") {
  Random random(run_seed());
  const std::vector<Graph> graphs = {reference::graph_of(1, {}),
                                     reference::graph_of(4, {{0, 1}, {1, 2}, {2, 0}, {3, 2}}),
                                     reference::complete_tree(8, 3, false),
                                     reference::complete_tree(3, 3, true),
                                     reference::random_graph(random, 60, 0.03),
                                     reference::random_graph(random, 40, 0.5)};
  for_each(versions(true, false), [&](const Version& version) {
    for (const Graph& graph : graphs) {
      INFO(graph.nodes() << " nodes, " << graph.target.size() << " edges");
      reference::Search result{std::vector<std::int32_t>(graph.nodes(), -1), std::vector<std::uint32_t>(graph.nodes(), 7777)};
      std::vector<std::int32_t> visited(1, 7);
      std::vector<std::uint32_t> stack_node(graph.target.size() + 1, 7);
      std::vector<std::uint32_t> stack_from = stack_node;
      Call call(kernel("dfs", version));
      call.input(graph.first).input(graph.target).scalar(graph.nodes()).buffer(result.number).buffer(result.parent).buffer(visited);
      if (version.name == "par") {
        call.buffer(stack_node).buffer(stack_from);
      }
      call.run({});
      const reference::Search expected = reference::depth_first_search(graph);
      REQUIRE(difference(result.number, expected.number) == "");
      REQUIRE(difference(result.parent, expected.parent) == "");
    }
  });
}

TEST_CASE("CREV: leader", "[kernels][crev]") {
  Random random(run_seed());
  const std::vector<Graph> graphs = {reference::graph_of(1, {}), reference::random_undirected_graph(random, 80, 0.01),
                                     reference::random_undirected_graph(random, 80, 0.02),
                                     reference::random_undirected_graph(random, 40, 0.5), reference::complete_tree(8, 2, true)};
  for_each(versions(true, false), [&](const Version& version) {
    for (const Graph& graph : graphs) {
      INFO(graph.nodes() << " nodes, " << graph.target.size() << " edges");
      std::vector<std::int32_t> leader(graph.nodes(), 7777);
      Call(kernel("leader", version)).input(graph.first).input(graph.target).scalar(graph.nodes()).buffer(leader).run({});
      REQUIRE(difference(leader, reference::leaders(graph)) == "");
    }
  });
}

TEST_CASE("CREV: quicksort and mergesort", "[kernels][crev]") {
  Random random(run_seed());
  std::vector<std::vector<std::int32_t>> arrays = {{}, {5}, {2, 1}, {3, 3, 3, 3, 3}};
  arrays.push_back(reference::integers(random, 500, 100000));
  arrays.push_back(reference::integers(random, 300, 4));
  arrays.push_back({std::numeric_limits<std::int32_t>::max(), -1, std::numeric_limits<std::int32_t>::min(), 0, -1});
  std::vector<std::int32_t> descending(100);
  for (std::size_t i = 0; i < descending.size(); ++i) {
    descending[i] = 50 - static_cast<std::int32_t>(i);
  }
  arrays.push_back(descending);
  for (const std::string algorithm : {"quicksort", "mergesort"}) {
    for_each(versions(false, true), [&](const Version& version) {
      for (const std::vector<std::int32_t>& array : arrays) {
        INFO(algorithm << " of " << array.size());
        std::vector<std::int32_t> result = array;
        std::vector<std::int32_t> scratch(array.size(), 7);
        std::vector<std::int32_t> expected = array;
        std::sort(expected.begin(), expected.end());
        Call call(kernel(algorithm, version));
        call.buffer(result).scalar(count(result));
        if (algorithm == "mergesort" || version.name == "crev") {
          call.buffer(scratch);
        }
        call.run({});
        REQUIRE(difference(result, expected) == "");
      }
    });
  }
}

TEST_CASE("CREV: composition is multiplicative", "[kernels][crev]") {
  for (const unsigned width : {1U, 2U, 4U, 5U, 8U}) {
    INFO("width " << width);
    KernelId id{"crev/composition.cl", "composition", {}};
    id.options.wg_size = width;
    std::vector<std::uint32_t> calls(width, 0);
    std::vector<std::int32_t> seen(width, 0);
    const launch::Outcome outcome = Call(id).buffer(calls).buffer(seen).run({});

    // Property 7 with n = 3 nested calls: W^n innermost activations, W times as many tasks, of which at most W(n+1) wait or run at a time,
    // in n + 1 frames. For W = 4 that is the paper's 256, 16 and 4.
    const std::uint64_t activations = std::uint64_t{width} * width * width;
    CHECK(calls == std::vector<std::uint32_t>(width, static_cast<std::uint32_t>(activations)));
    CHECK(seen == std::vector<std::int32_t>(width, static_cast<std::int32_t>(2 * activations)));
    CHECK(outcome.most_contexts == 3);
    CHECK(outcome.most_frames == 4);
    CHECK(outcome.most_pending == std::uint64_t{width} * 4);
    REQUIRE(outcome.crev.size() == 3);
    std::uint64_t expected = width;
    for (const std::string name : {"foo", "bar", "baz"}) {
      INFO(name);
      const auto at = std::find_if(outcome.crev.begin(), outcome.crev.end(), [&](const auto& entry) { return entry.function == name; });
      REQUIRE(at != outcome.crev.end());
      CHECK(at->activations == expected);
      CHECK(at->tasks == expected * width);
      expected *= width;
    }
    if (width == 4) {
      CHECK(outcome.most_pending == 16);
      CHECK(calls[0] + calls[1] + calls[2] + calls[3] == 256);
    }
  }
}
