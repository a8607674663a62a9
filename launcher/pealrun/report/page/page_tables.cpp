#include "report/page/page_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "hang/rank_ranges.hpp"
#include "report/page/charts.hpp"
#include "report/text.hpp"

namespace peal::launcher {

namespace {

/// A table with a caption that readers of the screen hear first. Where it is wider than the window
/// it can be moved with the keyboard.
class table {
 public:
  /// The first columns, so many as `words`, are no numbers; nor are the last ones, so many as
  /// `more`.
  table(const std::string& caption, const std::vector<std::string>& heads, std::size_t words = 1,
        std::size_t more = 0) {
    text_ = fmt::format(
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\"><table>\n"
        "<caption>{0}</caption>\n<thead><tr>",
        escaped(caption));
    for (std::size_t k = 0; k < heads.size(); ++k)
      text_ += fmt::format("<th scope=\"col\"{}>{}</th>",
                           k < words || k + more >= heads.size() ? "" : " class=\"n\"",
                           escaped(heads[k]));
    text_ += "</tr></thead>\n<tbody>\n";
  }
  void begin(const std::string& head) {
    text_ += fmt::format("<tr><th scope=\"row\">{}</th>", escaped(head));
  }
  void long_word(const std::string& text) {
    text_ += fmt::format("<td class=\"long\">{}</td>", escaped(text));
  }
  void word(const std::string& text) { text_ += fmt::format("<td>{}</td>", escaped(text)); }
  void number(const std::string& text) {
    text_ += fmt::format("<td class=\"n\">{}</td>", escaped(text));
  }
  /// The exact number stays in the page.
  void number(const std::string& text, std::uint64_t exact) {
    text_ += fmt::format("<td class=\"n\" data-value=\"{}\">{}</td>", exact, escaped(text));
  }
  /// The same, with a bar.
  void number(const std::string& text, std::uint64_t exact, double share) {
    text_ += fmt::format("<td class=\"n\" data-value=\"{}\">{}{}</td>", exact,
                         share_bar(share, "share"), escaped(text));
  }
  /// `kind`: what it is a share of time or messages of, which has its colour.
  void share(double of, const std::string& kind) {
    text_ += fmt::format("<td class=\"n\">{}{}</td>", share_bar(of, kind), share_text(of));
  }
  void end() { text_ += "</tr>\n"; }
  std::string whole() && { return text_ + "</tbody></table></div>\n"; }

 private:
  std::string text_;
};

std::string bytes_of(std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }
/// Of calls that may move none.
std::string moved(std::uint64_t bytes) { return bytes == 0 ? "–" : bytes_of(bytes); }
/// Of calls that were all too short to be seen.
std::string taken(double seconds) { return seconds <= 0 ? "–" : time_text(seconds); }

}  // namespace

std::string ranks_table(const gathered_run& run) {
  const bool several =
      std::ranges::any_of(run.ranks, [](const noted_rank& each) { return !each.program.empty(); });
  std::vector<std::string> heads{"rank",    "host",     "time", "computing", "waiting",
                                 "copying", "handling", "sent", "received",  "messages sent"};
  if (several) heads.insert(heads.begin() + 1, "program");
  table made{"Time of each rank", heads, several ? 3U : 2U};
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const noted_rank& of = run.ranks[rank];
    made.begin(fmt::format("{}", rank));
    if (several) made.word(of.program);
    if (!of.known) {
      made.word("not known");
      for (int k = 0; k < 8; ++k) made.number("–");
      made.end();
      continue;
    }
    std::uint64_t sent = 0, received = 0, messages = 0;
    for (const record::peer_traffic& each : of.peers) {
      sent += each.sent_bytes;
      received += each.received_bytes;
      messages += each.sent;
    }
    made.word(of.host + (of.ended ? "" : " (did not end)"));
    made.number(time_text(of.time));
    for (const double part : {of.computing(), of.waiting, of.copying, of.handling})
      made.number(time_text(part));
    made.number(bytes_of(sent), sent);
    made.number(bytes_of(received), received);
    made.number(count_text(messages), messages);
    made.end();
  }
  return std::move(made).whole();
}

std::string nodes_table(const std::vector<node_sum>& nodes) {
  table made{"Nodes, with the sums of their ranks",
             {"node", "ranks", "time", "computing", "waiting", "sent within", "sent to others"}};
  for (const node_sum& of : nodes) {
    made.begin(of.name);
    made.word(ranges_of(of.ranks));
    made.number(time_text(of.time));
    made.share(of.time > 0 ? of.computing / of.time : 0, "computing");
    made.share(of.time > 0 ? of.waiting / of.time : 0, "waiting");
    made.number(bytes_of(of.within), of.within);
    made.number(bytes_of(of.sent), of.sent);
    made.end();
  }
  return std::move(made).whole();
}

