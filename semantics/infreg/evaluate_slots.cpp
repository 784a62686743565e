#include "semantics/infreg/evaluate_slots.hpp"

#include <limits>
#include <map>

#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::infreg {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// An operation's place; `index` is the number of operations for the region's end.
struct At {
  RegionId region = none;
  std::uint32_t index = 0;
};

class Placing {
 public:
  Placing(const Kernel& kernel, std::uint64_t most)
      : kernel_(kernel),
        most_(most),
        parents_(kernel.regions.size()),
        homes_(kernel.values.size(), none),
        last_(kernel.values.size(), none) {
    slots_.first.resize(kernel.values.size());
  }

  std::optional<Slots> run() {
    find_homes(kernel_.body);
    find_last_uses(kernel_.body);
    for (const Parameter& parameter : kernel_.parameters) {
      if (!parameter.is_pointer) {
        take(parameter.value);
      }
    }
    place(kernel_.body);
    return fits_ ? std::optional(std::move(slots_)) : std::nullopt;
  }

 private:
  void find_homes(RegionId region) {
    const Region& r = kernel_.regions[region];
    for (const ValueId argument : r.arguments) {
      homes_[argument] = region;
    }
    for (std::uint32_t i = 0; i < r.operations.size(); ++i) {
      for (const ValueId result : r.operations[i].results) {
        homes_[result] = region;
        last_[result] = i;
      }
      for_each_region(r.operations[i].node, [&](RegionId inner) {
        parents_[inner] = {region, i};
        find_homes(inner);
      });
    }
  }

  void find_last_uses(RegionId region) {
    const Region& r = kernel_.regions[region];
    for (std::uint32_t i = 0; i < r.operations.size(); ++i) {
      for_each_use(r.operations[i].node, [&](ValueId value) { use(value, {region, i}); });
      for_each_region(r.operations[i].node, [&](RegionId inner) { find_last_uses(inner); });
    }
    for (const ValueId value : r.yields) {
      use(value, {region, static_cast<std::uint32_t>(r.operations.size())});
    }
  }

  /// A use inside a region counts where the operation stands that has the region. Parameters have no home and stay.
  void use(ValueId value, At at) {
    if (homes_[value] == none) {
      return;
    }
    while (at.region != homes_[value]) {
      at = parents_[at.region];
      if (at.region == none) {
        throw InternalError("a value of InfReg-IR is used outside of its region");
      }
    }
    if (last_[value] == none || last_[value] < at.index) {
      last_[value] = at.index;
    }
  }

  void place(RegionId region) {
    const Region& r = kernel_.regions[region];
    std::vector<std::vector<ValueId>> ends(r.operations.size() + 1);
    const auto begin = [&](ValueId value) {
      take(value);
      ends[last_[value] == none ? 0 : last_[value]].push_back(value);
    };
    for (const ValueId argument : r.arguments) {
      begin(argument);
    }
    for (std::uint32_t i = 0; i < r.operations.size(); ++i) {
      for (const ValueId result : r.operations[i].results) {
        begin(result);
      }
      for_each_region(r.operations[i].node, [&](RegionId inner) { place(inner); });
      for (const ValueId value : ends[i]) {
        give_back(value);
      }
    }
    for (const ValueId value : ends.back()) {
      give_back(value);
    }
  }

  std::uint64_t lanes_of(ValueId value) const { return lanes(kernel_.type_of(value).layout, kernel_.shape); }

  void take(ValueId value) {
    const std::uint64_t wanted = lanes_of(value);
    std::vector<std::uint64_t>& free = free_[wanted];
    if (!free.empty()) {
      slots_.first[value] = free.back();
      free.pop_back();
      return;
    }
    slots_.first[value] = slots_.lanes;
    fits_ = fits_ && wanted <= most_ - slots_.lanes;
    if (fits_) {
      slots_.lanes += wanted;
    }
  }

  void give_back(ValueId value) { free_[lanes_of(value)].push_back(slots_.first[value]); }

  const Kernel& kernel_;
  std::uint64_t most_;
  std::vector<At> parents_;          // of each region: the operation that has it
  std::vector<RegionId> homes_;      // of each value: the region that defines it
  std::vector<std::uint32_t> last_;  // of each value: the last operation of its home that uses it
  std::map<std::uint64_t, std::vector<std::uint64_t>> free_;
  Slots slots_;
  bool fits_ = true;
};

}  // namespace

std::optional<Slots> place_values(const Kernel& kernel, std::uint64_t most) { return Placing(kernel, most).run(); }

}  // namespace lockstep::infreg
