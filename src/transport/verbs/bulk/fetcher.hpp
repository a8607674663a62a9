// transport/verbs/bulk/fetcher.hpp
// How the receiver reads large payloads: by RDMA READs, in parts, over the connection's bulk queue
// pairs.
//
// What is to be read of a fetch is cut into parts; every part is signaled. A part goes to the queue
// pair that has the fewest bytes under way, so that a faster one, or a faster rail, takes more.
// Parts that go to one queue pair in the same poll share one doorbell, and a queue pair gets more
// only when half of what it takes is through. When several peers have something to be read, they
// take turns: fetch_pacing.hpp.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   told to fetch::done: errc::peer_failed.
// Source   ibv_post_send(3), IBV_WR_RDMA_READ.
#pragma once

#include <vector>

#include "transport/verbs/bulk/bulk_chain.hpp"
#include "transport/verbs/bulk/fetch_pacing.hpp"
#include "transport/verbs/bulk/fetch_progress.hpp"
#include "transport/verbs/bulk/reads.hpp"
#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

class connections;

/// What the words of a remote_region mean here.
struct exposed {
  /// `number`: exposures.hpp.
  static remote_region make(const void* data, std::uint64_t number,
                            const registration* held) noexcept {
    remote_region made;
    made.words[0] = reinterpret_cast<std::uint64_t>(data);
    made.words[2] = number;  // words[3]: pusher.hpp
    if (held) {
      made.words[2] |= is_registered;
      made.words[1] = std::uint64_t{held->remote_key(1)} << 32 | held->remote_key(0);
      made.words[4] = std::uint64_t{held->remote_key(3)} << 32 | held->remote_key(2);
    }
    return made;
  }
  static std::uint64_t address(const remote_region& of) noexcept { return of.words[0]; }
  static bool registered(const remote_region& of) noexcept {
    return (of.words[2] & is_registered) != 0;
  }
  static std::uint64_t number(const remote_region& of) noexcept {
    return of.words[2] & ~is_registered;
  }
  /// With that rail of its owner's.
  static std::uint32_t key(const remote_region& of, std::uint8_t rail) noexcept {
    return static_cast<std::uint32_t>(of.words[rail < 2 ? 1 : 4] >> 32 * (rail & 1));
  }

 private:
  static constexpr std::uint64_t is_registered = std::uint64_t{1} << 63;
};

class fetcher {
 public:
  fetcher(endpoint& endpoint, registration_cache& cache, queue_failures& told)
      : endpoint_{endpoint}, cache_{cache}, failures_{told} {}

  /// False: it cannot be read (one side is not registered), and nothing happened. Requires: open.
  /// Its share is [begin, end) of the payload; `begin` is a multiple of a page.
  [[nodiscard]] bool start(connection&, fetch&, std::size_t begin, std::size_t end) noexcept;
  /// Whether parts wait until `flush`, so that those of several fetches share doorbells.
  void hold(bool wanted) noexcept { holds_ = wanted; }
  /// Parts of this connection are to be posted at the next flush.
  void note(connection&) noexcept;
  void flush() noexcept;
  /// The connection is being taken away.
  void forget(connection&) noexcept;
  /// The oldest READ of this bulk queue pair has completed.
  void completed(connection&, std::uint32_t bulk) noexcept;
  /// Posts again what full queues refused.
  void step(connections&) noexcept;
  /// A link was left out: what was under way there, or waited, is read again over the other links,
  /// by `step`.
  void read_again(connection&, bulk_queue&) noexcept;
  /// Forgets all of this connection's and adds them to `ending`. Requires: the device reads for
  /// them no more.
  void abandon(connection&, std::vector<fetch*>& ending) noexcept;

 private:
  /// A queue pair that takes parts now.
  struct taker {
    std::size_t which;
    std::uint32_t room;
    std::uint64_t bytes;  // under way there
  };
  struct placed {
    std::size_t which;
    bulk_part part;
  };
  static void add(bulk_chain&, const connection&, std::size_t which, const bulk_part&) noexcept;
  void post(connection&, bool turn = false) noexcept;
  [[nodiscard]] int post(connection&, std::size_t which) noexcept;
  void deal_out(connection&, bool turn) noexcept;
  void find_takers(connection&) noexcept;
  void moved(std::uint64_t bytes) noexcept;
  void stopped(std::uint64_t bytes) noexcept;
  void take_turns() noexcept;
  [[nodiscard]] std::size_t readers(const connection&) const noexcept;
  [[nodiscard]] std::uint32_t limit_of(const connection&, const bulk_queue&) const noexcept;
  [[nodiscard]] bulk_part next_part(reads&) const noexcept;
  void let_go(fetch&) noexcept;
  [[nodiscard]] std::uint64_t part_of(const connection&, std::uint64_t bytes) const noexcept;

  endpoint& endpoint_;
  registration_cache& cache_;
  queue_failures& failures_;
  fetch_pacing pacing_;
  bool holds_ = false;
  std::vector<connection*> noted_;
  std::uint64_t under_way_ = 0;  // bytes, of all peers
  // Of one call, kept for their memory.
  std::vector<taker> takers_;
  std::vector<placed> placed_;
};

}  // namespace peal::verbs