std::string calls_table(const gathered_run& run) {
  struct sum {
    std::uint64_t calls = 0, bytes = 0;
    double time = 0, waiting = 0, copying = 0, longest = 0;
  };
  std::map<std::string, sum> by_call;
  double whole = 0;
  for (const noted_rank& rank : run.ranks) {
    whole += rank.time;
    for (const noted_site& each : rank.sites) {
      sum& of = by_call[each.call];
      of.calls += each.calls;
      of.bytes += each.bytes;
      of.time += each.time();
      of.waiting += each.waiting;
      of.copying += each.copying;
      of.longest = std::max(of.longest, each.longest);
    }
  }
  std::vector<std::pair<std::string, sum>> all{by_call.begin(), by_call.end()};
  std::ranges::stable_sort(
      all, [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  table made{
      "Calls of all ranks",
      {"call", "calls", "bytes", "time", "of the run", "waiting", "copying", "mean", "longest"}};
  for (const auto& [name, of] : all) {
    made.begin(name);
    made.number(count_text(of.calls), of.calls);
    made.number(moved(of.bytes), of.bytes);
    made.number(taken(of.time));
    made.share(whole > 0 ? of.time / whole : 0, "share");
    made.share(of.time > 0 ? of.waiting / of.time : 0, "waiting");
    made.share(of.time > 0 ? of.copying / of.time : 0, "copying");
    made.number(taken(of.calls > 0 ? of.time / static_cast<double>(of.calls) : 0));
    made.number(taken(of.longest));
    made.end();
  }
  return std::move(made).whole();
}

std::string places_table(const std::vector<place_sum>& all) {
  constexpr std::size_t most = 20;
  table made{fmt::format("The {} slowest places of {}", std::min(most, all.size()), all.size()),
             {"place", "call", "ranks", "calls", "time", "waiting", "mean", "longest"},
             2};
  for (std::size_t k = 0; k < all.size() && k < most; ++k) {
    const place_sum& of = all[k];
    made.begin(of.where);
    made.word(of.call);
    made.number(fmt::format("{}", of.ranks));
    made.number(count_text(of.calls), of.calls);
    made.number(taken(of.time));
    made.share(of.time > 0 ? of.waiting / of.time : 0, "waiting");
    made.number(taken(of.calls > 0 ? of.time / static_cast<double>(of.calls) : 0));
    made.number(taken(of.longest));
    made.end();
  }
  return std::move(made).whole();
}

std::string pairs_table(std::vector<pair_traffic> all, int ranks) {
  constexpr std::size_t most = 64;
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  table made{fmt::format("The {} pairs with most bytes, of {} that exchanged messages ({} ranks)",
                         std::min(most, all.size()), all.size(), ranks),
             {"from", "to", "messages", "bytes", "mean"}};
  for (std::size_t k = 0; k < all.size() && k < most; ++k) {
    const pair_traffic& of = all[k];
    made.begin(fmt::format("{}", of.from));
    made.number(fmt::format("{}", of.to));
    made.number(count_text(of.messages), of.messages);
    made.number(bytes_of(of.bytes), of.bytes);
    made.number(bytes_text(static_cast<double>(of.bytes) / static_cast<double>(of.messages)));
    made.end();
  }
  return std::move(made).whole();
}

std::string lengths_table(const std::vector<record::length_class>& lengths) {
  std::uint64_t most_messages = 1, most_bytes = 1;
  for (const record::length_class& each : lengths) {
    most_messages = std::max(most_messages, each.messages);
    most_bytes = std::max(most_bytes, each.bytes);
  }
  const auto part = [](std::uint64_t of, std::uint64_t most) {
    return static_cast<double>(of) / static_cast<double>(most);
  };
  table made{"Messages by length", {"length", "messages", "bytes"}};
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    if (lengths[k].messages == 0) continue;
    made.begin(length_class_text(k));
    made.number(count_text(lengths[k].messages), lengths[k].messages,
                part(lengths[k].messages, most_messages));
    made.number(bytes_of(lengths[k].bytes), lengths[k].bytes, part(lengths[k].bytes, most_bytes));
    made.end();
  }
  return std::move(made).whole();
}

std::string algorithms_table(const gathered_run& run) {
  std::map<std::tuple<std::string, std::size_t, std::string>, std::pair<std::uint64_t, double>> by;
  for (const noted_rank& rank : run.ranks)
    for (const noted_use& each : rank.uses) {
      auto& [calls, time] = by[{each.collective, each.length, each.algorithm}];
      calls += each.calls;
      time += each.time;
    }
  if (by.empty()) return {};
  table made{"Algorithms of collectives, calls of all ranks",
             {"collective", "length", "algorithm", "calls", "mean time"},
             3};
  for (const auto& [key, of] : by) {
    made.begin(std::get<0>(key));
    made.word(length_class_text(std::get<1>(key)));
    made.word(std::get<2>(key));
    made.number(count_text(of.first), of.first);
    made.number(taken(of.second / static_cast<double>(of.first)));
    made.end();
  }
  return std::move(made).whole();
}

std::string counters_table(const std::vector<counter_sum>& all) {
  table made{"Counters at the end",
             {"counter", "sum", "least", "most", "on rank", "what it counts"},
             1,
             1};
  for (const counter_sum& of : all) {
    if (of.sum == 0) continue;
    made.begin(of.name);
    made.number(count_text(of.sum), of.sum);
    made.number(count_text(of.least), of.least);
    made.number(count_text(of.most), of.most);
    made.number(fmt::format("{}", of.most_rank));
    made.long_word(of.meaning);
    made.end();
  }
  return std::move(made).whole();
}

}  // namespace peal::launcher
