#include "report/gathered.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "nodes/agent/file_pieces.hpp"
#include "nodes/clock_samples.hpp"

namespace peal::launcher {

namespace {

/// The contents of a file; empty: it cannot be read.
std::vector<char> contents_of(const std::string& name) {
  std::vector<char> read;
  const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return read;
  struct stat about{};
  if (::fstat(descriptor, &about) == 0) read.resize(static_cast<std::size_t>(about.st_size));
  std::size_t at = 0;
  while (at < read.size()) {
    const ssize_t more = ::read(descriptor, read.data() + at, read.size() - at);
    if (more <= 0) break;
    at += static_cast<std::size_t>(more);
  }
  read.resize(at);
  ::close(descriptor);
  return read;
}

/// One rank's file, as it lies in memory.
struct file_of_rank {
  std::vector<char> bytes;
  record::rank_file* file = nullptr;  // null: it is not whole
  record::peer_traffic* peers = nullptr;

  file_of_rank(const std::string& name, int ranks) : bytes{contents_of(name)} {
    if (bytes.size() < record::file_bytes(ranks)) return;
    auto* const found = reinterpret_cast<record::rank_file*>(bytes.data());
    if (found->head.layout != record::layout_number || found->head.ranks != ranks) return;
    file = found;
    peers = reinterpret_cast<record::peer_traffic*>(found + 1);
    for (const record::message_run& each : file->recent)
      if (each.site < record::most_sites && each.peer < ranks) record::enter(*file, peers, each);
  }
  [[nodiscard]] std::string text(std::uint32_t at) const {
    const auto& all = file->strings;
    if (at >= all.size()) return {};
    return {all.data() + at, ::strnlen(all.data() + at, all.size() - at)};
  }
  /// Nanoseconds a tick; 0: too little time has passed to tell.
  [[nodiscard]] double pace() const {
    const record::file_header& head = file->head;
    constexpr std::int64_t enough = 100000;
    return head.last_ns - head.began_ns < enough || head.last_ticks <= head.began_ticks
               ? 0
               : static_cast<double>(head.last_ns - head.began_ns) /
                     static_cast<double>(head.last_ticks - head.began_ticks);
  }
};

std::vector<noted_counter> counters_in(std::string_view lines) {
  std::vector<noted_counter> all;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (second == std::string_view::npos) continue;
    noted_counter& made = all.emplace_back();
    made.name = line.substr(0, first);
    made.meaning = line.substr(second + 1);
    std::from_chars(line.data() + first + 1, line.data() + second, made.value);
  }
  return all;
}

std::string call_at(const file_of_rank& from, const record::call_site& site) {
  return site.name != 0 ? from.text(site.name) : name_of(site.kind);
}

void read_sites(const file_of_rank& from, double seconds, noted_rank& into) {
  for (const record::call_site& each : from.file->sites) {
    if (each.calls == 0 && each.wait_ticks == 0) continue;
    noted_site& made = into.sites.emplace_back();
    const auto in_seconds = [seconds](std::uint64_t ticks) {
      return static_cast<double>(ticks) * seconds;
    };
    made.call = call_at(from, each);
    made.file = from.text(each.file);
    made.line = each.line;
    made.address = each.address;
    made.calls = each.calls;
    made.bytes = each.bytes;
    made.handling = in_seconds(each.handling_ticks);
    made.waiting = in_seconds(each.wait_ticks);
    made.copying = in_seconds(each.copy_ticks);
    made.longest = in_seconds(each.longest_ticks);
    into.handling += made.handling;
    into.waiting += made.waiting;
    into.copying += made.copying;
  }
}

void read_events(const std::string& name, const file_of_rank& from, double pace,
                 const clock_of_node* clock, noted_rank& into, std::set<std::string>& names) {
  const std::vector<char> bytes = contents_of(name);
  const auto* const all = reinterpret_cast<const record::event*>(bytes.data());
  const record::file_header& head = from.file->head;
  const auto time = [&](std::uint64_t ticks) {
    const std::int64_t there =
        head.began_ns +
        static_cast<std::int64_t>(
            static_cast<double>(static_cast<std::int64_t>(ticks - head.began_ticks)) * pace);
    return clock != nullptr ? clock->here(there) : there;
  };
  for (std::size_t k = 0; k < bytes.size() / sizeof(record::event); ++k) {
    const record::event& e = all[k];
    if (e.begin_ticks == 0 || e.site >= record::most_sites) break;
    const bool named = from.file->sites[e.site].name != 0 && e.kind != record::call_kind::received;
    const std::string call = named ? from.text(from.file->sites[e.site].name) : name_of(e.kind);
    into.events.push_back({.begin = time(e.begin_ticks),
                           .end = time(e.end_ticks),
                           .bytes = e.bytes,
                           .call = names.insert(call).first->c_str(),
                           .kind = e.kind,
                           .peer = e.peer,
                           .tag = e.tag,
                           .context = e.context,
                           .posted = e.posted,
                           .thread = std::max<int>(e.thread, 1)});
  }
}

/// Nodes of ranks.
std::map<int, std::string> nodes_in(const std::string& folder) {
  std::map<int, std::string> made;
  std::ifstream lines{folder + "/nodes"};
  std::string node;
  for (int rank = 0; lines >> rank >> node;) made[rank] = node;
  return made;
}

/// Two nodes may both be wrong by as much as they can be.
std::optional<std::int64_t> error_between(const node_clocks& clocks) {
  if (clocks.size() < 2) return std::nullopt;
  std::vector<std::int64_t> errors;
  for (const auto& [node, clock] : clocks) errors.push_back(clock.error());
  std::ranges::sort(errors, std::ranges::greater{});
  return errors[0] + errors[1];
}

}  // namespace

