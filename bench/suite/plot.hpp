#pragma once
// Line charts as SVG.

#include <string>
#include <vector>

namespace lockstep::bench {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< x, y; in the order of x
  unsigned colour = 0;                            ///< a number in the palette, which repeats
  bool is_strong = false;                         ///< drawn thicker
  bool is_dashed = false;
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool is_logarithmic = false;  ///< the y axis; all y are positive then
  std::vector<Series> series;
};

/// Plots side by side in rows of `columns`, with one legend for all: a name appears once. Points that are not finite, or not positive on a
/// logarithmic axis, are left out. The text is a whole SVG file.
std::string svg(const std::string& title, const std::vector<Plot>& plots, unsigned columns);

}  // namespace lockstep::bench
