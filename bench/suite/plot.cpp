#include "bench/suite/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lockstep::bench {

namespace {

constexpr double plot_width = 340;
constexpr double plot_height = 230;
constexpr double left = 62;
constexpr double right = 14;
constexpr double top = 28;
constexpr double bottom = 40;
constexpr double header = 34;
constexpr double legend_row = 18;
constexpr double legend_column = 170;  // at least
constexpr double letter = 6.2;         // how wide one is, about

// The first ones, after Okabe and Ito, are distinct also for most people who see colours otherwise.
constexpr std::array<const char*, 14> palette = {"#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                                 "#8a8a8a", "#9a6324", "#800080", "#7cb518", "#e6194b", "#f032e6", "#b8a200"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, const char* anchor = "middle", int size = 11,
                    const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", x, y, anchor, size, more,
                     escaped(text));
}

/// From numbers to places on the page.
struct Axis {
  double low = 0;
  double high = 1;
  bool is_logarithmic = false;
  std::vector<double> ticks;

  double place(double value) const { return is_logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low); }
};

/// Steps of 1, 2 or 5 times a power of ten, some five of them.
double step_for(double range) {
  const double rough = range / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) {
      return factor * power;
    }
  }
  return 10 * power;
}

bool is_drawable(double y, bool is_logarithmic) { return std::isfinite(y) && (!is_logarithmic || y > 0); }

Axis y_axis(const Plot& plot) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Series& series : plot.series) {
    for (const auto& [x, y] : series.points) {
      if (is_drawable(y, plot.is_logarithmic)) {
        low = std::min(low, y);
        high = std::max(high, y);
      }
    }
  }
  Axis axis;
  axis.is_logarithmic = plot.is_logarithmic;
  if (low > high) {
    low = high = 1;
  }
  if (plot.is_logarithmic) {
    axis.low = low / 1.2;
    axis.high = high * 1.2;
    const bool is_narrow = axis.high / axis.low < 20;
    for (double power = std::pow(10.0, std::floor(std::log10(axis.low))); power <= axis.high; power *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        if (power * factor >= axis.low && power * factor <= axis.high && (factor == 1.0 || is_narrow)) {
          axis.ticks.push_back(power * factor);
        }
      }
    }
    return axis;
  }
  axis.low = std::min(0.0, low);
  const double step = step_for(std::max(high - axis.low, 1e-12) * 1.05);
  axis.high = std::ceil(std::max(high, axis.low + step) / step) * step;
  for (double tick = axis.low; tick <= axis.high + (step / 2); tick += step) {
    axis.ticks.push_back(tick);
  }
  return axis;
}

Axis x_axis(const Plot& plot) {
  Axis axis;
  for (const Series& series : plot.series) {
    for (const auto& [x, y] : series.points) {
      axis.ticks.push_back(x);
    }
  }
  std::ranges::sort(axis.ticks);
  axis.ticks.erase(std::ranges::unique(axis.ticks).begin(), axis.ticks.end());
  const double first = axis.ticks.empty() ? 0 : axis.ticks.front();
  const double last = axis.ticks.empty() ? 1 : axis.ticks.back();
  const double margin = first == last ? 1 : 0.04 * (last - first);
  axis.low = first - margin;
  axis.high = last + margin;
  return axis;
}

std::string drawn(const Plot& plot) {
  const Axis x = x_axis(plot);
  const Axis y = y_axis(plot);
  const double width = plot_width - left - right;
  const double height = plot_height - top - bottom;
  const auto at_x = [&](double value) { return left + (width * x.place(value)); };
  const auto at_y = [&](double value) { return top + (height * (1 - y.place(value))); };
  std::string out = text_at(left + (width / 2), top - 10, plot.title, "middle", 13);
  for (const double tick : y.ticks) {
    out += fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dddddd\"/>\n", left, left + width,
                       at_y(tick), at_y(tick));
    out += text_at(left - 5, at_y(tick) + 4, fmt::format("{:.6g}", tick), "end");
  }
  for (const double tick : x.ticks) {
    out += text_at(at_x(tick), top + height + 15, fmt::format("{:.6g}", tick));
  }
  out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#666666\"/>\n", left, top,
                     width, height);
  out += text_at(left + (width / 2), top + height + 32, plot.x_label);
  out += text_at(0, 0, plot.y_label, "middle", 11, fmt::format(" transform=\"translate(14 {:.1f}) rotate(-90)\"", top + (height / 2)));
  for (const Series& series : plot.series) {
    const char* const colour = palette[series.colour % palette.size()];
    std::string points;
    std::string marks;
    for (const auto& [px, py] : series.points) {
      if (is_drawable(py, plot.is_logarithmic)) {
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", at_x(px), at_y(py));
        marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", at_x(px), at_y(py), series.is_strong ? 3 : 2,
                             colour);
      }
    }
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n{}", points, colour,
                       series.is_strong ? 2.4 : 1.3, series.is_dashed ? " stroke-dasharray=\"5 3\"" : "", marks);
  }
  return out;
}

std::vector<const Series*> legend_of(const std::vector<Plot>& plots) {
  std::vector<const Series*> all;
  for (const Plot& plot : plots) {
    for (const Series& series : plot.series) {
      if (std::ranges::none_of(all, [&](const Series* other) { return other->name == series.name; })) {
        all.push_back(&series);
      }
    }
  }
  return all;
}

}  // namespace

std::string svg(const std::string& title, const std::vector<Plot>& plots, unsigned columns) {
  const auto shown_columns = static_cast<unsigned>(std::clamp<std::size_t>(plots.size(), 1, columns));
  const std::size_t rows = (plots.size() + shown_columns - 1) / shown_columns;
  const double width = plot_width * shown_columns;
  const auto legend = legend_of(plots);
  double column_width = legend_column;
  for (const Series* series : legend) {
    column_width = std::max(column_width, 46 + (letter * static_cast<double>(series->name.size())));
  }
  const auto legend_columns = std::max<std::size_t>(1, static_cast<std::size_t>(width / column_width));
  const std::size_t legend_rows = (legend.size() + legend_columns - 1) / legend_columns;
  const double plots_end = header + (plot_height * static_cast<double>(rows));
  const double height = plots_end + (legend_row * static_cast<double>(legend_rows)) + 12;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  out += text_at(width / 2, 22, title, "middle", 15);
  const auto column_of = [](std::size_t k, std::size_t columns_there) { return static_cast<double>(k % columns_there); };
  const auto row_of = [](std::size_t k, std::size_t columns_there) {
    const std::size_t row = k / columns_there;
    return static_cast<double>(row);
  };
  for (std::size_t k = 0; k < plots.size(); ++k) {
    out += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n{}</g>\n", plot_width * column_of(k, shown_columns),
                       header + (plot_height * row_of(k, shown_columns)), drawn(plots[k]));
  }
  for (std::size_t k = 0; k < legend.size(); ++k) {
    const double x = 14 + (column_width * column_of(k, legend_columns));
    const double y = plots_end + 10 + (legend_row * row_of(k, legend_columns));
    out += fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", x, x + 22,
                       y, y, palette[legend[k]->colour % palette.size()], legend[k]->is_strong ? 2.4 : 1.3,
                       legend[k]->is_dashed ? " stroke-dasharray=\"5 3\"" : "");
    out += text_at(x + 28, y + 4, legend[k]->name, "start");
  }
  return out + "</svg>\n";
}

}  // namespace lockstep::bench
