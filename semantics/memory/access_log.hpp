#pragma once
// Races, place by place: who has touched each byte of an object, or each element where it is only met by elements, so that both sides of
// a race are known. What makes two accesses a race is the machine's: groups and barriers of kernels, threads and clocks of PTX. It says so
// by a relation R:
//   bool races(earlier, later)           of two accesses, one of which writes
//   bool is_alike(a, b)                  of two writes, or two reads: the same kinds of accesses race with them
//   bool stands_for(later, earlier, writes)   whoever races with `earlier` from now on races with `later` as well, both being writes, or
//                                        both reads: the earlier one need not be known any more

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace lockstep::memory {

/// A place in an object.
struct Place {
  std::uint64_t object = 0;
  std::uint64_t index = 0;  ///< of the byte, or of the element

  friend bool operator==(const Place&, const Place&) = default;
};

/// The accesses to each place, of which at most `most` writes and `most` reads are known, the earliest ones and the last one.
template <class Access, std::size_t most>
class AccessLog {
 public:
  struct Earlier {
    Access access;
    bool writes = false;
  };

  /// An access that writes, reads, or both. An earlier one that it races with, if there is one: a write rather than a read.
  template <class R>
  std::optional<Earlier> access(const Place& place, const Access& me, bool writes, bool reads, const R& relation) {
    Known& known = known_at(place);
    const auto met = [&](const Accesses& earlier, bool are_writes) -> std::optional<Earlier> {
      for (const Access& each : earlier) {
        if (relation.races(each, me)) {
          return Earlier{each, are_writes};
        }
      }
      return std::nullopt;
    };
    std::optional<Earlier> found = met(known.writes, true);
    if (!found && writes) {
      found = met(known.reads, false);
    }
    if (writes) {
      note(known.writes, me, true, relation);
    }
    if (reads) {
      note(known.reads, me, false, relation);
    }
    return found;
  }

  void clear() {
    pages_.clear();
    last_ = nullptr;
  }

 private:
  using Accesses = std::vector<Access>;
  struct Known {
    Accesses writes;
    Accesses reads;
  };
  /// Places side by side, since accesses mostly are.
  static constexpr std::uint64_t page_places = 32;
  struct Page {
    Place place;
    std::array<Known, page_places> known;
  };
  struct Hash {
    std::size_t operator()(const Place& place) const { return (place.object * 0x9e3779b97f4a7c15U) ^ (place.index * 0xc2b2ae3d27d4eb4fU); }
  };

  Known& known_at(const Place& place) {
    const Place first{place.object, place.index / page_places};
    if (last_ == nullptr || last_->place != first) {
      std::unique_ptr<Page>& page = pages_[first];
      if (page == nullptr) {
        page = std::make_unique<Page>();
        page->place = first;
      }
      last_ = page.get();
    }
    return last_->known[place.index % page_places];
  }

  /// `me` takes the place of the first access that it stands for; there is no need for others of these.
  template <class R>
  static void note(Accesses& all, const Access& me, bool writes, const R& relation) {
    std::size_t kept = 0;
    bool placed = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const bool over = relation.stands_for(me, all[k], writes);
      if (over && placed) {
        continue;
      }
      all[kept++] = over ? me : all[k];
      placed = placed || over;
    }
    all.resize(kept);
    if (placed) {
      return;
    }
    if (all.size() < most) {
      all.push_back(me);
      return;
    }
    // Of each kind some stay: the last one of the same kind goes.
    for (std::size_t k = all.size(); k-- > 0;) {
      if (relation.is_alike(me, all[k])) {
        all[k] = me;
        return;
      }
    }
    all.back() = me;
  }

  std::unordered_map<Place, std::unique_ptr<Page>, Hash> pages_;
  Page* last_ = nullptr;  ///< that was asked for
};

/// The races that are told of: one for each key, so many at most. All are counted.
template <class Race, class Key>
class RaceReports {
 public:
  static constexpr std::size_t most = 100;

  /// `make()`, if it is one to tell of.
  template <class Make>
  void add(const Key& key, Make&& make) {
    ++count_;
    if (races_.size() < most && seen_.insert(key).second) {
      races_.push_back(make());
    }
  }
  std::uint64_t count() const { return count_; }
  const std::vector<Race>& races() const { return races_; }

 private:
  std::vector<Race> races_;
  std::set<Key> seen_;
  std::uint64_t count_ = 0;
};

}  // namespace lockstep::memory
