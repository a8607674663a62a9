#include "report/page/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "report/text.hpp"

namespace peal::launcher {

namespace {

/// The step between marks of an axis, of which there are three to six: 1, 2 or 5 times a power of
/// ten, so that a mark has few digits.
double step_of_marks(double longest) {
  const double power = std::pow(10.0, std::floor(std::log10(longest / 3)));
  for (const double times : {5.0, 2.0})
    if (power * times <= longest / 3) return power * times;
  return power;
}

}  // namespace

std::string time_chart(const gathered_run& run) {
  double longest = 0;
  bool all_known = true;
  for (const noted_rank& each : run.ranks) {
    longest = std::max(longest, each.time);
    all_known = all_known && each.known;
  }
  if (longest <= 0) return {};
  const auto count = static_cast<double>(run.ranks.size());
  constexpr double edge = 70, top = 18, height = 220, room = 840;
  const double step = std::clamp(room / count, 4.0, 60.0), width = step > 6 ? step - 2 : step - 0.5;
  const double right = edge + step * count;
  std::string svg = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Picture of the time of each "
      "rank\"><svg class=\"chart\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-label=\"Parts of the time of each rank; the table "
      "below "
      "has the numbers\">\n",
      std::max(right + 10, edge + 120), top + height + 42);
  auto out = std::back_inserter(svg);
  const double marks = step_of_marks(longest);
  for (double mark = 0; mark <= longest * 1.0001; mark += marks) {
    const double y = top + height * (1 - mark / longest);
    fmt::format_to(out,
                   "<line x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"grid\"/>"
                   "<text x=\"{:.0f}\" y=\"{:.1f}\" class=\"down\">{}</text>\n",
                   edge, right, y, y, edge - 6, y + 4, round_time_text(mark));
  }
  if (!all_known)
    svg +=
        "<defs><pattern id=\"unknown\" width=\"6\" height=\"6\" "
        "patternUnits=\"userSpaceOnUse\"><path d=\"M0 6L6 0\" class=\"grid\"/></pattern></defs>\n";
  // At most so many numbers that they do not meet.
  std::size_t labelled = 1;
  for (std::size_t next = 2; static_cast<double>(labelled) * step < 28; next *= 2) labelled = next;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const noted_rank& of = run.ranks[rank];
    const double x = edge + step * static_cast<double>(rank);
    if (rank % labelled == 0)
      fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.0f}\" class=\"across\">{}</text>",
                     x + width / 2, top + height + 16, rank);
    if (!of.known) {
      fmt::format_to(out,
                     "<rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{:.0f}\" "
                     "class=\"unknown\"><title>rank {}: nothing is known</title></rect>\n",
                     x, top, width, height, rank);
      continue;
    }
    double y = top + height;
    const std::array parts{std::pair{"computing", of.computing()}, std::pair{"waiting", of.waiting},
                           std::pair{"copying", of.copying}, std::pair{"handling", of.handling}};
    for (const auto& [name, time] : parts) {
      const double part = height * std::min(time / longest, 1.0);
      if (part < 0.05) continue;
      y -= part;
      fmt::format_to(out,
                     "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                     "class=\"{}\"><title>rank {}, {}: {}</title></rect>\n",
                     x, y, width, part, name, rank, name, time_text(time));
    }
    if (!of.ended)
      fmt::format_to(
          out,
          "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"across died\">✕<title>rank {} did not "
          "end</title></text>\n",
          x + width / 2, y - 4, rank);
  }
  fmt::format_to(out, "<text x=\"{:.0f}\" y=\"{:.0f}\">rank</text>\n", edge, top + height + 34);
  return svg + "</svg></div>\n";
}

std::vector<record::length_class> lengths_of(const gathered_run& run) {
  std::vector<record::length_class> sum(record::length_classes);
  for (const noted_rank& each : run.ranks)
    for (std::size_t k = 0; k < each.lengths.size(); ++k) {
      sum[k].messages += each.lengths[k].messages;
      sum[k].bytes += each.lengths[k].bytes;
    }
  return sum;
}

std::string share_bar(double share, const std::string& kind) {
  return fmt::format("<span class=\"bar\"><i class=\"{}\" style=\"width:{:.1f}%\"></i></span>",
                     kind, std::clamp(share, 0.0, 1.0) * 100);
}

}  // namespace peal::launcher
