// transport/verbs/bulk/pieces/further_keys.hpp
// Long buffers that are exposed piece by piece: the announcement has the keys of the first piece,
// and those of the others follow in packets as they are registered.
//
// Pieces that are registered already are told right behind the announcement, so a buffer that was
// sent before is read without its owner's CPU. The others are registered one at a poll. What cannot
// be registered is told too: then the receiver asks for the bytes (staged.hpp).
//
// A payload that is packed meanwhile is told in the same way, as far as it is packed: a piece at a
// poll, with the same keys for each.
//
// What a peer tells is kept until it is fetched, up to a limit; beyond that it counts as not
// registered. It is known by the place of its exposure (exposures.hpp). So what nobody fetches is
// forgotten when that place is used again.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   none: a piece that cannot be registered is told.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "transport/verbs/bulk/exposures.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "transport/verbs/bulk/pieces/packed_payload.hpp"
#include "transport/verbs/bulk/pieces/registered_range.hpp"
#include "transport/verbs/eager/interface.hpp"

namespace peal::verbs {

class connections;
struct payload_view;

/// What a peer has told of a buffer that it exposes piece by piece.
struct told_keys {
  std::uint64_t number = 0;
  std::vector<rail_keys> of_further;  // of the pieces behind the first
  bool complete = false;              // no others follow
  fetch* by = nullptr;                // whose they are; null: nobody has asked yet

  [[nodiscard]] const rail_keys& operator[](std::uint64_t piece) const noexcept {
    return of_further[piece - 1];
  }
  /// How many pieces can be read.
  [[nodiscard]] std::uint64_t count() const noexcept { return 1 + of_further.size(); }
  /// Of the keys.
  [[nodiscard]] std::size_t bytes() const noexcept { return of_further.size() * sizeof(rail_keys); }
};

class further_keys {
 public:
  further_keys(endpoint& endpoint, registration_cache& cache, connections& connections, sender& out)
      : endpoint_{endpoint}, cache_{cache}, connections_{connections}, sender_{out} {}

  // ---- the sender of payloads

  /// Registers the first piece, and all that need no registration. Null: it cannot be registered.
  /// `number`: of its exposure.
  [[nodiscard]] const registration* begin(peer_id to, std::uint64_t number, const std::byte* data,
                                          std::size_t bytes);
  /// The same for one whose first piece, at least, is packed; `whole`: its buffer.
  void begin_packed(peer_id to, std::uint64_t number, std::shared_ptr<packed_payload>,
                    const registration& whole);
  /// Nothing more is told of this exposure, if it was exposed so.
  void withdraw(std::uint64_t number) noexcept;
  /// Registers, or packs, a piece more, if any is to be, and tells what is not told. True when
  /// something moved.
  bool step() noexcept;
  /// Tells what is not told. True when something was.
  bool tell() noexcept;
  [[nodiscard]] bool busy() const noexcept { return !untold_.empty() || is_growing(); }
  [[nodiscard]] bool is_growing() const noexcept { return !growing_.empty(); }
  /// Something is still to be told to this peer.
  [[nodiscard]] bool under_way(peer_id) const noexcept;

  // ---- the receiver

  /// The keys that are told, or will be, for this fetch; until `let_go`. Null: they were taken by
  /// another fetch.
  [[nodiscard]] told_keys* claim(fetch&) noexcept;
  void let_go(fetch&) noexcept;
  /// A peer tells of more. `of`: the fetch that it concerns; null: none.
  [[nodiscard]] outcome arrived(peer_id from, const payload_view&, fetch*& of) noexcept;

  /// Forgets the peer. Requires: no fetch from it is under way.
  void abandon(peer_id) noexcept;

 private:
  struct job {
    peer_id to;
    std::optional<registered_range> range;
    // Null: its memory is `range`.
    std::shared_ptr<packed_payload> packed;
    const registration* whole = nullptr;
    std::size_t told = 1;  // pieces, the one in the announcement included
    bool refused = false;  // no more can be registered
    bool waits = false;    // stands among the untold ones
    [[nodiscard]] bool grows() const noexcept {
      return !refused && !(packed ? packed->complete() : range->complete());
    }
    /// Pieces that can be read.
    [[nodiscard]] std::size_t count() const noexcept {
      return packed ? packed->count() : range->held().size();
    }
    [[nodiscard]] const registration& of(std::size_t piece) const noexcept {
      return packed ? *whole : *range->held()[piece];
    }
  };
  using jobs = std::unordered_map<std::uint64_t, job>;
  void add(std::uint64_t number, job);
  void note(std::uint64_t number, job&);
  [[nodiscard]] bool tell(std::uint64_t number, job&) noexcept;
  bool grow() noexcept;

  /// The peer, and the place of its exposure.
  static std::uint64_t place_of(peer_id of, std::uint64_t number) noexcept {
    return std::uint64_t{of} << 32 | static_cast<std::uint32_t>(number);
  }
  void forget(std::map<std::uint64_t, told_keys>::iterator) noexcept;

  endpoint& endpoint_;
  registration_cache& cache_;
  connections& connections_;
  sender& sender_;
  jobs jobs_;  // by the number of the exposure
  std::deque<std::uint64_t> growing_, untold_;
  std::map<std::uint64_t, told_keys> told_;  // by `place_of`; in place, since fetches point to them
  std::size_t kept_ = 0;                     // bytes of them
  std::set<peer_id> dropped_;                // whose keys found no room once
};

}  // namespace peal::verbs
