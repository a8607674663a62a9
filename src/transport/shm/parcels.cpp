#include "transport/shm/parcels.hpp"

#include <algorithm>
#include <new>

namespace peal::shm {

parcels::parcels(node_segment& segment)
    : segment_{&segment},
      small_front_{segment.front(segment.index()).offset + offsetof(front, small_parcels)},
      large_front_{segment.front(segment.index()).offset + offsetof(front, large_parcels)} {
  const parts own = parts::of(segment, segment.index());
  large_parts_ = own.large_parcels;
  const auto make = [](std::uint64_t begin, std::uint32_t count, std::uint32_t step,
                       std::size_t size) {
    pool p{begin, begin + count * size, step * size, size, {}};
    return p;
  };
  small_ = make(own.small_parcels, own.small_parcel_count, small_parcel_step, small_parcel);
  large_ = make(own.large_parcels, own.large_parcel_count, large_parcel_step, large_parcel);
  for (std::uint32_t each = front_small_parcels; each-- > 0;)
    small_.free.push_back(small_front_ + each * small_parcel);
  for (std::uint32_t each = front_large_parcels; each-- > 0;)
    large_.free.push_back(large_front_ + each * large_parcel);
}

bool parcels::grow(pool& p) noexcept {
  if (p.next == p.end) return false;
  try {
    // Room for all that there are, so that giving back never allocates.
    p.free.reserve(p.free.capacity() + p.step / p.size);
  } catch (const std::bad_alloc&) {
    return false;
  }
  if (segment_->commit(p.next, p.step) != 0) return false;
  for (std::uint64_t each = p.step; each > 0; each -= p.size)
    p.free.push_back(p.next + each - p.size);
  p.next += p.step;
  return true;
}

parcel* parcels::take(std::size_t bytes) noexcept {
  pool& p = sizeof(parcel) + bytes <= small_parcel ? small_ : large_;
  if (p.free.empty() && !grow(p)) return nullptr;
  const std::uint64_t offset = p.free.back();
  p.free.pop_back();
  return segment_->at<parcel>(offset);
}

void parcels::put_back(parcel& item) noexcept {
  const std::uint64_t offset = segment_->offset_of(&item);
  const bool large =
      offset >= large_parts_ ||
      (offset >= large_front_ && offset < large_front_ + front_large_parcels * large_parcel);
  (large ? large_ : small_).free.push_back(offset);
}

}  // namespace peal::shm
