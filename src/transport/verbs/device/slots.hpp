// transport/verbs/device/slots.hpp
// Registered memory for eager messages, in pieces of one size; grows in slabs, never shrinks.
//
// Slabs lie one behind another in huge pages, where the kernel gives any: an adapter's translation
// cache then holds what 512 ordinary pages would take. A slab is registered by itself, so no more
// is pinned than is needed, though the page that it ends in is there as a whole.
//
// Layer    transport/verbs/device.
// Threads  one at a time.
// Errors   grow says false when memory, or memory that may be locked, is short; refusal() says why.
// Source   ibv_reg_mr(3); getrlimit(2), RLIMIT_MEMLOCK; madvise(2), MADV_HUGEPAGE.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/verbs/device/rail_address.hpp"

namespace peal::verbs {

using slot_id = std::uint32_t;
inline constexpr slot_id no_slot = ~slot_id{0};

/// A slot holds an envelope and the longest eager message (wire.hpp); a whole number of cache
/// lines.
inline constexpr std::size_t slot_bytes = 8256;
static_assert(slot_bytes % 64 == 0);

class slot_pool {
 public:
  explicit slot_pool(ibv_pd* domain) noexcept { domains_[0] = domain; }
  ~slot_pool();
  slot_pool(const slot_pool&) = delete;
  slot_pool& operator=(const slot_pool&) = delete;

  /// From now on the slots are registered with another rail's device as well. False: it takes no
  /// more memory.
  [[nodiscard]] bool add_rail(std::size_t rail, ibv_pd* domain) noexcept;
  [[nodiscard]] bool has_rail(std::size_t rail) const noexcept { return domains_[rail] != nullptr; }
  /// Makes at least so many slots more.
  [[nodiscard]] bool grow(std::size_t slots) noexcept;
  /// Why grow said false the last time, the limit, and the remedy.
  [[nodiscard]] std::string refusal() const;
  [[nodiscard]] std::size_t free() const noexcept { return free_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return slabs_.size() * per_slab; }

  /// no_slot when there is none.
  [[nodiscard]] slot_id take() noexcept {
    if (free_.empty()) return no_slot;
    const slot_id taken = free_.back();
    free_.pop_back();
    return taken;
  }
  void give_back(slot_id over) noexcept { free_.push_back(over); }

  [[nodiscard]] std::byte* at(slot_id which) const noexcept {
    return slabs_[which / per_slab].memory + std::size_t{which % per_slab} * slot_bytes;
  }
  [[nodiscard]] std::uint32_t key(slot_id which, std::size_t rail = 0) const noexcept {
    return slabs_[which / per_slab].keys[rail];
  }

  /// Half a megabyte a slab: few registrations, little memory for a rank with few peers.
  static constexpr std::uint32_t per_slab = 64;
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

 private:
  static constexpr std::size_t slab_bytes = per_slab * slot_bytes;
  static_assert(slab_bytes % 4096 == 0);
  /// Address space for several slabs. 31 of them fill 7.8 huge pages.
  static constexpr std::size_t reserve_bytes = 8 * huge_page;
  static constexpr std::size_t per_reserve = reserve_bytes / slab_bytes;

  struct slab {
    std::byte* memory = nullptr;
    std::array<std::uint32_t, most_rails> keys{};
    std::array<ibv_mr*, most_rails> regions{};
  };

  [[nodiscard]] bool add_slab() noexcept;
  [[nodiscard]] std::byte* reserve() noexcept;
  [[nodiscard]] bool enroll(slab&, std::size_t rail) noexcept;
  static void end(const slab&) noexcept;

  std::array<ibv_pd*, most_rails> domains_{};
  std::vector<slab> slabs_;
  std::vector<std::byte*> reserves_;
  std::vector<slot_id> free_;     // last in, first out: the next is still in the cache
  std::size_t wanted_slabs_ = 0;  // when it was to grow last
  int refused_ = 0;               // errno of the last slab that was refused
};

}  // namespace peal::verbs
