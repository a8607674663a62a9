// transport/verbs/bulk/payloads.hpp
// Large payloads: one interface to all the ways in which they come. Their beginning is pushed by
// the sender (pusher.hpp). The rest is read by the receiver's device (fetcher.hpp) or written by
// the sender's (writer.hpp), or each does a half; or it comes in messages where memory cannot be
// registered (staged.hpp). Long buffers are registered piece by piece meanwhile
// (pieces/further_keys.hpp).
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   told to fetch::done: errc::peer_failed.
#pragma once

#include <span>
#include <vector>

#include "transport/verbs/bulk/fetcher.hpp"
#include "transport/verbs/bulk/further_rails.hpp"
#include "transport/verbs/bulk/pieces/further_keys.hpp"
#include "transport/verbs/bulk/pusher.hpp"
#include "transport/verbs/bulk/staged.hpp"
#include "transport/verbs/bulk/writer.hpp"
#include "transport/verbs/peer_events.hpp"

namespace peal::verbs {

class connections;

class payloads final : private queue_failures {
 public:
  /// `told` hears of a connection whose first rail has failed.
  payloads(endpoint& endpoint, registration_cache& cache, connections& connections, sender& out,
           peer_events& told)
      : endpoint_{endpoint},
        connections_{connections},
        cache_{cache},
        sender_{out},
        mode_{endpoint.set.rendezvous},
        pusher_{endpoint, connections, out},
        events_{told},
        staged_{endpoint, connections, out, exposures_},
        further_keys_{endpoint, cache, connections, out},
        blocks_{endpoint.set.least_block, cache},
        fetcher_{endpoint, cache, *this, staged_, further_keys_, buffers_, blocks_},
        writer_{endpoint, cache, connections, out, exposures_, buffers_, *this},
        rails_{endpoint, connections, out, fetcher_, writer_, told} {}

  [[nodiscard]] remote_region expose(peer_id to, const void* data, std::size_t bytes) noexcept;
  [[nodiscard]] remote_region expose_packed(peer_id to, const detail::packer&,
                                            std::size_t bytes) noexcept;
  void withdraw(peer_id to, const remote_region&) noexcept;
  void start(fetch&) noexcept;

  /// A packet that is no message has come. What makes no sense ends the connection
  /// (peer_events::violated); a question or an answer about what is over is dropped and counted.
  void arrived(connection& from, std::span<const std::byte> packet) noexcept;
  /// The oldest work request of this bulk queue pair, of the first rail, has completed.
  void completed(connection& at, std::uint32_t bulk) noexcept;
  /// Parts of payloads are on their way here, or have been promised and have not left: the
  /// connection may not end.
  [[nodiscard]] bool under_way(const connection&) const noexcept;
  /// Completions of rails besides the first. True when there were some.
  bool read_rails() noexcept { return rails_.poll(); }
  /// READs that are wanted from now on wait for the end of this poll, so that they share doorbells.
  void hold() noexcept { fetcher_.hold(true); }
  void end_hold() noexcept { fetcher_.hold(together_); }
  /// Moves what waited for room. True when something was moved.
  bool poll() noexcept {
    end_hold();
    return busy() && step();
  }
  [[nodiscard]] bool busy() const noexcept {
    return pusher_.busy() || writer_.busy() || staged_.busy() || endpoint_.bulk.any() ||
           !bereft_.empty() || further_keys_.busy() || fetcher_.is_growing();
  }
  /// Whether READs wait for others outside of polls, too.
  void hold_together(bool wanted) noexcept {
    together_ = wanted;
    fetcher_.hold(wanted);
    if (!wanted) flush();
  }
  /// Posts the READs that wait for others.
  void flush() noexcept {
    if (endpoint_.bulk.unposted > 0) fetcher_.flush();
  }
  /// What waits for queue pairs goes on.
  void pairs_changed(connection&) noexcept;
  /// The connection is being taken away.
  void forget(connection& gone) noexcept;
  /// Something was refused by the device though it was idle, so that no completion will tell when
  /// to try again; or memory is being registered.
  [[nodiscard]] bool wants_polling() const noexcept {
    return endpoint_.bulk.refused > 0 || endpoint_.bulk.unposted > 0 || !bereft_.empty() ||
           writer_.starved() || is_growing();
  }
  /// The device gave up this queue pair, which is not of the first rail.
  void rail_failed(connection& at, const bulk_queue& which, const char* cause) noexcept {
    rails_.failed(at, which, cause);
  }
  /// An announcement was sent: what is pushed of its payload goes right behind it, and keys that
  /// are known.
  void announced() noexcept {
    push();
    (void)further_keys_.tell();
  }

  // ---- a connection that broke and is made again (doc/internals/rdma.md, Reconnection)
  /// Destroys its queue pairs; what was under way there is to be moved again.
  void interrupt(connection&) noexcept;
  /// It goes on, over other queue pairs.
  void go_on(connection&) noexcept;

  /// The peer is gone: ends its fetches. `at` may be null. Requires: its queue pairs are destroyed,
  /// so that no device touches a buffer.
  void abandon(peer_id, connection* at) noexcept;

 private:
  [[nodiscard]] bool is_growing() const noexcept {
    return further_keys_.is_growing() || fetcher_.is_growing();
  }
  /// Whose rest, behind what is pushed, waits for queue pairs.
  struct waiting {
    fetch* of;
    std::size_t pushed;
  };
  [[nodiscard]] pair_progress pairs_for(connection& from, const fetch&) noexcept;
  void go_on(connection& from, fetch&, std::size_t pushed) noexcept;
  [[nodiscard]] bool awaits_pairs(peer_id from) const noexcept;
  [[nodiscard]] bool lacks_pairs(const connection&) const noexcept;
  void ask_again() noexcept;
  static void make_meaningless(std::byte* packet, std::size_t bytes) noexcept;
  bool step() noexcept;
  [[nodiscard]] outcome take(connection& from, const payload_view&) noexcept;
  [[nodiscard]] outcome take_keys(connection& from, const payload_view&) noexcept;
  bool push() noexcept;
  void failed(connection&, bulk_queue&, int why) noexcept override;
  [[nodiscard]] std::size_t first_written(const connection& from, std::size_t pushed,
                                          std::size_t bytes) const noexcept;

  endpoint& endpoint_;
  connections& connections_;
  registration_cache& cache_;
  sender& sender_;
  const rendezvous_mode mode_;
  spare_buffers buffers_;
  exposures exposures_;
  pusher pusher_;
  peer_events& events_;
  staged staged_;
  further_keys further_keys_;
  block_ranges blocks_;
  fetcher fetcher_;
  writer writer_;
  further_rails rails_;
  std::vector<waiting> waiting_;  // in the order in which they were started
  // That broke and were made again, while what had begun to move has no queue pairs yet.
  std::vector<connection*> bereft_;
  bool together_ = false;
};

}  // namespace peal::verbs
