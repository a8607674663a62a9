#include "transport/verbs/payloads.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "peal/error.hpp"

namespace peal::verbs {

remote_region payloads::expose(peer_id to, const void* data, std::size_t bytes) noexcept {
  remote_region made = exposed::make(data, cache_.acquire(data, bytes, range_use::source));
  if (connection* const at = all_.of(to)) made.words[3] = pushes_.plan(*at, static_cast<const std::byte*>(data), bytes);
  return made;
}

void payloads::withdraw(peer_id to, const remote_region& where) noexcept {
  pushes_.withdraw(to, where.words[3]);
  if (registration* held = exposed::held(where)) cache_.release(*held);
}

void payloads::start(fetch& f) noexcept {
  connection* const from = all_.of(f.from);
  if (!from || from->state != connection_state::open) {
    f.done(f, make_error_code(errc::peer_failed));
    return;
  }
  fetch_progress::begin(f);
  std::size_t here = 0;
  const std::size_t pushed = pushes_.claim(f, here);
  if (pushed < f.bytes && !reads_.start(*from, f, pushed, f.bytes)) stages_.start(*from, f, pushed, f.bytes);
  count(f, here);
}

bool payloads::under_way(const connection& with) const noexcept {
  return !with.fetches.empty() || stages_.awaits(with.peer) || pushes_.under_way(with.peer);
}

bool payloads::push() noexcept {
  if (!pushes_.busy() || !pushes_.step()) return false;
  sender_.flush();
  return true;
}

bool payloads::poll() noexcept {
  bool moved = push();
  if (stages_.busy()) moved |= stages_.step();
  return moved;
}

void payloads::arrived(connection& from, const std::byte* packet, std::size_t bytes) noexcept {
  payload_header header;
  if (bytes < sizeof header) return;  // never, from a peer that runs this code
  std::memcpy(&header, packet, sizeof header);
  const std::byte* const data = packet + sizeof header;
  if (header.kind != payload_kind::ask && header.bytes != bytes - sizeof header) return;
  if (header.kind == payload_kind::push) pushes_.arrived(from.peer, header, data);
  else stages_.arrived(from, header, data);
}

void payloads::abandon(peer_id gone, connection* at) noexcept {
  std::vector<fetch*> ending;  // whose shares come in several ways stands there several times
  pushes_.abandon(gone, ending);
  if (at) reads_.abandon(*at, ending);
  stages_.abandon(gone, ending);
  std::ranges::sort(ending);
  ending.erase(std::ranges::unique(ending).begin(), ending.end());
  for (fetch* each : ending) each->done(*each, make_error_code(errc::peer_failed));
}

}  // namespace peal::verbs
