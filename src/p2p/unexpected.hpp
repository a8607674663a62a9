// p2p/unexpected.hpp
// Messages that no receive has asked for yet: what is kept of them, and the memory they are kept
// in.
//
// Layer    p2p: may include transport/, base/.
// Units    bytes.
// Threads  one at a time.
// Errors   ends the process when there is no memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "p2p/linked_list.hpp"
#include "p2p/rendezvous.hpp"

namespace peal::detail {

/// A message in the unexpected queue, or taken from there by a probe. Its payload, or its
/// announcement, lies behind it.
struct matched_message : list_node, chain_node<0>, chain_node<1>, chain_node<2> {
  std::uint64_t key = 0;    // source << 32 | tag
  std::uint64_t bytes = 0;  // of the whole message
  peer_id from = 0;
  std::uint32_t context = 0;
  std::uint32_t block = 0;  // bytes of memory it takes, all told
  bool announced = false;

  [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(matched_message) == 96);

}  // namespace peal::detail

namespace peal {

/// Blocks of a few sizes, each size with its own free list. Long ones are made one by one, and some
/// of them stay, so that their pages are there for the next ones.
class message_pool {
 public:
  message_pool() = default;
  ~message_pool();
  message_pool(const message_pool&) = delete;
  message_pool& operator=(const message_pool&) = delete;

  /// A message with room for `payload` bytes; its other members are for the caller to set.
  detail::matched_message& take(std::size_t payload) noexcept;
  void give_back(detail::matched_message&) noexcept;
  /// Of long blocks that nobody uses.
  [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_; }
  static constexpr std::size_t most_kept = 4 << 20;

 private:
  // Steps of a half: at most a third of a block is unused. The last of a slab holds 4 KiB, and the
  // last of all the longest eager message of shared memory.
  static constexpr std::array<std::uint32_t, 17> sizes{128,  192,   256,   384,   512,  768,
                                                       1024, 1536,  2048,  3072,  4224, 6272,
                                                       8320, 12416, 16512, 24704, 32896};
  static constexpr std::size_t of_slabs = 11;  // sizes
  static constexpr std::size_t slab_bytes = 64 * 1024;

  struct unused_part {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
  };

  void grow(std::size_t size_class) noexcept;

  std::array<list_node*, sizes.size()> free_{};
  std::array<unused_part, of_slabs> unused_{};  // of the last slab of each size
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::size_t kept_ = 0;
};

}  // namespace peal
