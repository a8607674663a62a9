// transport/shm/bulk/helper.hpp
// The sender's side of large payloads: takes part in the copies that receivers have begun. See
// fetcher.hpp.
//
// Layer    transport/shm.
// Threads  one; the receiver's fetcher works on the same records at the same time.
// Errors   what the kernel refuses, or what there is no memory for, is left to the receiver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/node_segment.hpp"
#include "transport/shm/bells.hpp"
#include "transport/shm/bulk/direct_copy.hpp"
#include "transport/shm/bulk/pace.hpp"
#include "transport/shm/bulk/staging.hpp"
#include "transport/shm/layout.hpp"

namespace peal::shm {

class helper {
 public:
  helper(node_segment&, direct_copy&, bells&);

  /// A receiver asks for help.
  void add(transfer&) noexcept;
  [[nodiscard]] bool busy() const noexcept { return first_ != 0; }
  /// Copies a chunk, or fills a piece of a ring. Requires: busy.
  bool step() noexcept;
  void peer_failed(int index) noexcept;

 private:
  enum class outcome { nothing, worked, left };

  bool walk(bool filled) noexcept;
  bool walk(bool filled, std::uint64_t before, std::uint64_t first, std::uint64_t last) noexcept;
  void remove(std::uint64_t which, std::uint64_t before, std::uint64_t next) noexcept;
  outcome advance(transfer&) noexcept;
  outcome advance_claims(transfer&) noexcept;
  outcome advance_staged(transfer&) noexcept;
  [[nodiscard]] ring* begin_staged(transfer&) noexcept;
  [[nodiscard]] bool make_paces() noexcept;
  [[nodiscard]] pace& pace_of(const transfer&) noexcept;
  [[nodiscard]] bool has_room(ring&, const transfer&) noexcept;
  void fill(transfer&, std::byte* place, std::size_t at, std::size_t bytes,
            std::uint32_t number) noexcept;
  [[nodiscard]] static bool is_measured(const transfer&) noexcept;
  void learn(const transfer&) noexcept;
  outcome leave(transfer&) noexcept;
  [[nodiscard]] const std::byte* source_of(const transfer&, std::size_t at) const noexcept;
  static void pack(const transfer&, std::size_t at, std::byte* to, std::size_t bytes) noexcept;
  void pack_past_caches(const transfer&, std::size_t at, std::byte* to, std::size_t bytes) noexcept;

  node_segment* segment_;
  direct_copy* direct_;
  bells* bells_;
  std::uint64_t first_ = 0;  // transfers, linked by note::next, which is ours while we have them
  std::uint64_t last_ = 0;
  std::uint64_t moved_ = 0;  // the transfer that moved last, while it is among them
  staging staging_;
  // By local index of the receiver; empty before the first staged one.
  struct paces {
    pace copied, packed;
  };
  std::vector<paces> paces_;
  std::vector<std::byte> packed_;  // what goes past the caches next; empty as long
};

}  // namespace peal::shm
