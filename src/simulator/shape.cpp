// From a schedule to its shape, and the cutting of long stretches.
#include "simulator/shape.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace peal::simulator {

int relate(relation by, int rank, int peer, int size) noexcept {
  if (by == relation::bits) return rank ^ peer;
  const int up = peer >= rank ? peer - rank : peer - rank + size;
  return up > size / 2 ? up - size : up;
}

int mirrored(relation by, int other, int size) noexcept {
  if (by == relation::bits) return other;
  return 2 * other == size ? other : -other;
}

shape::shape(const schedule& from, int rank, int size, relation by) : by_{by} {
  const auto& rounds = from.rounds();
  stages_.reserve(rounds.size());
  first_.resize(from.streams());
  for (std::uint32_t stream = 0; stream != from.streams(); ++stream)
    first_[stream] = from.first_round(stream);
  for (const round& r : rounds) {
    stage made;
    made.first_send = static_cast<std::uint32_t>(sends_.size());
    made.sends = r.sends;
    made.first_receive = static_cast<std::uint32_t>(receives_.size());
    made.receives = r.receives;
    made.locals = r.locals;
    made.stream = r.stream;
    made.next = r.next;
    for (const step& s : from.sends(r))
      sends_.push_back({.bytes = s.from.bytes, .peer = relate(by, rank, s.peer, size)});
    for (const step& s : from.receives(r))
      receives_.push_back({relate(by, rank, s.peer, size), r.stream});
    for (const step& s : from.locals(r))
      (s.what == step::action::copy ? made.copied : made.reduced) += s.into.bytes;
    stages_.push_back(made);
  }
  finish();
}

// Numbers messages, groups receives by where they come from.
void shape::finish() {
  sends_.shrink_to_fit();
  receives_.shrink_to_fit();
  peers_.clear();
  peers_.reserve(sends_.size() + receives_.size());
  for (const sent& s : sends_) peers_.push_back(s.peer);
  for (const received& r : receives_) peers_.push_back(r.peer);
  std::ranges::sort(peers_);
  const auto [from, to] = std::ranges::unique(peers_);
  peers_.erase(from, to);
  peers_.shrink_to_fit();

  std::vector<std::uint32_t> stage_of(sends_.size());
  for (std::uint32_t k = 0; k != stages_.size(); ++k)
    std::fill_n(stage_of.begin() + stages_[k].first_send, stages_[k].sends, k);
  std::vector<std::uint32_t> order(sends_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t i) {
    return std::tuple{sends_[i].peer, stages_[stage_of[i]].stream, i};
  };
  std::ranges::sort(order, {}, key);
  for (std::size_t i = 0; i != order.size(); ++i) {
    sent& one = sends_[order[i]];
    const sent* before = i == 0 ? nullptr : &sends_[order[i - 1]];
    const bool same_peer = before && before->peer == one.peer;
    const bool same_stream =
        same_peer && stages_[stage_of[order[i - 1]]].stream == stages_[stage_of[order[i]]].stream;
    one.connection =
        static_cast<std::uint32_t>(std::ranges::lower_bound(peers_, one.peer) - peers_.begin());
    one.ordinal = same_stream ? before->ordinal + 1 : 0;
    one.first = !same_stream || stage_of[order[i - 1]] != stage_of[order[i]];
  }

  order_.resize(receives_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::sort(order_, {}, [&](std::uint32_t i) { return std::pair{receives_[i], i}; });
  groups_.clear();
  for (std::uint32_t i = 0; i != order_.size(); ++i) {
    const received& one = receives_[order_[i]];
    if (groups_.empty() || groups_.back().from != one) groups_.push_back({one, i, 0});
    ++groups_.back().count;
  }
  groups_.shrink_to_fit();
}

std::uint32_t shape::receive_of(std::int32_t peer, std::uint32_t stream,
                                std::uint32_t ordinal) const noexcept {
  const received wanted{peer, stream};
  const auto found = std::ranges::lower_bound(groups_, wanted, {}, &group::from);
  if (found == groups_.end() || found->from != wanted || ordinal >= found->count)
    return stage::none;
  return order_[found->first + ordinal];
}

std::size_t shape::hash() const noexcept {
  std::size_t sum = static_cast<std::size_t>(by_);
  const auto add = [&](std::size_t value) {
    sum = (sum ^ value) * 0x9E3779B97F4A7C15u ^ (sum >> 29);
  };
  for (const stage& s : stages_)
    for (const std::size_t each : {s.copied, s.reduced, std::size_t{s.sends},
                                   std::size_t{s.receives}, std::size_t{s.stream}})
      add(each);
  for (const sent& s : sends_) {
    add(s.bytes);
    add(static_cast<std::size_t>(s.peer));
  }
  for (const received& r : receives_) add(static_cast<std::size_t>(r.peer));
  return sum;
}

shape::shortened shape::cut(std::uint32_t most) const {
  shortened made{shape{by_}, 0};
  shape& out = made.what;
  const auto alike = [&](const stage& a, const stage& b) {
    if (a.sends != b.sends || a.receives != b.receives || a.locals != b.locals ||
        a.copied != b.copied || a.reduced != b.reduced)
      return false;
    for (std::uint32_t i = 0; i != a.sends; ++i) {
      const sent& x = sends_[a.first_send + i];
      const sent& y = sends_[b.first_send + i];
      if (x.peer != y.peer || x.bytes != y.bytes) return false;
    }
    for (std::uint32_t i = 0; i != a.receives; ++i)
      if (receives_[a.first_receive + i] != receives_[b.first_receive + i]) return false;
    return true;
  };
  out.first_.assign(first_.size(), stage::none);
  for (std::uint32_t stream = 0; stream != first_.size(); ++stream) {
    std::uint32_t last = stage::none;
    std::uint32_t stretch = 0;
    const stage* before = nullptr;
    for (std::uint32_t at = first_[stream]; at != stage::none; at = stages_[at].next) {
      const stage& s = stages_[at];
      stretch = before && alike(*before, s) ? stretch + 1 : 1;
      before = &s;
      if (stretch > most) {
        ++made.dropped;
        continue;
      }
      stage copy = s;
      copy.first_send = static_cast<std::uint32_t>(out.sends_.size());
      copy.first_receive = static_cast<std::uint32_t>(out.receives_.size());
      copy.next = stage::none;
      for (std::uint32_t i = 0; i != s.sends; ++i) out.sends_.push_back(sends_[s.first_send + i]);
      for (std::uint32_t i = 0; i != s.receives; ++i)
        out.receives_.push_back(receives_[s.first_receive + i]);
      const auto index = static_cast<std::uint32_t>(out.stages_.size());
      (last == stage::none ? out.first_[stream] : out.stages_[last].next) = index;
      last = index;
      out.stages_.push_back(copy);
    }
  }
  out.finish();
  return made;
}

}  // namespace peal::simulator
