#include "transport/verbs/datagram/datagram_channel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace peal::verbs {

namespace {

using std::chrono::milliseconds;

// Long against a round trip, even of an emulated device with a millisecond of delay, and against a
// turn of a busy peer.
constexpr milliseconds first_datagram_pause{30};
constexpr milliseconds longest_datagram_pause{1000};
/// Gaps told of until the oldest packet counts as lost; fewer come of packets that have changed
/// places.
constexpr std::uint32_t enough_gaps = 3;
constexpr std::uint32_t usual_window = 32;
constexpr std::uint32_t fewest_allowed = 2;
/// Packets beyond the expected one that may come: more than any window.
constexpr std::uint32_t receive_window = 128;
constexpr std::size_t most_early = 64;
/// How far behind a late packet may be.
constexpr std::uint32_t long_ago = 1u << 16;

/// A window holds the longest message twice, whatever the size of a packet.
std::uint32_t window_for(std::size_t packet_bytes) noexcept {
  const std::size_t longest = aligned(sizeof(envelope) + eager_limit);
  return std::max<std::uint32_t>(
      usual_window, static_cast<std::uint32_t>(2 * ((longest + packet_bytes - 1) / packet_bytes)));
}

bool before(std::uint32_t a, std::uint32_t b) noexcept {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace

// ---- memory

packet_store::~packet_store() {
  for (const std::byte* each : free_) delete[] each;
}

std::byte* packet_store::take() {
  ++used_;
  if (free_.empty()) return new std::byte[packet_bytes_];
  std::byte* const taken = free_.back();
  free_.pop_back();
  return taken;
}

void packet_store::give_back(std::byte* over) noexcept {
  --used_;
  free_.push_back(over);
}

// ---- sending

datagram_channel::datagram_channel(sink& into, datagram_output& out, packet_store& store,
                                   datagram_counters& counted, peer_id peer, std::uint32_t first)
    : sink_{into},
      out_{out},
      store_{store},
      counters_{counted},
      peer_{peer},
      window_{window_for(store.packet_bytes())},
      allowed_{std::clamp(first, 1u, first_window)},
      told_{window_},
      pause_{first_datagram_pause} {}

datagram_channel::~datagram_channel() {
  for (const packet& each : packets_) store_.give_back(each.memory);
}

/// In the last packet, as long as it has not left.
std::size_t datagram_channel::open_room() const noexcept {
  if (sent_ == end() || (packets_.back().flags & datagram_flags::leaving)) return 0;
  return store_.packet_bytes() - packets_.back().bytes;
}

// One message may always be under way, so that none is too long; when memory is scarce, not more
// than one.
bool datagram_channel::admits(std::size_t packets) const noexcept {
  if (packets == 0) return true;
  if (store_.left() < packets) return false;
  return packets_.empty() || (packets_.size() + packets <= most() && !store_.scarce());
}

datagram_channel::packet& datagram_channel::open_packet() noexcept {
  if (open_room() == 0) packets_.push_back({store_.take(), 0, datagram_flags::sequenced});
  packet& open = packets_.back();
  open.flags = static_cast<std::uint16_t>(refuses_ ? open.flags | datagram_flags::refuses_eager
                                                   : open.flags & ~datagram_flags::refuses_eager);
  told_refuses_ = refuses_;
  return open;
}

void datagram_channel::write(const void* from, std::size_t bytes) noexcept {
  const auto* at = static_cast<const std::byte*>(from);
  while (bytes > 0) {
    packet& open = open_packet();
    const std::size_t piece = std::min(bytes, store_.packet_bytes() - open.bytes);
    if (at) {
      std::memcpy(open.memory + open.bytes, at, piece);
      at += piece;
    } else {
      std::memset(open.memory + open.bytes, 0, piece);
    }
    open.bytes = static_cast<std::uint16_t>(open.bytes + piece);
    bytes -= piece;
  }
}

bool datagram_channel::send(envelope e, const void* payload) noexcept {
  const std::size_t whole = aligned(sizeof e + e.bytes());
  const std::size_t room = open_room();
  const std::size_t beyond = whole > room ? whole - room : 0;
  if (!admits((beyond + store_.packet_bytes() - 1) / store_.packet_bytes())) return false;
  write(&e, sizeof e);
  write(payload, e.bytes());
  write(nullptr, whole - sizeof e - e.bytes());
  ++counters_.messages;
  return true;
}

bool datagram_channel::tell(bool refuses_eager) noexcept {
  refuses_ = refuses_eager;
  if (refuses_ == told_refuses_ || delivers_nothing_) return true;
  if (open_room() == 0 && !admits(1)) return false;
  open_packet();
  return true;
}

bool datagram_channel::send_last() noexcept {
  if (open_room() == 0 && store_.left() == 0) return false;
  open_packet().flags |= datagram_flags::leaving;
  return true;
}

bool datagram_channel::put(std::uint32_t sequence, bool everywhere) noexcept {
  const packet& which = packets_[sequence - base_];
  datagram made;
  made.sequence = sequence;
  made.acknowledged = expected_ - 1;
  made.flags = static_cast<std::uint16_t>(which.flags | (early_.empty() ? 0 : datagram_flags::gap));
  made.bytes = which.bytes;
  made.data = which.memory;
  made.everywhere = everywhere || came_again_;
  if (!out_.put(peer_, made)) return false;
  owes_acknowledgement_ = came_again_ = false;
  return true;
}

void datagram_channel::transmit(clock::time_point now) noexcept {
  for (; repeat_first_ != repeat_end_; ++repeat_first_) {
    if (!put(repeat_first_, silent_)) return;
    ++counters_.repeated;
  }
  while (may_leave()) {
    if (!put(sent_, false)) return;
    ++counters_.packets;
    counters_.bytes += packets_[sent_ - base_].bytes;
    if (sent_ == base_) waits_since_ = now;
    ++sent_;
    if (due_ == never) due_ = now + pause_;
  }
  repeat_first_ = repeat_end_ = sent_;
  if (!owes_acknowledgement_) return;
  datagram made;
  made.acknowledged = expected_ - 1;
  made.flags = early_.empty() ? 0 : datagram_flags::gap;
  made.everywhere = came_again_;
  if (!out_.put(peer_, made)) return;
  owes_acknowledgement_ = came_again_ = false;
  ++counters_.acknowledgements;
}

/// A packet was lost.
void datagram_channel::halve() noexcept {
  allowed_ = std::max(allowed_ / 2, std::min(allowed_, fewest_allowed));
  lost_any_ = true;
}

/// So many of the oldest packets are to be repeated.
void datagram_channel::lost(std::uint32_t repeats) noexcept {
  repeat_first_ = base_;
  repeat_end_ = base_ + std::min(repeats, sent_ - base_);
}

bool datagram_channel::expire(clock::time_point now) noexcept {
  if (now < due_) return false;
  pause_ = std::min(pause_ * 2, longest_datagram_pause);
  due_ = now + pause_;
  recovering_ = true;
  recover_end_ = sent_;
  silent_ = true;
  halve();
  lost(1);
  return true;
}

void datagram_channel::acknowledged(std::uint32_t count, bool gap, clock::time_point now) noexcept {
  if (count == 0) {
    if (!gap || recovering_ || base_ == sent_ || ++gaps_ < enough_gaps) return;
    gaps_ = 0;
    recovering_ = true;
    recover_end_ = sent_;
    halve();
    lost(1);
    return;
  }
  gaps_ = 0;
  silent_ = false;
  for (std::uint32_t each = 0; each < count; ++each) {
    store_.give_back(packets_.front().memory);
    packets_.pop_front();
  }
  base_ += count;
  if (before(repeat_first_, base_)) repeat_first_ = base_;
  if (before(repeat_end_, base_)) repeat_end_ = base_;
  pause_ = first_datagram_pause;
  due_ = base_ == sent_ ? never : now + pause_;
  waits_since_ = now;
  complained = false;
  if (recovering_ && before(base_, recover_end_)) {
    lost(2);  // what this one stopped at has been lost too, and perhaps the next
    return;
  }
  recovering_ = false;
  acknowledged_ += count;
  // The first window may be far below what there is room for; until something is lost it doubles.
  if (!lost_any_) acknowledged_ = std::max(acknowledged_, allowed_);
  if (acknowledged_ < allowed_) return;
  acknowledged_ = 0;
  allowed_ = std::min(allowed_ + (lost_any_ ? 1 : count), window_);
}

// ---- receiving

bool datagram_channel::plausible(const datagram& d) const noexcept {
  if (d.bytes % message_alignment != 0 || d.bytes > store_.packet_bytes()) return false;
  const std::uint32_t ahead = d.sequence - expected_;
  if (ahead == 0) return sound(d.data, d.bytes);
  return ahead < receive_window || expected_ - d.sequence <= long_ago;
}

bool datagram_channel::receive(const datagram& d, clock::time_point now, bool may_take) noexcept {
  if (d.flags & ~datagram_flags::all) return false;
  const bool sequenced = (d.flags & datagram_flags::sequenced) != 0;
  if (sequenced ? !plausible(d) : d.sequence != 0 || d.bytes != 0) return false;
  const std::uint32_t news = d.acknowledged - (base_ - 1);
  const bool late = news > sent_ - base_;
  // What has never been sent cannot be acknowledged.
  if (late && base_ - 1 - d.acknowledged > long_ago) return false;
  if (d.allowed != 0) told_ = d.allowed;
  if (!late) acknowledged(news, (d.flags & datagram_flags::gap) != 0, now);
  if (sequenced && may_take) take(d);
  return true;
}

void datagram_channel::take(const datagram& d) noexcept {
  owes_acknowledgement_ = true;
  if (d.sequence != expected_) {
    came_again_ |= before(d.sequence, expected_);
    if (d.sequence - expected_ < receive_window && early_.size() < most_early)
      early_.try_emplace(d.sequence, early_packet{{d.data, d.data + d.bytes}, d.flags});
    return;
  }
  ++expected_;
  deliver(d.data, d.bytes, d.flags);
  for (auto next = early_.find(expected_); next != early_.end(); next = early_.find(expected_)) {
    const early_packet now_due = std::move(next->second);
    early_.erase(next);
    if (!sound(now_due.data.data(), now_due.data.size())) return;
    ++expected_;
    deliver(now_due.data.data(), now_due.data.size(), now_due.flags);
  }
}

/// Whether messages can be read out of it.
bool datagram_channel::sound(const std::byte* data, std::size_t bytes) const noexcept {
  for (std::size_t at = std::min(missing_, bytes); at < bytes;) {
    envelope e;
    std::memcpy(&e, data + at, sizeof e);
    if (e.bytes() > eager_limit) return false;
    at += aligned(sizeof e + e.bytes());
  }
  return true;
}

void datagram_channel::deliver(const std::byte* data, std::size_t bytes,
                               std::uint16_t flags) noexcept {
  peer_refuses_ = (flags & datagram_flags::refuses_eager) != 0;
  if (flags & datagram_flags::leaving) peer_left_ = true;
  const auto arrived = [this](envelope e, const std::byte* payload) {
    if (!delivers_nothing_) sink_.arrived(peer_, e, payload);
  };
  for (std::size_t at = 0; at < bytes;) {
    if (missing_ > 0) {
      const std::size_t piece = std::min(missing_, bytes - at);
      partial_.insert(partial_.end(), data + at, data + at + piece);
      missing_ -= piece;
      at += piece;
      if (missing_ > 0) return;
      const std::vector<std::byte> whole = std::exchange(partial_, {});
      envelope e;
      std::memcpy(&e, whole.data(), sizeof e);
      arrived(e, whole.data() + sizeof e);
      continue;
    }
    envelope e;
    std::memcpy(&e, data + at, sizeof e);
    const std::size_t whole = aligned(sizeof e + e.bytes());
    if (whole <= bytes - at) {
      arrived(e, data + at + sizeof e);
      at += whole;
      continue;
    }
    partial_.reserve(whole);
    partial_.assign(data + at, data + bytes);
    missing_ = whole - (bytes - at);
    return;
  }
}

void datagram_channel::abandon() noexcept {
  delivers_nothing_ = true;
  for (const packet& each : packets_) store_.give_back(each.memory);
  // What was under way may still be acknowledged, as something long ago.
  base_ = end();
  packets_.clear();
  sent_ = repeat_first_ = repeat_end_ = base_;
  recovering_ = false;
  due_ = never;
}

}  // namespace peal::verbs
