// Snapshots as JSON, in which they go from node to node. Alone here, since <nlohmann/json.hpp>
// costs the compiler much.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "shown/snapshot.hpp"

namespace peal::launcher {

namespace {

using json = nlohmann::ordered_json;

/// Counts the forms of this text.
constexpr int form = 1;

json of(const shown_message& m) {
  return {{"kind", static_cast<unsigned>(m.kind)},
          {"peer", m.peer},
          {"tag", m.tag},
          {"communicator", m.context},
          {"bytes", m.bytes}};
}

json of(const shown_wait& w) {
  json made{{"kind", static_cast<unsigned>(w.kind)},
            {"thread", w.thread},
            {"seconds", w.seconds},
            {"began", w.began},
            {"peer", w.peer},
            {"world_rank", w.world},
            {"tag", w.tag},
            {"communicator", w.context},
            {"bytes", w.bytes ? json(*w.bytes) : json(nullptr)},
            {"collective", w.collective},
            {"root", w.root},
            {"number", w.number},
            {"awaited", w.awaited},
            {"messages", json::array()},
            {"more_messages", w.more_messages},
            {"frames", w.frames},
            {"call", w.call},
            {"place", w.place},
            {"stack", w.stack}};
  for (const shown_message& each : w.messages) made["messages"].push_back(of(each));
  return made;
}

json of(const shown_rank& r) {
  json made{{"rank", r.rank},
            {"host", r.host},
            {"pid", r.pid},
            {"phase", static_cast<unsigned>(r.phase)},
            {"phase_seconds", r.phase_seconds},
            {"helped", r.helped},
            {"process", std::string(1, r.process)},
            {"cpu_seconds", r.cpu_seconds},
            {"turns", r.activity.turns},
            {"moves", r.activity.moves},
            {"messages", r.activity.messages},
            {"bytes", r.activity.bytes},
            {"collectives", r.activity.collectives},
            {"ended", r.ended},
            {"shows", r.shows},
            {"quiet", r.quiet ? json(*r.quiet) : json(nullptr)},
            {"loops", r.loops},
            {"communicators", json::array()},
            {"waits", json::array()}};
  for (const shown_communicator& each : r.communicators)
    made["communicators"].push_back({{"communicator", each.context},
                                     {"rank", each.rank},
                                     {"size", each.size},
                                     {"collectives", each.collectives},
                                     {"name", each.name}});
  for (const shown_wait& each : r.waits) made["waits"].push_back(of(each));
  return made;
}

shown_message message_from(const json& j) {
  return {static_cast<state::pending::what>(j.at("kind").get<unsigned>()), j.at("peer"),
          j.at("tag"), j.at("communicator"), j.at("bytes")};
}

shown_wait wait_from(const json& j) {
  shown_wait w;
  w.kind = static_cast<state::wait_kind>(j.at("kind").get<unsigned>());
  w.thread = j.at("thread");
  w.seconds = j.at("seconds");
  w.began = j.at("began");
  w.peer = j.at("peer");
  w.world = j.at("world_rank");
  w.tag = j.at("tag");
  w.context = j.at("communicator");
  if (!j.at("bytes").is_null()) w.bytes = j.at("bytes").get<std::uint64_t>();
  w.collective = j.at("collective");
  w.root = j.at("root");
  w.number = j.at("number");
  w.awaited = j.at("awaited").get<std::vector<int>>();
  for (const json& each : j.at("messages")) w.messages.push_back(message_from(each));
  w.more_messages = j.at("more_messages");
  w.frames = j.at("frames").get<std::vector<std::uint64_t>>();
  w.call = j.at("call");
  w.place = j.at("place");
  w.stack = j.at("stack").get<std::vector<std::string>>();
  return w;
}

shown_rank rank_from(const json& j) {
  shown_rank r;
  r.rank = j.at("rank");
  r.host = j.at("host");
  r.pid = j.at("pid");
  r.phase = static_cast<state::phase>(j.at("phase").get<unsigned>());
  r.phase_seconds = j.at("phase_seconds");
  r.helped = j.at("helped");
  const std::string process = j.at("process");
  r.process = process.empty() ? '?' : process.front();
  r.cpu_seconds = j.at("cpu_seconds");
  r.activity = {j.at("turns"), j.at("moves"), j.at("messages"), j.at("bytes"), j.at("collectives")};
  r.ended = j.at("ended");
  r.shows = j.at("shows");
  if (!j.at("quiet").is_null()) r.quiet = j.at("quiet").get<double>();
  r.loops = j.at("loops");
  for (const json& each : j.at("communicators"))
    r.communicators.push_back({each.at("communicator"), each.at("rank"), each.at("size"),
                               each.at("collectives"), each.at("name")});
  for (const json& each : j.at("waits")) r.waits.push_back(wait_from(each));
  return r;
}

}  // namespace

std::string to_json(const std::vector<job_snapshot>& all) {
  json made{{"form", form}, {"jobs", json::array()}};
  for (const job_snapshot& each : all) {
    json ranks = json::array();
    for (const shown_rank& rank : each.ranks) ranks.push_back(of(rank));
    made["jobs"].push_back({{"job", each.job}, {"size", each.size}, {"ranks", std::move(ranks)}});
  }
  // A name that the user gave need not be UTF-8.
  return made.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<job_snapshot> from_json(std::string_view text) {
  try {
    const json read = json::parse(text);
    if (const int found = read.at("form"); found != form)
      throw std::runtime_error(fmt::format(
          "a snapshot of form {}, and this pealrun reads form {}: another version", found, form));
    std::vector<job_snapshot> all;
    for (const json& each : read.at("jobs")) {
      job_snapshot& made = all.emplace_back();
      made.job = each.at("job");
      made.size = each.at("size");
      for (const json& rank : each.at("ranks")) made.at(rank.at("rank")) = rank_from(rank);
    }
    return all;
  } catch (const json::exception& problem) {
    throw std::runtime_error(fmt::format("no snapshot of a job: {}", problem.what()));
  }
}

}  // namespace peal::launcher
