#include "hang/hang_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include "hang/rank_ranges.hpp"
#include "hang/stacks.hpp"
#include "hang/wait_words.hpp"
#include "shown/call_sites.hpp"
#include "shown/rank_pages.hpp"

namespace peal::launcher {

namespace {

// A job of a thousand ranks that all do something else is not told line by line.
constexpr std::size_t most_groups = 24;

void write_all(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(STDERR_FILENO, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

job_snapshot job_of(rank_pages& pages) {
  std::vector<job_snapshot> all = pages.read();
  // A rank may have started a job of its own; the larger one is the launcher's.
  const auto found = std::ranges::max_element(all, {}, &job_snapshot::size);
  return found == all.end() ? job_snapshot{} : std::move(*found);
}

bool several_hosts(const job_snapshot& in) {
  std::set<std::string> hosts;
  for (const shown_rank& each : in.ranks)
    if (!each.host.empty()) hosts.insert(each.host);
  return hosts.size() > 1;
}

}  // namespace

std::string report_order::text() const {
  std::string made = fmt::format("{}\n{}\n", launcher, seconds);
  for (const auto& [rank, how] : ended) made += fmt::format("e {} {}\n", rank, how);
  for (const auto& [rank, lasts] : quiet) made += fmt::format("q {} {}\n", rank, lasts);
  return made;
}

report_order report_order::from(const std::string& text) {
  report_order made;
  std::istringstream words{text};
  words >> made.launcher >> made.seconds;
  char what = 0;
  for (int rank = 0; words >> what >> rank;) {
    std::string rest;
    std::getline(words >> std::ws, rest);
    if (what == 'e') made.ended[rank] = rest;
    else made.quiet[rank] = std::strtod(rest.c_str(), nullptr);
  }
  return made;
}

std::string report_text(const diagnosis& of, const job_snapshot& in, double seconds,
                        const rank_stacks& stacks) {
  std::string text =
      seconds > 0
          ? fmt::format("pealrun: nothing has moved for {} (job of {} ranks, {}):\n",
                        seconds_text(seconds), in.size, in.job)
          : fmt::format("pealrun: what the ranks do (job of {} ranks, {}):\n", in.size, in.job);
  std::size_t told = 0;
  for (const rank_group& each : of.groups) {
    if (told++ == most_groups) {
      text += fmt::format("  and {} more states\n", of.groups.size() - most_groups);
      break;
    }
    text += fmt::format("  {}: {}\n", words_of(each.ranks), each.text);
  }
  for (const finding& each : of.findings) text += fmt::format("  => {}\n", each.text);
  for (const auto& [rank, lines] : stacks) {
    const shown_rank* const shown = in.find(rank);
    text += fmt::format("  stack of rank {} (pid {}{}):\n", rank, shown != nullptr ? shown->pid : 0,
                        shown != nullptr && several_hosts(in) ? " on " + shown->host : "");
    for (const std::string& each : lines) text += fmt::format("    {}\n", each);
  }
  return text;
}

std::string whole_report(job_snapshot now, const job_snapshot& before, double between,
                         const report_order& order, const stack_reader& stack) {
  now.compare(before, between);
  for (shown_rank& each : now.ranks)
    if (const auto known = order.quiet.find(each.rank); known != order.quiet.end()) {
      // A question of a rank that waits may have come meanwhile, which moves nothing of the
      // program.
      const shown_rank* const then = before.find(each.rank);
      each.loops = each.loops || (each.waits.empty() && !each.helped && then != nullptr &&
                                  then->activity.turns != each.activity.turns);
      each.quiet = each.quiet.value_or(0) + known->second;
    }
  for (const auto& [rank, how] : order.ended) {
    now.size = std::max(now.size, rank + 1);
    now.at(rank).ended = how;
  }
  // Those that show nothing are ranks, too.
  for (int rank = 0; rank < now.size; ++rank) (void)now.at(rank);
  const diagnosis found = diagnose(now);
  rank_stacks stacks;
  for (const int each : found.odd) {
    const shown_rank& rank = *now.find(each);
    std::vector<std::string> lines = rank.wait() != nullptr ? rank.wait()->stack : stack(rank);
    if (lines.empty() && rank.wait() == nullptr)
      lines = {
          "not to be had: neither gdb nor eu-stack is installed, or the system forbids them "
          "to look"};
    if (!lines.empty()) stacks[each] = std::move(lines);
  }
  return report_text(found, now, order.seconds, stacks);
}

int write_hang_report(const std::string& order_text) {
  const report_order order = report_order::from(order_text);
  rank_pages pages{order.launcher};
  pages.look();
  const job_snapshot before = job_of(pages);
  std::this_thread::sleep_for(between_looks);
  job_snapshot now = job_of(pages);
  resolve_calls(now.ranks);
  write_all(whole_report(std::move(now), before,
                         std::chrono::duration<double>{between_looks}.count(), order,
                         [](const shown_rank& of) { return stack_of(of.pid); }));
  return 0;
}

}  // namespace peal::launcher
