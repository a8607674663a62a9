// transport/verbs/bulk/pieces/packed_payload.hpp
// A payload that does not lie in one block, and is packed into a buffer while its receiver fetches
// it. It is packed piece by piece from its beginning on, and what the receiver wants in another way
// (written, or in messages) by whoever moves that: so each byte is packed once.
//
// The buffer is as long as the payload: what the receiver has not read yet stays as it is.
//
// Layer    transport/verbs.
// Units    bytes; positions in the payload.
// Threads  one at a time.
// Errors   without memory there is no buffer, and the payload comes in messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "peal/detail/core.hpp"
#include "transport/verbs/bulk/pieces/pieces.hpp"
#include "transport/verbs/bulk/pieces/spare_buffers.hpp"

namespace peal::verbs {

struct registration;

class packed_payload {
 public:
  /// Whether it is so long that its pieces are told one by one.
  static constexpr bool is_divided(std::size_t bytes) noexcept { return bytes > pieces::packed; }

  /// `buffers` outlives it. Null: it has no buffer, and is packed into messages only.
  packed_payload(const detail::packer& from, std::size_t bytes, spare_buffers* buffers)
      : from_{&from},
        buffers_{buffers},
        data_{buffers ? buffers->take(bytes) : nullptr},
        rest_{bytes} {}
  ~packed_payload() {
    if (data_) buffers_->give_back(data_);
  }
  packed_payload(const packed_payload&) = delete;
  packed_payload& operator=(const packed_payload&) = delete;

  /// Where it is packed; null: nowhere, or there is no memory for it.
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  /// Up to here it is packed from its beginning on.
  [[nodiscard]] std::uint64_t reach() const noexcept { return reach_; }
  /// Nothing more is to be packed from its beginning on.
  [[nodiscard]] bool complete() const noexcept { return reach_ == rest_; }

  /// Pieces that are packed, as far as they are packed from its beginning on. Requires: the first.
  [[nodiscard]] std::size_t count() const noexcept {
    return complete() ? its().of(reach_ - 1) + 1 : its().of(reach_);
  }

  /// The next piece. Requires: not complete.
  void pack_piece() noexcept { pack_until(its().end_at(reach_)); }
  /// From its beginning up to here, or to where the rest begins.
  void pack_until(std::uint64_t end) noexcept {
    end = std::min(end, rest_);
    if (end <= reach_) return;
    pack(data_ + reach_, reach_, end - reach_);
    reach_ = end;
  }
  /// What begins here comes in another way.
  void leave_from(std::uint64_t begin) noexcept {
    rest_ = std::max(reach_, std::min(rest_, begin));
  }
  /// The part [begin, end) of what was left so, once.
  void pack_left(std::uint64_t begin, std::uint64_t end) noexcept {
    begin = std::max(begin, reach_);
    if (begin < end) pack(data_ + begin, begin, end - begin);
  }
  /// Some of such a part, at `into` where it is not packed yet: from `begin` on, and `length` is
  /// shortened to what there is.
  [[nodiscard]] const std::byte* part(std::uint64_t begin, std::size_t& length,
                                      std::byte* into) const noexcept {
    if (begin < reach_) {
      length = std::min<std::size_t>(length, reach_ - begin);
      return data_ + begin;
    }
    pack(into, begin, length);
    return into;
  }
  /// It is withdrawn: what it was packed from is gone.
  void end() noexcept { from_ = nullptr; }

 private:
  [[nodiscard]] pieces its() const noexcept {
    return pieces{reinterpret_cast<std::uint64_t>(data_), pieces::packed};
  }
  void pack(std::byte* into, std::uint64_t at, std::size_t bytes) const noexcept {
    if (from_) from_->pack(*from_, at, into, bytes);
  }

  const detail::packer* from_;
  spare_buffers* const buffers_;
  std::byte* const data_;
  std::uint64_t reach_ = 0;
  std::uint64_t rest_;  // here begins what is packed by whoever moves it
};

}  // namespace peal::verbs
