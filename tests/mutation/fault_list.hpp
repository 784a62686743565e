#pragma once
// The faults that a folder's copy was made with (tool/main.cpp), samples of them, and what a sample says of all.

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace lockstep::test {

struct MadeFault {
  unsigned number = 0;  ///< switches it on
  std::string kind;     ///< "text": planted by hand
  std::string name;     ///< of one planted by hand
  std::string place;    ///< file:line
  std::string was;      ///< of one planted by hand: the checks that are to be asked first, between commas
  std::string becomes;  ///< of one planted by hand: a sentence

  bool by_hand() const { return kind == "text"; }
};

struct FaultList {
  std::string left_out;  ///< a line that says how many places have none, and why
  std::vector<MadeFault> faults;
};
std::expected<FaultList, std::string> read_fault_list(const std::string& path);

/// `count` of them, or all if there are not so many, drawn by the seed. With a smaller count the same seed draws the first ones.
std::vector<MadeFault> drawn(std::vector<MadeFault> faults, std::size_t count, std::uint64_t seed);

/// Wilson's interval for a share of which `hits` of `trials` were seen, at 95 %.
struct Share {
  double low = 0;
  double high = 1;
};
Share wilson(std::size_t hits, std::size_t trials);

/// How likely at most so many hits are, each trial being one with that probability, which lies between 0 and 1. Exact for few trials, too.
double chance_of_so_few(std::size_t hits, std::size_t trials, double probability);

}  // namespace lockstep::test
