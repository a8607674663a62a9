// peal/detail/collectives/filled.hpp
// Memory of the caller's that a collective fills: the results of into() and in_place().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <peal/data/buffer.hpp>
#include <peal/data/into.hpp>
#include <peal/data/view.hpp>
#include <peal/detail/collectives/given.hpp>
#include <peal/detail/collectives/results.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/owner.hpp>

namespace peal::detail {

/// The bytes of blocks in memory of the caller's, and where they begin.
class laid_out {
 public:
  /// None.
  laid_out() = default;
  /// Throws errc::invalid_argument where there is not one for every rank, or where one leaves the
  /// memory.
  laid_out(const block_layout& by, std::size_t blocks, std::size_t element, std::size_t room,
           const location& where) {
    if (by.counts.size() != blocks ||
        (!by.displacements.empty() && by.displacements.size() != blocks))
      fail(errc::invalid_argument,
           "there must be one count, and one displacement if any, for every rank, or neighbour", -1,
           where);
    const std::size_t elements = room / element;
    std::size_t next = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::size_t begin = by.displacements.empty() ? next : by.displacements[i];
      // Compared before anything is multiplied or added up, which might be too much for a number.
      if (begin > elements || by.counts[i] > elements - begin)
        fail(errc::invalid_argument,
             "counts and displacements leave the memory that is given for the blocks", -1, where);
      bytes_.push_back(by.counts[i] * element);
      offsets_.push_back(begin * element);
      next = begin + by.counts[i];
    }
  }
  [[nodiscard]] const std::vector<std::size_t>& bytes() const noexcept { return bytes_; }
  void describe(const std::size_t*& bytes, const std::size_t*& offsets) const noexcept {
    bytes = bytes_.data();
    offsets = offsets_.data();
  }

 private:
  std::vector<std::size_t> bytes_;
  std::vector<std::size_t> offsets_;
};

/// Memory in the place of what is too short. A rank whose memory is too short for a result has all
/// that the other ranks need of it. So it takes part, and is refused when that is done: the other
/// ranks have their results, and no later call meets what this rank left out. Making a plan ends
/// nothing, so there the rank is refused at once.
class spare_memory {
 public:
  [[nodiscard]] bool used() const noexcept { return lines_.get() != nullptr; }
  void make_room(std::size_t bytes) {
    lines_ = array_owner<line>{new line[(bytes + sizeof(line) - 1) / sizeof(line)]};
  }
  [[nodiscard]] std::byte* data() const noexcept { return lines_.get()->bytes; }

 private:
  struct alignas(64) line {  // so that elements of any type may lie in it
    std::byte bytes[64];
  };
  array_owner<line> lines_;
};

/// R: as of into_buffer.
template <when When, class R>
class filled {
  using type = std::remove_reference_t<R>;
  static constexpr bool apart = lies_apart<type>;

 public:
  using element = element_in<R>;
  static constexpr bool lives_elsewhere = !apart;

  template <class B>
  filled(B& it, const location& where) : memory_{memory_of(it)}, where_{where} {
    if constexpr (stays) container_.it = std::addressof(it);
  }
  /// Bytes of the caller's memory.
  [[nodiscard]] std::size_t size() const noexcept { return memory_.size(); }
  void make_room(lengths blocks) { make_room(sum_of(blocks)); }
  void make_room(std::size_t bytes) {
    if (bytes <= size()) [[likely]]
      return;
    if constexpr (When == when::planned) refuse();
    else spare_.make_room(bytes);
  }
  [[nodiscard]] void* data() noexcept {
    return spare_.used() ? spare_.data() : reinterpret_cast<std::byte*>(memory_.data());
  }
  [[nodiscard]] bool needs_spare_memory() const noexcept { return spare_.used(); }
  /// What a collective leaves as it is goes back unchanged, so it is packed too.
  void refresh(const location& where) const {
    if constexpr (apart) memory_.pack();
    if constexpr (stays) check_place(room_of(*container_.it), memory_, where);
  }
  void take(const location&) {
    if (spare_.used()) [[unlikely]]
      refuse();
    view();
  }
  void view() noexcept {
    if constexpr (apart) memory_.unpack();
  }

 private:
  template <class B>
  static auto memory_of(B& it) {
    if constexpr (apart) return packed_copy{strided_memory{it}};
    else return room_of(it);
  }
  [[noreturn]] void refuse() const {
    fail(errc::invalid_argument, "the result does not fit into the memory given for it", -1,
         where_);
  }

  // Of a plan, and a container that can be reassigned.
  static constexpr bool stays = When == when::planned && std::is_lvalue_reference_v<R> &&
                                contiguous<type> && !std::ranges::view<type>;
  struct container {
    type* it;
  };
  struct nothing {};

  std::conditional_t<apart, packed_copy, std::span<std::byte>> memory_;
  [[no_unique_address]] std::conditional_t<stays, container, nothing> container_;
  location where_;
  spare_memory spare_;
};

}  // namespace peal::detail
