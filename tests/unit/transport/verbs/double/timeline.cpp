#include "unit/transport/verbs/double/timeline.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "unit/transport/verbs/double/objects.hpp"

namespace peal::verbs_double {

void simulate(const cost_model& costs) {
  const lock hold{guard()};
  everything().time = std::make_unique<timeline>(costs);
}

void work_at_once() {
  const lock hold{guard()};
  everything().time.reset();
}

picoseconds simulated_time() {
  const lock hold{guard()};
  return everything().time ? everything().time->now() : 0;
}

bool is_busy(const card& of) {
  const lock hold{guard()};
  const timeline* const time = everything().time.get();
  return time && std::ranges::any_of(everything().contexts, [&](const context* each) {
           return each->of == &of && time->goes_on(*each) > time->now();
         });
}

void occupy(const card& of, picoseconds time) {
  const lock hold{guard()};
  if (!everything().time) return;
  for (const context* each : everything().contexts)
    if (each->of == &of) everything().time->occupy_for(*each, time);
}

void pass_time() {
  const lock hold{guard()};
  if (everything().time && everything().time->step()) everything().go_on();
}

void timeline::at(picoseconds when, std::function<void()> what) {
  events_.emplace(std::max(when, now_), std::move(what));
}

bool timeline::step() {
  if (events_.empty()) return false;
  now_ = events_.begin()->first;
  // What an event adds for the same time comes behind those that are there.
  while (!events_.empty() && events_.begin()->first == now_) {
    const auto what = std::move(events_.begin()->second);
    events_.erase(events_.begin());
    what();
  }
  return true;
}

timeline::engine& timeline::engine_of(const card& of) {
  engine& found = engines_[&of];
  if (found.units.empty()) found.units.resize(std::max(costs_.units, 1u));
  return found;
}

bool timeline::cache::use(std::uint64_t what, std::size_t capacity) {
  const auto found = places_.find(what);
  if (found != places_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return true;
  }
  recent_.push_front(what);
  places_[what] = recent_.begin();
  if (recent_.size() > capacity) {
    places_.erase(recent_.back());
    recent_.pop_back();
  }
  return false;
}

void timeline::launch(pair& of) {
  for (request& each : of.sends) {
    if (each.launched) continue;
    const bool reads = each.what.opcode == IBV_WR_RDMA_READ;
    if (reads && of.reads_out >= of.attributes.max_rd_atomic) return;  // the others stay behind it
    if (reads) ++of.reads_out;
    each.launched = true;
    const bool fetched = each.inlined.empty();
    of.ready_at = std::max(of.ready_at, std::max(now_, each.posted_at) + costs_.doorbell +
                                            (fetched ? costs_.fetch : 0));
    at(of.ready_at, [this, number = of.base.qp_num, which = each.number] {
      pair* const still = everything().find(number);
      if (!still) return;
      const auto found = std::ranges::find(still->sends, which, &request::number);
      if (found != still->sends.end()) start(*still, *found);
    });
  }
}

void timeline::occupy(const context& host, std::size_t bytes) {
  const std::size_t pages = (bytes + costs_.pinned_page - 1) / costs_.pinned_page;
  occupy_for(host, costs_.registration + static_cast<picoseconds>(pages) * costs_.pin);
}

void timeline::occupy_for(const context& host, picoseconds time) {
  picoseconds& until = busy_[&host];
  until = std::max(until, now_) + time;
  at(until, [] {});
}

picoseconds timeline::goes_on(const context& host) const {
  const auto found = busy_.find(&host);
  return found == busy_.end() ? now_ : std::max(now_, found->second);
}

void timeline::start(pair& of, const request& what) {
  std::size_t bytes = what.inlined.size();
  for (const ibv_sge& each : what.pieces) bytes += each.length;
  pair* const to = of.base.qp_type == IBV_QPT_UD ? everything().find(what.what.wr.ud.remote_qpn)
                                                 : everything().find(of.attributes.dest_qp_num);
  auto arrived = [number = of.base.qp_num, which = what.number] {
    pair* const still = everything().find(number);
    if (!still) return;
    const auto found = std::ranges::find(still->sends, which, &request::number);
    if (found == still->sends.end()) return;
    found->arrived = true;
    if (found->what.opcode == IBV_WR_RDMA_READ) --still->reads_out;
    everything().time->launch(*still);
    still->work();
  };
  // 64 bytes at a time: what it is takes 32, each piece of memory 16.
  const auto blocks = static_cast<unsigned>((32 + 16 * what.pieces.size() + 63) / 64);
  if (what.what.opcode != IBV_WR_RDMA_READ || !to)
    return begin({of.on, to ? to->on : nullptr, of.base.qp_num,
                  what.pieces.empty() ? 0 : what.pieces[0].addr, bytes, std::move(arrived),
                  blocks});
  begin({of.on, to->on, of.base.qp_num, 0, 0,
         [this, from = to->on, back = of.on, number = to->base.qp_num,
          memory = what.what.wr.rdma.remote_addr, bytes,
          arrived = std::move(arrived)] { begin({from, back, number, memory, bytes, arrived}); },
         blocks});
}

void timeline::begin(flow what) {
  engine& by = engine_of(*what.from);
  unit& on = by.units[what.pair % by.units.size()];
  std::deque<flow>& waiting = on.flows[what.pair];
  const std::uint32_t number = what.pair;
  waiting.push_back(std::move(what));
  // A queue pair with more than one flow has its turn already.
  if (waiting.size() == 1) on.turns.push_back(number);
  if (!on.busy) serve(by, on);
}

void timeline::serve(engine& by, unit& on) {
  on.busy = !on.turns.empty();
  if (!on.busy) return;
  const std::uint32_t number = on.turns.front();
  on.turns.pop_front();
  flow& next = on.flows[number].front();
  const std::size_t bytes = std::min(next.left, costs_.packet);
  picoseconds takes = static_cast<picoseconds>(bytes) * costs_.unit_byte;
  if (!std::exchange(next.begun, true)) {
    takes = std::max(takes, costs_.unit_request * next.blocks);
    if (!by.states.use(number, costs_.cached_pairs)) takes += costs_.miss;
  }
  if (next.memory != 0) {
    if (!by.pages.use(next.memory / costs_.page, costs_.cached_pages)) takes += costs_.miss;
    next.memory += bytes;
  }
  at(now_ + takes, [this, &by, &on, number, bytes] { emit(by, on, number, bytes); });
}

void timeline::emit(engine& by, unit& on, std::uint32_t number, std::size_t bytes) {
  std::deque<flow>& waiting = on.flows[number];
  flow& from = waiting.front();
  from.left -= bytes;
  const bool last = from.left == 0;
  const picoseconds takes =
      static_cast<picoseconds>(bytes + costs_.packet_overhead) * costs_.wire_byte;
  by.leaves = std::max(by.leaves, now_) + takes;
  card* const to = from.to;
  at(by.leaves + costs_.latency,
     [this, to, takes, last, arrived = last ? std::move(from.arrived) : nullptr] {
       if (!to) {
         if (last) arrived();
         return;
       }
       // Its first byte came `takes` ago, unless others keep the receiver's wire.
       engine& there = engine_of(*to);
       there.enters = std::max(there.enters + takes, now_);
       if (last) at(there.enters, arrived);
     });
  if (last) waiting.pop_front();
  if (waiting.empty()) on.flows.erase(number);
  else on.turns.push_back(number);
  serve(by, on);
}

}  // namespace peal::verbs_double
