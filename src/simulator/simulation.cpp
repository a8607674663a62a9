#include "simulator/simulation.hpp"

#include <algorithm>
#include <cstddef>

#include "simulator/event_simulation.hpp"

namespace peal::simulator {

using stage = shape::stage;

namespace {

constexpr std::size_t control_bytes = 64;  // of an announcement, and of the answer to it
constexpr std::size_t least_share = std::size_t{64} << 10;  // of a queue pair in a large message
constexpr std::size_t part_bytes = std::size_t{1} << 20;    // so a large message is cut among them

int nodes_for(const machine& of, const population& ranks) {
  return (static_cast<int>(ranks.shape_of.size()) + of.ranks_per_node - 1) / of.ranks_per_node;
}

}  // namespace

event_simulation::event_simulation(const machine& of, const population& ranks)
    : machine_{of},
      rules_{of.costs, of.cores > 0 && of.cores < of.ranks_per_node},
      population_{ranks},
      ranks_(ranks.shape_of.size()),
      fabric_{of, nodes_for(of, ranks), count_pairs()} {
  for (std::size_t k = 0; k != ranks_.size(); ++k) {
    ranks_[k].streams = streams_.size();
    streams_.resize(streams_.size() + ranks_[k].schedule_shape->streams());
  }
  deal_cores();
  open_streams_ = streams_.size();
  result_.misses = fabric_.misses();
}

// Gives every simulated rank its shape and its queue pairs, and says how many there are on each
// node: one for messages and answers, those for large messages where there are any.
std::vector<std::size_t> event_simulation::count_pairs() {
  std::vector<std::size_t> counts(static_cast<std::size_t>(nodes_for(machine_, population_)));
  for (std::uint32_t who = 0; who != ranks_.size(); ++who) {
    simulated_rank& each = ranks_[who];
    each.schedule_shape = &population_.shapes[population_.shape_of[who]];
    std::size_t& count = counts[static_cast<std::size_t>(node_of(who))];
    each.pairs = static_cast<std::uint32_t>(count);
    const bool large = std::ranges::any_of(
        each.schedule_shape->sends(), [&](const shape::sent& s) { return !eager(s.bytes, false); });
    const auto a_peer = static_cast<std::size_t>(large ? 1 + machine_.queue_pairs : 1);
    for (const std::int32_t peer : each.schedule_shape->peers())
      if (!find(who, each.schedule_shape->by(), peer).local) count += a_peer;
  }
  return counts;
}

event_simulation::target event_simulation::find(std::uint32_t who, relation by,
                                                std::int32_t peer) const noexcept {
  const auto here = static_cast<int>(who);
  const auto simulated = static_cast<int>(ranks_.size());
  const int per_node = machine_.ranks_per_node;
  int there = by == relation::bits ? here ^ peer : here + peer;
  const auto below = [](int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); };
  if (simulated == population_.ranks)
    there = there < 0 ? there + simulated : there >= simulated ? there - simulated : there;
  const int node = below(there, per_node);
  const int leaf = below(node, machine_.net.leaf_nodes);
  return {static_cast<std::uint32_t>(there - below(there, simulated) * simulated),
          node == here / per_node, leaf == here / per_node / machine_.net.leaf_nodes};
}

std::uint32_t event_simulation::pairs_for(std::size_t bytes) const noexcept {
  const auto most = std::max(bytes / least_share, std::size_t{1});
  return static_cast<std::uint32_t>(std::min(most, static_cast<std::size_t>(machine_.queue_pairs)));
}

// Of the core, until the request is made and the doorbell has rung.
picoseconds event_simulation::cost_of(std::uint32_t who, const shape::sent& s) const noexcept {
  const bool local = find(who, ranks_[who].schedule_shape->by(), s.peer).local;
  const bool copies = eager(s.bytes, local) && (local || s.bytes > machine_.nic.inline_bytes);
  return from_ns(rules_.post(!local, rings(s)) + (copies ? rules_.slot(s.bytes) : 0));
}

std::uint32_t event_simulation::take_transfer() {
  if (free_transfers_.empty()) {
    transfers_.emplace_back();
    return static_cast<std::uint32_t>(transfers_.size() - 1);
  }
  const std::uint32_t taken = free_transfers_.back();
  free_transfers_.pop_back();
  return taken;
}

