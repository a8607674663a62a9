#include "report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "report/page/heat_map.hpp"
#include "report/text.hpp"

namespace peal::launcher {

time_sums sums_of(const gathered_run& run) {
  time_sums sum;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const noted_rank& each = run.ranks[rank];
    if (!each.known) continue;
    ++sum.known;
    sum.time += each.time;
    sum.computing += each.computing();
    sum.waiting += each.waiting;
    sum.copying += each.copying;
    sum.handling += each.handling;
    if (each.computing() > sum.longest_computing) {
      sum.longest_computing = each.computing();
      sum.longest_computing_rank = static_cast<int>(rank);
    }
  }
  if (sum.known > 0) sum.mean_computing = sum.computing / sum.known;
  return sum;
}

std::vector<place_sum> slowest_places(const gathered_run& run, const places& known) {
  std::map<std::pair<std::string, std::string>, place_sum> by_place;
  for (const noted_rank& rank : run.ranks) {
    std::map<std::pair<std::string, std::string>, bool> seen;
    for (const noted_site& each : rank.sites) {
      const std::pair key{each.call, known.text(each)};
      place_sum& sum = by_place[key];
      sum.call = key.first;
      sum.where = key.second;
      sum.calls += each.calls;
      sum.bytes += each.bytes;
      sum.time += each.time();
      sum.waiting += each.waiting;
      sum.longest = std::max(sum.longest, each.longest);
      if (!std::exchange(seen[key], true)) ++sum.ranks;
    }
  }
  std::vector<place_sum> all;
  for (auto& [key, sum] : by_place) all.push_back(std::move(sum));
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.time > b.time; });
  return all;
}

std::vector<counter_sum> counters_of(const gathered_run& run) {
  std::map<std::string, counter_sum> by_name;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
    for (const noted_counter& each : run.ranks[rank].counters) {
      counter_sum& sum = by_name[each.name];
      if (sum.name.empty()) {
        sum.name = each.name;
        sum.meaning = each.meaning;
        sum.least = each.value;
      }
      sum.sum += each.value;
      sum.least = std::min(sum.least, each.value);
      if (each.value > sum.most || sum.most_rank < 0) {
        sum.most = each.value;
        sum.most_rank = static_cast<int>(rank);
      }
    }
  std::vector<counter_sum> all;
  for (auto& [name, sum] : by_name) all.push_back(std::move(sum));
  return all;
}

namespace {

std::string list_of(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  std::string made = "ranks ";
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    if (k == 8) return made + fmt::format(" and {} more", ranks.size() - k);
    made += fmt::format("{}{}", k == 0 ? "" : k + 1 == ranks.size() ? " and " : ", ", ranks[k]);
  }
  return made;
}

void tell_of_losses(const gathered_run& run, std::vector<std::string>& told) {
  std::vector<int> missing, died;
  std::uint64_t lost = 0, homeless = 0;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const noted_rank& each = run.ranks[rank];
    if (!each.known) missing.push_back(static_cast<int>(rank));
    else if (!each.ended) died.push_back(static_cast<int>(rank));
    lost += each.events_lost;
    homeless += each.homeless;
  }
  if (!missing.empty())
    told.push_back(
        fmt::format("Nothing is known of {}: no environment of peal was made, or its "
                    "record could not be written.",
                    list_of(missing)));
  if (!died.empty())
    told.push_back(
        fmt::format("The numbers of {} end with its last call, since its environment "
                    "did not end.",
                    list_of(died)));
  if (lost > 0)
    told.push_back(
        fmt::format("{} events are not in the trace, since there were more than "
                    "PEAL_RECORD_EVENTS allows.",
                    count_text(lost)));
  if (homeless > 0)
    told.push_back(
        "There were more places that call than a rank tells apart; the rest is shown as "
        "other places.");
}

}  // namespace

