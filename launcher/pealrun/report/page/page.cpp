#include "report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "config.h"
#include "report/page/charts.hpp"
#include "report/page/heat_map.hpp"
#include "report/page/page_tables.hpp"
#include "report/places.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace peal::launcher {

namespace {

constexpr const char* style = R"css(
:root { color-scheme: light dark; --page: #ffffff; --text: #1c1e21; --soft: #5b6168;
  --line: #d5d9de; --box: #f5f6f8; --computing: #4878b0; --waiting: #d1812c;
  --copying: #4f9b64; --handling: #9a6fb0;
  --heat: #b3402a; --none: #eef0f2; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181b; --text: #e4e6e9; --soft: #a2a9b1; --line: #383d43; --box: #1f2226;
    --computing: #6f9fd8; --waiting: #e39b4d; --copying: #6fbd85; --handling: #b891cd;
    --heat: #f08060; --none: #24282c; } }
body { background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif;
  margin: 0 auto; max-width: 1040px; padding: 1.5em; }
h1 { font-size: 1.5em; margin: 0; } h2 { font-size: 1.15em; margin: 2em 0 .5em; }
h3 { font-size: 1em; margin: 1.5em 0 .5em; }
p, li { max-width: 75ch; } code { font-size: .95em; overflow-wrap: anywhere; }
.soft { color: var(--soft); } .wide { overflow-x: auto; }
.summary { background: var(--box); border: 1px solid var(--line); border-radius: 6px;
  padding: .6em 1em .6em 2em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5em 0; }
caption { text-align: left; color: var(--soft); padding-bottom: .3em; white-space: nowrap; }
th, td { padding: .2em .7em; border-bottom: 1px solid var(--line); text-align: left;
  white-space: nowrap; }
td.long { white-space: normal; min-width: 20em; }
tbody th { font-weight: 500; } th.n, td.n { text-align: right; }
svg { display: block; } svg text { fill: var(--soft); font-size: 11px; }
.across { text-anchor: middle; } .down { text-anchor: end; }
.grid { stroke: var(--line); fill: none; } svg .died { fill: var(--heat); font-weight: bold; }
.computing { fill: var(--computing); background: var(--computing); }
.waiting { fill: var(--waiting); background: var(--waiting); }
.copying { fill: var(--copying); background: var(--copying); }
.handling { fill: var(--handling); background: var(--handling); }
.share { background: var(--soft); } .unknown { fill: url(#unknown); stroke: var(--line); }
.cell { fill: var(--heat); } .none { fill: var(--none); background: var(--none); }
.key { background: var(--heat); }
.legend span { display: inline-block; width: .9em; height: .9em; margin: 0 .3em 0 1em;
  border-radius: 2px; vertical-align: -1px; }
.legend span:first-child { margin-left: 0; }
.bar { display: inline-block; width: 48px; height: .7em; margin-right: .5em;
  background: var(--none); } .bar i { display: block; height: 100%; }
output { display: block; min-height: 1.5em; }
details { margin: .5em 0; } summary { cursor: pointer; }
@media (max-width: 500px) { body { padding: .8em; } }
@media print {
  :root { color-scheme: light; --page: #ffffff; --text: #000000; --soft: #444444;
    --line: #bbbbbb; --box: #ffffff; --computing: #4878b0; --waiting: #d1812c;
    --copying: #4f9b64; --handling: #9a6fb0; --heat: #b3402a; --none: #e6e8ea; }
  body { font-size: 10pt; max-width: none; padding: 0; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  svg { max-width: 100%; height: auto; } .wide { overflow: visible; }
  th, td { padding: .1em .4em; white-space: normal; } td.n { white-space: nowrap; }
  h2, h3, h2 + p, h3 + p, caption, summary { break-after: avoid; }
  tbody tr:first-child { break-before: avoid; }
  tr, svg { break-inside: avoid; } output { display: none; } }
)css";

// Says which pair the pointer is at, and prints what is folded.
constexpr const char* script = R"js(
"use strict";
for (const map of document.querySelectorAll("svg.map")) {
  const told = map.closest(".picture").querySelector("output");
  map.addEventListener("pointerover", event => {
    const title = event.target.closest("rect.cell")?.querySelector("title");
    told.textContent = title ? title.textContent : "";
  });
}
const folded = () => document.querySelectorAll("details:not([open])");
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...folded()];
  for (const each of unfolded) each.open = true;
});
addEventListener("afterprint", () => { for (const each of unfolded) each.open = false; });
document.documentElement.dataset.ready = "true";
)js";

void add_map(std::string& to, const std::vector<pair_traffic>& pairs, int ranks,
             const std::string& what) {
  to += fmt::format(
      "<div class=\"picture\"><div class=\"wide\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"{0}\">{1}</div><output class=\"soft\" aria-live=\"off\"></output></div>\n",
      what, heat_map(pairs, ranks, what + "; the table below has the numbers"));
  to += fmt::format("<details><summary>Numbers of pairs</summary>{}</details>\n",
                    pairs_table(pairs, ranks));
}

/// The same pairs, by the places of their nodes.
std::vector<pair_traffic> pairs_of_nodes(const std::vector<pair_traffic>& pairs,
                                         const std::vector<node_sum>& nodes, std::size_t ranks) {
  constexpr int none = -1;
  std::vector<int> node_of(ranks, none);
  for (std::size_t node = 0; node < nodes.size(); ++node)
    for (const int rank : nodes[node].ranks)
      node_of[static_cast<std::size_t>(rank)] = static_cast<int>(node);
  std::map<std::pair<int, int>, pair_traffic> sums;
  for (const pair_traffic& each : pairs) {
    const int from = node_of[static_cast<std::size_t>(each.from)],
              to = node_of[static_cast<std::size_t>(each.to)];
    if (from == none || to == none) continue;
    pair_traffic& sum = sums.try_emplace({from, to}, pair_traffic{from, to, 0, 0}).first->second;
    sum.messages += each.messages;
    sum.bytes += each.bytes;
  }
  std::vector<pair_traffic> made;
  for (const auto& [pair, sum] : sums) made.push_back(sum);
  return made;
}

void add_nodes(std::string& to, const gathered_run& run, const std::vector<pair_traffic>& pairs,
               const std::vector<pair_traffic>& behind) {
  const std::vector<node_sum> nodes = nodes_of(run);
  if (nodes.size() < 2) return;
  to += "<h3 id=\"nodes\">Nodes</h3>\n" + nodes_table(nodes);
  std::vector<pair_traffic> all = pairs;
  all.insert(all.end(), behind.begin(), behind.end());
  const std::vector<pair_traffic> between = pairs_of_nodes(all, nodes, run.ranks.size());
  if (between.empty()) return;
  std::vector<std::string> names;
  for (const node_sum& each : nodes) names.push_back(each.name);
  to +=
      "<p>The same by node, in the order of the table, with messages that collectives sent.</p>\n";
  to += fmt::format("<div>{}<p><output class=\"soft\" aria-live=\"off\"></output></p></div>\n",
                    heat_map(between, static_cast<int>(nodes.size()),
                             "Messages between nodes; the table above has the numbers", names));
}

void add_matrix(std::string& to, const gathered_run& run) {
  const int ranks = static_cast<int>(run.ranks.size());
  const std::vector<pair_traffic> pairs = pairs_of(run), behind = collective_pairs_of(run);
  to += "<h2 id=\"matrix\">Who sent to whom</h2>\n";
  if (pairs.empty() && behind.empty()) {
    to += "<p>No rank sent a message.</p>\n";
    return;
  }
  to +=
      "<p>Rows send, columns receive. The stronger the colour, the more bytes, by their logarithm.";
  if (ranks > most_squares) to += " A square stands for a group of ranks.";
  to += "</p>\n";
  if (pairs.empty()) to += "<p>No rank sent a message of its own.</p>\n";
  else add_map(to, pairs, ranks, "Messages of the program");
  add_nodes(to, run, pairs, behind);
  if (behind.empty()) return;
  to += "<h3>Messages that collectives sent</h3>\n";
  to += "<p>Collectives that go through shared memory send none.</p>\n";
  add_map(to, behind, ranks, "Messages of collectives");
}

// For programs that read the page: what its tables round.
std::string data_of(const gathered_run& run) {
  std::string json = "{\"ranks\":[";
  auto out = std::back_inserter(json);
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const noted_rank& of = run.ranks[rank];
    fmt::format_to(out,
                   "{}{{\"node\":{},\"known\":{},\"ended\":{},\"time\":{:.9f},\"computing\":{:.9f},"
                   "\"waiting\":{:.9f},\"copying\":{:.9f},\"handling\":{:.9f}}}",
                   rank == 0 ? "" : ",", json_string(of.host), of.known, of.ended, of.time,
                   of.computing(), of.waiting, of.copying, of.handling);
  }
  json += "],\"pairs\":[";
  bool first = true;
  for (const pair_traffic& each : pairs_of(run)) {
    const noted_rank& receiver = run.ranks[static_cast<std::size_t>(each.to)];
    const record::peer_traffic got = receiver.known
                                         ? receiver.peers[static_cast<std::size_t>(each.from)]
                                         : record::peer_traffic{};
    fmt::format_to(out, "{}[{},{},{},{},{},{}]", first ? "" : ",", each.from, each.to,
                   each.messages, each.bytes, got.received, got.received_bytes);
    first = false;
  }
  return json + "]}";
}