outcome event_simulation::simulate() {
  for (std::uint32_t who = 0; who != ranks_.size(); ++who)
    for (std::uint32_t stream = 0; stream != ranks_[who].schedule_shape->streams(); ++stream) {
      stream_of(who, stream).at = ranks_[who].schedule_shape->first_stage(stream);
      if (stream_of(who, stream).at == stage::none) --open_streams_;
      else push(0, kind::begin, who, stream);
    }
  while (!queue_.empty()) {
    const event next = queue_.top();
    queue_.pop();
    switch (next.what) {
      case kind::begin:
      case kind::deliver:
        if (rules_.oversubscribed()) {
          simulated_rank& who = ranks_[concerned(next)];
          who.inbox.push_back(next);
          call(who.core, next.at);
        } else {
          run(next);
        }
        break;
      case kind::dispatch: dispatch(next.index, next.at); break;
      case kind::depart: depart(next.index, next.stream, next.at); break;
      case kind::copied: answer(next.index, next.at); break;
      case kind::head: {
        const transfer& f = transfers_[next.index];
        push(fabric_.arrive(next.at, path_of(f), f.packet), kind::deliver, next.index);
        break;
      }
      case kind::source: {
        transfer& f = transfers_[next.index];
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
  result_.ended = open_streams_ == 0;
  return result_;
}

void event_simulation::run(const event& e) {
  if (e.what == kind::begin) begin(e.index, e.stream, e.at);
  else deliver(e.index, e.at);
}

// The ranks of a node are dealt to its cores in turn.
void event_simulation::deal_cores() {
  for (std::uint32_t who = 0; who != ranks_.size(); ++who) {
    const auto here = static_cast<int>(who) % machine_.ranks_per_node;
    ranks_[who].core =
        rules_.oversubscribed()
            ? static_cast<std::uint32_t>(node_of(who) * machine_.cores + here % machine_.cores)
            : who;
    cores_.resize(std::max<std::size_t>(cores_.size(), ranks_[who].core + 1));
    cores_[ranks_[who].core].ranks.push_back(who);
  }
}

void event_simulation::call(std::uint32_t core, picoseconds now) {
  if (cores_[core].called) return;
  cores_[core].called = true;
  push(std::max(cores_[core].free, now), kind::dispatch, core);
}

// A rank runs as long as there is something for it; then the core goes to the next one, and from
// one that has nothing on to the next again.
void event_simulation::dispatch(std::uint32_t index, picoseconds now) {
  core_state& core = cores_[index];
  core.called = false;
  if (core.free > now) {
    call(index, now);
    return;
  }
  const auto count = static_cast<std::uint32_t>(core.ranks.size());
  std::uint32_t steps = 0;
  while (steps != count && ranks_[core.ranks[(core.runs + steps) % count]].inbox.empty()) ++steps;
  if (steps == count) return;
  core.runs = (core.runs + steps) % count;
  simulated_rank& runs = ranks_[core.ranks[core.runs]];
  // Where all have waited meanwhile, the core went round and round, and may be anywhere.
  if (core.free < now && count > 1) steps = std::max(steps, count / 2);
  event next = runs.inbox.front();
  runs.inbox.pop_front();
  next.at = core.free = now + steps * from_ns(rules_.change_of_ranks());
  run(next);
  if (std::ranges::any_of(core.ranks,
                          [&](std::uint32_t each) { return !ranks_[each].inbox.empty(); }))
    call(index, core.free);
}

// A round: the core makes all its sends, one after another.
void event_simulation::begin(std::uint32_t who, std::uint32_t stream, picoseconds now) {
  const shape& schedule_shape = *ranks_[who].schedule_shape;
  stream_state& in = stream_of(who, stream);
  const stage& round = schedule_shape.stages()[in.at];
  in.pending = round.receives + 1;
  in.next_send = round.first_send;
  in.last = now;
  in.last_depth = in.depth;
  if (round.sends == 0) {
    posted(who, stream, now);
    return;
  }
  picoseconds all = 0;
  for (std::uint32_t i = 0; i != round.sends; ++i)
    all += cost_of(who, schedule_shape.sends()[round.first_send + i]);
  const picoseconds start = work(who, now, all) - all;
  push(start + cost_of(who, schedule_shape.sends()[round.first_send]), kind::depart, who, stream);
}

void event_simulation::depart(std::uint32_t who, std::uint32_t stream, picoseconds now) {
  const simulated_rank& sender = ranks_[who];
  stream_state& in = stream_of(who, stream);
  const stage& round = sender.schedule_shape->stages()[in.at];
  const shape::sent& s = sender.schedule_shape->sends()[in.next_send];
  const target there = find(who, sender.schedule_shape->by(), s.peer);
  const simulated_rank& receiver = ranks_[there.who];
  const std::uint32_t message = take_transfer();
  transfer& f = transfers_[message];
  f.from = who;
  f.to = there.who;
  f.receive = receiver.schedule_shape->receive_of(
      mirrored(sender.schedule_shape->by(), s.peer, population_.ranks), stream, s.ordinal);
  f.depth = in.depth;
  f.bytes = s.bytes;
  f.local = there.local;
  f.same_leaf = there.same_leaf;
  f.stream = static_cast<std::uint8_t>(stream);
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
    push(now + cost_of(who, sender.schedule_shape->sends()[in.next_send]), kind::depart, who,
         stream);
  else posted(who, stream, now);
}

// Everything of the round is posted: what came before is taken now.
void event_simulation::posted(std::uint32_t who, std::uint32_t stream, picoseconds now) {
  const stream_state& in = stream_of(who, stream);
  const stage& round = ranks_[who].schedule_shape->stages()[in.at];
  std::vector<early>& waiting = ranks_[who].waiting;
  const auto wanted = [&](const early& each) {
    return each.receive - round.first_receive < round.receives;
  };
  const std::uint32_t depth = in.depth;
  for (const early& each : waiting) {
    if (!wanted(each)) continue;
    transfers_[each.message].depth = depth;
    receive(each.message, now);
  }
  std::erase_if(waiting, wanted);
  ended_one(who, stream, now, depth);
}

void event_simulation::deliver(std::uint32_t message, picoseconds now) {
  transfer& f = transfers_[message];
  const picoseconds polled = from_ns(rules_.take(!f.local));
  if (f.is == phase::data) {
    answer(message, work(f.to, now, polled));
    return;
  }
  if (f.is == phase::answer) {
    const picoseconds end = work(f.from, now, polled);
    free_transfers_.push_back(message);
    ended_one(f.from, f.stream, end, f.depth);
    return;
  }
  const picoseconds matched = work(f.to, now, polled);
  const stream_state& in = stream_of(f.to, f.stream);
  if (in.at != stage::none && in.pending != 0) {
    const stage& round = ranks_[f.to].schedule_shape->stages()[in.at];
    if (f.receive - round.first_receive < round.receives) {
      receive(message, matched);
      return;
    }
  }
  ranks_[f.to].waiting.push_back({f.receive, message});
}

void event_simulation::receive(std::uint32_t message, picoseconds now) {
  transfer& f = transfers_[message];
  if (f.is == phase::announced) {
    fetch(message, now);
    return;
  }
  const picoseconds end = work(f.to, now, from_ns(rules_.slot(f.bytes)));
  free_transfers_.push_back(message);
  ended_one(f.to, f.stream, end, f.depth);
}

// The receiver gets an announced payload itself.
void event_simulation::fetch(std::uint32_t message, picoseconds now) {
  transfer& f = transfers_[message];
  if (f.local) {
    const picoseconds ready = work(f.to, now, from_ns(rules_.fetch()));
    if (rules_.oversubscribed()) copy(message, ready);
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
void event_simulation::copy(std::uint32_t message, picoseconds now) {
  const transfer& f = transfers_[message];
  const picoseconds copying = from_ns(rules_.fetched(f.bytes));
  const picoseconds end = work(f.to, now, copying);
  if (rules_.oversubscribed()) answer(message, end);
  // Until the sender's core is through the receiver's does what else there is.
  else push(std::max(end, work(f.from, now, copying)), kind::copied, message);
}

// The payload is there: the sender is told so.
void event_simulation::answer(std::uint32_t message, picoseconds now) {
  transfer& f = transfers_[message];
  const picoseconds told = work(f.to, now, from_ns(rules_.post(!f.local)));
  f.is = phase::answer;
  if (f.local) {
    push(told + from_ns(rules_.flight(false)), kind::deliver, message);
  } else {
    ++result_.doorbells;
    f.packet = {.bytes = control_bytes, .pair = f.to_pair, .crossings = 1};
    push(fabric_.leave(told, path_of(f), f.packet), kind::head, message);
  }
  ended_one(f.to, f.stream, now, f.depth);
}

void event_simulation::ended_one(std::uint32_t who, std::uint32_t stream, picoseconds now,
                                 std::uint32_t depth) {
  stream_state& in = stream_of(who, stream);
  if (now >= in.last) in.last_depth = now > in.last ? depth : std::max(in.last_depth, depth);
  in.last = std::max(in.last, now);
  if (--in.pending != 0) return;
  const stage& round = ranks_[who].schedule_shape->stages()[in.at];
  const picoseconds cost = from_ns(rules_.local(round.locals, round.copied, round.reduced));
  const picoseconds end = cost == 0 ? in.last : work(who, in.last, cost);
  in.depth = in.last_depth + 1;
  in.at = round.next;
  if (in.at != stage::none) {
    push(end, kind::begin, who, stream);
    return;
  }
  --open_streams_;
  if (end > result_.time || (end == result_.time && in.depth > result_.rounds))
    result_.rounds = in.depth;
  result_.time = std::max(result_.time, end);
}

outcome simulate(const machine& of, const population& ranks) {
  return event_simulation{of, ranks}.simulate();
}

}  // namespace peal::simulator
