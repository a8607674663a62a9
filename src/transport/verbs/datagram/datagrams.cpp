#include "transport/verbs/datagram/datagrams.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "transport/verbs/parsing.hpp"

namespace peal::verbs {

namespace {

/// Packets that wait for acknowledgement, of all peers together: 16 MiB at most.
constexpr std::size_t most_packets = 4096;

}  // namespace

datagrams::datagrams(endpoint& endpoint, std::vector<handshake_port*> ports, const addresses& who,
                     std::vector<prober*> askers, sink& into, std::uint32_t peers,
                     peer_events& told)
    : endpoint_{endpoint},
      ports_{std::move(ports)},
      addresses_{who},
      sink_{into},
      events_{told},
      watch_{std::move(askers), endpoint.on.gid().bytes, peers,
             std::chrono::duration_cast<clock::duration>(
                 std::chrono::duration<double>{endpoint.set.timeout}),
             [this](peer_id each, peer_loss why) {
               if (left(each)) watch_.end(each);
               else events_.vanished(each, why);
             }},
      channels_(peers) {}

// All processes cut packets for the shortest MTU of the job: any way may come to carry any.
void datagrams::meet() {
  std::uint8_t mtu = addresses_.own().first().mtu;
  for (peer_id each = 0; each < channels_.size(); ++each)
    if (const address* const known = addresses_.of(each))
      for (const rail_address& rail : known->used()) mtu = std::min(mtu, rail.mtu);
  store_.emplace((std::size_t{128} << mtu) - sizeof(datagram_header), most_packets);
}

// ---- out

datagram_channel& datagrams::channel(peer_id of) {
  auto& known = channels_[of];
  if (!known) {
    datagram_output& out = *this;
    used_ = true;
    known = std::make_unique<datagram_channel>(sink_, out, *store_, counters_, of, first_window());
    if (addresses_.of(of)) known->ways = addresses_.links_to(of);
    watch(of);
    if (!delivers_) known->stop_delivering();
    if (refuses_) untold_.push_back(known.get());
  }
  return *known;
}

void datagrams::watch(peer_id which) noexcept {
  const address* const where = addresses_.of(which);
  if (!where) return;
  std::vector<way_to_ask> ways;
  for (const rail_pair& each : addresses_.links_to(which))
    ways.push_back({each.own, where->rails[each.remote].gid, where->rails[each.remote].door});
  watch_.watch(which, ways, clock::now());
}

void datagrams::reached_elsewhere(peer_id which) noexcept {
  if (!watch_.watches(which)) return;
  watch_.end(which);
  watch(which);
}

bool datagrams::is_usable(const rail_pair& way) const noexcept {
  return !ports_[way.own]->is_gone() && (endpoint_.down & 1u << way.own) == 0;
}

/// That one which was used last, or else the next that can be used.
std::uint8_t datagrams::way_of(const datagram_channel& via) const noexcept {
  for (std::size_t each = 0; each < via.ways.size(); ++each) {
    const std::size_t way = (via.way + each) % via.ways.size();
    if (is_usable(via.ways[way])) return static_cast<std::uint8_t>(way);
  }
  return via.way;
}

bool datagrams::put(peer_id to, const datagram& what) noexcept {
  datagram_channel& via = *channels_[to];
  if (via.ways.empty()) return true;  // lost
  const std::uint8_t way = way_of(via);
  if (!ports_[via.ways[way].own]->has_room()) return false;
  for (std::uint8_t each = 0; each < via.ways.size(); ++each)
    if (each == way || (what.everywhere && is_usable(via.ways[each])))
      add(via, via.ways[each], what);
  return true;
}

void datagrams::add(datagram_channel& via, const rail_pair& way, const datagram& what) noexcept {
  const peer_id to = via.peer();
  const address& there = *addresses_.of(to);
  handshake_port& port = *ports_[way.own];
  datagram_header head;
  head.from_incarnation = addresses_.own().incarnation;
  head.to_incarnation = there.incarnation;
  head.from = addresses_.self();
  head.to = to;
  head.sequence = what.sequence;
  head.acknowledged = what.acknowledged;
  head.bytes = what.bytes;
  head.flags = what.flags;
  head.allowed = room_for_each(port);
  head.proof = head.proof_by(addresses_.proof());
  const int failed = port.add(to, there.rails[way.remote], there.handshake_key, &head, sizeof head,
                              what.data, what.bytes);
  if (failed != 0) refused(to, way.own, failed);
}

/// What did not leave is repeated, over another way where there is one.
void datagrams::refused(peer_id to, std::uint8_t rail, int why) noexcept {
  datagram_channel& via = *channels_[to];
  if (via.ways[via.way].own != rail && via.ways[way_of(via)].own != rail) return;
  via.way = static_cast<std::uint8_t>((way_of(via) + 1) % via.ways.size());
  if (++via.refusals < via.ways.size()) return;
  via.refusals = 0;
  events_.unsendable(to, why);
}

void datagrams::post() noexcept {
  for (std::uint8_t rail = 0; rail < ports_.size(); ++rail)
    if (const auto which = ports_[rail]->post()) refused(which->to, rail, which->why);
}

/// It brought news, so that way leads to the peer.
void datagrams::came_over(datagram_channel& from, std::uint8_t rail) noexcept {
  from.refusals = 0;
  const auto found = std::ranges::find(from.ways, rail, &rail_pair::own);
  if (found != from.ways.end()) from.way = static_cast<std::uint8_t>(found - from.ways.begin());
}

bool datagrams::send(peer_id to, envelope e, const void* payload) noexcept {
  datagram_channel& via = channel(to);
  if (!via.send(e, payload)) return false;
  if (together_ || via.last_turn == endpoint_.epoch || via.listed) {
    note(via);
    return true;
  }
  via.last_turn = endpoint_.epoch;
  transmit(via);
  return true;
}

void datagrams::transmit(datagram_channel& via) noexcept {
  via.transmit(clock::now());
  post();
  if (via.has_something_to_send()) note(via);
  time(via);
}

void datagrams::note(datagram_channel& via) noexcept {
  if (via.listed) return;
  via.listed = true;
  listed_.push_back(&via);
}

void datagrams::time(datagram_channel& via) noexcept {
  if (via.due() == datagram_channel::never) return;
  next_look_ = std::min(next_look_, via.due());
  if (via.timed) return;
  via.timed = true;
  timed_.push_back(&via);
}

void datagrams::transmit_listed() noexcept {
  const auto now = clock::now();
  for (std::size_t each = 0; each < listed_.size();) {
    datagram_channel& via = *listed_[each];
    via.transmit(now);
    time(via);
    if (via.has_something_to_send()) {  // the port is full
      ++each;
      continue;
    }
    via.listed = false;
    listed_[each] = listed_.back();
    listed_.pop_back();
  }
  post();
}

void datagrams::set_refuses_eager(bool refuses) noexcept {
  if (refuses_ == refuses) return;
  refuses_ = refuses;
  untold_.clear();
  for (const auto& each : channels_)
    if (each) untold_.push_back(each.get());
}

void datagrams::send_last(peer_id to) noexcept {
  datagram_channel& via = channel(to);
  if (via.send_last()) note(via);
}

void datagrams::abandon(peer_id gone) noexcept {
  watch_.end(gone);
  if (channels_[gone]) channels_[gone]->abandon();
}

void datagrams::deliver_no_more() noexcept {
  delivers_ = false;
  for (const auto& each : channels_)
    if (each) each->stop_delivering();
}

bool datagrams::settled() const noexcept {
  const auto is_settled = [](const datagram_channel* each) {
    return each->drained() || each->left();
  };
  return std::all_of(timed_.begin(), timed_.end(), is_settled) &&
         std::all_of(listed_.begin(), listed_.end(), is_settled);
}

// ---- in

bool datagrams::trusts(const datagram_header& said) const noexcept {
  if (said.to != addresses_.self() || said.from >= channels_.size() ||
      said.from == addresses_.self())
    return false;
  const address* const from = addresses_.of(said.from);
  return from && said.from_incarnation == from->incarnation &&
         said.to_incarnation == addresses_.own().incarnation &&
         said.proof == said.proof_by(addresses_.proof());
}

void datagrams::got(const std::byte* packet, std::size_t bytes, std::uint8_t rail) noexcept {
  const parsed<datagram_view> said = parse_datagram({packet, bytes});
  const datagram_header& head = said.view.head;
  if (said.problem || !trusts(head)) {
    ++endpoint_.counters.packets_refused;
    return;
  }
  // The last packets of one that has left are acknowledged whatever became of it here, since it
  // waits for that.
  if (!left(head.from) && events_.is_given_up(head.from)) return;
  datagram_channel& from = channel(head.from);
  const datagram what{head.sequence, head.acknowledged, head.flags,
                      head.bytes,    said.view.data,    head.allowed};
  count_sender(from);
  const auto now = clock::now();
  watch_.heard(head.from, now);
  const std::uint32_t before = from.progress();
  if (!from.receive(what, now, events_.may_take(head.from))) ++endpoint_.counters.packets_refused;
  if (from.progress() != before) came_over(from, rail);
  if (from.has_something_to_send()) note(from);
}

void datagrams::count_sender(datagram_channel& which) noexcept {
  if (packets_of_era_++ >= ports_.front()->receives()) {
    senders_before_ = std::exchange(senders_, 0);
    packets_of_era_ = 1;
    ++era_;
  }
  if (std::exchange(which.last_era, era_) != era_) ++senders_;
}

/// A quarter is left to handshakes, and to those who begin.
std::uint16_t datagrams::room_for_each(const handshake_port& on) const noexcept {
  const std::size_t senders = std::max({senders_, senders_before_, 1u});
  return static_cast<std::uint16_t>(
      std::clamp<std::size_t>(on.receives() * 3 / 4 / senders, 1, 0xffff));
}

bool datagrams::poll() noexcept {
  bool moved = !timed_.empty() && look_at_the_clock();
  std::erase_if(untold_, [this](datagram_channel* each) {
    const bool told = each->tell(refuses_);
    if (each->has_something_to_send()) note(*each);
    return told;
  });
  moved |= !listed_.empty();
  flush();
  return moved;
}

bool datagrams::look_at_the_clock() noexcept {
  const auto now = clock::now();
  if (now < next_look_) return false;
  bool moved = false, silent = false;
  next_look_ = datagram_channel::never;
  for (std::size_t each = 0; each < timed_.size();) {
    datagram_channel& of = *timed_[each];
    silent |= of.expire(now);
    if (of.has_something_to_send()) {
      note(of);
      moved = true;
    }
    if (of.due() == datagram_channel::never) {
      of.timed = false;
      timed_[each] = timed_.back();
      timed_.pop_back();
      continue;
    }
    complain(of, now);
    next_look_ = std::min(next_look_, of.due());
    ++each;
  }
  if (silent) events_.unanswered();
  return moved;
}

void datagrams::complain(datagram_channel& about, clock::time_point now) noexcept {
  if (about.complained || about.left() || about.waits_since() == datagram_channel::never ||
      now - about.waits_since() < complaint_after)
    return;
  about.complained = true;
  const address* const where = addresses_.of(about.peer());
  log_warning(
      "rank {} ({}) has not answered for {} s: it computes without calling peal, or no network "
      "leads to it from {}",
      about.peer(), to_text(where->first().gid), complaint_after.count(),
      to_text(addresses_.own().first().gid));
}

}  // namespace peal::verbs
