// The log of accesses against a list of all of them: of random groups that run one after the other, as launches do in their defining order.

#include "semantics/memory/access_log.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace lockstep::memory {
namespace {

struct Access {
  unsigned group = 0;
  unsigned interval = 0;
  unsigned warp = 0;

  friend bool operator==(const Access&, const Access&) = default;
};

struct Relation {
  static bool races(const Access& a, const Access& b) { return a.group != b.group || (a.interval == b.interval && a.warp != b.warp); }
  static bool is_alike(const Access&, const Access&) { return true; }
  static bool stands_for(const Access& later, const Access& earlier, bool writes) {
    return writes || later == earlier || (later.group == earlier.group && later.interval != earlier.interval);
  }
};

struct Noted {
  Place place;
  Access access;
  bool writes;
};

TEST_CASE("the log of accesses has found a race at a place exactly when a list of all accesses has one there") {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  unsigned races = 0;
  for (int round = 0; round < 2000; ++round) {
    AccessLog<Access, 2> log;
    std::map<std::pair<std::uint64_t, std::uint64_t>, bool> in_log;  // by place: a writer forgets whom it has raced with
    std::map<std::pair<std::uint64_t, std::uint64_t>, bool> in_list;
    std::vector<Noted> all;
    for (unsigned group = 0; group < 3; ++group) {
      for (unsigned interval = 0; interval < 3; ++interval) {
        for (unsigned k = below(5); k > 0; --k) {
          const Noted me{{below(2), 30 + below(4)}, {group, interval, below(3)}, below(3) == 0};  // on two pages
          const std::pair at(me.place.object, me.place.index);
          for (const Noted& each : all) {
            const bool race = each.place == me.place && (each.writes || me.writes) && Relation::races(each.access, me.access);
            in_list[at] = in_list[at] || race;
          }
          if (const auto found = log.access(me.place, me.access, me.writes, !me.writes, Relation())) {
            ++races;
            in_log[at] = true;
            REQUIRE(std::ranges::any_of(all, [&](const Noted& each) {
              return each.place == me.place && each.access == found->access && each.writes == found->writes;
            }));
            REQUIRE(Relation::races(found->access, me.access));
            REQUIRE((found->writes || me.writes));
          }
          REQUIRE(in_log[at] == in_list[at]);
          all.push_back(me);
        }
      }
    }
    log.clear();
    REQUIRE(!log.access({0, 31}, {9, 0, 0}, true, false, Relation()));
  }
  REQUIRE(races > 1000);
}

TEST_CASE("of races at one place in the program the first is told of, and all are counted") {
  RaceReports<int, int> reports;
  for (int k = 0; k < 1000; ++k) {
    reports.add(k / 2, [&] { return k; });
  }
  REQUIRE(reports.count() == 1000);
  REQUIRE(reports.races().size() == RaceReports<int, int>::most);
  REQUIRE(reports.races()[1] == 2);
}

}  // namespace
}  // namespace lockstep::memory
