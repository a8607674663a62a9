// transport/shm/parcels.hpp
// The parcels of this process. Messages to peers for which it has no box travel in them, one
// message in each, through the receiver's inbox. The first ones are in the front, further small
// ones in slices of the segment, and further large ones in the transport part.
//
// Layer    transport/shm.
// Threads  one.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/node_segment.hpp"
#include "transport/shm/layout.hpp"
#include "transport/shm/parts.hpp"

namespace peal::shm {

class parcels {
 public:
  explicit parcels(node_segment&);

  /// One that holds `bytes` of payload; null when all are under way and no more are to be had.
  [[nodiscard]] parcel* take(std::size_t bytes) noexcept;
  /// The receiver has read it.
  void put_back(parcel&) noexcept;

 private:
  struct pool {
    std::size_t size;          // of a parcel
    std::size_t a_step;        // parcels that are reserved at a time
    std::size_t steps;         // of them there may be
    std::size_t reserved = 0;  // steps
    std::vector<std::uint64_t> free;
  };

  [[nodiscard]] bool grow(pool&) noexcept;
  [[nodiscard]] std::uint64_t step_of(const pool&, std::size_t which) const noexcept;

  node_segment* segment_;
  std::uint64_t small_front_;  // offsets in the front below large_front_ are small
  std::uint64_t large_front_;
  std::uint64_t large_parts_;
  pool small_;
  pool large_;
};

}  // namespace peal::shm