void add_times(std::string& to, const gathered_run& run) {
  const time_sums sum = sums_of(run);
  to += "<h2 id=\"time\">Where the time went</h2>\n<p class=\"legend\">";
  for (const char* part : {"computing", "waiting", "copying", "handling"})
    to += fmt::format("<span class=\"{0}\"></span>{0}", part);
  to += "</p>\n" + time_chart(run);
  if (sum.known > 1)
    to += fmt::format(
        "<p>Imbalance: the mean rank computed {} less than the longest one. Of all time {} was "
        "spent waiting.</p>\n",
        share_text(sum.imbalance()), share_text(sum.time > 0 ? sum.waiting / sum.time : 0));
  to += fmt::format("<details{}><summary>Numbers of ranks</summary>{}</details>\n",
                    run.ranks.size() <= 16 ? " open" : "", ranks_table(run));
}

void add_calls(std::string& to, const gathered_run& run, const std::vector<place_sum>& slowest) {
  to += "<h2 id=\"calls\">Calls</h2>\n";
  if (slowest.empty()) {
    to += "<p>No rank called peal between the start of its environment and the end.</p>\n";
    return;
  }
  to += calls_table(run);
  to += "<h2 id=\"places\">Slowest places of the program</h2>\n" + places_table(slowest);
}

