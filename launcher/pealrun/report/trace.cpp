#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "report/text.hpp"

namespace peal::launcher {

namespace {

using record::call_kind;

bool is_send(const noted_event& e) {
  return e.peer >= 0 && (e.kind == call_kind::send || e.kind == call_kind::start_send ||
                         e.kind == call_kind::start_synchronous_send);
}
bool is_receive(const noted_event& e) {
  return e.posted != 0 && (e.kind == call_kind::recv || e.kind == call_kind::received);
}

/// The receives of a rank that are numbered below this are all known.
std::uint32_t known_receives(const noted_rank& of) {
  constexpr auto all = std::numeric_limits<std::uint32_t>::max();
  if (of.ended && of.events_lost == 0) return all;
  std::vector<std::uint32_t> numbers;
  for (const noted_event& each : of.events)
    if (is_receive(each)) numbers.push_back(each.posted);
  std::ranges::sort(numbers);
  std::uint32_t next = 1;
  for (const std::uint32_t each : numbers)
    if (each == next) ++next;
  return next;
}

/// Of messages that keep their order: sender, receiver, context, tag.
using stream = std::tuple<int, int, std::uint32_t, int>;
struct ends {
  std::vector<std::pair<std::int64_t, std::size_t>> sends, receives;  // by time, by number
};

std::string clocks_text(const gathered_run& run, const std::vector<joined_message>& messages) {
  if (!run.clock_error) return ",\"clocks\":\"those of several hosts were not compared\"";
  const double error = static_cast<double>(clock_error_of(run, messages)) * 1e-3;
  return fmt::format(
      ",\"clocks\":\"compared between nodes, wrong by at most {0:.1f} us\",\"clock error "
      "us\":{0:.3f}",
      error);
}

}  // namespace

std::vector<joined_message> joined_messages(const gathered_run& run) {
  std::map<stream, ends> streams;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const noted_rank& of = run.ranks[rank];
    const std::uint32_t known = known_receives(of);
    const int self = static_cast<int>(rank);
    for (std::size_t k = 0; k < of.events.size(); ++k) {
      const noted_event& e = of.events[k];
      if (is_send(e)) streams[{self, e.peer, e.context, e.tag}].sends.emplace_back(e.begin, k);
      else if (is_receive(e) && e.peer >= 0 && e.posted < known)
        streams[{e.peer, self, e.context, e.tag}].receives.emplace_back(e.posted, k);
    }
  }
  std::vector<joined_message> all;
  for (auto& [which, both] : streams) {
    std::ranges::sort(both.sends);
    std::ranges::sort(both.receives);
    const std::size_t count = std::min(both.sends.size(), both.receives.size());
    for (std::size_t k = 0; k < count; ++k)
      all.push_back({.from = std::get<0>(which),
                     .to = std::get<1>(which),
                     .send = both.sends[k].second,
                     .receive = both.receives[k].second});
  }
  return all;
}

std::int64_t clock_error_of(const gathered_run& run, const std::vector<joined_message>& messages) {
  std::int64_t worst = run.clock_error.value_or(0);
  for (const joined_message& each : messages) {
    const noted_event& send = run.ranks[static_cast<std::size_t>(each.from)].events[each.send];
    const noted_event& receive = run.ranks[static_cast<std::size_t>(each.to)].events[each.receive];
    worst = std::max(worst, send.begin - receive.end);
  }
  return worst;
}

void write_trace(const gathered_run& run, const std::function<void(const std::string&)>& put) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::set<std::string> hosts;
  std::uint64_t lost = 0;
  for (const noted_rank& rank : run.ranks) {
    for (const noted_event& each : rank.events) first = std::min(first, each.begin);
    if (rank.known) hosts.insert(rank.host);
    lost += rank.events_lost;
  }
  const std::vector<joined_message> messages = joined_messages(run);
  const auto at = [first](std::int64_t time) { return static_cast<double>(time - first) * 1e-3; };
  std::string part = fmt::format(
      "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"command\":{},\"events lost\":{}{}}},\n"
      "\"traceEvents\":[",
      json_string(run.command), lost, hosts.size() > 1 ? clocks_text(run, messages) : "");
  auto out = std::back_inserter(part);
  const char* comma = "\n";
  const auto flush = [&](std::size_t least) {
    comma = ",\n";
    if (part.size() < least) return;
    put(part);
    part.clear();
  };
  constexpr std::size_t piece = 1 << 20;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const noted_rank& of = run.ranks[rank];
    fmt::format_to(out,
                   "{0}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{1},\"args\":{{\"name\":"
                   "{2}}}}},\n{{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{1},\"args\":"
                   "{{\"sort_index\":{1}}}}}",
                   comma, rank, json_string(fmt::format("rank {} on {}", rank, of.host)));
    flush(piece);
    int threads = 1;
    for (const noted_event& e : of.events) threads = std::max(threads, e.thread);
    for (int thread = 1; threads > 1 && thread <= threads; ++thread) {
      fmt::format_to(out,
                     ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{0},\"tid\":{1},"
                     "\"args\":{{\"name\":\"thread {1}\"}}}}",
                     rank, thread);
      flush(piece);
    }
    for (const noted_event& e : of.events) {
      if (e.kind == call_kind::received && e.peer < 0) continue;  // a receive that was withdrawn
      fmt::format_to(
          out, "{}{{\"ph\":\"X\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}",
          comma, json_string(e.call), rank, e.thread, at(e.begin),
          static_cast<double>(std::max<std::int64_t>(e.end - e.begin, 1)) * 1e-3);
      if (e.peer >= 0)
        fmt::format_to(out, ",\"args\":{{\"peer\":{},\"tag\":{},\"bytes\":{}}}}}", e.peer, e.tag,
                       e.bytes);
      else fmt::format_to(out, ",\"args\":{{\"bytes\":{}}}}}", e.bytes);
      flush(piece);
    }
  }
  std::size_t id = 0;
  for (const joined_message& each : messages) {
    const noted_event& send = run.ranks[static_cast<std::size_t>(each.from)].events[each.send];
    const noted_event& receive = run.ranks[static_cast<std::size_t>(each.to)].events[each.receive];
    ++id;
    // Within the call that it belongs to, else the arrow has no end.
    fmt::format_to(out,
                   "{0}{{\"ph\":\"s\",\"cat\":\"message\",\"name\":\"message\",\"id\":{1},\"pid\":"
                   "{2},\"tid\":{6},\"ts\":{3:.3f}}},\n{{\"ph\":\"f\",\"bp\":\"e\",\"cat\":"
                   "\"message\",\"name\":\"message\",\"id\":{1},\"pid\":{4},\"tid\":{7},\"ts\":"
                   "{5:.3f}}}",
                   comma, id, each.from, at(send.begin), each.to,
                   at(std::max(receive.begin, receive.end - 1)), send.thread, receive.thread);
    flush(piece);
  }
  part += "\n]}\n";
  put(part);
}

}  // namespace peal::launcher
