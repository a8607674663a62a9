#include "transport/verbs/bulk/payloads.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/page.hpp"
#include "peal/error.hpp"
#include "transport/verbs/connections.hpp"
#include "transport/verbs/parsing.hpp"

namespace peal::verbs {

namespace {

/// What is to be fetched from here on is worth the messages that ask for writes:
/// doc/internals/rdma.md.
constexpr std::size_t worth_two = 64 << 10;

}  // namespace

remote_region payloads::expose(peer_id to, const void* data, std::size_t bytes) noexcept {
  const auto* const first = static_cast<const std::byte*>(data);
  connection* const at = connections_.of(to);
  const std::uint64_t push = at ? pusher_.plan(*at, first, bytes) : 0;
  // What is all pushed is not read; where the receiver has no room for it, it comes in slots again.
  const bool is_read = pusher::planned(push) < bytes;
  // What is written to the peer is registered as a whole, since whole shares are asked for; so is
  // what is exposed while a connection ends, over which nothing new is told.
  const bool divided = is_read && pieces::divide(bytes) && mode_ == rendezvous_mode::read &&
                       !(at && at->lifetime.is_ending());
  registration* held = nullptr;
  if (divided) held = cache_.find(data, bytes, range_use::source);
  else if (is_read) held = cache_.acquire(data, bytes, range_use::source);
  const std::uint64_t number = exposures_.add({to, first, bytes, held});
  const bool in_pieces = divided && !held;
  remote_region made =
      exposed::make(data, number, in_pieces ? further_keys_.begin(to, number, first, bytes) : held,
                    in_pieces ? exposed_as::pieces : exposed_as::whole);
  made.words[3] = push;
  return made;
}

/// What is told with the announcement is packed before it, and so is all of it where nothing more
/// can be told.
remote_region payloads::expose_packed(peer_id to, const detail::packer& from,
                                      std::size_t bytes) noexcept {
  if (registration* const held = blocks_.acquire(from.blocks, bytes, range_use::source)) {
    // Packed only if it has to come in messages.
    const std::uint64_t number =
        exposures_.add({to, from.blocks.first, bytes, held,
                        std::make_shared<packed_payload>(from, bytes, nullptr), true});
    return exposed::make(from.blocks, number, *held);
  }
  auto packed = std::make_shared<packed_payload>(from, bytes, &buffers_);
  const std::byte* const first = packed->data();
  connection* const at = connections_.of(to);
  const std::uint64_t push = first && at ? pusher_.plan(*at, first, bytes) : 0;
  const std::size_t planned = pusher::planned(push);
  registration* const held =
      first && planned < bytes ? cache_.acquire(first, bytes, range_use::source) : nullptr;
  const std::uint64_t number = exposures_.add({to, first, bytes, held, packed});
  const bool divided =
      held && packed_payload::is_divided(bytes) && !(at && at->lifetime.is_ending());
  packed->pack_until(planned);
  if (divided) packed->pack_piece();
  else if (held) packed->pack_until(bytes);
  remote_region made =
      exposed::make(first, number, held, divided ? exposed_as::packed : exposed_as::whole);
  made.words[3] = push;
  if (divided) further_keys_.begin_packed(to, number, std::move(packed), *held);
  return made;
}

void payloads::withdraw(peer_id to, const remote_region& where) noexcept {
  if (!exposed::in_blocks(where)) pusher_.withdraw(to, where.words[3]);
  const std::uint64_t number = exposed::number(where);
  const exposure* const over = exposures_.find(number);
  if (!over) return;
  staged_.withdraw(number);
  further_keys_.withdraw(number);
  if (over->packed) over->packed->end();
  if (over->held) cache_.release(*over->held);
  exposures_.remove(number);
}

void payloads::start(fetch& f) noexcept {
  connection* const from = connections_.of(f.from);
  if (!from || !from->is_open()) {
    f.done(f, make_error_code(errc::peer_failed));
    return;
  }
  fetch_progress::begin(f);
  std::size_t here = 0;
  const std::size_t pushed = exposed::in_blocks(f.where) ? 0 : pusher_.claim(f, here);
  if (pushed < f.bytes) {
    if (pairs_for(*from, f) == pair_progress::coming) waiting_.push_back({&f, pushed});
    else go_on(*from, f, pushed);
  }
  count(f, here);
}

/// What is not registered needs none.
pair_progress payloads::pairs_for(connection& from, const fetch& f) noexcept {
  const links& its = from.links;
  if (!exposed::registered(f.where)) return pair_progress::refused;
  if (its.readers() >= endpoint_.choice.count() &&
      (its.has_one_for_writes() || !endpoint_.set.writes)) [[likely]]
    return pair_progress::ready;
  return events_.pairs_wanted(from, false);
}

void payloads::go_on(connection& from, fetch& f, std::size_t pushed) noexcept {
  const bool is_read = exposed::how(f.where) == exposed_as::pieces || exposed::in_blocks(f.where);
  std::size_t unwritten = is_read ? f.bytes : first_written(from, pushed, f.bytes);
  // Asked for first: where devices are emulated, posting a READ takes as long as the READ.
  if (unwritten < f.bytes) {
    if (!writer_.start(from, f, unwritten, f.bytes)) unwritten = f.bytes;
    else sender_.flush();
  }
  if (pushed < unwritten && !fetcher_.start(from, f, pushed, unwritten))
    staged_.start(from, f, pushed, unwritten);
}

void payloads::pairs_changed(connection& of) noexcept {
  const auto first = std::ranges::stable_partition(
      waiting_, [&](const waiting& each) { return each.of->from != of.peer; });
  const std::vector<waiting> its(first.begin(), first.end());
  waiting_.erase(first.begin(), first.end());
  for (const waiting& each : its) go_on(of, *each.of, each.pushed);
  if (of.reads.any_unposted()) fetcher_.note(of);
}

bool payloads::lacks_pairs(const connection& at) const noexcept {
  return (at.reads.any() && at.links.readers() == 0) ||
         (writer_.moves(at.peer) && !at.links.has_one_for_writes());
}

/// A peer that computes answers late, and a device may give none for a while.
void payloads::ask_again() noexcept {
  std::erase_if(bereft_, [this](const connection* each) { return !lacks_pairs(*each); });
  const std::vector<connection*> all = bereft_;  // one may break meanwhile
  for (connection* each : all)
    if (each->is_open()) (void)events_.pairs_wanted(*each, true);
}

bool payloads::under_way(const connection& with) const noexcept {
  return with.reads.any() || with.pairing.under_way() || awaits_pairs(with.peer) ||
         staged_.awaits(with.peer) || writer_.under_way(with.peer) ||
         pusher_.under_way(with.peer) || further_keys_.under_way(with.peer);
}

bool payloads::awaits_pairs(peer_id from) const noexcept {
  return std::ranges::any_of(waiting_,
                             [from](const waiting& each) { return each.of->from == from; });
}

/// Where, in a payload whose beginning is pushed, the share begins that the sender is to write.
std::size_t payloads::first_written(const connection& from, std::size_t pushed,
                                    std::size_t bytes) const noexcept {
  if (!endpoint_.set.asks_for_writes(from.links.same_device())) return bytes;
  const std::size_t half = pushed + (bytes - pushed) / 2 / page * page;
  switch (mode_) {
    case rendezvous_mode::read: return bytes;
    case rendezvous_mode::write: return pushed;
    case rendezvous_mode::both: return half;
    case rendezvous_mode::automatic: return bytes - pushed >= worth_two ? half : bytes;
  }
  return bytes;
}

bool payloads::push() noexcept {
  if (!pusher_.busy() || !pusher_.step()) return false;
  sender_.flush();
  return true;
}

bool payloads::step() noexcept {
  bool moved = push();
  if (!bereft_.empty()) ask_again();
  if (writer_.busy()) moved |= writer_.step();
  if (staged_.busy()) moved |= staged_.step();
  if (further_keys_.busy()) moved |= further_keys_.step();
  moved |= fetcher_.grow();
  if (endpoint_.bulk.any()) {
    moved |= rails_.poll();
    if (endpoint_.bulk.refused > 0) fetcher_.step(connections_);
    flush();
  }
  return moved;
}

void payloads::failed(connection& at, bulk_queue& which, int why) noexcept {
  if (which.link == at.handshake.link()) events_.broke(at, std::strerror(why));
  else rails_.failed(at, which, std::strerror(why));
}

outcome payloads::take(connection& from, const payload_view& said) noexcept {
  switch (said.header.kind) {
    case payload_kind::ask: return staged_.asked(from, said.header, said.exposed);
    case payload_kind::data: return staged_.arrived(from, said.header, said.data);
    case payload_kind::push: return pusher_.arrived(from.peer, said);
    case payload_kind::write: return writer_.asked(from, said.header, said.source);
    case payload_kind::written: return writer_.arrived(from, said.header);
    case payload_kind::left_out: rails_.told(from, said.header.detail); return {};
    case payload_kind::keys: return take_keys(from, said);
    case payload_kind::pairs_asked:
    case payload_kind::pairs_given:
    case payload_kind::pairs_ready:
    case payload_kind::link_asked:
    case payload_kind::link_given:
    case payload_kind::link_ready: return events_.pairs_told(from, said);
    case payload_kind::nothing: return {};
  }
  return outcome::senseless("part of a payload of no known kind");
}

outcome payloads::take_keys(connection& from, const payload_view& said) noexcept {
  fetch* of = nullptr;
  const outcome made = further_keys_.arrived(from.peer, said, of);
  if (of) fetcher_.told_more(from, *of);
  return made;
}

void payloads::arrived(connection& from, std::span<const std::byte> packet) noexcept {
  const parsed<payload_view> read = parse_payload(packet);
  const payload_view& said = read.view;
  const outcome made = read.problem ? outcome::senseless(read.problem) : take(from, said);
  switch (made.what) {
    case reception::taken: return;
    case reception::over: ++endpoint_.counters.packets_refused; return;
    case reception::senseless: events_.violated(from, made.problem); return;
  }
}

void payloads::completed(connection& at, std::uint32_t bulk) noexcept {
  bulk_queue& which = at.links[bulk];
  if (which.under_way.front().job) writer_.completed(at, which);
  else fetcher_.completed(at, bulk);
}

void payloads::forget(connection& gone) noexcept {
  fetcher_.forget(gone);
  std::erase(bereft_, &gone);
}

/// What it says of links is of such as are no more.
void payloads::make_meaningless(std::byte* packet, std::size_t bytes) noexcept {
  payload_header header;
  if (bytes < sizeof header) return;
  std::memcpy(&header, packet, sizeof header);
  switch (header.kind) {
    case payload_kind::pairs_asked:
    case payload_kind::pairs_given:
    case payload_kind::pairs_ready:
    case payload_kind::link_asked:
    case payload_kind::link_given:
    case payload_kind::link_ready:
    case payload_kind::left_out: header.kind = payload_kind::nothing; break;
    case payload_kind::written: header.detail = 0; break;  // no link
    default: return;
  }
  std::memcpy(packet, &header, sizeof header);
}

void payloads::interrupt(connection& broken) noexcept {
  forget(broken);
  if (broken.reads.any() && endpoint_.choice.tries()) endpoint_.choice.spoil();
  broken.links.destroy();
  for (bulk_queue& each : broken.links) {
    if (each.rail != 0)
      endpoint_.bulk.elsewhere -= static_cast<std::uint32_t>(each.under_way.size());
    writer::write_again(each);
    fetcher_.read_again(broken, each);
  }
  writer_.interrupt(broken.peer);
  for (const kept_packet& each : broken.eager.kept)
    if (each.staged) make_meaningless(endpoint_.slots.at(each.slot) + each.at, each.bytes);
  const held_packets& held = broken.eager.held;
  for (std::uint32_t each = 0; each < held.count(); ++each)
    if (held[each].flags & immediate::staged)
      make_meaningless(endpoint_.slots.at(held[each].slot) + held[each].at, held[each].bytes);
}

void payloads::go_on(connection& over) noexcept {
  writer_.go_on(over.peer);
  if (lacks_pairs(over)) bereft_.push_back(&over);
  if (awaits_pairs(over.peer) && events_.pairs_wanted(over, false) != pair_progress::coming)
    pairs_changed(over);
}

void payloads::abandon(peer_id gone, connection* at) noexcept {
  std::vector<fetch*> ending;  // whose shares come in several ways stands there several times
  pusher_.abandon(gone, ending);
  if (at) fetcher_.abandon(*at, ending);
  further_keys_.abandon(gone);
  std::erase_if(waiting_, [&](const waiting& each) {
    if (each.of->from != gone) return false;
    ending.push_back(each.of);
    return true;
  });
  writer_.abandon(gone, ending);
  staged_.abandon(gone, ending);
  std::ranges::sort(ending);
  ending.erase(std::ranges::unique(ending).begin(), ending.end());
  for (fetch* each : ending) each->done(*each, make_error_code(errc::peer_failed));
}

}  // namespace peal::verbs
