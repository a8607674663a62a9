// transport/verbs/bulk/pieces/pieces.hpp
// Pieces in which a long buffer is registered, one after another, so that the first ones move
// meanwhile.
//
// Pieces end at fixed addresses, so that messages from, or to, parts of one array share the pieces
// that stay registered. Both sides find the pieces of a buffer by its address alone.
//
// In a payload pieces begin at whole pages of the payload, wherever its memory begins: so each part
// of it lies in one piece. Where memory begins amid a page, the last page of a piece is then the
// first one of the next. So each piece but the first of a buffer is registered from a page before
// its address.
//
// Layer    transport/verbs.
// Units    bytes; positions in the payload are multiples of a page.
// Threads  any.
#pragma once

#include <cstdint>

#include "base/page.hpp"

namespace peal::verbs {

class pieces {
 public:
  /// On the double 64 MiB come the first time 1 to 2 % sooner in pieces of 1 or 2 MiB, which would
  /// be four times or twice as many regions and keys.
  static constexpr std::uint64_t length = 4 << 20;
  /// Of payloads that are packed meanwhile (packed_payload.hpp).
  static constexpr std::uint64_t packed = 256 << 10;

  pieces() = default;
  /// Of a payload at this address, in whichever process, each but those at its ends so long.
  explicit pieces(std::uint64_t address, std::uint64_t each = length) noexcept
      : each_{each}, first_{(address + page - 1) & ~(page - 1)} {}

  /// Whether a buffer is so long that it is divided.
  static constexpr bool divide(std::uint64_t bytes) noexcept { return bytes > length; }

  /// The piece in which a part at this position lies.
  [[nodiscard]] std::uint64_t of(std::uint64_t at) const noexcept {
    return (first_ % each_ + at) / each_;
  }
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t piece) const noexcept {
    return piece == 0 ? 0 : piece * each_ - first_ % each_;
  }
  /// From here on its memory is registered. Requires: it is not the first one of the buffer.
  [[nodiscard]] std::uint64_t registered_from(std::uint64_t piece) const noexcept {
    return (first_ / each_ + piece) * each_ - page;
  }
  /// Where the piece ends in which a part at this position lies.
  [[nodiscard]] std::uint64_t end_at(std::uint64_t at) const noexcept {
    return begin_of(of(at) + 1);
  }

 private:
  std::uint64_t each_ = length;
  std::uint64_t first_ = 0;  // the first page that begins in it
};

}  // namespace peal::verbs
