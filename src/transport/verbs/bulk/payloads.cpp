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
  // What is written to the peer is registered as a whole, since whole shares are asked for.
  const bool divided = pieces::divide(bytes) && mode_ == rendezvous_mode::read;
  const auto* const first = static_cast<const std::byte*>(data);
  registration* const held = divided ? cache_.find(data, bytes, range_use::source)
                                     : cache_.acquire(data, bytes, range_use::source);
  const std::uint64_t number = exposures_.add({to, first, bytes, held});
  const bool in_pieces = divided && !held;
  remote_region made = exposed::make(
      data, number, in_pieces ? further_keys_.begin(to, number, first, bytes) : held, in_pieces);
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
  further_keys_.withdraw(number);
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
  std::size_t unwritten =
      exposed::in_pieces(f.where) ? f.bytes : first_written(*from, pushed, f.bytes);
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
         pusher_.under_way(with.peer) || further_keys_.under_way(with.peer);
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
  if (further_keys_.busy()) moved |= further_keys_.step();
  moved |= fetcher_.grow();
  if (endpoint_.bulk.any()) {
    moved |= rails_.poll();
    if (endpoint_.bulk.refused > 0) fetcher_.step(connections_);
  }
  return moved;
}

void payloads::failed(connection& at, bulk_queue& which, int why) noexcept {
  if (which.rail == 0) events_.broke(at, std::strerror(why));
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

void payloads::abandon(peer_id gone, connection* at) noexcept {
  std::vector<fetch*> ending;  // whose shares come in several ways stands there several times
  pusher_.abandon(gone, ending);
  if (at) fetcher_.abandon(*at, ending);
  further_keys_.abandon(gone);
  writer_.abandon(gone, ending);
  staged_.abandon(gone, ending);
  std::ranges::sort(ending);
  ending.erase(std::ranges::unique(ending).begin(), ending.end());
  for (fetch* each : ending) each->done(*each, make_error_code(errc::peer_failed));
}

}  // namespace peal::verbs