int ranks_in(const std::string& folder) {
  std::error_code failed;
  for (std::filesystem::directory_iterator each{folder, failed}, end; !failed && each != end;
       each.increment(failed)) {
    const std::string name = each->path().filename();
    if (rank_of_file(name) < 0 || name.ends_with(".events")) continue;
    record::file_header head{};
    std::ifstream file{each->path(), std::ios::binary};
    if (file.read(reinterpret_cast<char*>(&head), sizeof head) &&
        head.layout == record::layout_number && head.ranks > 0)
      return head.ranks;
  }
  return 0;
}

std::string name_of(record::call_kind kind) {
  static constexpr std::array names{"send",
                                    "recv",
                                    "isend",
                                    "issend",
                                    "irecv",
                                    "probe",
                                    "wait",
                                    "test",
                                    "barrier",
                                    "bcast",
                                    "reduce",
                                    "allreduce",
                                    "gather",
                                    "scatter",
                                    "allgather",
                                    "alltoall",
                                    "reduce_scatter",
                                    "scan",
                                    "exscan",
                                    "neighbor_allgather",
                                    "neighbor_alltoall",
                                    "nonblocking collective",
                                    "message received"};
  const auto at = static_cast<std::size_t>(kind);
  return at < names.size() ? names[at] : "?";
}

gathered_run gather(const std::string& folder, int ranks, bool events) {
  gathered_run made;
  made.ranks.resize(static_cast<std::size_t>(ranks));
  const auto name_of_file = [&](int rank) { return folder + "/rank." + std::to_string(rank); };
  const std::map<int, std::string> nodes = nodes_in(folder);
  const std::vector<char> samples = contents_of(folder + "/clocks");
  const node_clocks clocks = clocks_in({samples.data(), samples.size()});
  made.clock_error = error_between(clocks);
  // A rank that died soon does not know how long a tick is; those of one node have one clock.
  double usual = 0;
  for (int rank = 0; rank < ranks && usual == 0; ++rank)
    if (const file_of_rank from{name_of_file(rank), ranks}; from.file != nullptr)
      usual = from.pace();
  for (int rank = 0; rank < ranks; ++rank) {
    noted_rank& into = made.ranks[static_cast<std::size_t>(rank)];
    const file_of_rank from{name_of_file(rank), ranks};
    if (from.file == nullptr) continue;
    const record::file_header& head = from.file->head;
    double pace = from.pace();
    if (pace == 0) pace = usual != 0 ? usual : 1;
    into.known = true;
    into.ended = head.ended != 0;
    into.host = head.host.data();
    const clock_of_node* clock = nullptr;
    if (const auto node = nodes.find(rank); node != nodes.end()) {
      into.host = node->second;
      if (const auto known = clocks.find(node->second); known != clocks.end())
        clock = &known->second;
    }
    const std::uint64_t last = std::max(head.last_ticks, head.seen_ticks);
    into.time = static_cast<double>(last - head.began_ticks) * pace * 1e-9;
    into.peers.assign(from.peers, from.peers + ranks);
    into.lengths.assign(from.file->lengths.begin(), from.file->lengths.end());
    into.homeless = head.homeless;
    into.timed = head.timed;
    into.events_lost = head.events_lost;
    read_sites(from, pace * 1e-9, into);
    for (const record::algorithm_use& each : from.file->uses)
      if (each.calls != 0)
        into.uses.push_back({.collective = name_of(each.kind),
                             .algorithm = each.name.data(),
                             .length = each.length,
                             .calls = each.calls,
                             .time = static_cast<double>(each.ticks) * pace * 1e-9});
    into.counters = counters_in({from.file->counters.data(),
                                 std::min<std::size_t>(head.counters, from.file->counters.size())});
    if (events) read_events(name_of_file(rank) + ".events", from, pace, clock, into, made.names);
  }
  return made;
}

}  // namespace peal::launcher
