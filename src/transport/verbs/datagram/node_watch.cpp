#include "transport/verbs/datagram/node_watch.hpp"

#include <algorithm>
#include <utility>

namespace peal::verbs {

namespace {

/// Looks in a silence; a question has as long as the time between two.
constexpr int looks = 8;
constexpr std::uint32_t enough_unanswered = 6;
/// A node of which so many questions in a row went without an answer does not count as there.
constexpr std::uint32_t doubtful_unanswered = 3;
/// Questions open at a time, and knocks at a look: descriptors and packets are bounded, however
/// many nodes there are.
constexpr std::size_t most_open = 64;

}  // namespace

node_watch::node_watch(std::vector<prober*> askers, const gid_bytes& own_node, std::uint32_t peers,
                       clock::duration silence, told lost)
    : askers_{std::move(askers)},
      own_{own_node},
      silence_{silence},
      lost_{std::move(lost)},
      places_(peers) {}

node_watch::~node_watch() {
  for (node& each : nodes_) stop_asking(each);
}

void node_watch::watch(peer_id which, const std::vector<way_to_ask>& ways, clock::time_point now) {
  const gid_bytes& at = ways.front().node;
  if (places_[which] != 0 || at == own_) return;
  auto found = std::ranges::find(nodes_, at, &node::gid);
  if (found == nodes_.end()) {
    nodes_.emplace_back();
    found = nodes_.end() - 1;
    found->gid = at;
    found->ways = ways;
  }
  if (found->peers++ == 0) {
    found->sign = now;
    found->unanswered = 0;
    // Not at the next look, before which the network may be cut: a node that has never answered
    // counts as unknown.
    if (!found->answers) ask(*found, now);
  }
  std::vector<std::uint16_t> doors;
  for (const way_to_ask& each : ways) doors.push_back(each.door);
  doors.resize(found->ways.size());
  watched_.push_back({which, static_cast<std::uint32_t>(found - nodes_.begin()), std::move(doors),
                      false, false, now, now, now});
  places_[which] = static_cast<std::uint32_t>(watched_.size());
}

void node_watch::end(peer_id which) noexcept {
  const std::uint32_t place = std::exchange(places_[which], 0);
  if (place == 0) return;
  watched& gone = watched_[place - 1];
  node& its = nodes_[gone.node];
  if (--its.peers == 0) stop_asking(its);
  if (place < watched_.size()) {
    gone = std::move(watched_.back());
    places_[gone.peer] = place;
  }
  watched_.pop_back();
}

/// A node that is there is asked, and answers, when it was silent for half of a silence. Where that
/// was longer ago this process may be the one that is late: the answer has not been looked for, or
/// the question not been asked.
bool node_watch::is_there(peer_id which, clock::time_point now) const noexcept {
  if (places_[which] == 0) return false;
  const watched& its = watched_[places_[which] - 1];
  const node& at = nodes_[its.node];
  const bool may_have_answered = at.question >= 0 || now >= next_look_;
  return at.answers && !its.refuses && at.unanswered < doubtful_unanswered &&
         (now - at.sign < silence_ * 7 / 8 || may_have_answered);
}

bool node_watch::doubt(peer_id which) noexcept {
  if (places_[which] == 0) return false;
  watched& its = watched_[places_[which] - 1];
  node& at = nodes_[its.node];
  its.doubted = true;
  if (!at.doubted) stop_asking(at);  // what is answered to that was true before
  at.doubted = at.answers;
  next_look_ = clock::time_point::min();
  return at.answers;
}

void node_watch::heard_at(std::uint32_t place, clock::time_point now) noexcept {
  watched& from = watched_[place];
  from.heard = now;
  from.refuses = from.doubted = false;
  node& its = nodes_[from.node];
  its.sign = now;
  its.unanswered = 0;
  its.doubted = false;
}

void node_watch::ask(node& at, clock::time_point now) noexcept {
  if (at.question >= 0 || open_ >= most_open) return;
  at.question = asker_of(at).ask(at.ways[at.way].node);
  if (at.question < 0) {
    at.way = (at.way + 1) % at.ways.size();
    return;
  }
  ++open_;
  at.asked = now;
}

void node_watch::stop_asking(node& of) noexcept {
  if (of.question < 0) return;
  asker_of(of).end(std::exchange(of.question, -1));
  --open_;
}

void node_watch::look_around(clock::time_point now) noexcept {
  next_look_ = now + silence_ / looks;
  std::vector<peer_id> silent, gone;
  take_refusals(now, gone);
  look_at_nodes(now, silent);
  probe_process(now);
  for (const peer_id each : silent) lost_(each, peer_loss::node_silent);
  for (const peer_id each : gone) lost_(each, peer_loss::process_gone);
}

void node_watch::look_at_nodes(clock::time_point now, std::vector<peer_id>& lost) noexcept {
  for (std::size_t count = nodes_.size(); count > 0; --count) {
    next_node_ = (next_node_ + 1) % nodes_.size();
    node& at = nodes_[next_node_];
    if (at.peers == 0) continue;
    if (at.question >= 0 && asker_of(at).answered(at.question)) {
      stop_asking(at);
      at.answers = true;
      at.sign = now;
      at.unanswered = 0;
      at.doubted = false;
    } else if (at.question >= 0 && now - at.asked >= silence_ / looks) {
      stop_asking(at);
      at.way = (at.way + 1) % at.ways.size();
      ++at.unanswered;
    }
    if (at.answers && at.unanswered >= enough_unanswered && now - at.sign >= silence_) {
      for (const watched& each : watched_)
        if (each.node == next_node_) lost.push_back(each.peer);
      at.unanswered = 0;  // other peers of this node may be met later
      continue;
    }
    // At once when it is new; then when there is reason to.
    const bool due = !at.answers ? at.unanswered == 0 || now - at.asked >= silence_
                                 : at.doubted || now - at.sign >= silence_ / 2;
    if (due) ask(at, now);
  }
}

void node_watch::probe_process(clock::time_point now) noexcept {
  std::size_t knocks = 0;
  for (std::size_t count = watched_.size(); count > 0 && knocks < most_open; --count) {
    next_door_ = (next_door_ + 1) % watched_.size();
    watched& at = watched_[next_door_];
    const node& its = nodes_[at.node];
    const std::uint16_t door = at.doors[its.way];
    if (door == 0 || (!at.doubted && now - std::max(at.heard, at.knocked) < silence_ / 2)) continue;
    at.doubted = false;
    at.knocked = now;
    asker_of(its).probe_process(its.ways[its.way].node, door);
    ++knocks;
  }
}

void node_watch::take_refusals(clock::time_point now, std::vector<peer_id>& lost) noexcept {
  gid_bytes where{};
  std::uint16_t door = 0;
  const auto is_of = [&](const watched& each) {
    const node& its = nodes_[each.node];
    for (std::size_t way = 0; way < its.ways.size(); ++way)
      if (each.doors[way] == door && its.ways[way].node == where) return true;
    return false;
  };
  for (prober* const asker : askers_)
    while (asker->refused(where, door)) {
      const auto found = std::ranges::find_if(watched_, is_of);
      if (found == watched_.end()) continue;
      if (!std::exchange(found->refuses, true)) found->refused_since = now;
      else if (now - found->refused_since >= silence_) lost.push_back(found->peer);
    }
}

}  // namespace peal::verbs
