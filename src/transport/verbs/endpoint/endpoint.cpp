#include "transport/verbs/endpoint/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "peal/error.hpp"

namespace peal::verbs {

namespace {

// Rings are no longer than need be: a message goes to the next place in each, and so meets caches
// and page tables that have forgotten it the later the longer the ring is. Devices take one entry
// more than is asked for and round up to a power of two.
constexpr std::size_t first_completions = 511;
/// A shared queue of fewer receives would serve less than each connection's own.
constexpr std::size_t shortest_shared = 64;
/// Connections that have ended, whose receives are still the device's (connect/retired_pairs.hpp):
/// where more peers are used than may be connected, the next ones need not wait for these.
constexpr std::size_t still_ending = 4;

ibv_recv_wr receive_into(const slot_pool& slots, slot_id which, ibv_sge& piece,
                         std::uint8_t rail = 0) noexcept {
  piece = {reinterpret_cast<std::uint64_t>(slots.at(which)), static_cast<std::uint32_t>(slot_bytes),
           slots.key(which, rail)};
  ibv_recv_wr made{};
  made.wr_id = work_id::make(work::receive, 0, 0, which).word;
  made.sg_list = &piece;
  made.num_sge = 1;
  return made;
}

completion_queue make_completions(const device& on) {
  const auto most =
      std::min<std::size_t>(first_completions, static_cast<std::size_t>(on.limits().max_cqe));
  // The transport is used by one thread at a time. Soft-RoCE takes system calls anyway.
  completion_queue made = on.channel().make(static_cast<int>(most), !on.soft_roce());
  if (!made)
    throw error(errc::no_device,
                fmt::format("{} gives no completion queue: {}", on.name(), std::strerror(errno)));
  return made;
}

bool grow(ibv_cq& queue, const device& on, std::size_t needed) noexcept {
  if (static_cast<std::size_t>(queue.cqe) >= needed) return true;
  const auto most = static_cast<std::size_t>(on.limits().max_cqe);
  const int failed =
      needed > most
          ? EINVAL
          : ibv_resize_cq(&queue, static_cast<int>(std::min(std::bit_ceil(needed + 1) - 1, most)));
  if (failed == 0) on.channel().resized(queue);
  else
    log_info("{} has no completion queue of {} entries: {}", on.name(), needed,
             std::strerror(failed));
  return failed == 0;
}

}  // namespace

endpoint::endpoint(std::vector<device>& which, const settings& wishes)
    : rails{which},
      on{which.front()},
      set{wishes},
      slots{on.domain()},
      choice{set.readers, set.most_readers},
      longest_part{on.longest_part()},
      own_window_{own_window(wishes)} {
  completions_ = make_completions(on);
  for (std::size_t each = 1; each < rails.size(); ++each) {
    further_.push_back(make_completions(rails[each]));
    longest_part = std::min(longest_part, rails[each].longest_part());
  }
  if (set.srq && on.limits().max_srq > 0) make_shared();
  // A rank that can have no connection at all is to fail at its start, and not with its first large
  // message.
  const std::size_t first = slots_to_send() + (receives_ ? shared_receives_for(1) : own_receives());
  if (!slots.grow(first))
    throw error(errc::locked_memory, fmt::format("{}: {}", on.name(), slots.refusal()));
}

bool endpoint::grow_completions(std::size_t connections, std::size_t bulk) noexcept {
  const std::size_t each = set.send_depth + (receives_ ? 0 : own_receives());
  const std::size_t needed = connections * each + bulk * set.read_depth +
                             (receives_ ? shared_receives_for(connections) : 0);
  return grow(*completions_, on, needed);
}

/// Each queue pair for bulk data may have a notice for each WRITE as well. One connection more than
/// there are: completions of one that has gone may stand there for a while.
bool endpoint::grow_further(std::uint8_t rail, std::size_t connections, std::size_t bulk,
                            bool messages) noexcept {
  return grow(
      *further_[rail - 1u], rails[rail],
      2 * bulk * set.read_depth +
          (messages ? (connections + 1) * (set.send_depth + set.window + receive_budget::uncounted)
                    : 0));
}

void endpoint::make_shared() noexcept {
  const std::size_t limit = most_receives(on, set);
  const std::size_t peers = std::max<std::size_t>(set.peers, 2) - 1,
                    connections = peers > set.max_rc ? set.max_rc + still_ending : peers;
  const std::size_t all = connections * (set.window + receive_budget::uncounted) + receive_reserve;
  ibv_srq_init_attr wanted{};
  wanted.attr.max_wr = static_cast<std::uint32_t>(std::min(limit, all));
  wanted.attr.max_sge = 1;
  if (limit < std::min(shortest_shared, all)) {
    log_info("{} has a shared receive queue of {} receives; each connection gets its own",
             on.name(), limit);
    return;
  }
  receives_.reset(ibv_create_srq(on.queue_domain(), &wanted));
  if (!receives_) {
    log_info("{} gives no shared receive queue ({}); each connection gets its own", on.name(),
             std::strerror(errno));
    return;
  }
  const std::size_t most = std::min<std::size_t>(limit, wanted.attr.max_wr);
  reserve_ = std::min(receive_reserve, most / 2);
  most_waiting_ = std::clamp<std::size_t>(reserve_ / 2, 1, 2 * refill);
  budget_ = {most - reserve_, set.window, connections};
}

std::uint16_t endpoint::make_room() noexcept {
  const std::size_t window = receives_ ? budget_.open() : own_window_;
  if (window == 0) return 0;
  ++connections_;
  if (get_ready()) {
    most_connections_ = std::max(most_connections_, connections_);
    if (!receives_) posted_ += own_receives();
    wants_back_ |= receives_ && window < budget_.largest();
    return static_cast<std::uint16_t>(window);
  }
  --connections_;
  if (receives_) budget_.close(window);
  return 0;
}

void endpoint::leave_room(std::uint16_t window) noexcept {
  --connections_;
  if (receives_) budget_.close(window);
  else posted_ -= own_receives();
}

/// For as many connections as there are now.
bool endpoint::get_ready() noexcept {
  if (connections_ > most_connections_) {
    if (!grow_completions(connections_, bulk_pairs.seen(0))) return false;
    for (std::uint8_t rail = 1; rail < rails.size(); ++rail)
      if (slots.has_rail(rail) && !grow_further(rail, connections_, bulk_pairs.seen(rail), true))
        return false;
  }
  const std::size_t all =
      receives_ ? std::max(posted_, budget_.allotted() + reserve_) : posted_ + own_receives();
  if (!receives_ && all > most_receives(set)) return false;
  const std::size_t to_receive = all - posted_,
                    to_send = std::min(connections_ * slots_to_send(), most_sends(set));
  std::size_t more = all + to_send > slots.size() ? all + to_send - slots.size() : 0;
  if (slots.free() < to_receive) more = std::max(more, to_receive - slots.free());
  if (slots.grow(more)) return !receives_ || supply(budget_.allotted());
  if (!told_short_)
    log_warning("{}: {}; there are {} connections and no more", on.name(), slots.refusal(),
                connections_ - 1);
  told_short_ = true;
  return false;
}

/// Posts as many receives as peers may then send.
bool endpoint::supply(std::size_t receives) noexcept {
  if (receives + reserve_ <= posted_) return true;
  const std::size_t more = receives + reserve_ - posted_;
  return (slots.free() >= more || slots.grow(more - slots.free())) && post_more(more);
}

bool endpoint::add_send_slots() noexcept {
  const std::size_t most = most_sends(set);
  if (slots.size() - posted_ < most) return slots.grow(1);
  few_slots = most / 2;
  return false;
}

endpoint::window_change endpoint::resize_window(std::uint16_t window, std::uint16_t used) noexcept {
  if (const std::size_t less = std::min<std::size_t>(budget_.excess(window), used); less > 0) {
    budget_.shrank(less);
    return {false, less};
  }
  const std::size_t more = budget_.growth(window);
  if (more < std::min<std::size_t>(window, budget_.largest() - window)) wants_back_ = true;
  if (more == 0 || !supply(budget_.allotted() + more)) return {};
  budget_.grew(more);
  return {true, more};
}

void endpoint::receives_low() noexcept {
  ++counters.receives_low;
  log_info("{} has few receives left in its shared queue; its peers may send less", on.name());
  limit_armed_ = false;
  budget_.low();
  while (!recycled_.empty()) {
    const std::size_t before = recycled_.size();
    post_recycled();
    if (recycled_.size() == before) return;
  }
}

/// Everything that came has been read.
void endpoint::fill_up() noexcept {
  if (!recycled_.empty()) post_recycled();
  if (!limit_armed_) arm_limit();
  if (budget_.lowered()) budget_.refilled();
}

/// The device is to tell when fewer are left than there are as long as every peer keeps to its
/// window.
void endpoint::arm_limit() noexcept {
  limit_armed_ = true;
  ibv_srq_attr attributes{};
  attributes.srq_limit =
      static_cast<std::uint32_t>(std::max<std::size_t>(reserve_ - most_waiting_, 1));
  if (const int failed = ibv_modify_srq(receives_.get(), &attributes, IBV_SRQ_LIMIT); failed != 0)
    log_debug("{} does not tell when receives run low: {}", on.name(), std::strerror(failed));
}

bool endpoint::post_more(std::size_t count) noexcept {
  const bool first = posted_ == 0;
  for (std::size_t each = 0; each < count; ++each) recycled_.push_back(slots.take());
  posted_ += count;
  while (!recycled_.empty()) {
    const std::size_t before = recycled_.size();
    post_recycled();
    if (recycled_.size() == before) return false;
  }
  if (first) arm_limit();
  return true;
}

void endpoint::post_recycled() noexcept {
  std::array<ibv_recv_wr, refill> requests;
  std::array<ibv_sge, refill> pieces;
  const std::size_t count = std::min(recycled_.size(), refill);
  for (std::size_t each = 0; each < count; ++each) {
    requests[each] = receive_into(slots, recycled_[recycled_.size() - 1 - each], pieces[each]);
    requests[each].next = each + 1 < count ? &requests[each + 1] : nullptr;
  }
  ibv_recv_wr* refused = nullptr;
  if (ibv_post_srq_recv(receives_.get(), requests.data(), &refused) == 0) refused = nullptr;
  // What was refused stays for the next time.
  const std::size_t done = refused ? static_cast<std::size_t>(refused - requests.data()) : count;
  recycled_.resize(recycled_.size() - done);
}

/// A queue pair that is gone, or broken, takes nothing; the slot stays with its connection.
void endpoint::post_own(slot_id which, std::uint8_t rail, ibv_qp* at) noexcept {
  if (!at) return;
  ibv_sge piece;
  ibv_recv_wr request = receive_into(slots, which, piece, rail);
  ibv_recv_wr* refused = nullptr;
  (void)ibv_post_recv(at, &request, &refused);
}

bool endpoint::fill(ibv_qp& which, std::uint8_t rail, std::uint16_t window,
                    std::vector<slot_id>& own) noexcept {
  if (which.srq) return true;
  const std::size_t count = window + receive_budget::uncounted;
  own.reserve(count);
  // Of another rail than the first one these are more than there were before.
  if (slots.free() < count && !slots.grow(count)) return false;
  for (std::size_t each = 0; each < count; ++each) {
    const slot_id into = slots.take();
    if (into == no_slot) return false;
    own.push_back(into);
    ibv_sge piece;
    ibv_recv_wr request = receive_into(slots, into, piece, rail);
    ibv_recv_wr* refused = nullptr;
    if (ibv_post_recv(&which, &request, &refused) != 0) return false;
  }
  return true;
}

/// Another rail than the first one does so only where the first one has failed: then memory is
/// registered with it, and its queue has room.
bool endpoint::carry_messages(std::uint8_t rail) noexcept {
  if (slots.has_rail(rail)) return true;
  if (!grow_further(rail, most_connections_, bulk_pairs.seen(rail), true)) return false;
  return slots.add_rail(rail, rails[rail].domain());
}

queue_pair endpoint::make_control(std::uint8_t rail, std::uint16_t window) noexcept {
  if (rail != 0 && !carry_messages(rail)) return {};
  const device& at = rails[rail];
  queue_plan plan;
  plan.completions = rail == 0 ? completions() : completions(rail);
  plan.receives = rail == 0 ? receives_.get() : nullptr;
  plan.send_depth = set.send_depth;
  plan.receive_depth = static_cast<std::uint32_t>(window + receive_budget::uncounted);
  // Inline messages are put together from envelope and payload by the device.
  plan.send_pieces = at.limits().max_sge >= 2 ? 2 : 1;
  plan.inline_bytes = plan.send_pieces == 2 ? inline_wanted : 0;
  // For WRITEs of nothing (sender::probe), which a device refuses like others.
  plan.access = IBV_ACCESS_REMOTE_WRITE;
  queue_pair made = make_reliable(at, plan);
  if (made)
    inline_bytes = rail == 0 ? plan.inline_bytes : std::min(inline_bytes, plan.inline_bytes);
  return made;
}

queue_pair endpoint::make_bulk(std::uint8_t rail, bool written_to) noexcept {
  const std::size_t count = bulk_pairs.seen(rail) + 1;
  const bool room = rail == 0 ? grow_completions(most_connections_, count)
                              : grow_further(rail, most_connections_, count, slots.has_rail(rail));
  if (!room) {
    errno = ENOMEM;
    return {};
  }
  queue_plan plan;
  plan.completions = rail == 0 ? completions() : completions(rail);
  plan.receives = rail == 0 ? receives_.get() : nullptr;
  plan.send_depth = set.read_depth;
  plan.receive_depth = rail == 0 ? 1 : set.read_depth;
  plan.send_pieces = set.read_pieces;
  // A peer that asks for no writes reads through all of them (fetcher::readers).
  plan.access = IBV_ACCESS_REMOTE_READ;
  if (written_to) plan.access |= IBV_ACCESS_REMOTE_WRITE;
  return make_reliable(rails[rail], plan);
}

bool endpoint::may_have_more(std::size_t pairs) const noexcept {
  const std::size_t most = std::max<std::size_t>(set.most_connections, connections_);
  for (std::size_t rail = 0; rail < rails.size(); ++rail)
    if (bulk_pairs.on(rail) + pairs + (most - connections_) * set.bulk + most + 1 > set.most_pairs)
      return false;
  return true;
}

bool endpoint::expect_notice(ibv_qp& at, work_id what) noexcept {
  ibv_recv_wr request{};
  request.wr_id = what.word;
  ibv_recv_wr* refused = nullptr;
  return ibv_post_recv(&at, &request, &refused) == 0;
}

void endpoint::expect_notices(ibv_qp& at, work_id what) const noexcept {
  for (std::uint32_t each = 0; each < set.read_depth && expect_notice(at, what); ++each) {
  }
}

}  // namespace peal::verbs
