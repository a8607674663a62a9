#include "hang/job_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "hang/rank_ranges.hpp"
#include "hang/wait_words.hpp"

namespace peal::launcher {

namespace {

struct row {
  std::vector<int> ranks;
  std::string pids, host;                                    // empty: of several
  double cpu = 0, messages = 0, bytes = 0, collectives = 0;  // a second, of all these ranks
  double lasts = 0, steps = 0;
  std::string what;
};

double rate(std::uint64_t now, std::uint64_t before, double seconds) {
  return seconds > 0 && now >= before ? static_cast<double>(now - before) / seconds : 0;
}

row row_of(const shown_rank& now, const shown_rank* before, const job_snapshot& in,
           double seconds) {
  row made;
  made.ranks = {now.rank};
  made.pids = now.pid != 0 ? fmt::format("{}", now.pid) : "-";
  made.host = now.host;
  made.what = state_text(now, in);
  if (now.wait() != nullptr) made.steps = now.steps;
  if (const shown_wait* const wait = now.wait()) made.lasts = wait->seconds;
  else if (now.phase != state::phase::running) made.lasts = now.phase_seconds;
  else made.lasts = now.quiet.value_or(0);
  if (before == nullptr || before->pid != now.pid) return made;
  made.cpu = seconds > 0 ? (now.cpu_seconds - before->cpu_seconds) / seconds : 0;
  made.messages = rate(now.activity.messages, before->activity.messages, seconds);
  made.bytes = rate(now.activity.bytes, before->activity.bytes, seconds);
  made.collectives = rate(now.activity.collectives, before->activity.collectives, seconds);
  return made;
}

void join(row& into, const row& more) {
  into.ranks.insert(into.ranks.end(), more.ranks.begin(), more.ranks.end());
  into.pids = fmt::format("({})", into.ranks.size());
  if (into.host != more.host) into.host.clear();
  into.cpu += more.cpu;
  into.messages += more.messages;
  into.bytes += more.bytes;
  into.collectives += more.collectives;
  into.steps += more.steps;
  into.lasts = std::max(into.lasts, more.lasts);
}

std::vector<row> folded(const std::vector<row>& all) {
  std::vector<row> made;
  std::map<std::string, std::size_t> places;
  for (const row& each : all) {
    const auto [place, is_new] = places.emplace(each.what, made.size());
    if (is_new) made.push_back(each);
    else join(made[place->second], each);
  }
  return made;
}

// Names that a program gave to its communicators may hold anything: what would steer the terminal
// is shown as a question mark. A character of UTF-8 counts as one column and is not parted.
std::string cut(const std::string& text, std::size_t columns) {
  std::string made;
  std::size_t shown = 0;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if ((byte & 0xc0) != 0x80 && ++shown > columns) break;
    made += byte < ' ' || byte == 0x7f ? '?' : each;
  }
  return made;
}

// Terminals narrower than this show fewer columns, so that there is room for what a rank does.
constexpr std::size_t wide_enough = 100;

std::string line_of(bool wide, const std::string& ranks, const std::string& host,
                    const std::string& pids, const std::string& cpu, const std::string& messages,
                    const std::string& bytes, const std::string& collectives,
                    const std::string& lasts, const std::string& what) {
  if (!wide)
    return fmt::format("{:<9} {}{:>5} {:>7} {:>7}  {}", ranks, host, cpu, bytes, lasts, what);
  return fmt::format("{:<9} {}{:>8} {:>5} {:>7} {:>7} {:>7} {:>7}  {}", ranks, host, pids, cpu,
                     messages, bytes, collectives, lasts, what);
}

// The name of a job is long, and comes last where not everything fits.
std::string title(const std::string& job, const std::string& of_all, std::size_t columns) {
  if (job.size() + of_all.size() + 2 <= columns)
    return cut(fmt::format("{}: {}", job, of_all), columns);
  return cut(fmt::format("{}; {}", of_all, job), columns);
}

}  // namespace

std::string rate_text(double a_second) {
  for (const char* unit : {"", "k", "M", "G"}) {
    if (a_second < 999.5)
      return *unit == '\0' || a_second >= 99.95 ? fmt::format("{:.0f}{}", a_second, unit)
                                                : fmt::format("{:.1f}{}", a_second, unit);
    a_second /= 1000;
  }
  return fmt::format("{:.0f}T", a_second);
}

std::vector<std::string> job_table(const job_snapshot& now, const job_snapshot& before,
                                   double seconds, std::size_t lines, std::size_t columns) {
  std::vector<row> rows;
  for (const shown_rank& each : now.ranks)
    rows.push_back(row_of(each, before.find(each.rank), now, seconds));
  constexpr std::size_t head = 2;
  const std::size_t room = std::max<std::size_t>(lines, head + 2) - head;
  if (rows.size() > room) rows = folded(rows);
  std::vector<std::string> made;
  // Nodes stand there where there are several.
  std::set<std::string> hosts;
  std::size_t width = std::string_view{"node"}.size();
  for (const shown_rank& each : now.ranks)
    if (!each.host.empty()) {
      hosts.insert(each.host);
      width = std::max(width, each.host.size());
    }
  const auto host_text = [&](const std::string& name) {
    return hosts.size() > 1 ? fmt::format("{:<{}} ", name, width) : std::string{};
  };
  double messages = 0, bytes = 0, cpu = 0;
  for (const row& each : rows) {
    messages += each.messages;
    bytes += each.bytes;
    cpu += each.cpu;
  }
  const bool wide = columns >= wide_enough;
  made.push_back(
      title(now.job,
            fmt::format("{} ranks, {} shown here; {} messages/s, {}B/s, {:.1f} cores; bytes "
                        "without those of messages of 40 B and less inside a node",
                        now.size, now.ranks.size(), rate_text(messages), rate_text(bytes), cpu),
            columns));
  made.push_back(cut(line_of(wide, "rank", host_text("node"), "pid", "cpu%", "msg/s", "B/s",
                             "coll/s", "since", "what"),
                     columns));
  std::size_t left = rows.size();
  for (const row& each : rows) {
    if (made.size() + 1 >= head + room && left > 1) {
      made.push_back(cut(fmt::format("and {} more", left), columns));
      break;
    }
    --left;
    made.push_back(cut(
        line_of(wide, ranges_of(each.ranks), host_text(each.host), each.pids,
                fmt::format("{:.0f}", 100 * each.cpu), rate_text(each.messages),
                rate_text(each.bytes), rate_text(each.collectives),
                each.lasts > 0 ? seconds_text(each.lasts) : "",
                each.what +
                    (each.steps > 0 ? fmt::format(" ({} steps/s)", rate_text(each.steps)) : "")),
        columns));
  }
  return made;
}

std::vector<std::string> job_list(const std::vector<job_snapshot>& jobs) {
  std::vector<std::string> made;
  for (const job_snapshot& each : jobs) {
    std::vector<int> ranks;
    for (const shown_rank& rank : each.ranks) ranks.push_back(rank.rank);
    made.push_back(fmt::format("{}: {} of {} ranks on this node, the first with pid {}", each.job,
                               ranks.size(), each.size,
                               each.ranks.empty() ? 0 : each.ranks.front().pid));
  }
  return made;
}

}  // namespace peal::launcher
