// transport/verbs/bulk/links.hpp
// The queue pairs for large payloads of one connection. They carry READs and WRITEs only, so that a
// long one never delays a small message.
//
// A link is a rail of this process together with a rail of the peer. All links have the same number
// of queue pairs, which are numbered link by link. The last queue pair of a link is for WRITEs,
// where there are such. A link that fails, or cannot be made, is left out: it has no queue pairs
// any more.
//
// Layer    transport/verbs. Made by the connector; used by this room.
// Threads  one at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "transport/verbs/bounded_queue.hpp"
#include "transport/verbs/device/interface.hpp"
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
  std::vector<bulk_part> refused;  // since the queue was full; to be posted again before others
  // READs that the peer serves at a time: more would wait inside the device
  std::uint32_t read_limit = 1;
  std::uint8_t link = 0;         // number of the rail_pair; 0: of the first rails
  std::uint8_t rail = 0;         // of this process,
  std::uint8_t remote_rail = 0;  // and of the peer
};

class links {
 public:
  /// Once, and once more each time that all were destroyed and nothing is under way: so many queue
  /// pairs, that are still to be made, for each pair of rails. `depth`: the
  /// most parts that are under way on one. `same_device`: the device of the peer is this process's
  /// too.
  void lay(const std::vector<rail_pair>& rails, std::size_t of_each, std::size_t depth,
           bool same_device) {
    same_device_ = same_device;
    of_each_ = static_cast<std::uint8_t>(of_each);
    in_use_ = static_cast<std::uint8_t>(rails.size());
    queues_.clear();
    queues_.resize(rails.size() * of_each);
    for (std::size_t each = 0; each < queues_.size(); ++each) {
      bulk_queue& made = queues_[each];
      made.link = static_cast<std::uint8_t>(each / of_each);
      made.rail = rails[made.link].own;
      made.remote_rail = rails[made.link].remote;
      made.under_way.reserve(depth);
    }
  }
  /// Both sides use as many queue pairs as the one with fewer. Before anything is under way.
  void narrow(std::uint8_t of_each) {
    if (of_each >= of_each_) return;
    std::vector<bulk_queue> kept;
    for (std::size_t each = 0; each < queues_.size(); ++each)
      if (each % of_each_ < of_each) kept.push_back(std::move(queues_[each]));
    queues_ = std::move(kept);
    of_each_ = of_each;
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

  /// Queue pairs of a link, the same number of each.
  [[nodiscard]] std::uint8_t of_each() const noexcept { return of_each_; }
  [[nodiscard]] bool has_one_for_writes() const noexcept { return of_each_ > 1; }
  /// The queue pair for WRITEs of the first link; those of the others follow each `of_each`
  /// further.
  [[nodiscard]] std::size_t for_writes() const noexcept { return of_each_ - std::size_t{1}; }
  /// Links that are not left out.
  [[nodiscard]] std::uint8_t in_use() const noexcept { return in_use_; }

  [[nodiscard]] bool same_device() const noexcept { return same_device_; }

  /// Destroys the queue pairs of this link. What was under way there stands there still.
  void leave_out(std::uint32_t link) noexcept {
    for (bulk_queue& each : queues_)
      if (each.link == link) each.pair.reset();
    --in_use_;
  }
  /// All of them: the device touches no buffer of this connection any more.
  void destroy() noexcept {
    for (bulk_queue& each : queues_) each.pair.reset();
    untold_ = 0;
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
  std::uint8_t of_each_ = 0;
  std::uint8_t in_use_ = 1;
  bool same_device_ = false;
  std::uint8_t untold_ = 0;  // a bit for each link
};

}  // namespace peal::verbs
