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
// Where either side's memory is registered piece by piece, as much is read as both have registered;
// and of a payload that is packed meanwhile, as much as is packed. A piece more of this side's is
// registered at a poll. What cannot be registered comes as staged.hpp says.
//
// Blocks at equal distances, on either side, are read from where they lie, and put there: a part is
// within one block of the source, and may be spread over several of the target.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   told to fetch::done: errc::peer_failed.
// Source   ibv_post_send(3), IBV_WR_RDMA_READ.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "transport/verbs/bulk/bulk_chain.hpp"
#include "transport/verbs/bulk/fetch_pacing.hpp"
#include "transport/verbs/bulk/fetch_progress.hpp"
#include "transport/verbs/bulk/pieces/block_places.hpp"
#include "transport/verbs/bulk/pieces/block_ranges.hpp"
#include "transport/verbs/bulk/pieces/further_keys.hpp"
#include "transport/verbs/bulk/pieces/registered_range.hpp"
#include "transport/verbs/bulk/reads.hpp"
#include "transport/verbs/bulk/staged.hpp"
#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

class connections;

/// How an exposed payload is registered.
enum class exposed_as : std::uint8_t {
  nothing,  // it is not
  packed,   // as a whole; its pieces are read when they are packed (pieces/packed_payload.hpp)
  whole,
  pieces,  // piece by piece
  blocks   // as a whole, gaps included: words[3] says how long they are, and how far apart
};

/// What the words of a remote_region mean here.
struct exposed {
  /// `number`: exposures.hpp.
  /// `held`: all of it, or its first piece; null: nothing.
  static remote_region make(const void* data, std::uint64_t number, const registration* held,
                            exposed_as how = exposed_as::whole) noexcept {
    remote_region made;
    made.words[0] = reinterpret_cast<std::uint64_t>(data);
    made.words[2] = number;  // words[3]: pusher.hpp, where nothing else is said
    if (held) {
      made.words[2] |= static_cast<std::uint64_t>(how) << how_at;
      made.words[1] = std::uint64_t{held->remote_key(1)} << 32 | held->remote_key(0);
      made.words[4] = std::uint64_t{held->remote_key(3)} << 32 | held->remote_key(2);
    }
    return made;
  }
  /// Requires: block_ranges has acquired them.
  static remote_region make(const detail::strided_blocks& data, std::uint64_t number,
                            const registration& held) noexcept {
    remote_region made = make(data.first, number, &held, exposed_as::blocks);
    made.words[3] = std::uint64_t{data.stride} << 32 | data.length;
    return made;
  }
  static std::uint64_t address(const remote_region& of) noexcept { return of.words[0]; }
  static exposed_as how(const remote_region& of) noexcept {
    return static_cast<exposed_as>(of.words[2] >> how_at);
  }
  static bool registered(const remote_region& of) noexcept {
    switch (how(of)) {
      case exposed_as::packed:
      case exposed_as::whole:
      case exposed_as::pieces: return true;
      case exposed_as::blocks: return length_of_blocks(of) > 0;
      case exposed_as::nothing: break;
    }
    return false;
  }
  static bool in_blocks(const remote_region& of) noexcept { return how(of) == exposed_as::blocks; }
  /// Requires: registered.
  static block_places blocks_of(const remote_region& of) noexcept {
    return block_places{address(of), length_of_blocks(of), of.words[3] >> 32};
  }
  /// The keys are those of its first piece, and those of the others are told.
  static bool in_pieces(const remote_region& of) noexcept {
    return how(of) == exposed_as::pieces || how(of) == exposed_as::packed;
  }
  static pieces pieces_of(const remote_region& of) noexcept {
    return pieces{address(of), how(of) == exposed_as::packed ? pieces::packed : pieces::length};
  }
  static std::uint64_t number(const remote_region& of) noexcept {
    return of.words[2] & ~(std::uint64_t{7} << how_at);
  }
  static bool is_number(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word) != 0 && word >> how_at == 0;
  }
  /// With that rail of its owner's.
  static std::uint32_t key(const remote_region& of, std::uint8_t rail) noexcept {
    return static_cast<std::uint32_t>(of.words[rail < 2 ? 1 : 4] >> 32 * (rail & 1));
  }

 private:
  static std::uint64_t length_of_blocks(const remote_region& of) noexcept {
    return static_cast<std::uint32_t>(of.words[3]);
  }

  static constexpr int how_at = 61;
};

/// Of a fetch of which a side, or both, is registered piece by piece, or lies in blocks.
struct fetch_pieces {
  std::optional<registered_range> target;  // none: as a whole
  std::optional<pieces> of_source;         // none: as a whole
  std::optional<block_places> source_blocks, target_blocks;
  told_keys* source = nullptr;  // null: nobody has told of more than the first piece
  bool refused = false;         // the next piece of the target cannot be registered
  bool waits = true;            // all that can be posted is
};

class fetcher {
 public:
  fetcher(endpoint& endpoint, registration_cache& cache, queue_failures& told, staged& otherwise,
          further_keys& keys, spare_buffers& buffers, block_ranges& blocks)
      : endpoint_{endpoint},
        cache_{cache},
        failures_{told},
        staged_{otherwise},
        keys_{keys},
        buffers_{buffers},
        blocks_{blocks} {}

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
  /// More of it is registered on the other side, or will not be.
  void told_more(connection&, fetch&) noexcept;
  /// Registers a piece more, of a fetch that needs one. False: none does.
  bool grow() noexcept;
  [[nodiscard]] bool is_growing() const noexcept { return !growing_.empty(); }
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
  [[nodiscard]] bool prepare(fetch&) noexcept;
  [[nodiscard]] bool prepare_target(fetch&) noexcept;
  [[nodiscard]] static std::uint64_t reach(fetch&) noexcept;
  void go_on(connection&, fetch&) noexcept;
  void leave_rest(connection&, fetch&) noexcept;
  void finish(connection&, fetch&) noexcept;
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
  staged& staged_;
  further_keys& keys_;
  spare_buffers& buffers_;
  block_ranges& blocks_;
  fetch_pacing pacing_;
  struct growing {
    connection* from;
    fetch* of;
  };
  std::deque<growing> growing_;  // fetches whose targets are not registered to their end
  bool holds_ = false;
  std::vector<connection*> noted_;
  std::uint64_t under_way_ = 0;  // bytes, of all peers
  // Of one call, kept for their memory.
  std::vector<taker> takers_;
  std::vector<placed> placed_;
};

}  // namespace peal::verbs
