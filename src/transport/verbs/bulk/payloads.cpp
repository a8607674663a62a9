#include "transport/verbs/bulk/payloads.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/page.hpp"
#include "peal/error.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

namespace {

/// What is to be fetched from here on is worth the messages that ask for writes:
/// doc/internals/rdma.md.
constexpr std::size_t worth_two = 64 << 10;

}  // namespace

remote_region payloads::expose(peer_id to, const void* data, std::size_t bytes) noexcept {
  registration* const held = cache_.acquire(data, bytes, range_use::source);
  remote_region made = exposed::make(
      data, exposures_.add({to, static_cast<const std::byte*>(data), bytes, held}), held);
  if (connection* const at = connections_.of(to))
    made.words[3] = pusher_.plan(*at, static_cast<const std::byte*>(data), bytes);
  return made;
}

void payloads::withdraw(peer_id to, const remote_region& where) noexcept {
  pusher_.withdraw(to, where.words[3]);
  const std::uint64_t number = exposed::number(where);
  const exposure* const over = exposures_.find(number);
  if (!over) return;
  staged_.withdraw(number);
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
  const std::size_t pushed = pusher_.claim(f, here);
  std::size_t unwritten = first_written(*from, pushed, f.bytes);
  // Asked for first: where devices are emulated, posting a READ takes as long as the READ.
  if (unwritten < f.bytes) {
    if (!writer_.start(*from, f, unwritten, f.bytes)) unwritten = f.bytes;
    else sender_.flush();
  }
  if (pushed < unwritten && !fetcher_.start(*from, f, pushed, unwritten))
    staged_.start(*from, f, pushed, unwritten);
  count(f, here);
}

bool payloads::under_way(const connection& with) const noexcept {
  return with.reads.any() || staged_.awaits(with.peer) || writer_.under_way(with.peer) ||
         pusher_.under_way(with.peer);
}

/// Where, in a payload whose beginning is pushed, the share begins that the sender is to write.
std::size_t payloads::first_written(const connection& from, std::size_t pushed,
                                    std::size_t bytes) const noexcept {
  const std::size_t half = pushed + (bytes - pushed) / 2 / page * page;
  switch (mode_) {
    case rendezvous_mode::read: return bytes;
    case rendezvous_mode::write: return pushed;
    case rendezvous_mode::both: return half;
    case rendezvous_mode::automatic: {
      const bool by_both = from.links.same_device() ? endpoint_.set.halves.on_own_node
                                                    : endpoint_.set.halves.on_other_nodes;
      return by_both && bytes - pushed >= worth_two ? half : bytes;
    }
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
  if (writer_.busy()) moved |= writer_.step();
  if (staged_.busy()) moved |= staged_.step();
  if (endpoint_.bulk.any()) {
    moved |= rails_.poll();
    if (endpoint_.bulk.refused > 0) fetcher_.step(connections_);
  }
  return moved;
}

void payloads::failed(connection& at, bulk_queue& which, int why) noexcept {
  if (which.link == at.handshake.link()) events_.broke(at, std::strerror(why));
  else rails_.failed(at, which, std::strerror(why));
}

void payloads::arrived(connection& from, const std::byte* packet, std::size_t bytes) noexcept {
  payload_header header;
  if (bytes < sizeof header) return;  // never, from a peer that runs this code
  std::memcpy(&header, packet, sizeof header);
  const std::byte* const data = packet + sizeof header;
  const std::size_t behind = bytes - sizeof header;
  switch (header.kind) {
    case payload_kind::ask:
      if (!staged_.asked(from, header, data, behind)) ++endpoint_.counters.packets_refused;
      return;
    case payload_kind::data:
      if (header.bytes == behind) staged_.arrived(from, header, data);
      return;
    case payload_kind::push:
      if (header.bytes == behind) pusher_.arrived(from.peer, header, data);
      return;
    case payload_kind::write:
      if (!writer_.asked(from, header, data, behind)) ++endpoint_.counters.packets_refused;
      return;
    case payload_kind::written: writer_.arrived(from, header); return;
    case payload_kind::left_out: rails_.told(from, header.detail); return;
  }
}

void payloads::completed(connection& at, std::uint32_t bulk) noexcept {
  bulk_queue& which = at.links[bulk];
  if (which.under_way.front().job) writer_.completed(at, which);
  else fetcher_.completed(at, bulk);
}

void payloads::interrupt(connection& broken) noexcept {
  broken.links.destroy();
  for (bulk_queue& each : broken.links) {
    if (each.rail != 0)
      endpoint_.bulk.elsewhere -= static_cast<std::uint32_t>(each.under_way.size());
    writer::write_again(each);
    fetcher_.read_again(broken, each);
  }
  writer_.interrupt(broken.peer);
  for (kept_packet& each : broken.eager.kept) {
    payload_header header;
    if (!each.staged || each.bytes < sizeof header) continue;
    std::byte* const at = endpoint_.slots.at(each.slot) + each.at;
    std::memcpy(&header, at, sizeof header);
    if (header.kind != payload_kind::written && header.kind != payload_kind::left_out) continue;
    header.detail = 0;  // they speak of links that are no more
    std::memcpy(at, &header, sizeof header);
  }
}

void payloads::go_on(connection& over) noexcept { writer_.go_on(over.peer); }

void payloads::abandon(peer_id gone, connection* at) noexcept {
  std::vector<fetch*> ending;  // whose shares come in several ways stands there several times
  pusher_.abandon(gone, ending);
  if (at) fetcher_.abandon(*at, ending);
  writer_.abandon(gone, ending);
  staged_.abandon(gone, ending);
  std::ranges::sort(ending);
  ending.erase(std::ranges::unique(ending).begin(), ending.end());
  for (fetch* each : ending) each->done(*each, make_error_code(errc::peer_failed));
}

}  // namespace peal::verbs
