#include "report/page/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "report/text.hpp"

namespace peal::launcher {

std::string time_chart(const gathered_run& run) {
  double longest = 0;
  for (const noted_rank& each : run.ranks) longest = std::max(longest, each.time);
  if (longest <= 0) return {};
  const auto count = static_cast<double>(run.ranks.size());
  constexpr double edge = 60, height = 220, room = 840;
  const double step = std::min(room / count, 60.0), width = step > 4 ? step - 2 : step;
  std::string svg = fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {0:.0f} {1}\" width=\"{0:.0f}\" height=\"{1}\" "
      "role=\"img\" aria-label=\"Parts of the time of each rank; the table below has the "
      "numbers\">\n",
      edge + step * count, height + 40);
  auto out = std::back_inserter(svg);
  for (const double mark : {0.0, 0.5, 1.0}) {
    const double y = 10 + height * (1 - mark);
    fmt::format_to(out,
                   "<line x1=\"{}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"grid\"/>"
                   "<text x=\"{}\" y=\"{:.1f}\" class=\"down\">{}</text>\n",
                   edge, edge + step * count, y, y, edge - 6, y + 4, time_text(longest * mark));
  }
  const std::size_t labelled = std::max<std::size_t>(1, run.ranks.size() / 16);
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const noted_rank& of = run.ranks[rank];
    const double x = edge + step * static_cast<double>(rank);
    if (rank % labelled == 0)
      fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{}\" class=\"across\">{}</text>", x + width / 2,
                     height + 28, rank);
    double y = 10 + height;
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
  }
  return svg + "</svg>\n";
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

std::string length_chart(const std::vector<record::length_class>& lengths) {
  double most = 0;
  std::size_t first = lengths.size(), last = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k)
    if (lengths[k].messages != 0) {
      most = std::max(most, static_cast<double>(lengths[k].messages));
      first = std::min(first, k);
      last = k;
    }
  if (most == 0) return {};
  constexpr double room = 420;
  constexpr int line = 22, edge = 170;
  std::string svg = fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-label=\"Messages by length; the table below has the numbers\">\n",
      edge + room + 120, static_cast<int>(last - first + 1) * line);
  auto out = std::back_inserter(svg);
  for (std::size_t k = first; k <= last; ++k) {
    const int y = static_cast<int>(k - first) * line;
    const double length = room * static_cast<double>(lengths[k].messages) / most;
    fmt::format_to(out,
                   "<text x=\"{}\" y=\"{}\" class=\"down\">{}</text>"
                   "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" class=\"computing\"/>"
                   "<text x=\"{:.1f}\" y=\"{}\">{}</text>\n",
                   edge - 8, y + 15, length_class_text(k), edge, y + 2, length, line - 4,
                   edge + length + 6, y + 15, count_text(lengths[k].messages));
  }
  return svg + "</svg>\n";
}

std::string share_bar(double share) {
  return fmt::format("<span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>",
                     std::clamp(share, 0.0, 1.0) * 100);
}

}  // namespace peal::launcher
