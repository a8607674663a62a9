// A picture of many calls, written as SVG by hand: both axes logarithmic, a line for each
// algorithm, its name where it ends.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "collective/choice/choice.hpp"
#include "report.hpp"

namespace peal::sim {

namespace {

constexpr double width = 860, height = 480, left = 80, right_edge = 660, top = 50, bottom = 420;
constexpr std::string_view ink = "#808890";
// Of a middle lightness, so that they can be read on white and on black.
constexpr std::array<std::string_view, 6> colors{"#2a8fd6", "#d9682b", "#3c9d5b",
                                                 "#a25bc4", "#c2454f", "#8a7a2f"};

struct point {
  double across;
  double up;  // nanoseconds
};
struct curve {
  std::string_view name;
  std::vector<point> points;
};

std::vector<double> steps(const request& wanted) {
  const auto last = static_cast<double>(wanted.over_ranks ? static_cast<std::size_t>(wanted.ranks)
                                                          : wanted.bytes);
  const double first =
      wanted.over_ranks
          ? 2
          : static_cast<double>(detail::is_reduction(wanted.kind) ? wanted.element : 4);
  std::vector<double> made;
  for (double at = first; at < last; at *= wanted.over_ranks ? 2 : 4) made.push_back(at);
  made.push_back(last);
  return made;
}

std::vector<curve> curves(const request& wanted, const std::vector<double>& across) {
  std::vector<curve> made;
  for (const algorithm& each : all_algorithms())
    if (each.kind == wanted.kind &&
        (wanted.only ? wanted.only == &each : !each.by_node || wanted.on.ranks_per_node > 1))
      made.push_back({each.name, {}});
  for (const double at : across) {
    const auto whole = static_cast<std::size_t>(at);
    const std::vector<line> lines = wanted.over_ranks
                                        ? compare(wanted, static_cast<int>(whole), wanted.bytes)
                                        : compare(wanted, wanted.ranks, whole);
    for (const line& each : lines) {
      if (!each.found.refusal.empty()) continue;
      const auto of = std::ranges::find(made, each.how->name, &curve::name);
      of->points.push_back({at, std::max(static_cast<double>(each.found.time) / 1000, 1.0)});
    }
  }
  return made;
}

std::string short_text(double value) {
  const auto whole = static_cast<std::size_t>(value);
  return value >= 1 << 20   ? fmt::format("{:g}M", value / (1 << 20))
         : value >= 1 << 10 ? fmt::format("{:g}K", value / (1 << 10))
                            : fmt::format("{}", whole);
}

std::string time_tick(double ns) {
  if (ns < 1e3) return fmt::format("{:g} ns", ns);
  if (ns < 1e6) return fmt::format("{:g} µs", ns / 1e3);
  return ns < 1e9 ? fmt::format("{:g} ms", ns / 1e6) : fmt::format("{:g} s", ns / 1e9);
}

struct axes {
  double first, last, low, high;  // of the values, low and high as powers of ten

  [[nodiscard]] double x(double value) const {
    return left +
           std::log2(value / first) / std::max(std::log2(last / first), 1e-9) * (right_edge - left);
  }
  [[nodiscard]] double y(double ns) const {
    return bottom - (std::log10(ns) - low) / (high - low) * (bottom - top);
  }
};

using out = std::back_insert_iterator<std::string>;

void words(out to, double x, double y, std::string_view anchor, std::string_view what,
           std::string_view more = "") {
  fmt::format_to(to, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                 anchor, more, what);
}

void grid(out to, const axes& in, const std::vector<double>& across, bool ranks) {
  for (double power = in.low; power <= in.high; ++power) {
    const double y = in.y(std::pow(10, power));
    fmt::format_to(to,
                   "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                   "stroke-opacity=\"0.35\"/>\n",
                   left, y, right_edge, y, ink);
    words(to, left - 8, y + 4, "end", time_tick(std::pow(10, power)));
  }
  for (std::size_t k = 0; k != across.size(); ++k) {
    const double x = in.x(across[k]);
    fmt::format_to(to,
                   "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                   "stroke-opacity=\"0.35\"/>\n",
                   x, top, x, bottom, ink);
    const bool dense = across.size() > 12 && k % 2 == 1 && k + 1 != across.size();
    if (!dense) words(to, x, bottom + 20, "middle", short_text(across[k]));
  }
  words(to, (left + right_edge) / 2, bottom + 44, "middle", ranks ? "ranks" : "bytes");
}

/// Names beside the ends of the curves, so far apart that they can be read.
std::vector<double> name_places(const std::vector<curve>& all, const axes& in) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k != all.size(); ++k)
    if (!all[k].points.empty()) order.push_back(k);
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return in.y(all[k].points.back().up); });
  std::vector<double> places(all.size(), 0);
  double before = -std::numeric_limits<double>::infinity();
  for (const std::size_t k : order)
    before = places[k] = std::max(in.y(all[k].points.back().up), before + 16);
  return places;
}

}  // namespace

std::string to_picture(const request& wanted) {
  const std::vector<double> across = steps(wanted);
  const std::vector<curve> all = curves(wanted, across);
  double least = std::numeric_limits<double>::infinity(), most = 1;
  for (const curve& each : all)
    for (const point& p : each.points) {
      least = std::min(least, p.up);
      most = std::max(most, p.up);
    }
  axes in{across.front(), across.back(), std::floor(std::log10(std::min(least, most))),
          std::ceil(std::log10(most))};
  if (in.high <= in.low) in.high = in.low + 1;

  std::string text;
  const out to{text};
  const std::string title =
      wanted.over_ranks
          ? fmt::format("{} of {}, {}", name_of(wanted.kind), size_text(wanted.bytes),
                        wanted.on.nic.name)
          : fmt::format("{}, {} ranks, {}", name_of(wanted.kind), wanted.ranks, wanted.on.nic.name);
  fmt::format_to(to,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                 "height=\"{1}\" font-family=\"sans-serif\" "
                 "font-size=\"13\" fill=\"{2}\" role=\"img\" aria-label=\"{3}: predicted time of "
                 "each algorithm\">\n",
                 width, height, ink, title);
  words(to, left, 26, "start", title, " font-weight=\"bold\"");
  grid(to, in, across, wanted.over_ranks);
  const std::vector<double> places = name_places(all, in);
  for (std::size_t k = 0; k != all.size(); ++k) {
    const curve& each = all[k];
    if (each.points.empty()) continue;
    const std::string_view color = colors[k % colors.size()];
    std::string path;
    for (const point& p : each.points)
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", in.x(p.across), in.y(p.up));
    fmt::format_to(to, "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                   path, color);
    for (const point& p : each.points)
      fmt::format_to(to,
                     "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" "
                     "fill=\"{}\"><title>{}, {}: {:.1f} ns</title></circle>\n",
                     each.name, in.x(p.across), in.y(p.up), color, each.name, short_text(p.across),
                     p.up);
    words(to, in.x(each.points.back().across) + 10, places[k] + 4, "start", each.name,
          fmt::format(" fill=\"{}\"", color));
  }
  text += "</svg>\n";
  return text;
}

}  // namespace peal::sim
