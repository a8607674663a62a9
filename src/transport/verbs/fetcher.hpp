// transport/verbs/fetcher.hpp
// The data path in for large payloads: RDMA READs of the receiver, in parts, over the connection's bulk queue pairs.
//
// A fetch is cut into parts that go round the bulk queue pairs; every part is signaled, and the fetch is done when its last part has
// completed. Parts that go to one queue pair at a time share one doorbell. A payload that one side cannot register comes in messages
// instead: staged.hpp.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   told to fetch::done: errc::peer_failed.
// Source   ibv_post_send(3), IBV_WR_RDMA_READ.
#pragma once

#include <functional>
#include <new>
#include <vector>

#include "transport/verbs/connection.hpp"
#include "transport/verbs/registration_cache.hpp"

namespace peal::verbs {

/// What the words of a remote_region mean here.
struct exposed {
  static remote_region make(const void* data, registration* held) noexcept {
    remote_region made;
    made.words[0] = reinterpret_cast<std::uint64_t>(data);
    made.words[1] = held ? std::uint64_t{1} << 32 | held->region->rkey : 0;
    made.words[2] = reinterpret_cast<std::uint64_t>(held);
    return made;
  }
  static std::uint64_t address(const remote_region& of) noexcept { return of.words[0]; }
  static bool registered(const remote_region& of) noexcept { return (of.words[1] >> 32 & 1) != 0; }
  static std::uint32_t key(const remote_region& of) noexcept { return static_cast<std::uint32_t>(of.words[1]); }
  /// For its owner only; null when it is not registered.
  static registration* held(const remote_region& of) noexcept { return reinterpret_cast<registration*>(of.words[2]); }
};

/// A fetch's scratch words.
struct fetch_progress {
  std::uint64_t posted = 0;  // bytes asked for
  std::uint64_t arrived = 0;
  registration* into = nullptr;
  std::uint64_t part = 0;       // bytes at a time, whole pages
  std::byte* target = nullptr;  // where the device writes: the receiver's memory, or ours for a fetch that absorbs
};
static_assert(sizeof(fetch_progress) <= sizeof(fetch::scratch));

class fetcher {
 public:
  using broken = std::function<void(connection&, int)>;
  fetcher(lane& shared, registration_cache& cache, broken broke) : lane_{shared}, cache_{cache}, broke_{std::move(broke)} {}

  /// False: it cannot be read (one side is not registered), and nothing happened. Requires: open.
  [[nodiscard]] bool start(connection&, fetch&) noexcept;
  /// The oldest READ of this bulk queue pair has completed.
  void completed(connection&, std::uint32_t bulk) noexcept;
  /// Ends all of this connection's with errc::peer_failed. Requires: the device reads for them no more.
  void abandon(connection&) noexcept;

 private:
  static fetch_progress& of(fetch& f) noexcept { return *std::launder(static_cast<fetch_progress*>(static_cast<void*>(f.scratch.data()))); }
  void post(connection&) noexcept;
  void let_go(fetch&) noexcept;
  [[nodiscard]] std::uint64_t part_of(const connection&, std::uint64_t bytes) const noexcept;

  lane& lane_;
  registration_cache& cache_;
  broken broke_;
};

}  // namespace peal::verbs