std::vector<std::string> summary_of(const gathered_run& run,
                                    const std::vector<place_sum>& slowest) {
  std::vector<std::string> told;
  const time_sums sum = sums_of(run);
  if (run.code != 0) told.push_back(fmt::format("The job ended with code {}.", run.code));
  if (sum.known == 0 || sum.time <= 0) {
    told.emplace_back("No rank made an environment of peal, so nothing was recorded.");
    return told;
  }
  const double in_peal = sum.waiting + sum.copying + sum.handling;
  told.push_back(fmt::format(
      "{} ran for {} on average, {} of that in calls of peal: {} waiting, {} copying, {} else.",
      counted(static_cast<std::uint64_t>(sum.known), "rank"), time_text(sum.time / sum.known),
      share_text(in_peal / sum.time), share_text(sum.waiting / sum.time),
      share_text(sum.copying / sum.time), share_text(sum.handling / sum.time)));
  if (!slowest.empty() && slowest.front().time > 0) {
    const place_sum& first = slowest.front();
    told.push_back(fmt::format(
        "The slowest call is {} at {}: {} of all ranks together ({} of the "
        "run), of which {} waiting.",
        first.call, first.where, time_text(first.time), share_text(first.time / sum.time),
        share_text(first.time > 0 ? first.waiting / first.time : 0)));
  }
  if (sum.known > 1 && sum.longest_computing > 0) {
    // Below a twentieth it is the noise of an ordinary machine, and of a time that is a small part
    // of the run nobody needs to know how it is shared out.
    const double more = sum.longest_computing - sum.mean_computing;
    if (sum.imbalance() < 0.05)
      told.push_back(fmt::format("The ranks computed for about the same time (imbalance {}).",
                                 share_text(sum.imbalance())));
    else if (more > 0.05 * sum.time / sum.known && sum.waiting > 0)
      told.push_back(fmt::format(
          "Rank {} computed longest: {}, where the mean is {} (imbalance {}); the others wait for "
          "it.",
          sum.longest_computing_rank, time_text(sum.longest_computing),
          time_text(sum.mean_computing), share_text(sum.imbalance())));
  }
  std::uint64_t messages = 0, bytes = 0;
  const std::vector<pair_traffic> pairs = pairs_of(run);
  const pair_traffic* most = nullptr;
  for (const pair_traffic& each : pairs) {
    messages += each.messages;
    bytes += each.bytes;
    if (most == nullptr || each.bytes > most->bytes) most = &each;
  }
  if (most != nullptr)
    told.push_back(
        fmt::format("{} sent, {} in all; most of it, {}, from rank {} to rank {}.",
                    messages == 1 ? "1 message was" : count_text(messages) + " messages were",
                    bytes_text(static_cast<double>(bytes)),
                    bytes_text(static_cast<double>(most->bytes)), most->from, most->to));
  else if (run.ranks.size() > 1 && collective_pairs_of(run).empty() && slowest.empty())
    told.emplace_back("The ranks exchanged nothing.");
  std::uint64_t doorbells = 0, requests = 0;
  for (const counter_sum& each : counters_of(run)) {
    if (each.name == "verbs.doorbells") doorbells = each.sum;
    if (each.name == "verbs.requests") requests = each.sum;
    if (each.sum > 0 && (each.name.ends_with("_repeated") || each.name.ends_with("port_errors")))
      told.push_back(fmt::format("{}: {} ({}).", each.name, count_text(each.sum), each.meaning));
  }
  if (doorbells > 0)
    told.push_back(fmt::format("{} work requests left with {} doorbells ({} a doorbell).",
                               count_text(requests), count_text(doorbells),
                               three_digits(std::min(999.0, static_cast<double>(requests) /
                                                                static_cast<double>(doorbells)))));
  tell_of_losses(run, told);
  return told;
}

std::vector<node_sum> nodes_of(const gathered_run& run) {
  std::vector<node_sum> made;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const noted_rank& of = run.ranks[rank];
    if (!of.known) continue;
    auto node = std::ranges::find(made, of.host, &node_sum::name);
    if (node == made.end()) {
      made.emplace_back().name = of.host;
      node = std::prev(made.end());
    }
    node->ranks.push_back(static_cast<int>(rank));
    node->time += of.time;
    node->computing += of.computing();
    node->waiting += of.waiting;
    for (std::size_t to = 0; to < of.peers.size() && to < run.ranks.size(); ++to) {
      const std::uint64_t bytes = of.peers[to].sent_bytes + of.peers[to].collective_bytes;
      (run.ranks[to].host == of.host ? node->within : node->sent) += bytes;
    }
  }
  return made;
}

}  // namespace peal::launcher
