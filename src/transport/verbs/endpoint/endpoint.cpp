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
      longest_part{on.longest_part()} {
  completions_ = make_completions(on);
  for (std::size_t each = 1; each < rails.size(); ++each) {
    further_.push_back(make_completions(rails[each]));
    longest_part = std::min(longest_part, rails[each].longest_part());
  }
  if (set.srq && on.limits().max_srq > 0) {
    receive_limit_ = static_cast<std::size_t>(on.limits().max_srq_wr);
    ibv_srq_init_attr wanted{};
    wanted.attr.max_wr = static_cast<std::uint32_t>(
        std::min({receive_limit_, longest_shared, receives_for(set.peers)}));
    wanted.attr.max_sge = 1;
    receives_.reset(ibv_create_srq(on.domain(), &wanted));
    if (receives_) receive_limit_ = wanted.attr.max_wr;
    if (receives_) most_waiting_ = std::clamp<std::size_t>(receive_limit_ / 4, 1, 2 * refill);
    else
      log_info("{} gives no shared receive queue ({}); each connection gets its own", on.name(),
               std::strerror(errno));
  }
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
  return grow(*further_[rail - 1u], rails[rail],
              2 * bulk * set.read_depth +
                  (messages ? (connections + 1) * (set.send_depth + own_receives()) : 0));
}

bool endpoint::make_room() noexcept {
  ++connections_;
  if (connections_ <= most_connections_) return true;
  const auto refuse = [this] {
    --connections_;
    return false;
  };
  if (!grow_completions(connections_, bulk_pairs.seen(0))) return refuse();
  for (std::uint8_t rail = 1; rail < rails.size(); ++rail)
    if (slots.has_rail(rail) && !grow_further(rail, connections_, bulk_pairs.seen(rail), true))
      return refuse();
  std::size_t more = 0;
  if (receives_) {
    const std::size_t wanted = shared_receives_for(connections_);
    more = wanted > posted_ ? wanted - posted_ : 0;
  }
  const std::size_t needed = slots_to_send() + (receives_ ? more : own_receives());
  if (slots.free() < needed && !slots.grow(needed - slots.free())) {
    if (!told_short_)
      log_warning("{}: {}; there are {} connections and no more", on.name(), slots.refusal(),
                  most_connections_);
    told_short_ = true;
    return refuse();
  }
  if (more > 0 && !post_more(more)) return refuse();
  most_connections_ = connections_;
  return true;
}

bool endpoint::post_more(std::size_t count) noexcept {
  for (std::size_t each = 0; each < count; ++each) recycled_.push_back(slots.take());
  posted_ += count;
  while (!recycled_.empty()) {
    const std::size_t before = recycled_.size();
    post_recycled();
    if (recycled_.size() == before) return false;
  }
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

bool endpoint::fill(ibv_qp& which, std::uint8_t rail, std::vector<slot_id>& own) noexcept {
  if (which.srq) return true;
  own.reserve(set.window + 2);
  if (slots.free() < own_receives() && !slots.grow(own_receives())) return false;
  for (std::uint32_t each = 0; each < set.window + 2; ++each) {
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

queue_pair endpoint::make_control(std::uint8_t rail) noexcept {
  if (rail != 0 && !carry_messages(rail)) return {};
  const device& at = rails[rail];
  queue_plan plan;
  plan.completions = rail == 0 ? completions() : completions(rail);
  plan.receives = rail == 0 ? receives_.get() : nullptr;
  plan.send_depth = set.send_depth;
  plan.receive_depth = set.window + 2;
  // Inline messages are put together from envelope and payload by the device.
  plan.send_pieces = at.limits().max_sge >= 2 ? 2 : 1;
  plan.inline_bytes = plan.send_pieces == 2 ? inline_wanted : 0;
  queue_pair made = make_reliable(at, plan);
  if (made)
    inline_bytes = rail == 0 ? plan.inline_bytes : std::min(inline_bytes, plan.inline_bytes);
  return made;
}

queue_pair endpoint::make_bulk(std::uint8_t rail) noexcept {
  const std::size_t count = bulk_pairs.seen(rail) + 1;
  const bool room = rail == 0
                        ? grow_completions(most_connections_, count)
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
