// transport/verbs/bulk/links.hpp
// The queue pairs for large payloads of one connection. They carry READs and WRITEs only, so that a
// long one never delays a small message.
//
// A link is a rail of this process together with a rail of the peer. A connection begins with no
// queue pair for large payloads; they come with the first such payload, and more of them where the
// adapter gains from more (connect/pairs/pair_maker.hpp). All links have the same number of them.
// The last place of each link is that of the queue pair for WRITEs, where there are such. A link
// that fails, or cannot be made, is left out: it has no queue pairs any more, until it comes back
// (connect/pairs/link_returns.hpp).
//
// Layer    transport/verbs. Made by the pair maker; used by this room.
// Threads  one at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "transport/verbs/bounded_queue.hpp"
#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

struct write_job;

/// Part of a large payload that is read for a fetch of ours, or written for a peer's: one of the
/// two is null. Of no bytes: a notice that follows what was written (writer.hpp).
struct bulk_part {
  fetch* of;
  write_job* job;
  std::uint64_t at;
  std::uint32_t bytes;
};

/// Parts under way on one queue pair, oldest first: they complete in this order.
struct bulk_queue {
  queue_pair pair;  // null: its link was left out
  bounded_queue<bulk_part> under_way;
  std::uint64_t bytes = 0;         // of them
  std::vector<bulk_part> refused;  // since the queue was full; to be posted again before others
  // READs that the peer serves at a time: more would wait inside the device
  std::uint32_t read_limit = 1;
  std::uint8_t link = 0;         // number of the rail_pair; 0: of the first rails
  std::uint8_t rail = 0;         // of this process,
  std::uint8_t remote_rail = 0;  // and of the peer

  void add(const bulk_part& posted) noexcept {
    under_way.push_back(posted);
    bytes += posted.bytes;
  }
  bulk_part take() noexcept {
    const bulk_part oldest = under_way.front();
    under_way.pop_front();
    bytes -= oldest.bytes;
    return oldest;
  }
};

class links {
 public:
  /// Once, and once more after each `forget`: the places of queue pairs that are still to be made,
  /// for each pair of rails. `same_device`: the device of the peer is this process's too. `made`:
  /// queue pairs of all connections, by rail, which are counted there; it outlives this.
  void lay(const std::vector<rail_pair>& rails, bool same_device, bulk_pairs& made) {
    same_device_ = same_device;
    made_ = &made;
    in_use_ = static_cast<std::uint8_t>(rails.size());
    queues_.resize(rails.size() * most_bulk);
    for (std::size_t each = 0; each < queues_.size(); ++each) {
      bulk_queue& place = queues_[each];
      place.link = static_cast<std::uint8_t>(each / most_bulk);
      place.rail = rails[place.link].own;
      place.remote_rail = rails[place.link].remote;
    }
  }
  [[nodiscard]] bool are_laid() const noexcept { return !queues_.empty(); }

  /// `depth`: the most parts that are under way there.
  void put(bulk_queue& place, queue_pair made, std::size_t depth) {
    place.pair = std::move(made);
    place.under_way.reserve(depth);
    made_->add(place.rail);
  }
  void take_away(bulk_queue& place) noexcept {
    if (!place.pair) return;
    place.pair.reset();
    made_->remove(place.rail);
  }

  [[nodiscard]] std::size_t size() const noexcept { return queues_.size(); }
  [[nodiscard]] bulk_queue& operator[](std::size_t which) noexcept { return queues_[which]; }
  [[nodiscard]] const bulk_queue& operator[](std::size_t which) const noexcept {
    return queues_[which];
  }
  [[nodiscard]] auto begin() noexcept { return queues_.begin(); }
  [[nodiscard]] auto end() noexcept { return queues_.end(); }
  [[nodiscard]] auto begin() const noexcept { return queues_.begin(); }
  [[nodiscard]] auto end() const noexcept { return queues_.end(); }
  [[nodiscard]] std::size_t number_of(const bulk_queue& which) const noexcept {
    return static_cast<std::size_t>(&which - queues_.data());
  }

  /// Queue pairs for READs of each link that both sides have made.
  [[nodiscard]] std::uint8_t readers() const noexcept { return readers_; }
  [[nodiscard]] bool has_one_for_writes() const noexcept { return writes_; }
  void agree(std::uint8_t readers, bool writes) noexcept {
    readers_ = readers;
    writes_ = writes;
  }
  /// Where that for WRITEs of the first link stands; those of the others follow each `most_bulk`
  /// further.
  static constexpr std::size_t for_writes = most_readers;
  /// Links that are not left out.
  [[nodiscard]] std::uint8_t in_use() const noexcept { return in_use_; }

  [[nodiscard]] bool same_device() const noexcept { return same_device_; }

  /// Destroys the queue pairs of this link. What was under way there stands there still.
  void leave_out(std::uint32_t link) noexcept {
    for (bulk_queue& each : queues_)
      if (each.link == link) take_away(each);
    if (is_left_out(link)) return;
    left_out_ = static_cast<std::uint8_t>(left_out_ | 1u << link);
    --in_use_;
  }
  /// It was left out, and has its queue pairs again.
  void bring_back(std::uint32_t link) noexcept {
    left_out_ = static_cast<std::uint8_t>(left_out_ & ~(1u << link));
    ++in_use_;
  }
  [[nodiscard]] bool is_left_out(std::uint32_t link) const noexcept {
    return (left_out_ & 1u << link) != 0;
  }
  /// All of them: the device touches no buffer of this connection any more.
  void destroy() noexcept {
    for (bulk_queue& each : queues_) take_away(each);
    untold_ = 0;
  }

  /// As in the beginning: nothing is laid, or agreed upon, and no link is left out. Requires: all
  /// are destroyed, and nothing stands there as under way.
  void forget() noexcept {
    queues_.clear();
    readers_ = 0;
    writes_ = false;
    left_out_ = 0;
  }

  // ---- links that were left out, and of which the peer is to be told
  [[nodiscard]] bool any_untold() const noexcept { return untold_ != 0; }
  [[nodiscard]] bool is_untold(std::uint32_t link) const noexcept {
    return (untold_ & 1u << link) != 0;
  }
  [[nodiscard]] std::uint32_t first_untold() const noexcept {
    return static_cast<std::uint32_t>(std::countr_zero(untold_));
  }
  void tell(std::uint32_t link) noexcept {
    untold_ = static_cast<std::uint8_t>(untold_ | 1u << link);
  }
  void told_first() noexcept { untold_ = static_cast<std::uint8_t>(untold_ & (untold_ - 1)); }

 private:
  std::vector<bulk_queue> queues_;
  bulk_pairs* made_ = nullptr;
  std::uint8_t readers_ = 0;
  bool writes_ = false;
  std::uint8_t in_use_ = 1;
  bool same_device_ = false;
  std::uint8_t left_out_ = 0, untold_ = 0;  // a bit for each link
};

}  // namespace peal::verbs
