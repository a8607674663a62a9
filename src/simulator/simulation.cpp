#include "simulator/simulation.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <queue>

#include "collective/choice/cost_rules.hpp"

namespace peal::simulator {

namespace {

using stage = shape::stage;
constexpr std::size_t control_bytes = 64;  // of an announcement, and of the answer to it
constexpr std::size_t least_share = std::size_t{64} << 10;  // of a queue pair in a large message
constexpr std::size_t part_bytes = std::size_t{1} << 20;    // so a large message is cut among them

class stage_play {
 public:
  stage_play(const machine& of, const cast& players);

  outcome play();

 private:
  enum class kind : std::uint8_t { begin, depart, head, deliver, source, dispatch };
  enum class phase : std::uint8_t { eager, announced, data, answer };

  struct event {
    picoseconds at;
    std::uint64_t order;  // of events at the same instant
    std::uint32_t index;  // an actor, or a flight
    kind what;
    std::uint8_t lane;

    friend bool operator>(const event& a, const event& b) noexcept {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  struct flight {
    std::uint32_t from;  // of the message; an answer goes the other way
    std::uint32_t to;
    std::uint32_t receive;  // of the receiver's
    std::uint32_t depth;
    std::uint32_t from_pair;  // the first queue pair of the connection, at the sender
    std::uint32_t to_pair;
    std::size_t bytes;
    parcel packet;
    phase is;
    std::uint8_t lane;
    bool local, same_leaf;
  };
  struct early {
    std::uint32_t receive, message;
  };
  struct lane_state {
    std::uint32_t at = stage::none;
    std::uint32_t pending = 0;  // receives and sends under way, and one while the round is posted
    std::uint32_t next_send = 0;
    std::uint32_t depth = 0;       // rounds before this one on the way that decides
    std::uint32_t last_depth = 0;  // of what ended last
    picoseconds last = 0;
  };
  struct actor {
    const shape* plays = nullptr;
    std::size_t lanes = 0;  // where its own begin in lanes_
    std::uint32_t core = 0;
    std::uint32_t pairs = 0;  // number of its first queue pair
    std::vector<early> waiting;
    std::deque<event> inbox;  // where ranks share cores: what it will see when it runs
  };
  struct core_state {
    picoseconds free = 0;    // when it has done what it was given
    std::uint32_t runs = 0;  // place among `ranks` of the one that it serves
    bool called = false;     // a dispatch is under way
    std::vector<std::uint32_t> ranks;
  };
  /// Where a peer is.
  struct target {
    std::uint32_t who;
    bool local, same_leaf;
  };

  void push(picoseconds at, kind what, std::uint32_t index, std::uint32_t lane = 0) {
    queue_.push({at, order_++, index, what, static_cast<std::uint8_t>(lane)});
  }
  [[nodiscard]] target find(std::uint32_t who, relation, std::int32_t peer) const noexcept;
  [[nodiscard]] int node_of(std::uint32_t who) const noexcept {
    return static_cast<int>(who) / machine_.ranks_per_node;
  }
  [[nodiscard]] lane_state& lane_of(std::uint32_t who, std::uint32_t lane) noexcept {
    return lanes_[actors_[who].lanes + lane];
  }
  [[nodiscard]] way path_of(const flight& f) const noexcept {
    const bool back = f.is == phase::answer;
    return {node_of(back ? f.to : f.from), node_of(back ? f.from : f.to), f.same_leaf};
  }
  [[nodiscard]] bool eager(std::size_t bytes, bool local) const noexcept {
    return bytes <= cost_rules::eager_limit(!local);
  }
  [[nodiscard]] std::uint32_t pairs_for(std::size_t bytes) const noexcept;
  [[nodiscard]] picoseconds cost_of(std::uint32_t who, const shape::sent&) const noexcept;
  [[nodiscard]] bool rings(const shape::sent& s) const noexcept {
    return machine_.ring == doorbells::each || s.first;
  }
  picoseconds work(std::uint32_t who, picoseconds now, picoseconds cost) noexcept {
    picoseconds& free = cores_[actors_[who].core].free;
    return free = std::max(free, now) + cost;
  }
  std::vector<std::size_t> count_pairs();
  std::uint32_t take_flight();

  void deal_cores();
  void run(const event&);
  /// Where ranks share cores an event is put aside until its rank runs.
  void call(std::uint32_t core, picoseconds now);
  void dispatch(std::uint32_t core, picoseconds now);
  [[nodiscard]] std::uint32_t concerned(const event& e) const noexcept {
    if (e.what == kind::begin) return e.index;
    return flights_[e.index].is == phase::answer ? flights_[e.index].from : flights_[e.index].to;
  }

  void begin(std::uint32_t who, std::uint32_t lane, picoseconds now);
  void depart(std::uint32_t who, std::uint32_t lane, picoseconds now);
  void posted(std::uint32_t who, std::uint32_t lane, picoseconds now);
  void deliver(std::uint32_t message, picoseconds now);
  void receive(std::uint32_t message, picoseconds now);
  void fetch(std::uint32_t message, picoseconds now);
  void copy(std::uint32_t message, picoseconds now);
  void answer(std::uint32_t message, picoseconds now);
  void send_back(std::uint32_t message, picoseconds now);
  void ended_one(std::uint32_t who, std::uint32_t lane, picoseconds now, std::uint32_t depth);

  const machine& machine_;
  cost_rules rules_;
  const cast& cast_;
  std::vector<actor> actors_;
  std::vector<core_state> cores_;
  std::vector<lane_state> lanes_;
  std::vector<flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::priority_queue<event, std::vector<event>, std::greater<>> queue_;
  std::uint64_t order_ = 0;
  std::size_t open_lanes_ = 0;
  outcome result_;
  fabric fabric_;
};

int nodes_for(const machine& of, const cast& players) {
  return (static_cast<int>(players.shape_of.size()) + of.ranks_per_node - 1) / of.ranks_per_node;
}

stage_play::stage_play(const machine& of, const cast& players)
    : machine_{of},
      rules_{of.costs, of.cores > 0 && of.cores < of.ranks_per_node},
      cast_{players},
      actors_(players.shape_of.size()),
      fabric_{of, nodes_for(of, players), count_pairs()} {
  for (std::size_t k = 0; k != actors_.size(); ++k) {
    actors_[k].lanes = lanes_.size();
    lanes_.resize(lanes_.size() + actors_[k].plays->lanes());
  }
  deal_cores();
  open_lanes_ = lanes_.size();
  result_.misses = fabric_.misses();
}

// Gives every actor its shape and its queue pairs, and says how many there are on each node: one
// for messages and answers, those for large messages where there are any.
std::vector<std::size_t> stage_play::count_pairs() {
  std::vector<std::size_t> counts(static_cast<std::size_t>(nodes_for(machine_, cast_)));
  for (std::uint32_t who = 0; who != actors_.size(); ++who) {
    actor& each = actors_[who];
    each.plays = &cast_.shapes[cast_.shape_of[who]];
    std::size_t& count = counts[static_cast<std::size_t>(node_of(who))];
    each.pairs = static_cast<std::uint32_t>(count);
    const bool large = std::ranges::any_of(
        each.plays->sends(), [&](const shape::sent& s) { return !eager(s.bytes, false); });
    const auto a_peer = static_cast<std::size_t>(large ? 1 + machine_.queue_pairs : 1);
    for (const std::int32_t peer : each.plays->peers())
      if (!find(who, each.plays->by(), peer).local) count += a_peer;
  }
  return counts;
}

stage_play::target stage_play::find(std::uint32_t who, relation by,
                                    std::int32_t peer) const noexcept {
  const auto here = static_cast<int>(who);
  const auto actors = static_cast<int>(actors_.size());
  const int per_node = machine_.ranks_per_node;
  int there = by == relation::bits ? here ^ peer : here + peer;
  const auto below = [](int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); };
  if (actors == cast_.ranks)
    there = there < 0 ? there + actors : there >= actors ? there - actors : there;
  const int node = below(there, per_node);
  const int leaf = below(node, machine_.net.leaf_nodes);
  return {static_cast<std::uint32_t>(there - below(there, actors) * actors),
          node == here / per_node, leaf == here / per_node / machine_.net.leaf_nodes};
}

std::uint32_t stage_play::pairs_for(std::size_t bytes) const noexcept {
  const auto most = std::max(bytes / least_share, std::size_t{1});
  return static_cast<std::uint32_t>(std::min(most, static_cast<std::size_t>(machine_.queue_pairs)));
}

// Of the core, until the request is made and the doorbell has rung.
picoseconds stage_play::cost_of(std::uint32_t who, const shape::sent& s) const noexcept {
  const bool local = find(who, actors_[who].plays->by(), s.peer).local;
  const bool copies = eager(s.bytes, local) && (local || s.bytes > machine_.nic.inline_bytes);
  return from_ns(rules_.post(!local, rings(s)) + (copies ? rules_.slot(s.bytes) : 0));
}

std::uint32_t stage_play::take_flight() {
  if (free_flights_.empty()) {
    flights_.emplace_back();
    return static_cast<std::uint32_t>(flights_.size() - 1);
  }
  const std::uint32_t taken = free_flights_.back();
  free_flights_.pop_back();
  return taken;
}

outcome stage_play::play() {
  for (std::uint32_t who = 0; who != actors_.size(); ++who)
    for (std::uint32_t lane = 0; lane != actors_[who].plays->lanes(); ++lane) {
      lane_of(who, lane).at = actors_[who].plays->first_stage(lane);
      if (lane_of(who, lane).at == stage::none) --open_lanes_;
      else push(0, kind::begin, who, lane);
    }
  while (!queue_.empty()) {
    const event next = queue_.top();
    queue_.pop();
    switch (next.what) {
      case kind::begin:
      case kind::deliver:
        if (rules_.crowded()) {
          actor& who = actors_[concerned(next)];
          who.inbox.push_back(next);
          call(who.core, next.at);
        } else {
          run(next);
        }
        break;
      case kind::dispatch: dispatch(next.index, next.at); break;
      case kind::depart: depart(next.index, next.lane, next.at); break;
      case kind::head: {
        const flight& f = flights_[next.index];
        push(fabric_.arrive(next.at, path_of(f), f.packet), kind::deliver, next.index);
        break;
      }
      case kind::source: {
        flight& f = flights_[next.index];
        if (f.local) {
          copy(next.index, next.at);
          break;
        }
        f.is = phase::data;
        f.packet = {
            .bytes = f.bytes, .pair = f.from_pair + 1, .pairs = pairs_for(f.bytes), .crossings = 2};
        push(fabric_.leave(next.at, path_of(f), f.packet), kind::head, next.index);
        break;
      }
    }
  }
  result_.ended = open_lanes_ == 0;
  return result_;
}

void stage_play::run(const event& e) {
  if (e.what == kind::begin) begin(e.index, e.lane, e.at);
  else deliver(e.index, e.at);
}

// The ranks of a node are dealt to its cores in turn.
void stage_play::deal_cores() {
  for (std::uint32_t who = 0; who != actors_.size(); ++who) {
    const auto here = static_cast<int>(who) % machine_.ranks_per_node;
    actors_[who].core =
        rules_.crowded()
            ? static_cast<std::uint32_t>(node_of(who) * machine_.cores + here % machine_.cores)
            : who;
    cores_.resize(std::max<std::size_t>(cores_.size(), actors_[who].core + 1));
    cores_[actors_[who].core].ranks.push_back(who);
  }
}

void stage_play::call(std::uint32_t core, picoseconds now) {
  if (cores_[core].called) return;
  cores_[core].called = true;
  push(std::max(cores_[core].free, now), kind::dispatch, core);
}

// A rank runs as long as there is something for it; then the core goes to the next one, and from
// one that has nothing on to the next again.
void stage_play::dispatch(std::uint32_t index, picoseconds now) {
  core_state& core = cores_[index];
  core.called = false;
  if (core.free > now) {
    call(index, now);
    return;
  }
  const auto count = static_cast<std::uint32_t>(core.ranks.size());
  std::uint32_t steps = 0;
  while (steps != count && actors_[core.ranks[(core.runs + steps) % count]].inbox.empty()) ++steps;
  if (steps == count) return;
  core.runs = (core.runs + steps) % count;
  actor& runs = actors_[core.ranks[core.runs]];
  // Where all have waited meanwhile, the core went round and round, and may be anywhere.
  if (core.free < now && count > 1) steps = std::max(steps, count / 2);
  event next = runs.inbox.front();
  runs.inbox.pop_front();
  next.at = core.free = now + steps * from_ns(rules_.change_of_ranks());
  run(next);
  if (std::ranges::any_of(core.ranks,
                          [&](std::uint32_t each) { return !actors_[each].inbox.empty(); }))
    call(index, core.free);
}

// A round: the core makes all its sends, one after another.
void stage_play::begin(std::uint32_t who, std::uint32_t lane, picoseconds now) {
  const shape& plays = *actors_[who].plays;
  lane_state& in = lane_of(who, lane);
  const stage& round = plays.stages()[in.at];
  in.pending = round.receives + 1;
  in.next_send = round.first_send;
  in.last = now;
  in.last_depth = in.depth;
  if (round.sends == 0) {
    posted(who, lane, now);
    return;
  }
  picoseconds all = 0;
  for (std::uint32_t i = 0; i != round.sends; ++i)
    all += cost_of(who, plays.sends()[round.first_send + i]);
  const picoseconds start = work(who, now, all) - all;
  push(start + cost_of(who, plays.sends()[round.first_send]), kind::depart, who, lane);
}

void stage_play::depart(std::uint32_t who, std::uint32_t lane, picoseconds now) {
  const actor& sender = actors_[who];
  lane_state& in = lane_of(who, lane);
  const stage& round = sender.plays->stages()[in.at];
  const shape::sent& s = sender.plays->sends()[in.next_send];
  const target there = find(who, sender.plays->by(), s.peer);
  const actor& receiver = actors_[there.who];
  const std::uint32_t message = take_flight();
  flight& f = flights_[message];
  f.from = who;
  f.to = there.who;
  f.receive = receiver.plays->receive_of(mirrored(sender.plays->by(), s.peer, cast_.ranks), lane,
                                         s.ordinal);
  f.depth = in.depth;
  f.bytes = s.bytes;
  f.local = there.local;
  f.same_leaf = there.same_leaf;
  f.lane = static_cast<std::uint8_t>(lane);
  f.is = eager(s.bytes, there.local) ? phase::eager : phase::announced;
  const auto a_peer = static_cast<std::uint32_t>(1 + machine_.queue_pairs);
  f.from_pair = sender.pairs + s.connection * a_peer;
  f.to_pair = receiver.pairs + s.connection * a_peer;
  ++result_.messages;
  result_.bytes += s.bytes;
  if (f.is == phase::announced) ++in.pending;
  if (f.local) {
    push(now + from_ns(rules_.flight(false)), kind::deliver, message);
  } else {
    result_.doorbells += rings(s);
    const bool fetched = !rings(s) || (f.is == phase::eager && s.bytes > machine_.nic.inline_bytes);
    f.packet = {.bytes = f.is == phase::eager ? s.bytes : control_bytes,
                .pair = f.from_pair,
                .crossings = fetched ? 3 : 1};
    push(fabric_.leave(now, path_of(f), f.packet), kind::head, message);
  }
  if (++in.next_send != round.first_send + round.sends)
    push(now + cost_of(who, sender.plays->sends()[in.next_send]), kind::depart, who, lane);
  else posted(who, lane, now);
}

// Everything of the round is posted: what came before is taken now.
void stage_play::posted(std::uint32_t who, std::uint32_t lane, picoseconds now) {
  const lane_state& in = lane_of(who, lane);
  const stage& round = actors_[who].plays->stages()[in.at];
  std::vector<early>& waiting = actors_[who].waiting;
  const auto wanted = [&](const early& each) {
    return each.receive - round.first_receive < round.receives;
  };
  const std::uint32_t depth = in.depth;
  for (const early& each : waiting) {
    if (!wanted(each)) continue;
    flights_[each.message].depth = depth;
    receive(each.message, now);
  }
  std::erase_if(waiting, wanted);
  ended_one(who, lane, now, depth);
}

void stage_play::deliver(std::uint32_t message, picoseconds now) {
  flight& f = flights_[message];
  const picoseconds polled = from_ns(rules_.take(!f.local));
  if (f.is == phase::data) {
    answer(message, work(f.to, now, polled));
    return;
  }
  if (f.is == phase::answer) {
    const picoseconds end = work(f.from, now, polled);
    free_flights_.push_back(message);
    ended_one(f.from, f.lane, end, f.depth);
    return;
  }
  const picoseconds matched = work(f.to, now, polled);
  const lane_state& in = lane_of(f.to, f.lane);
  if (in.at != stage::none && in.pending != 0) {
    const stage& round = actors_[f.to].plays->stages()[in.at];
    if (f.receive - round.first_receive < round.receives) {
      receive(message, matched);
      return;
    }
  }
  actors_[f.to].waiting.push_back({f.receive, message});
}

void stage_play::receive(std::uint32_t message, picoseconds now) {
  flight& f = flights_[message];
  if (f.is == phase::announced) {
    fetch(message, now);
    return;
  }
  const picoseconds end = work(f.to, now, from_ns(rules_.slot(f.bytes)));
  free_flights_.push_back(message);
  ended_one(f.to, f.lane, end, f.depth);
}

// The receiver gets an announced payload itself.
void stage_play::fetch(std::uint32_t message, picoseconds now) {
  flight& f = flights_[message];
  if (f.local) {
    const picoseconds ready = work(f.to, now, from_ns(rules_.fetch()));
    if (rules_.crowded()) copy(message, ready);
    else push(ready, kind::source, message);  // when both cores are asked for
    return;
  }
  const std::uint32_t pairs = pairs_for(f.bytes);
  const std::size_t parts = std::max<std::size_t>(pairs, (f.bytes + part_bytes - 1) / part_bytes);
  const std::size_t bells = machine_.ring == doorbells::each ? parts : pairs;
  result_.doorbells += bells;
  const double cost = bells * rules_.post(true) + (parts - bells) * rules_.post(true, false);
  const picoseconds asked = work(f.to, now, from_ns(cost));
  push(fabric_.ask(asked, path_of(f)), kind::source, message);
}

// Inside a node: both cores copy, or the receiver's alone.
void stage_play::copy(std::uint32_t message, picoseconds now) {
  const flight& f = flights_[message];
  const picoseconds copying = from_ns(rules_.fetched(f.bytes));
  const picoseconds end = work(f.to, now, copying);
  answer(message, rules_.crowded() ? end : std::max(end, work(f.from, now, copying)));
}

// The payload is there: the sender is told so.
void stage_play::answer(std::uint32_t message, picoseconds now) {
  flight& f = flights_[message];
  const picoseconds told = work(f.to, now, from_ns(rules_.post(!f.local)));
  f.is = phase::answer;
  if (f.local) {
    push(told + from_ns(rules_.flight(false)), kind::deliver, message);
  } else {
    ++result_.doorbells;
    f.packet = {.bytes = control_bytes, .pair = f.to_pair, .crossings = 1};
    push(fabric_.leave(told, path_of(f), f.packet), kind::head, message);
  }
  ended_one(f.to, f.lane, now, f.depth);
}

void stage_play::ended_one(std::uint32_t who, std::uint32_t lane, picoseconds now,
                           std::uint32_t depth) {
  lane_state& in = lane_of(who, lane);
  if (now >= in.last) in.last_depth = now > in.last ? depth : std::max(in.last_depth, depth);
  in.last = std::max(in.last, now);
  if (--in.pending != 0) return;
  const stage& round = actors_[who].plays->stages()[in.at];
  const picoseconds cost = from_ns(rules_.local(round.locals, round.copied, round.reduced));
  const picoseconds end = cost == 0 ? in.last : work(who, in.last, cost);
  in.depth = in.last_depth + 1;
  in.at = round.next;
  if (in.at != stage::none) {
    push(end, kind::begin, who, lane);
    return;
  }
  --open_lanes_;
  if (end > result_.time || (end == result_.time && in.depth > result_.rounds))
    result_.rounds = in.depth;
  result_.time = std::max(result_.time, end);
}

}  // namespace

outcome simulate(const machine& of, const cast& players) { return stage_play{of, players}.play(); }

}  // namespace peal::simulator
