#include "report/page/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/text.hpp"

namespace peal::launcher {

std::vector<pair_traffic> pairs_of(const gathered_run& run) {
  std::vector<pair_traffic> all;
  const int ranks = static_cast<int>(run.ranks.size());
  for (int from = 0; from < ranks; ++from) {
    const noted_rank& sender = run.ranks[static_cast<std::size_t>(from)];
    for (int to = 0; to < ranks; ++to) {
      const noted_rank& receiver = run.ranks[static_cast<std::size_t>(to)];
      pair_traffic made{from, to, 0, 0};
      if (sender.known && sender.peers.size() == run.ranks.size()) {
        const auto& sent = sender.peers[static_cast<std::size_t>(to)];
        made.messages = sent.sent;
        made.bytes = sent.sent_bytes;
      } else if (receiver.known && receiver.peers.size() == run.ranks.size()) {
        const auto& got = receiver.peers[static_cast<std::size_t>(from)];
        made.messages = got.received;
        made.bytes = got.received_bytes;
      }
      if (made.messages != 0) all.push_back(made);
    }
  }
  return all;
}

std::vector<pair_traffic> collective_pairs_of(const gathered_run& run) {
  std::vector<pair_traffic> all;
  for (std::size_t from = 0; from < run.ranks.size(); ++from)
    for (std::size_t to = 0; to < run.ranks[from].peers.size(); ++to)
      if (const auto& sent = run.ranks[from].peers[to]; sent.collective_sent != 0)
        all.push_back({static_cast<int>(from), static_cast<int>(to), sent.collective_sent,
                       sent.collective_bytes});
  return all;
}

namespace {

/// How strong the colour is. By the logarithm: messages of a few bytes are to be seen beside those
/// of many.
double depth_of(double bytes, double most) {
  return 0.15 + 0.85 * std::log2(bytes + 1) / std::log2(most + 1);
}

std::string names_of(int group, int of_each, int ranks) {
  const int first = group * of_each, last = std::min(first + of_each, ranks) - 1;
  return first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last);
}

/// What the colours of a map stand for.
std::string scale_of(double most) {
  std::string made = "<p class=\"legend\"><span class=\"none\"></span>no message";
  double last = -1;
  for (const double share : {0.0, 0.5, 1.0}) {
    // Powers of two, but for the last.
    const double bytes = share == 1 ? most : std::exp2(std::floor(std::log2(most + 1) * share)) - 1;
    if (bytes <= last) continue;
    last = bytes;
    made +=
        fmt::format("<span class=\"key\" style=\"opacity:{:.2f}\"></span>{}", depth_of(bytes, most),
                    bytes_text(share == 1 || bytes == 0 ? bytes : bytes + 1));
  }
  return made + "</p>\n";
}

}  // namespace

std::string heat_map(const std::vector<pair_traffic>& pairs, int ranks, const std::string& label,
                     const std::vector<std::string>& names) {
  const int of_each = (ranks + most_squares - 1) / most_squares;
  const int side = (ranks + of_each - 1) / of_each;
  struct square {
    std::uint64_t messages = 0, bytes = 0;
  };
  const auto across = static_cast<std::size_t>(side);
  std::vector<square> squares(across * across);
  const auto place_of = [across](int row, int column) {
    return static_cast<std::size_t>(row) * across + static_cast<std::size_t>(column);
  };
  for (const pair_traffic& each : pairs) {
    square& at = squares[place_of(each.from / of_each, each.to / of_each)];
    at.messages += each.messages;
    at.bytes += each.bytes;
  }
  const auto name_of_group = [&](int group) {
    const auto at = static_cast<std::size_t>(group);
    return of_each == 1 && at < names.size() ? escaped(names[at]) : names_of(group, of_each, ranks);
  };
  double most = 1;
  for (const square& each : squares) most = std::max(most, static_cast<double>(each.bytes));
  constexpr int edge = 58;  // for the numbers and what they are
  const int width = side <= 16 ? 30 : side <= 32 ? 16 : 9, whole = edge + side * width;
  std::string svg = fmt::format(
      "<svg class=\"map\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-label=\"{2}\">\n",
      std::max(whole, edge + 130), whole + 2, escaped(label));
  auto out = std::back_inserter(svg);
  fmt::format_to(out,
                 "<text x=\"{0}\" y=\"14\">to rank</text>"
                 "<text transform=\"translate(14 {0}) rotate(-90)\" class=\"down\">from "
                 "rank</text>\n",
                 edge);
  const int step = side <= 16 ? 1 : side / 8;
  for (int each = 0; each < side; each += step) {
    const int middle = edge + each * width + width / 2;
    fmt::format_to(out, "<text x=\"{}\" y=\"{}\" class=\"across\">{}</text>", middle, edge - 6,
                   each * of_each);
    fmt::format_to(out, "<text x=\"{}\" y=\"{}\" class=\"down\">{}</text>\n", edge - 6, middle + 4,
                   each * of_each);
  }
  for (int from = 0; from < side; ++from)
    for (int to = 0; to < side; ++to) {
      const square& at = squares[place_of(from, to)];
      const double depth = at.messages == 0 ? 0 : depth_of(static_cast<double>(at.bytes), most);
      fmt::format_to(out,
                     "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\" "
                     "fill-opacity=\"{:.2f}\"",
                     edge + to * width, edge + from * width, width - 1, width - 1,
                     at.messages == 0 ? "none" : "cell", at.messages == 0 ? 1 : depth);
      if (at.messages == 0) {
        svg += "/>\n";
        continue;
      }
      fmt::format_to(out,
                     " data-from=\"{0}\" data-to=\"{1}\" data-messages=\"{2}\" data-bytes=\"{3}\">"
                     "<title>{0} to {1}: {4} messages, {5}</title></rect>\n",
                     name_of_group(from), name_of_group(to), at.messages, at.bytes,
                     count_text(at.messages), bytes_text(static_cast<double>(at.bytes)));
    }
  return svg + "</svg>\n" + scale_of(most);
}

}  // namespace peal::launcher
