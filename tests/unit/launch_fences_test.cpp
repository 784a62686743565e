// Barriers order the memory that their flags name: all ways in which few items touch a cell on both sides of one, against that definition.

#include <array>
#include <catch2/catch.hpp>

#include "semantics/base/fences.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

struct Touch {
  AddressSpace space = AddressSpace::Local;
  bool touches = false;
  bool writes = false;
};
constexpr std::array<Touch, 5> touches = {Touch{},
                                          {AddressSpace::Local, true, false},
                                          {AddressSpace::Local, true, true},
                                          {AddressSpace::Global, true, false},
                                          {AddressSpace::Global, true, true}};

/// What an item does on one side of the barrier.
struct Visit {
  unsigned item = 0;
  bool behind = false;
  Touch touch;
};

/// By OpenCL C 1.2, 6.12.8.
bool is_race(const Visit& a, const Visit& b, const Fences& fences) {
  const bool is_ordered = a.behind != b.behind && (a.touch.space == AddressSpace::Local ? fences.local : fences.global);
  return a.item != b.item && a.touch.touches && b.touch.touches && a.touch.space == b.touch.space && (a.touch.writes || b.touch.writes) &&
         !is_ordered;
}
bool has_race(const std::vector<Visit>& visits, const Fences& fences) {
  for (const Visit& a : visits) {
    if (std::ranges::any_of(visits, [&](const Visit& b) { return is_race(a, b, fences); })) {
      return true;
    }
  }
  return false;
}

std::string statement(const Visit& visit) {
  const std::string cell = visit.touch.space == AddressSpace::Local ? "t[0]" : "out[0]";
  const std::string value = std::to_string(1 + visit.item + (visit.behind ? 10 : 0));
  return "  if (get_local_id(0) == " + std::to_string(visit.item) + ") " + (visit.touch.writes ? cell + " = " + value : "seen += " + cell) +
         ";\n";
}
std::string kernel(const std::vector<Visit>& visits, const std::string& flags) {
  std::string text =
      "__kernel void k(__global int *out) {\n"
      "  __local int t[1];\n"
      "  int seen = 0;\n"
      "  if (get_local_id(0) == 0) { t[0] = 0; out[0] = 0; }\n"
      "  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n";
  for (const bool behind : {false, true}) {
    if (behind) {
      text += "  barrier(" + flags + ");\n";
    }
    for (const Visit& visit : visits) {
      text += visit.behind == behind && visit.touch.touches ? statement(visit) : "";
    }
  }
  return text + "  out[1 + get_local_id(0)] = seen;\n}\n";
}

launch::Outcome run(const std::string& text, unsigned items, unsigned warp_size, unsigned threads = 1) {
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(8))});
  launch::LaunchOptions options;
  options.warp_size = warp_size;
  options.threads = threads;
  return launch_text::run(launch_text::program(text, items), a, options);
}

constexpr std::array<std::pair<const char*, Fences>, 4> all_flags = {{{"0", {false, false}},
                                                                      {"CLK_LOCAL_MEM_FENCE", {true, false}},
                                                                      {"CLK_GLOBAL_MEM_FENCE", {false, true}},
                                                                      {"CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", {true, true}}}};

/// All ways in which `items` items do one of `choices` on each side.
template <class Look>
void for_each_way(unsigned items, const std::vector<Touch>& choices, const Look& look) {
  std::vector<std::size_t> chosen(2 * items, 0);
  for (bool more = true; more;) {
    std::vector<Visit> visits;
    for (unsigned k = 0; k < 2 * items; ++k) {
      visits.push_back({k / 2, k % 2 == 1, choices[chosen[k]]});
    }
    look(visits);
    more = false;
    for (std::size_t& c : chosen) {
      c = (c + 1) % choices.size();
      if (c != 0) {
        more = true;
        break;
      }
    }
  }
}

void check(const std::vector<Visit>& visits) {
  for (const auto& [flags, fences] : all_flags) {
    const std::string text = kernel(visits, flags);
    const auto items = static_cast<unsigned>(visits.size() / 2);
    for (const unsigned threads : {1U, 2U}) {
      const launch::Outcome outcome = run(text, items, 1, threads);
      if (outcome.fault || (outcome.race_count != 0) != has_race(visits, fences)) {
        INFO(text << outcome.race_count << " races");
        CHECK_FALSE(outcome.fault);
        CHECK((outcome.race_count != 0) == has_race(visits, fences));
      }
    }
  }
}

}  // namespace

TEST_CASE("two items race over local and global memory where no barrier that names it lies between", "[launch]") {
  for_each_way(2, {touches.begin(), touches.end()}, check);
}

TEST_CASE("of three items two race, whatever the third one does to the cell", "[launch]") {
  for_each_way(3, {touches[0], touches[3], touches[4]}, check);
}

TEST_CASE("where warps have several items, barriers order all memory", "[launch]") {
  const std::vector<Visit> visits = {{0, false, touches[4]}, {2, true, touches[3]}};
  CHECK(has_race(visits, {true, false}));
  const std::string text = kernel(visits, "CLK_LOCAL_MEM_FENCE");
  CHECK(run(text, 4, 1).race_count == 1);
  CHECK(run(text, 4, 2).race_count == 0);
}

TEST_CASE("a barrier without flags, or with flags that are not known, orders all memory; a vote of the group does, too", "[launch]") {
  const auto races = [](const std::string& barrier) {
    return run("__kernel void k(__global int *out) {\n"
               "  out[get_local_id(0)] = 1;\n" +
                   barrier + "\n  out[4 + get_local_id(0)] = out[1 - get_local_id(0)];\n}\n",
               2, 1)
        .race_count;
  };
  CHECK(races("") == 2);
  CHECK(races("barrier(0);") == 2);
  CHECK(races("const int none = 0; barrier(none);") == 2);
  CHECK(races("barrier();") == 0);
  CHECK(races("int f = 1; barrier(f);") == 0);
  CHECK(races("work_group_barrier(CLK_LOCAL_MEM_FENCE);") == 2);
  CHECK(races("work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);") == 0);
  CHECK(races("mem_fence(CLK_GLOBAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE);") == 2);
  CHECK(races("out[6 + get_local_id(0)] = work_group_any(1);") == 0);
}