std::string how_it_was_measured(const gathered_run& run) {
  std::uint64_t timed = 0, calls = 0;
  for (const noted_rank& rank : run.ranks) {
    timed += rank.timed;
    for (const noted_site& each : rank.sites) calls += each.calls;
  }
  return fmt::format(
      "<h2 id=\"measured\">How this was measured</h2>\n<p>Calls, messages and bytes are counted, "
      "all of them. Waits are timed behind their first microsecond or two, and copies of 2 KiB "
      "and more, in each call. The rest, which are short waits and handling, is an estimate: of {} "
      "the whole "
      "time was taken of {}, and each stands for those before it. A blocking collective counts as "
      "waiting but for its copies. Computing is what remains. doc/report.md has more.</p>\n",
      counted(calls, "call"), count_text(timed));
}

}  // namespace

std::string page_of(const gathered_run& run) {
  const places known{run};
  const std::vector<place_sum> slowest = slowest_places(run, known);
  const std::string ranks = counted(run.ranks.size(), "rank");
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"{}\">\n<title>Report of {}</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<style>{}</style>\n</head>\n<body>\n",
      PACKAGE_STRING, ranks, style);
  page += fmt::format("<h1>Report of a run of {}</h1>\n<p class=\"soft\"><code>{}</code>", ranks,
                      escaped(run.command));
  if (!run.ended_at.empty()) page += fmt::format("<br>ended {}", escaped(run.ended_at));
  page += "</p>\n<ul class=\"summary\">\n";
  for (const std::string& each : summary_of(run, slowest))
    page += fmt::format("<li>{}</li>\n", escaped(each));
  page += "</ul>\n";
  if (sums_of(run).known > 0) {
    add_times(page, run);
    add_calls(page, run, slowest);
    add_matrix(page, run);
    const std::vector<record::length_class> lengths = lengths_of(run);
    if (std::ranges::any_of(lengths, [](const auto& each) { return each.messages != 0; }))
      page += "<h2 id=\"lengths\">Lengths of messages</h2>\n" + lengths_table(lengths);
    if (const std::string used = algorithms_table(run); !used.empty())
      page += "<h2 id=\"algorithms\">Algorithms</h2>\n" + used;
    if (const std::vector<counter_sum> counters = counters_of(run); !counters.empty())
      page +=
          "<h2 id=\"counters\">Counters</h2>\n<details><summary>What peal has counted: transports, "
          "waits, doorbells</summary>" +
          counters_table(counters) + "</details>\n";
    page += how_it_was_measured(run);
  }
  page += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", data_of(run));
  return page + fmt::format("<script>{}</script>\n</body>\n</html>\n", script);
}

}  // namespace peal::launcher
